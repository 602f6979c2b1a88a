# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A digest of nested values that is the same in every process.

It identifies long-term memory and hypotheses by their content, because storing them on
every step would take gigabytes.

Left out, because they are not part of what was learned:

- k-d trees: they are built from the locations, which are in the digest;
- objects without attributes that Python can see (locks, handles): only their type
  counts.
"""

from __future__ import annotations

import copy
import hashlib
import struct
from collections.abc import Iterable
from typing import Any

import numpy as np

__all__ = ["digest"]

DERIVED = {"KDTree", "cKDTree"}

SAME = {"HypothesisRows": "Hypotheses"}
"""Types that have the same attributes as another one, and count as it."""


def digest(value: Any) -> str:
    """Returns the hexadecimal sha256 of a value and everything inside it.

    Args:
        value: Any nesting of containers, numbers, arrays, tensors and objects. The
            order of lists and dictionaries counts, that of sets does not.
    """
    sha = hashlib.sha256()
    _feed(sha, value, ())
    return sha.hexdigest()


def _feed(sha: Any, value: Any, above: tuple[int, ...]) -> None:
    kind = type(value)
    if value is None or kind in (bool, int, str, bytes):
        _mark(sha, kind.__name__, repr(value))
    elif kind is float:
        _mark(sha, "float", struct.pack("<d", value).hex())
    elif isinstance(value, (np.ndarray, np.generic)) and not value.dtype.hasobject:
        _mark(sha, "array", f"{value.dtype.str}{value.shape}")
        sha.update(np.ascontiguousarray(value).reshape(-1).view(np.uint8))
    elif id(value) in above:
        _mark(sha, "loop", str(len(above) - above.index(id(value))))
    else:
        _feed_nested(sha, value, (*above, id(value)))


def _feed_nested(sha: Any, value: Any, above: tuple[int, ...]) -> None:
    if isinstance(value, (dict, list, tuple, set, frozenset)):
        _mark(sha, type(value).__name__, str(len(value)))
        for item in _items(value):
            _feed(sha, item, above)
    elif isinstance(value, np.ndarray):
        _mark(sha, "objects", str(value.shape))
        _feed(sha, value.ravel().tolist(), above)
    elif hasattr(value, "__qualname__"):
        _mark(sha, "name", f"{value.__module__}.{value.__qualname__}")
    else:
        _feed_object(sha, value, above)


def _items(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return (part for pair in value.items() for part in pair)
    if isinstance(value, (set, frozenset)):
        return sorted(digest(item) for item in value)
    return value


def _feed_object(sha: Any, value: Any, above: tuple[int, ...]) -> None:
    kind = type(value)
    home = kind.__module__.partition(".")[0]
    if home == "torch" and hasattr(value, "is_sparse"):
        _feed_tensor(sha, value, above)
        return
    if home == "tbp" and any("__reduce__" in vars(base) for base in kind.__mro__[:-1]):
        # A copy of hypotheses that a backend holds has plain arrays.
        plain = copy.copy(value)
        if type(plain) is not kind:
            _feed(sha, plain, above)
            return
    _mark(sha, "object", SAME.get(kind.__qualname__, kind.__qualname__))
    if home == "torch_geometric" and hasattr(value, "to_dict"):
        _feed(sha, value.to_dict(), above)
    elif kind.__name__ == "Rotation" and hasattr(value, "as_quat"):
        _feed(sha, np.asarray(value.as_quat()), above)
    elif kind.__name__ not in DERIVED:
        _feed(sha, getattr(value, "__dict__", None), above)


def _feed_tensor(sha: Any, tensor: Any, above: tuple[int, ...]) -> None:
    tensor = tensor.detach().cpu()
    if tensor.is_sparse:
        # The order of the entries of an uncoalesced tensor has no meaning.
        tensor = tensor.coalesce()
        _mark(sha, "sparse", str(tuple(tensor.shape)))
        _feed(sha, tensor.indices().numpy(), above)
        _feed(sha, tensor.values().numpy(), above)
    else:
        _feed(sha, tensor.numpy(), above)


def _mark(sha: Any, kind: str, text: str) -> None:
    # With its length, so that different sequences of marks never hash the same.
    data = text.encode("utf-8", "surrogatepass")
    sha.update(f"{kind}:{len(data)}:".encode())
    sha.update(data)
