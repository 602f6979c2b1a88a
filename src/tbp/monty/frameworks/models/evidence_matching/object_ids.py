# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The digests of object ids."""

from __future__ import annotations

import hashlib
from functools import lru_cache

__all__ = ["digest_of"]


@lru_cache(maxsize=1024)  # more than the objects of most models
def digest_of(object_id: str) -> bytes:
    """Return the SHA-256 digest of an object id, which is computed once.

    Args:
        object_id: The id.
    """
    return hashlib.sha256(object_id.encode("utf-8")).digest()
