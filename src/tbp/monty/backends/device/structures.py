# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Structures that the host and a device's kernels share."""

from __future__ import annotations

import itertools
import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Mapping, Sequence

import numpy as np
import numpy.typing as npt

__all__ = ["Structure"]

_TYPES = {
    "double": np.float64,
    "i64": np.int64,
    "int": np.int32,
    "unsigned char": np.uint8,
    "unsigned int": np.uint32,
}


@dataclass(frozen=True)
class Structure:
    """A structure of C.

    Attributes:
        name: Its name in C.
        about: What it is.
        rows: Its fields in order: a type in C, the names of one or more fields, and
            what they hold. `real` is the device's precision; an array has its length
            at the end of the type, as in "float[3]".
        alignment: To how many bytes it is aligned at least.
    """

    name: str
    about: str
    rows: Sequence[tuple[str, ...]]
    alignment: int = 1

    @cached_property
    def names(self) -> Sequence[str]:
        return [name for _, names, *_ in self.rows for name in names.split(", ")]

    def dtype(self, real: npt.DTypeLike = np.float64) -> np.dtype:
        """Return how it lies in memory.

        Args:
            real: The device's precision.
        """
        types = {**_TYPES, "real": real}
        fields = []
        for kind, names, *_ in self.rows:
            element, *lengths = re.findall(r"[^][]+", kind)
            # An address is an integer to numpy.
            dtype = np.int64 if element.endswith("*") else types[element]
            shape = tuple(int(length) for length in lengths)
            fields += [(name, dtype, shape) for name in names.split(", ")]
        plain = np.dtype(fields, align=True)
        assert plain.fields is not None
        layout: Any = dict(
            names=self.names,
            formats=[plain[name] for name in self.names],
            offsets=[plain.fields[name][1] for name in self.names],
            itemsize=-(-plain.itemsize // self.alignment) * self.alignment,
        )
        return np.dtype(layout)

    def filled(self, values: Mapping[str, Any]) -> npt.NDArray[np.int64]:
        """Return a structure that holds nothing but addresses and 64-bit integers.

        Args:
            values: A number for each field, or a tuple of them, and for no other.
        """
        if values.keys() != self._names:
            wrong = sorted(values.keys() ^ self._names)
            raise ValueError(f"fields missing or unknown: {', '.join(wrong)}")
        numbers: list[Any] = [values[name] for name in self.names]
        if tuple in map(type, numbers):
            tuples = (one if type(one) is tuple else (one,) for one in numbers)
            numbers = list(itertools.chain.from_iterable(tuples))
        return np.array(numbers, dtype=np.int64)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.names)
