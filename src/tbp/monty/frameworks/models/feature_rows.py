# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Arrays of features that grow by a row, without copying the rows before it."""

from __future__ import annotations

import functools
from struct import Struct
from typing import TYPE_CHECKING, Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.stacked.lazy_dict import LATER, LazyDict
from tbp.monty.frameworks.utils.original_method import are_original

if TYPE_CHECKING:
    from tbp.monty.cmp import Message
    from tbp.monty.frameworks.models.buffer import FeatureAtLocationBuffer

__all__ = [
    "FeatureRows",
    "add_displacement",
    "add_features",
    "count_steps",
    "new_rows",
    "nth_row",
]

_FLOAT = np.dtype(float)
_NUMBER = Struct("d")
_NAN = _NUMBER.pack(np.nan)
_integer = functools.lru_cache(maxsize=None)(np.int_)  # To make one takes 0.6 us.

_ADDING = (
    "__len__",
    "_add_attr_to_feature_buffer",
    "_add_displacement",
    "_pad_to_target_length",
    "_store_displacement_and_location",
)
"""Methods of a buffer that are not called for `FeatureRows`."""


def new_rows(buffer: FeatureAtLocationBuffer) -> dict[str, npt.NDArray[np.float64]]:
    """Return arrays for a buffer; plain ones if it adds rows in its own way."""
    module = "tbp.monty.frameworks.models.buffer"
    if are_original(buffer, module, "FeatureAtLocationBuffer", _ADDING):
        return FeatureRows()
    return {}


def add_features(buffer: FeatureAtLocationBuffer, percept: Message) -> bool:
    """Add the features of a percept to those of its channel; see `FeatureRows.add`."""
    rows = buffer.features[percept.sender_id]
    features = {
        **percept.morphological_features,
        **percept.non_morphological_features,
        "on_object": percept.get_on_object(),
    }
    return type(rows) is FeatureRows and rows.add(features, len(buffer.on_object))


def add_displacement(
    buffer: FeatureAtLocationBuffer,
    percept: Message,
    location: npt.NDArray[np.float64],
) -> bool:
    """Add the displacement of a percept, if it has one; see `FeatureRows.add`.

    Args:
        buffer: The buffer.
        percept: The percept.
        location: The location of this step, which becomes the buffer's last one.
    """
    rows = buffer.displacements
    values = getattr(percept, "displacement", None) or {}
    if type(rows) is not FeatureRows or not rows.add(values, len(buffer.on_object)):
        return False
    buffer.last_location = location
    return True


def count_steps(processed: Sequence[bool]) -> np.int_ | np.float64:
    """Return what `np.sum` returns for flags, one per step, in less time."""
    return _integer(sum(processed)) if processed else np.float64(0)


def nth_row(
    arrays: Mapping[str, npt.NDArray[np.float64]], name: str, n: int
) -> npt.NDArray[np.float64]:
    """Return a row of an array. To read the last one, the array is not made.

    Args:
        arrays: The arrays, each with one row per step.
        name: The array.
        n: Which row; -1 is the last.
    """
    if n == -1 and type(arrays) is FeatureRows and name in arrays._rows:
        rows, width = arrays._rows[name]
        return np.frombuffer(rows[-width:])
    return arrays[name][n]


class FeatureRows(LazyDict[npt.NDArray[np.float64]]):
    """Arrays by name. As long as nobody asks for an array, its rows are bytes."""

    def __init__(self) -> None:
        super().__init__({})
        # The bytes of all rows, and the number of them in one row.
        self._rows: dict[str, tuple[bytearray, int]] = {}

    def make(self, key: str) -> npt.NDArray[np.float64]:
        rows, width = self._rows.pop(key)
        return np.frombuffer(rows).reshape(-1, width // _NUMBER.size)

    def add(self, values: Mapping[str, Any], steps: int) -> bool:
        """Add to arrays what was sensed on a step, after rows of NaN that are missing.

        Args:
            values: What was sensed, by the name of the array.
            steps: The number of steps before this one.

        Returns:
            Whether all values were added. If not, one is unusual, or an array is; it is
            no harm to add all of them again.
        """
        for name, value in values.items():
            row = _bytes_of(value)
            if not row:
                return False
            rows, width = self._rows.get(name) or self._unmake(name, len(row))
            missing = steps * width - len(rows)
            if len(row) != width or missing < 0:
                return False
            if missing:
                rows += _NAN * (missing // _NUMBER.size)
            rows += row
        return True

    def _unmake(self, name: str, width: int) -> tuple[bytearray, int]:
        """Turn an array that is new, or was asked for or assigned, into bytes."""
        rows, made = bytearray(), dict.get(self, name)
        if made is not None and made.size:
            rows, width = bytearray(_bytes_of(made)), made.shape[1] * _NUMBER.size
        dict.__setitem__(self, name, LATER)
        self._rows[name] = rows, width
        return rows, width

    def __setitem__(self, key: str, value: npt.NDArray[np.float64]) -> None:
        self._rows.pop(key, None)
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        self._rows.pop(key, None)
        super().__delitem__(key)


def _bytes_of(value: Any) -> bytes:
    """Return the numbers of a value as bytes; none if the value is unusual."""
    array = getattr(value, "value", value)  # of pose vectors
    if type(array) is np.ndarray:
        floats = array if array.dtype is _FLOAT else array.astype(_FLOAT)
        return floats.tobytes()
    return _NUMBER.pack(value) if isinstance(value, (int, float)) else b""
