# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The text of all kernels.

They do the arithmetic of the package `numpy`, in the same order; a piece that has the
name of one of its modules does what that module states. Compiled without contraction
and without fast-math, float64 results equal numpy's to the last bit. Where a
multiplication and an addition are to be fused, that is said.

An update does not overwrite what it reads: evidence and locations have two sides, and a
launch reads one and writes the other. If the numbers of a hypothesis are unusable, the
host keeps the old side, and everything is as it was.

Tests compile this very text for the CPU as well, with threads as fibres. So it uses
nothing but indices, shared memory, barriers, votes, maxima and shuffles of warps.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np

from tbp.monty.backends.device.constants import constants
from tbp.monty.backends.device.layout import STRUCTURES
from tbp.monty.backends.device.structures import Structure

__all__ = ["PIECES", "kernel_names", "kernels_source"]

PIECES = (
    "device",
    "numbers",
    "rounding",
    "rows",
    "records",
    "features",
    "neighbors",
    "most_likely",
    "evidence",
    "slopes",
    "new_hypotheses",
    "votes",
)
"""The files of the folder `kernels`; each uses only what stands before it."""

_FOLDER = Path(__file__).with_name("kernels")


def kernels_source(real: np.dtype) -> str:
    """Return the kernels in CUDA's C++, after what they share with the host.

    Args:
        real: The floating-point type, float64 or float32.
    """
    return _contract(real) + "".join(_piece(name) for name in PIECES)


def kernel_names(real: np.dtype) -> list[str]:
    """Return what can be launched of `kernels_source`."""
    bounds = r"(?:__launch_bounds__\(.*\)\s+)?"
    begin = rf'^(?:extern "C" __global__ void {bounds}|COPY_ROWS\()(\w+)'
    return re.findall(begin, kernels_source(real), re.MULTILINE)


def _piece(name: str) -> str:
    path = _FOLDER / f"{name}.cu"
    # Compilers then name the file and line of what they complain about.
    return f'#line 1 "{_FOLDER.name}/{path.name}"\n{path.read_text("utf-8")}'


def _contract(real: np.dtype) -> str:
    """Return the constants and structures of `device.layout`."""
    return "\n".join(
        [
            f"typedef {'double' if real.itemsize == 8 else 'float'} real;",
            "typedef long long i64;",
            *(_constant(*one) for one in constants(real).items()),
            *(f"struct {structure.name};" for structure in STRUCTURES),
            *(_declaration(structure, real) for structure in STRUCTURES),
            "",
        ]
    )


def _constant(name: str, value: float) -> str:
    text = f"((real){value!r})" if isinstance(value, float) else str(value)
    return f"#define {name} {text}"


def _declaration(structure: Structure, real: np.dtype) -> str:
    alignment = f"alignas({structure.alignment}) " if structure.alignment > 1 else ""
    lines = [f"// {structure.about}", f"struct {alignment}{structure.name} {{"]
    for kind, names, *about in structure.rows:
        element, bracket, length = kind.partition("[")
        lines += [f"    {element} {n}{bracket}{length};" for n in names.split(", ")]
        lines[-1] += "".join(f"  // {text}" for text in about)
    # The compiler checks that it takes as many bytes as the host allocates.
    size = structure.dtype(real).itemsize
    lines += ["};", f'static_assert(sizeof({structure.name}) == {size}, "its size");']
    return "\n".join(lines)
