# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import tempfile
import unittest
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np

from monty_tools.profile.recorder import Recorder
from monty_tools.profile.schema import HOST, Profile, read_profile
from tbp.monty.backends.builtin.auto import AutoBackend
from tbp.monty.backends.builtin.cuda import CudaBackend
from tbp.monty.backends.builtin.numba import NumbaBackend
from tbp.monty.backends.failures import CannotRun
from tbp.monty.backends.stacked.stack import Stack
from tbp.monty.frameworks.utils.logging_utils import (
    add_evidence_lm_episode_stats,
    get_graph_lm_episode_stats,
)
from tests.backends.cuda.host_device import HostStream
from tests.synthetic_monty import SyntheticRun
from tests.tools.profile.small_experiment import SmallExperiment, profile_of

FIVE = SyntheticRun(lms=5, steps=6)
TINY = SyntheticRun("burst_sampling", lms=2, objects=2, steps=3, nodes=(20, 30))
"""For a device that the CPU stands in for."""


def evidence_of(experiment: SmallExperiment) -> dict[str, bytes]:
    return {
        f"{lm.learning_module_id} {graph}": np.asarray(one.evidence).tobytes()
        for lm in experiment.model.learning_modules
        for graph, one in lm._hypotheses.items()
    }


def failing(run_step: Any, error: type[BaseException]) -> Any:
    """Return a step that fails when it is the sixth."""

    def fail(ctx: Any, step: int, actions: Any) -> Any:
        if step == 5:
            raise error
        return run_step(ctx, step, actions)

    return fail


class RecorderTestCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def profile(
        self, synthetic: SyntheticRun, backend: Any = None, **settings: Any
    ) -> Profile:
        self.experiment = SmallExperiment(synthetic, backend, **settings)
        profile = profile_of(self.experiment, self.folder)
        self.addCleanup(self.experiment.model.close)
        return profile


class TimelineTest(RecorderTestCase):
    def test_all_dispatches_of_a_step_come_before_its_first_process(self) -> None:
        profile = self.profile(FIVE, "numba")
        steps: defaultdict[tuple, defaultdict[str, list]] = defaultdict(
            lambda: defaultdict(list)
        )
        for event in profile.events:
            if event["ph"] == "X":
                at = (event["args"]["episode"], event["args"]["step"])
                steps[at][event["name"]].append(event)
        self.assertEqual(len(profile.steps), 2 * FIVE.steps)
        for step in profile.steps:
            of_step = steps[step["episode"], step["step"]]
            dispatched = [one["ts"] + one["dur"] for one in of_step["dispatch"]]
            self.assertEqual(len(dispatched), 5)
            self.assertEqual(len(of_step["process"]), 5)
            self.assertEqual(len(of_step["pack"]), 1)  # one group
            self.assertLessEqual(
                max(dispatched), min(one["ts"] for one in of_step["process"])
            )

    def test_own_times_add_up_to_the_whole(self) -> None:
        profile = self.profile(FIVE, "numba")
        phases = profile.summary["phases"]
        outermost = [
            event["dur"]
            for event in profile.events
            if event["name"] in ("setup", "run") and event["ph"] == "X"
        ]
        self.assertEqual(len(outermost), 2)
        whole = sum(one["seconds"] for one in phases.values())
        self.assertAlmostEqual(whole, sum(outermost) / 1e6, places=6)
        self.assertAlmostEqual(whole, profile.summary["seconds"], places=9)
        self.assertGreaterEqual(min(one["seconds"] for one in phases.values()), 0)
        self.assertEqual(phases["step"]["calls"], 2 * FIVE.steps)
        self.assertEqual(phases["dispatch"]["calls"], 2 * FIVE.steps * 5)
        for phase in ("reset", "logging", "environment", "votes", "goals", "motor"):
            self.assertGreater(phases[phase]["calls"], 0, phase)

    def test_rows_have_the_names_of_learning_modules_whatever_they_are(self) -> None:
        experiment = SmallExperiment(FIVE, "numba", episodes=1)
        create = experiment._create_monty

        def create_hostile() -> None:
            create()
            experiment.model.learning_modules[0].learning_module_id = '<script>"\\\n'

        experiment._create_monty = create_hostile
        profile = profile_of(experiment, self.folder)
        experiment.model.close()
        named = {
            event["tid"]: event["args"]["name"]
            for event in profile.events
            if event["name"] == "thread_name" and event["pid"] == HOST
        }
        others = [f"learning_module_{i}" for i in range(1, 5)]
        self.assertEqual([*named.values()], ["Monty", '<script>"\\\n', *others])
        self.assertIn('<script>"\\\n', profile.steps[0]["lms"])
        [row] = [row for row, name in named.items() if name == '<script>"\\\n']
        of_row = [one for one in profile.events if one["tid"] == row and "dur" in one]
        self.assertEqual({one["args"]["lm"] for one in of_row}, {'<script>"\\\n'})

    def test_a_learning_module_that_steps_as_a_whole_is_processing(self) -> None:
        experiment = SmallExperiment(SyntheticRun(lms=1), episodes=1)
        create = experiment._create_monty

        def create_whole() -> None:
            create()
            lm = experiment.model.learning_modules[0]
            lm.matching_step = type(lm).matching_step.__get__(lm)

        experiment._create_monty = create_whole
        profile = profile_of(experiment, self.folder)
        phases = profile.summary["phases"]
        self.assertEqual(phases["process"]["calls"], 8)
        ran = profile.summary["ran"]["learning_module_0"]
        self.assertEqual((ran["backend"], ran["updates"]), ("none", 8))
        self.assertIn("not in halves", ran["reason"])


class UndisturbedTest(RecorderTestCase):
    def test_a_recorded_run_has_the_same_results(self) -> None:
        for backend, updater in (("reference", "default"), ("numba", "burst_sampling")):
            with self.subTest(backend=backend, updater=updater):
                synthetic = SyntheticRun(updater, lms=2)
                plain = SmallExperiment(synthetic, backend)
                plain.setup_experiment({})
                plain.run()
                recorded = SmallExperiment(synthetic, backend)
                profile_of(recorded, self.folder / backend)
                self.assertEqual(evidence_of(plain), evidence_of(recorded))
                plain.model.close()
                recorded.model.close()

    def test_nothing_stays_attached(self) -> None:
        launch = Stack.launch
        self.profile(SyntheticRun(lms=1), "numba")
        self.assertIs(Stack.launch, launch)
        monty = self.experiment.model
        self.assertNotIn("dispatch_matching_step", vars(monty.learning_modules[0]))
        self.assertNotIn("_vote", vars(monty))
        self.assertNotIn("dispatch", vars(monty.backend.backend))
        self.assertNotIn("run_step", vars(self.experiment))

    def test_what_was_recorded_is_kept_when_a_run_fails(self) -> None:
        for error in (RuntimeError, KeyboardInterrupt):
            with self.subTest(error.__name__):
                experiment = SmallExperiment(SyntheticRun(lms=2), "numba")
                experiment.run_step = failing(experiment.run_step, error)
                folder = self.folder / error.__name__
                with self.assertRaises(error):
                    profile_of(experiment, folder)
                profile = read_profile(folder)
                self.assertEqual(len(profile.steps), 5)
                self.assertEqual(profile.summary["steps"], 5)
                self.assertEqual(profile.episodes, [])
                names = [event["name"] for event in profile.events]
                self.assertEqual(names.count("run"), 1)
                experiment.model.close()

    def test_files_are_complete_after_each_episode(self) -> None:
        experiment = SmallExperiment(SyntheticRun(lms=2), "numba", episodes=3)
        recorder = Recorder(self.folder, ["experiment=small"], experiment)
        experiment.setup_experiment({})
        experiment.env_interface = experiment.eval_env_interface
        for episodes in (1, 2, 3):
            experiment.run_episode()
            profile = read_profile(self.folder)  # as if the run was killed now
            self.assertEqual(len(profile.episodes), episodes)
            self.assertEqual(len(profile.steps), episodes * 8)
        recorder.close()
        experiment.model.close()


class StepsTest(RecorderTestCase):
    def test_beliefs_are_those_of_the_learning_modules(self) -> None:
        ends = []
        for backend in ("reference", "numba"):
            synthetic = SyntheticRun(lms=2)
            experiment = SmallExperiment(synthetic, backend, episodes=1)
            last = profile_of(experiment, self.folder / backend).steps[-1]
            for lm in experiment.model.learning_modules:
                seen = last["lms"][lm.learning_module_id]
                counts = [len(one.evidence) for one in lm._hypotheses.values()]
                self.assertEqual(seen["hypotheses"], sum(counts))
                self.assertEqual(seen["most_likely"], lm.current_mlh["graph_id"])
                names, highest = lm.evidence_for_each_graph()
                for name, value in zip(names, highest, strict=True):
                    self.assertAlmostEqual(seen["evidence"][name], value, places=5)
            self.assertEqual(last["target"], synthetic.scenario.target)
            ends.append(last["lms"])
            experiment.model.close()
        reference, numba = (one["learning_module_1"] for one in ends)
        self.assertEqual(reference["most_likely"], numba["most_likely"])

    def test_only_the_five_most_likely_objects_are_kept(self) -> None:
        profile = self.profile(SyntheticRun(lms=1, objects=7), "numba", episodes=1)
        evidence = profile.steps[-1]["lms"]["learning_module_0"]["evidence"]
        self.assertEqual(len(evidence), 5)
        values = list(evidence.values())
        self.assertEqual(values, sorted(values, reverse=True))

    def test_outcomes_are_those_of_upstreams_statistics(self) -> None:
        synthetic = SyntheticRun(lms=5, steps=20, seed=1)
        profile = self.profile(synthetic, "numba", episodes=1)
        [episode] = profile.episodes
        self.assertEqual(episode["steps"], 20)
        errors = []
        for lm in self.experiment.model.learning_modules:
            seen = episode["lms"][lm.learning_module_id]
            self.assertEqual(seen["result"], lm.terminal_state)
            self.assertEqual(seen["recognised"], lm.detected_object)
            stats = add_evidence_lm_episode_stats(lm, get_graph_lm_episode_stats(lm))
            errors.append(stats["rotation_error"])
            if lm.terminal_state is not None:
                self.assertEqual(seen["rotation_error_deg"], errors[-1])
        self.assertTrue(any(error is not None for error in errors))


class RanWhereTest(RecorderTestCase):
    def test_groups_and_launches(self) -> None:
        profile = self.profile(FIVE, "numba", episodes=1)
        names = [f"learning_module_{i}" for i in range(5)]
        self.assertEqual(profile.summary["groups"], [names])
        self.assertEqual({step["launches"] for step in profile.steps}, {1})
        self.assertEqual(
            profile.summary["ran"]["learning_module_3"],
            {"backend": "numba", "updates": 6, "reason": None},
        )
        packed = [event for event in profile.events if event["name"] == "pack"]
        self.assertEqual({event["args"]["group"] for event in packed}, {0})

    def test_a_fallback_has_its_reason(self) -> None:
        class Choosy(NumbaBackend):
            name = "choosy"

            def dispatch(self, work: Any) -> None:
                if work.lm_id != "learning_module_0":
                    raise CannotRun("it is <b>choosy</b>")
                super().dispatch(work)

        backend = AutoBackend([Choosy, NumbaBackend])
        profile = self.profile(SyntheticRun(lms=2), backend, episodes=1)
        self.assertEqual(
            profile.summary["fallbacks"],
            [
                {
                    "lm": "learning_module_1",
                    "from": "choosy",
                    "to": "numba",
                    "reason": "it is <b>choosy</b>",
                }
            ],
        )
        ran = profile.summary["ran"]
        self.assertEqual(ran["learning_module_0"]["backend"], "choosy")
        self.assertEqual(ran["learning_module_0"]["reason"], None)
        self.assertEqual(ran["learning_module_1"]["backend"], "numba")
        self.assertEqual(ran["learning_module_1"]["reason"], "it is <b>choosy</b>")

    def test_waiting_and_traffic_of_a_device(self) -> None:
        backend = CudaBackend(lambda _: HostStream())
        profile = self.profile(TINY, backend, episodes=1)
        phases = profile.summary["phases"]
        for phase in ("pack", "launch", "wait", "result"):
            self.assertGreater(phases[phase]["calls"], 0, phase)
        moved = [stream.moved for stream in backend._streams]
        self.assertEqual(
            sum(step["bytes_sent"] for step in profile.steps),
            sum(one.to_device for one in moved),
        )
        self.assertEqual(
            sum(step["bytes_returned"] for step in profile.steps),
            sum(one.from_device for one in moved),
        )


if __name__ == "__main__":
    unittest.main()
