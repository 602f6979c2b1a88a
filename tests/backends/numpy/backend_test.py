# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import unittest
from typing import Any
from unittest.mock import patch

import numpy as np

from tbp.monty.backends.builtin.numpy import NumpyBackend
from tbp.monty.backends.failures import CannotRun
from tbp.monty.backends.numpy.burst_sampling_update import sample_count
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tbp.monty.backends.work import EvidenceOutcome, EvidenceWork
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    evidence_update_threshold,
)
from tests.backends.numpy.scene_state import (
    SceneState,
    settings_of,
    update_of,
    work_of,
)
from tests.backends.numpy.scenes import Scene, random_frames, random_scene
from tests.backends.numpy.upstream import SceneMemory, sensed_features

CLOSE = 1e-11
STEPS = 20


def scene_of(seed: int, **settings: Any) -> Scene:
    defaults = dict(channels=2, graphs=3, nodes=100, hypotheses=0, neighbors=5)
    return random_scene(seed, **{**defaults, **settings})


def updater_of(scene: Scene, updater_class: type, **settings: Any) -> Any:
    """Return an updater of upstream's for a scene."""
    return updater_class(
        feature_weights=scene.weights,
        graph_memory=SceneMemory(scene),
        max_match_distance=scene.radius,
        tolerances=scene.tolerances,
        evidence_threshold_config="all",
        feature_evidence_increment=scene.increment,
        max_nneighbors=scene.neighbors,
        past_weight=scene.past_weight,
        present_weight=scene.present_weight,
        **settings,
    )


class Upstream:
    """What a learning module does with upstream's updater."""

    def __init__(self, updater: Any, state: SceneState) -> None:
        self.updater = updater
        self.state = state
        self.hypotheses: dict[str, Hypotheses] = {}
        self.telemetry: dict[str, Any] = {}
        self.tied: set[str] = set()
        """Graphs in which rounding decides which hypothesis was the most likely."""

    def update(self, graph_ids, features, displacement) -> None:
        self.tied.clear()
        for graph_id in graph_ids:
            before = self.hypotheses.setdefault(graph_id, Hypotheses.empty())
            if is_tied(before.evidence):
                self.tied.add(graph_id)
            threshold = evidence_update_threshold(
                self.state.evidence_threshold_config,
                self.state.x_percent_threshold,
                self.state.most_likely_evidence,
                before.evidence,
            )
            moved = self.updater.displace_hypotheses(before, displacement, graph_id)
            after, telemetry = self.updater.update_evidence(
                moved, features, graph_id, threshold
            )
            self.telemetry[graph_id] = telemetry
            if after is not None:
                self.hypotheses[graph_id] = after


class SameAsUpstreamTest(unittest.TestCase):
    """Whole episodes on random memories give the results of upstream's updaters."""

    def test_default_updater(self) -> None:
        for seed in range(6):
            with self.subTest(seed=seed):
                self.assert_same_default_episode(scene_of(seed))

    def test_given_and_uniform_poses(self) -> None:
        for poses in ("uniform", [[0.0, 0.0, 0.0], [0.0, 45.0, 90.0]]):
            with self.subTest(poses=poses):
                self.assert_same_default_episode(
                    scene_of(1, nodes=20), initial_possible_poses=poses
                )

    def test_every_threshold(self) -> None:
        # Of several poses at a node some have the same evidence, and rounding, which
        # differs between machines, would decide which is above a threshold. With one
        # pose each, no hypothesis is within 1e-5 of a threshold in this scene.
        poses = [[0.0, 30.0, 60.0]]
        for setting in ("mean", "median", "30%", "x_percent_threshold", 1.5):
            with self.subTest(setting=setting):
                self.assert_same_default_episode(
                    scene_of(8), setting, initial_possible_poses=poses
                )

    def test_without_features(self) -> None:
        self.assert_same_default_episode(scene_of(3, features=()))

    def test_burst_sampling_updater(self) -> None:
        for seed in range(6):
            with self.subTest(seed=seed):
                sizes = self.assert_same_burst_episode(scene_of(seed))
                self.assertGreater(len(sizes), 10, "hypotheses should come and go")

    def test_burst_sampling_of_given_poses(self) -> None:
        poses = [[0.0, 0.0, 0.0], [0.0, 45.0, 90.0]]
        self.assert_same_burst_episode(scene_of(4), initial_possible_poses=poses)

    def test_burst_sampling_without_telemetry_and_with_few_samples(self) -> None:
        self.assert_same_burst_episode(
            scene_of(5), include_telemetry=False, sampling_multiplier=0.02
        )

    def assert_same_default_episode(
        self, scene: Scene, threshold: float | str = "all", **settings: Any
    ) -> None:
        updater = updater_of(scene, DefaultHypothesesUpdater, **settings)
        state = SceneState(scene)
        state.evidence_threshold_config = threshold
        self.assert_same_episode(updater, "default", state)

    def assert_same_burst_episode(self, scene: Scene, **settings: Any) -> set[int]:
        defaults = dict(
            sampling_multiplier=0.9,
            deletion_trigger_slope=0.3,
            burst_trigger_slope=0.6,
            include_telemetry=True,
        )
        updater = updater_of(
            scene, BurstSamplingHypothesesUpdater, **{**defaults, **settings}
        )
        return self.assert_same_episode(updater, "burst_sampling", SceneState(scene))

    def assert_same_episode(
        self, updater: Any, kind: str, state: SceneState
    ) -> set[int]:
        settings = updater.settings()
        random = np.random.default_rng(0)
        backend, theirs = NumpyBackend(), Upstream(updater, state)
        sizes: set[int] = set()
        for step in range(STEPS):
            channels = sense_something_else(state.scene, random, step)
            features = sensed_features(state.scene)
            features = {channel: features[channel] for channel in channels}
            displacement = random.normal(size=3) * 0.004 if step else None
            with updater:
                state.is_sampling = getattr(updater, "sampling_burst_steps", 0) > 0
                state.highest_slope = getattr(updater, "max_slope", 0.0)
                update = update_of(state, kind, settings, displacement, channels)
                theirs.update(update.graph_ids, features, displacement)
                work = work_of(update)
                backend.dispatch(work)
                state.take(backend.result(work))
            self.assert_same(state, theirs)
            sizes.update(len(rows) for rows in state.hypotheses.values())
            state.most_likely_evidence = max(
                rows.evidence.max(initial=0.0) for rows in state.hypotheses.values()
            )
        return sizes

    def assert_same(self, state: SceneState, theirs: Upstream) -> None:
        self.assertEqual(list(state.hypotheses), list(theirs.hypotheses))
        for graph_id, expected in theirs.hypotheses.items():
            rows = state.hypotheses[graph_id]
            for name in ("locations", "poses", "possible"):
                np.testing.assert_array_equal(
                    getattr(rows, name), getattr(expected, name)
                )
            self.assert_close(rows.evidence, expected.evidence)
            ours, others = state.telemetry[graph_id], theirs.telemetry[graph_id]
            if graph_id not in theirs.tied:
                self.assert_same_telemetry(ours, others)
        channels = getattr(theirs.updater, "_initialized_channels", {})
        self.assertEqual(state.initialized_channels, channels)

    def assert_same_telemetry(self, ours: Any, theirs: Any) -> None:
        self.assertEqual(list(ours), list(theirs))
        for name, value in theirs.items():
            if isinstance(value, dict):
                self.assert_same_telemetry(ours[name], value)
            elif value is None:
                self.assertIsNone(ours[name])
            else:
                self.assert_close(ours[name], value)

    def assert_close(self, ours: Any, theirs: Any) -> None:
        np.testing.assert_allclose(ours, theirs, rtol=CLOSE, atol=CLOSE)


class FailureTest(unittest.TestCase):
    def setUp(self) -> None:
        self.scene = scene_of(1, name="LM_7")
        self.state = SceneState(self.scene)
        self.state.is_sampling = True
        self.backend = NumpyBackend()

    def test_a_failed_update_leaves_everything_as_it_was(self) -> None:
        for kind in ("default", "burst_sampling"):
            with self.subTest(kind=kind):
                self.run_update(kind)
                before = copy.deepcopy(self.state.hypotheses)
                histories = copy.deepcopy(self.state.histories)
                with self.assertRaisesRegex(UnusableNumbers, "LM_7, object_0: .*nan"):
                    self.run_update(kind, np.array([0.0, np.nan, 0.0]))
                for graph_id, rows in before.items():
                    found = self.state.hypotheses[graph_id]
                    np.testing.assert_equal(vars(found), vars(rows))
                np.testing.assert_equal(self.state.histories, histories)

    def test_a_sensed_feature_that_is_nan_is_an_error(self) -> None:
        self.scene.sensed["patch_0"]["hsv"] = np.full(3, np.nan)
        with self.assertRaisesRegex(UnusableNumbers, "LM_7, object_0: the evidence"):
            self.run_update("default")
        self.assertEqual(self.state.hypotheses, {})

    def test_an_unusable_percept_is_an_error_even_without_hypotheses(self) -> None:
        # A curvature of NaN would let every node match, however far away.
        for part, value in (
            ("curvature", np.nan),
            ("curvature", np.array([0.5, np.nan])),
            ("pose_vectors", np.full(9, 1e200)),
        ):
            unusable = patch.dict(self.scene.sensed["patch_0"], {part: value})
            with unusable, self.assertRaisesRegex(UnusableNumbers, "LM_7, object_0: p"):
                self.run_update("burst_sampling")
            self.assertEqual(self.state.hypotheses, {})

    def test_other_work_runs_after_an_error(self) -> None:
        self.run_update("default")
        with self.assertRaises(UnusableNumbers):
            self.run_update("default", np.full(3, np.nan))
        self.run_update("default")
        self.backend.close()
        self.backend.close()

    def run_update(self, kind: str, displacement: Any = None) -> None:
        settings = dict(
            sampling_multiplier=0.5, deletion_trigger_slope=0.3, include_telemetry=False
        )
        settings = {**settings_of(self.scene), **settings}
        work = work_of(update_of(self.state, kind, settings, displacement))
        self.backend.dispatch(work)
        self.state.take(self.backend.result(work))


class NodesTest(unittest.TestCase):
    def test_are_collected_again_only_when_they_have_changed(self) -> None:
        scene = scene_of(1, graphs=1, channels=1)
        state, backend = SceneState(scene), NumpyBackend()
        work = work_of(update_of(state, "default", settings_of(scene)))
        for _ in range(3):
            backend.dispatch(work)
            backend.result(work)
        self.assertEqual(state.collected, [("object_0", "patch_0")])
        state.learn()
        backend.dispatch(work)
        backend.result(work)
        self.assertEqual(state.collected, [("object_0", "patch_0")] * 2)


class CannotRunTest(unittest.TestCase):
    def setUp(self) -> None:
        self.scene = scene_of(1)
        self.backend = NumpyBackend()

    def test_an_update_without_description(self) -> None:
        plain = EvidenceWork("LM_0", EvidenceOutcome)
        with self.assertRaisesRegex(CannotRun, "no description"):
            self.backend.dispatch(plain)

    def test_an_unknown_update(self) -> None:
        update = update_of(SceneState(self.scene), "other", settings_of(self.scene))
        with self.assertRaisesRegex(CannotRun, "'other'"):
            self.backend.dispatch(work_of(update))


class SampleCountTest(unittest.TestCase):
    def test_is_divisible_and_bounded(self) -> None:
        self.assertEqual(sample_count(10, 2, 0.4), 4)
        self.assertEqual(sample_count(10, 8, 0.4), 0)
        self.assertEqual(sample_count(10, 2, 5.0), 20)
        self.assertEqual(sample_count(5, 2, 0.5), 2)


def is_tied(evidence: np.ndarray) -> bool:
    best = np.sort(evidence)[-2:]
    return len(best) == 2 and best[1] - best[0] < CLOSE


def sense_something_else(
    scene: Scene, random: np.random.Generator, step: int
) -> list[str]:
    """Change what a scene senses.

    Returns:
        The channels that sense something. The second one starts later.
    """
    for sensed in scene.sensed.values():
        sensed["pose_vectors"] = random_frames(random, 1)[0]
        sensed["pose_fully_defined"] = bool(random.random() < 0.7)
        if "hsv" in sensed:
            sensed["hsv"] = random.random(3)
    if step < 4:
        return ["patch_0"]
    return [["patch_0"], ["patch_1"], ["patch_1", "patch_0"]][step % 3]


if __name__ == "__main__":
    unittest.main()
