# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The kernels use all structures and constants that the host defines.

A name that only the kernels use does not compile; `kernels_test` notices that.
"""

from __future__ import annotations

import re
import unittest
from pathlib import Path

import numpy as np

from tbp.monty.backends import cuda
from tbp.monty.backends.cuda.source import PIECES, kernel_names, kernels_source
from tbp.monty.backends.device.constants import constants
from tbp.monty.backends.device.layout import STRUCTURES

REAL = np.dtype(np.float64)


class ContractTest(unittest.TestCase):
    def setUp(self) -> None:
        self.text = kernels_source(REAL)
        self.code = re.sub("//.*", "", self.text[self.text.index("#line") :])

    def test_kernels_use_every_field(self) -> None:
        used = {*re.findall(r"(?:->|\.)(\w+)", self.code), "unused"}
        for structure in STRUCTURES:
            with self.subTest(structure=structure.name):
                self.assertEqual(set(structure.names) - used, set())

    def test_kernels_use_every_constant(self) -> None:
        used = set(re.findall(r"\w+", self.code))
        self.assertEqual(set(constants(REAL)) - used, set())

    def test_the_source_asserts_every_size(self) -> None:
        for structure in STRUCTURES:
            size = structure.dtype(REAL).itemsize
            check = f"static_assert(sizeof({structure.name}) == {size}"
            self.assertIn(check, self.text)


class KernelNamesTest(unittest.TestCase):
    def test_are_those_that_the_host_launches(self) -> None:
        files = Path(cuda.__file__).parents[1].glob("device/*.py")
        code = "".join(file.read_text("utf-8") for file in files)
        launched = set(re.findall(r'launch\(\s*f?"(\w+)', code)) - {"copy_rows_"}
        copying = {f"copy_rows_{size}" for size in (1, 4, 8)}
        self.assertEqual(set(kernel_names(REAL)), launched | copying)


class PiecesTest(unittest.TestCase):
    def test_are_all_kernel_files(self) -> None:
        files = Path(cuda.__file__).parent.glob("kernels/*")
        self.assertEqual({file.name for file in files}, {f"{p}.cu" for p in PIECES})

    def test_are_named_in_compiler_messages(self) -> None:
        for piece in PIECES:
            self.assertIn(f'#line 1 "kernels/{piece}.cu"\n', kernels_source(REAL))


if __name__ == "__main__":
    unittest.main()
