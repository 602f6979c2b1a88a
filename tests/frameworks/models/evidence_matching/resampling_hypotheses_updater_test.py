# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import inspect
import unittest
from unittest.mock import Mock

from hydra.utils import get_class

from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.replaced_arguments import (
    ReplacedArguments,
)

FORMER = (
    "tbp.monty.frameworks.models.evidence_matching.resampling_hypotheses_updater"
    ".ResamplingHypothesesUpdater"
)
NEEDED = dict(
    feature_weights={},
    graph_memory=Mock(),
    max_match_distance=0.01,
    tolerances={},
    evidence_threshold_config="all",
)


class ResamplingHypothesesUpdaterTest(unittest.TestCase):
    def test_is_the_same_class(self) -> None:
        self.assertIs(get_class(FORMER), BurstSamplingHypothesesUpdater)

    def test_takes_the_arguments_it_had_when_it_was_renamed(self) -> None:
        updater = get_class(FORMER)(
            **NEEDED,
            sampling_multiplier=0.2,
            deletion_trigger_slope=0.4,
            sampling_burst_duration=4,
            burst_trigger_slope=0.9,
            include_telemetry=True,
        )
        self.assertEqual(updater.sampling_burst_duration, 4)

    def test_earlier_arguments_are_an_error_that_names_their_successors(self) -> None:
        with self.assertRaises(ReplacedArguments) as caught:
            get_class(FORMER)(
                **NEEDED,
                hypotheses_count_multiplier=1.0,
                hypotheses_existing_to_new_ratio=0.1,
            )
        for name in (
            "hypotheses_count_multiplier",
            "sampling_multiplier",
            "hypotheses_existing_to_new_ratio",
            "deletion_trigger_slope",
        ):
            self.assertIn(name, str(caught.exception))

    def test_an_unknown_argument_is_pythons_own_error(self) -> None:
        with self.assertRaisesRegex(TypeError, "no_such_argument"):
            BurstSamplingHypothesesUpdater(**NEEDED, no_such_argument=1)

    def test_the_signature_stays_readable(self) -> None:
        names = inspect.signature(BurstSamplingHypothesesUpdater).parameters
        self.assertIn("burst_trigger_slope", names)
