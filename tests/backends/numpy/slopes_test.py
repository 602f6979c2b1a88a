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

from tbp.monty.backends.numpy.slopes import (
    is_kept,
    mean_slopes,
    new_history,
    recorded,
    retained_history,
)
from tbp.monty.frameworks.models.evidence_matching.evidence_slope_tracker import (
    EvidenceSlopeTracker,
)

LEAST_SLOPE = -0.3


class SlopesTest(unittest.TestCase):
    def test_are_those_of_upstreams_tracker(self) -> None:
        random = np.random.default_rng(0)
        history, tracker = new_history(0), EvidenceSlopeTracker()
        deleted = 0
        for step in range(40):
            tracker.add_hyp(int(random.integers(6)) if step % 3 == 0 else 0)
            evidence = random.normal(size=tracker.total_size()) * 3
            channels = int(random.integers(1, 4))
            tracker.update(evidence, channels)
            history = recorded(history, evidence, channels)
            slopes = mean_slopes(history.window, history.channels)
            np.testing.assert_array_equal(slopes, tracker.calculate_slopes())
            np.testing.assert_array_equal(history.ages, tracker.hyp_ages())

            selection = tracker.select_hypotheses(LEAST_SLOPE)
            keep = is_kept(slopes, history.ages, LEAST_SLOPE)
            np.testing.assert_array_equal(np.flatnonzero(keep), selection.ids_to_retain)
            tracker.remove_hyp(selection.ids_to_remove)
            history = retained_history(history, keep)
            deleted += len(selection.ids_to_remove)
        self.assertGreater(deleted, 10)

    def test_do_not_depend_on_the_layout_in_memory(self) -> None:
        window = np.random.default_rng(1).normal(size=(100, 10))
        channels = np.ones(10)
        np.testing.assert_array_equal(
            mean_slopes(np.asfortranarray(window), channels),
            mean_slopes(window, channels),
        )

    def test_are_unknown_after_one_update(self) -> None:
        history = recorded(new_history(2), np.zeros(2), 1)
        slopes = mean_slopes(history.window, history.channels)
        self.assertTrue(np.isnan(slopes).all())


if __name__ == "__main__":
    unittest.main()
