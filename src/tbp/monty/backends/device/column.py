# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Stands for an array on a device, and brings it over when it must be read."""

from __future__ import annotations

from typing import Any, Callable, Iterator, Protocol

import numpy as np
import numpy.typing as npt
from numpy.lib.mixins import NDArrayOperatorsMixin

from tbp.monty.backends.device.results import KnownResults
from tbp.monty.backends.tables.segments import COLUMNS, HYPOTHESIS_COLUMNS, Deferred

__all__ = ["DeviceColumn"]


class _Table(Protocol):
    """What a column asks of the table that it is a part of."""

    counts: npt.NDArray[np.int64]
    results: KnownResults

    def read(self, index: int, column: str) -> npt.NDArray: ...

    def read_single(self, index: int, column: str, row: int) -> npt.NDArray | None: ...


class DeviceColumn(NDArrayOperatorsMixin, Deferred):
    """A segment's part of a column, to be used like an array.

    What learning modules ask on every step is answered from what the last update has
    found out: the length, the maximum and where it is, and what the two most likely
    hypotheses have. What a single other one has is brought over by itself. Anything
    else brings the array over, once; from then on it is an array of the host, which may
    be written to.
    """

    __slots__ = ("_fetched", "_name", "_segment", "_table")

    def __init__(self, table: _Table, segment: int, name: str) -> None:
        self._table = table
        self._segment = segment
        self._name = name
        self._fetched: npt.NDArray | None = None
        self.fetch_into: dict[str, npt.NDArray] | None = None

    def fetch(self) -> npt.NDArray:
        if self._fetched is None:
            return self._keep(self._table.read(self._segment, self._name))
        return self._fetched

    @property
    def shape(self) -> tuple[int, ...]:
        return (len(self), *COLUMNS[self._name])

    @property
    def dtype(self) -> np.dtype:
        return np.dtype(np.bool_ if self._name == "possible" else np.float64)

    @property
    def ndim(self) -> int:
        return len(self.shape)

    @property
    def size(self) -> int:
        return int(np.prod(self.shape))

    def __len__(self) -> int:
        if self._fetched is not None:
            return len(self._fetched)
        return int(self._table.counts[self._segment])

    def __getitem__(self, key: Any) -> Any:
        if self._fetched is None and _is_place(key):
            place = int(key)
            known = self._known_at(place)
            if known is None and 0 <= place < len(self):
                known = self._table.read_single(self._segment, self._name, place)
            if known is not None:
                return known
        return self.fetch()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        if (
            self._fetched is None
            and self._name == "possible"
            and isinstance(key, slice)
            and key == slice(None)
        ):
            # All of it is written, so that nothing needs to be brought over.
            self._keep(np.empty(self.shape, dtype=self.dtype))
        self.fetch()[key] = value

    def __iter__(self) -> Iterator:
        return iter(self.fetch())

    def __array__(
        self, dtype: npt.DTypeLike | None = None, copy: bool | None = None
    ) -> npt.NDArray:
        array = self.fetch()
        if dtype is not None and dtype != array.dtype:
            return array.astype(dtype)
        return array.copy() if copy else array

    def __array_ufunc__(
        self, ufunc: np.ufunc, method: str, *inputs: Any, **kwargs: Any
    ) -> Any:
        return getattr(ufunc, method)(*_fetched(inputs), **_fetched(kwargs))

    def __array_function__(
        self, function: Callable, types: Any, args: tuple, kwargs: dict
    ) -> Any:
        if function in _KNOWN and len(args) == 1 and not kwargs:
            known = self._known_of(function)
            if known is not None:
                return known
        return function(*_fetched(args), **_fetched(kwargs))

    def __getattr__(self, name: str) -> Any:
        # Not for what is private: this is asked for when there is no table yet.
        if name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.fetch(), name)

    def max(self, *args: Any, **kwargs: Any) -> Any:
        return np.max(self, *args, **kwargs)

    def argmax(self, *args: Any, **kwargs: Any) -> Any:
        return np.argmax(self, *args, **kwargs)

    def __copy__(self) -> npt.NDArray:
        return self.fetch().copy()

    def __deepcopy__(self, memo: dict) -> npt.NDArray:
        return self.fetch().copy()

    def __reduce__(self) -> Any:
        return self.fetch().__reduce__()

    def __repr__(self) -> str:
        return repr(self.fetch())

    def _known_of(self, function: Callable) -> Any:
        if self._fetched is not None or self._name != "evidence":
            return None
        found = self._table.results.of(self._segment)
        if found is None:
            return None
        results, position = found
        if function is np.argmax:
            return np.intp(results.most_likely[position])
        return results.highest[position]

    def _known_at(self, place: int) -> Any:
        """Return what a hypothesis has, if it is one of the two most likely ones."""
        found = self._table.results.of(self._segment)
        known = None if found is None else found[0].hypothesis(found[1], place)
        if known is None or self._name not in HYPOTHESIS_COLUMNS:
            return None
        return known[HYPOTHESIS_COLUMNS.index(self._name)]

    def _keep(self, array: npt.NDArray) -> npt.NDArray:
        self._fetched = array
        if self.fetch_into is not None:
            self.fetch_into[self._name] = array
        return array


_KNOWN = (np.max, np.amax, np.argmax)


def _is_place(key: Any) -> bool:
    # True and False are integers, but add an axis.
    return isinstance(key, (int, np.integer)) and not isinstance(key, bool)


def _fetched(values: Any) -> Any:
    """Return the same with arrays in the place of what stands for them."""
    if isinstance(values, DeviceColumn):
        return values.fetch()
    if isinstance(values, dict):
        return {key: _fetched(value) for key, value in values.items()}
    if type(values) in (list, tuple):
        return type(values)(_fetched(value) for value in values)
    return values
