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
from dataclasses import replace
from typing import Any

import numpy as np

from tbp.monty.backends.described_work import EvidenceUpdate, Percept
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.backends.stacked.packing import pack
from tbp.monty.backends.stacked.plans import JointPlan, Plans
from tbp.monty.backends.tables.hypotheses import HypothesisTable
from tbp.monty.backends.tables.kernel_work import KernelWork
from tests.backends.numpy.scene_state import settings_of
from tests.backends.scene_lms import SceneLM
from tests.backends.scenes import random_scene

SETTLED = {
    *("past_weights", "present_weights", "neighbors"),
    *("score_starts", "score_count", "column_starts", "pose_weights"),
    *("tolerances", "weights", "kinds", "increments"),
}


def sensed(update: EvidenceUpdate, **changed: Any) -> None:
    """Let all channels of a learning module sense something else."""
    percepts: Any = update.percepts
    for channel, percept in percepts.items():
        of_percept = {k: v for k, v in changed.items() if k in Percept._fields}
        features = {**percept.features, **changed}
        percepts[channel] = percept._replace(**of_percept, features=features)


class PackTest(unittest.TestCase):
    def setUp(self) -> None:
        self.lms = [SceneLM(number, "default") for number in range(3)]
        self.table, self.plans = HypothesisTable(), Plans()

    def works(self) -> list[EvidenceUpdate]:
        return [lm.next_update() for lm in self.lms]

    def pack(self, works: list[EvidenceUpdate]) -> KernelWork:
        """Pack works, and check them with those of a plan that keeps nothing."""
        plan = self.plans.joint_plan(works)
        plans = (plan, replace(plan, settled=None))
        packed, expected = (self.packed(works, one) for one in plans)
        np.testing.assert_equal(
            {**packed._asdict(), "revision": 0}, {**expected._asdict(), "revision": 0}
        )
        return packed

    def packed(self, works: list[EvidenceUpdate], plan: JointPlan) -> KernelWork:
        segments = np.array(self.table.indices(plan.keys), dtype=np.int64)
        thresholds = np.zeros(len(segments))
        return pack(works, plan, self.table, self.plans.graphs, segments, thresholds)

    def test_what_has_not_changed_is_the_same_object(self) -> None:
        one, other = self.pack(self.works()), self.pack(self.works())
        self.assertEqual(one.revision, other.revision)
        for name in SETTLED:
            self.assertIs(getattr(one, name), getattr(other, name), name)
        self.assertNotEqual(one.sensed.tolist(), other.sensed.tolist())

    def test_settings_that_change_are_noticed(self) -> None:
        for name, value in (
            ("past_weight", 0.125),
            ("present_weight", 0.25),
            ("max_nneighbors", 1),
            ("feature_evidence_increment", 0.375),
            ("use_features_for_matching", {"patch_0": False, "patch_1": False}),
        ):
            with self.subTest(name):
                before, works = self.pack(self.works()), self.works()
                works[1].settings[name] = value  # type: ignore[index]
                packed = self.pack(works)
                self.assertNotEqual(packed.revision, before.revision)

    def test_tolerances_and_weights_that_change_in_place_are_noticed(self) -> None:
        before = self.pack(self.works())
        for name, feature, field in (
            ("tolerances", "hsv", "tolerances"),
            ("feature_weights", "hsv", "weights"),
            ("feature_weights", "pose_vectors", "pose_weights"),
        ):
            with self.subTest(name=name, feature=feature):
                works = self.works()
                for of_channel in works[1].settings[name].values():
                    of_channel[feature][0] *= 2
                packed = self.pack(works)
                self.assertNotEqual(packed.revision, before.revision)
                self.assertIsNot(getattr(packed, field), getattr(before, field))
                before = packed

    def test_settings_of_another_size_are_noticed(self) -> None:
        self.pack(self.works())
        works = self.works()
        tolerances, weights = (
            works[0].settings[name]["patch_0"]
            for name in ("tolerances", "feature_weights")
        )
        # Joined, they are the same numbers as before.
        *some, last = tolerances["hsv"] = np.array([0.25, 0.5, 0.75])
        self.pack(works)
        works = self.works()
        weights["pose_vectors"] = np.append(weights["pose_vectors"], some)
        tolerances["hsv"] = last
        self.assertEqual(self.pack(works).tolerances[:3].tolist(), [last] * 3)

    def test_other_features_that_are_used_are_noticed(self) -> None:
        self.lms = self.lms[::2]
        for number, lm in enumerate(self.lms):
            lm.scene = random_scene(number, lm.lm_id, features=("hsv",))
            lm.settings.update(settings_of(lm.scene))
            for settings in (lm.scene.weights, lm.scene.tolerances):
                settings["patch_0"] = dict.fromkeys(("pose_vectors", "hsv"), np.ones(3))
        # Joined, the settings are the same numbers whichever learning module uses them.
        for user in (0, 1):
            works = self.works()
            for i, work in enumerate(works):
                used = {"patch_0": i == user}
                work.settings["use_features_for_matching"] = used  # type: ignore[index]
            self.assertEqual(np.diff(self.pack(works).column_starts)[user], 3)

    def test_percepts_of_another_size_are_noticed(self) -> None:
        for count in (1, 2):
            works = self.works()
            sensed(works[2], curvature=np.ones(count))
            self.pack(works)
        works = self.works()
        sensed(works[2], hsv=np.ones(4))
        with self.assertRaises(ValueError):
            self.pack(works)

    def test_the_arrays_of_several_plans_are_kept(self) -> None:
        self.pack(self.works())  # so that all graphs are known
        before, after = (
            [self.pack([lm.next_update()]) for lm in self.lms] for _ in range(2)
        )
        for one, other in zip(before, after, strict=True):
            self.assertIs(one.weights, other.weights)

    def test_directions_that_are_not_known_are_noticed(self) -> None:
        for known in (True, False, True):
            works = self.works()
            sensed(works[1], pose_fully_defined=known)
            directions = self.pack(works).direction_known.tolist()
            self.assertEqual(all(directions), known)

    def test_of_several_curvatures_the_largest_magnitude_counts(self) -> None:
        works, several = self.works(), [0.5, -2.0, 1.0]
        for work, count in zip(works, (1, 2, 3), strict=True):
            sensed(work, curvature=np.array(several[:count]))
        # The second of these learning modules senses with two channels.
        self.assertEqual(self.pack(works).curvatures.tolist(), [0.5, 2.0, 2.0, 2.0])

    def test_a_percept_without_a_curvature_is_refused(self) -> None:
        for lm in range(len(self.lms)):
            works = self.works()
            sensed(works[lm], curvature=np.zeros(0))
            with self.assertRaisesRegex(ValueError, "at least 1 number"):
                self.pack(works)

    def test_unusable_numbers_are_refused(self) -> None:
        works = self.works()
        works[2].displacement = np.array([0.0, np.nan, 0.0])
        with self.assertRaisesRegex(UnusableNumbers, "displacement"):
            self.pack(works)
        works = self.works()
        works[0].displacement = None
        self.assertFalse(self.pack(works).is_displaced[0])
        works = self.works()
        sensed(works[1], curvature=np.array([np.nan, 1.0]))
        with self.assertRaisesRegex(UnusableNumbers, "curvature not NaN"):
            self.pack(works)

    def test_numbers_that_are_missing_are_refused(self) -> None:
        works = self.works()
        works[1].displacement = np.zeros(2)
        with self.assertRaisesRegex(
            ValueError, "each displacement must have 3 numbers"
        ):
            self.pack(works)

    def test_a_learning_module_may_sense_nothing_that_it_knows(self) -> None:
        work = self.lms[0].next_update()
        percept = next(iter(work.percepts.values()))
        work.percepts = {"unknown": percept}
        packed = self.pack([work])
        self.assertEqual(len(packed.segments), 0)
        self.assertEqual(packed.pose_weights.shape, (0, 2))

    def test_other_learning_modules_are_noticed(self) -> None:
        for chosen in ([0, 1, 2], [1], [0, 2], [2, 0]):
            self.pack([self.lms[i].next_update() for i in chosen])


if __name__ == "__main__":
    unittest.main()
