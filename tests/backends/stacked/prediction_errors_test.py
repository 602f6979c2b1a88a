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

import numpy as np

from tbp.monty.backends.stacked.prediction_errors import PredictionErrors
from tbp.monty.backends.tables.kernel_work import UpdateResult


def result(errors: list[float], tested: list[int]) -> UpdateResult:
    nothing = np.zeros(len(errors))
    counts = nothing.astype(np.int64)
    return UpdateResult(nothing, counts, np.array(errors), np.array(tested))


class PredictionErrorsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.errors = PredictionErrors({"else": {"of": "before"}})
        self.graph_ids = ["mug", "cup", "new"]
        self.result = result([0.0, 0.1, 0.2, 0.3], [1, 1, 0, 1])

    def test_each_graph_has_its_own(self) -> None:
        is_new = np.array([False, False, False, True])
        self.errors.keep(self.graph_ids, slice(1, 4), self.result, is_new)
        expected = {
            "else": {"of": "before"},
            "mug": {"mlh_prediction_error": 0.1},
            "cup": {"mlh_prediction_error": None},  # none was tested
            "new": {},
        }
        self.assertEqual(self.errors, expected)

    def test_new_hypotheses_have_an_error_where_updaters_tell_one(self) -> None:
        self.errors.keep(self.graph_ids, slice(1, 4), self.result)
        self.assertEqual(self.errors["new"], {"mlh_prediction_error": 0.3})

    def test_errors_of_an_update_do_not_change_with_the_next(self) -> None:
        self.errors.keep(self.graph_ids, slice(0, 3), self.result)
        read = self.errors["mug"]
        self.errors.keep(self.graph_ids, slice(0, 3), result([0.5] * 3, [1] * 3))
        self.assertEqual(read, {"mlh_prediction_error": 0.0})
        self.assertEqual(self.errors["mug"], {"mlh_prediction_error": 0.5})

    def test_graphs_that_are_not_updated_again_keep_theirs(self) -> None:
        self.errors.keep(self.graph_ids, slice(0, 3), self.result)
        self.errors.keep(["cup"], slice(0, 1), result([0.5], [1]))
        expected = {
            "else": {"of": "before"},
            "mug": {"mlh_prediction_error": 0.0},
            "cup": {"mlh_prediction_error": 0.5},
            "new": {"mlh_prediction_error": None},
        }
        self.assertEqual(self.errors, expected)
