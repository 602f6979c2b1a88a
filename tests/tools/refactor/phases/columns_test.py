# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest

import libcst as cst

from monty_tools.refactor.phases.columns import fitted_call


class FittedCallTest(unittest.TestCase):
    def assert_fitted(self, before: str, after: str) -> None:
        line = cst.ensure_type(cst.parse_statement(before), cst.SimpleStatementLine)
        fitted = fitted_call(line, line.body[0].value, indent=8)
        self.assertEqual(cst.Module([fitted]).code, after)

    def test_a_line_that_fits_stays(self) -> None:
        line = f"x = f({'a' * 73})\n"
        self.assertEqual(len(line.strip()), 80)
        self.assert_fitted(line, line)

    def test_all_arguments_on_the_next_line(self) -> None:
        a, b = "a" * 37, "b" * 37
        self.assert_fitted(f"x = f({a}, {b})\n", f"x = f(\n    {a}, {b}\n)\n")

    def test_each_argument_on_a_line(self) -> None:
        a, b = "a" * 40, "b" * 40
        self.assert_fitted(f"x = f({a}, {b})\n", f"x = f(\n    {a},\n    {b},\n)\n")

    def test_a_long_target(self) -> None:
        target = f"{'x' * 30}, {'y' * 30}"
        call = f"{'f' * 30}(a)"
        self.assert_fitted(f"{target} = {call}\n", f"{target} = (\n    {call}\n)\n")

    def test_broken_arguments_stay_as_they_are(self) -> None:
        broken = f"x = {'f' * 90}(\n  a, b)\n"
        self.assert_fitted(broken, broken)
