# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Separates errors of the harness from errors of the experiment it runs in."""

from __future__ import annotations

import contextlib
from typing import Iterator

__all__ = ["HarnessFault", "own_work"]


class HarnessFault(BaseException):
    """The harness failed while it recorded or replayed.

    Not an `Exception`: the experiment must not handle it. Nor may it count as a result,
    which could be the same on both sides.
    """


@contextlib.contextmanager
def own_work() -> Iterator[None]:
    """Turns any exception in the block into a fault of the harness."""
    try:
        yield
    except Exception as error:
        raise HarnessFault(f"{type(error).__name__}: {error}") from error
