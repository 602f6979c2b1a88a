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
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np

from monty_tools.recording.fault import HarnessFault
from monty_tools.recording.file import Recording, RecordingWriter
from monty_tools.recording.observer import Observer


class Hook:
    """Doubles the actions and notes that it was called."""

    def __init__(self) -> None:
        self.closed = False

    def __call__(self, *args: Any) -> Any:
        return args[-1] * 2

    def close(self) -> None:
        self.closed = True


def hypotheses(evidence: list[float]) -> SimpleNamespace:
    count = len(evidence)
    return SimpleNamespace(
        evidence=np.array(evidence),
        locations=np.zeros((count, 3)),
        poses=np.zeros((count, 3, 3)),
        possible=np.zeros(count, dtype=bool),
    )


def full_lm() -> SimpleNamespace:
    lm = SimpleNamespace(
        learning_module_id="full",
        terminal_state=None,
        possible_matches={"mug": object(), "bowl": object()},
        current_mlh={"graph_id": "mug", "mlh_id": 1, "evidence": 2.0, "unrelated": 0},
        _hypotheses={"mug": hypotheses([1.0, 2.0]), "bowl": hypotheses([])},
        detected_object="mug",
        detected_pose=[None] * 7,
        detected_rotation_r=None,
        stepwise_targets_list=["mug"],
        buffer=SimpleNamespace(stats={"lm_processed_steps": [True], "time": [1.5]}),
        memory={"mug": [1, 2]},
    )
    lm.buffer = type("Buffer", (), {"__len__": lambda _: 5, **vars(lm.buffer)})()
    lm.state_dict = lambda: lm.memory
    return lm


class Experiment:
    def __init__(self, *lms: Any) -> None:
        self.model = SimpleNamespace(
            learning_modules=list(lms), step_type="matching_step", total_steps=9
        )
        self.env_interface = SimpleNamespace(primary_target={"object": "mug"})
        self.rng = np.random.RandomState(0)
        self._step_hook = self.hook = Hook()

    def get_epoch_state(self) -> tuple[Any, int, int]:
        return SimpleNamespace(name="TRAIN"), 1, 2

    def post_episode(self, steps: int) -> None:
        for lm in self.model.learning_modules:
            lm.memory = {"mug": [1, 2, steps]}

    def step(self, number: int, actions: Any) -> Any:
        ctx = SimpleNamespace(rng=self.rng)
        return self._step_hook(ctx, self.model, [], number, {}, actions)


class ObserverTest(unittest.TestCase):
    def observe(self, experiment: Experiment, run: Any, **limits: int) -> list[dict]:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "run.rec.zip"
            with RecordingWriter(path, {}) as writer:
                Observer(writer, **limits).attach(experiment)
                run(experiment)
            with Recording(path) as recording:
                return [recording.decode(event) for event in recording.events()]

    def test_a_step_is_recorded(self) -> None:
        [event] = self.observe(Experiment(full_lm()), lambda exp: exp.step(3, ["turn"]))
        self.assertEqual((event["episode"], event["step"]), (0, 3))
        self.assertEqual(event["actions"], ["turn", "turn"])
        seen = event["lms"]["full"]
        self.assertEqual(seen["possible_matches"], ["mug", "bowl"])
        self.assertEqual(
            seen["most_likely"], {"graph_id": "mug", "mlh_id": 1, "evidence": 2.0}
        )
        self.assertEqual(seen["hypotheses"]["mug"]["count"], 2)
        self.assertEqual(seen["hypotheses"]["mug"]["max_evidence"], 2.0)
        self.assertIsNone(seen["hypotheses"]["bowl"]["max_evidence"])

    def test_every_array_of_the_hypotheses_is_in_the_digest(self) -> None:
        def digest_with(change: Any) -> str:
            lm = full_lm()
            change(lm._hypotheses["mug"])
            [event] = self.observe(Experiment(lm), lambda exp: exp.step(0, []))
            return event["lms"]["full"]["hypotheses"]["mug"]["digest"]

        digests = [
            digest_with(lambda _: None),
            digest_with(lambda mug: mug.evidence.__setitem__(0, 1.5)),
            digest_with(lambda mug: mug.locations.__setitem__((1, 2), -0.0)),
            digest_with(lambda mug: mug.poses.__setitem__((1, 2, 2), 1e-300)),
            digest_with(lambda mug: mug.possible.__setitem__(1, 1)),
        ]
        self.assertEqual(len(set(digests)), len(digests))

    def test_an_extra_random_number_shows(self) -> None:
        def run(exp: Experiment) -> None:
            exp.step(0, [])
            exp.step(1, [])
            exp.rng.normal()
            exp.step(2, [])

        states = [e["random_state"] for e in self.observe(Experiment(), run)]
        self.assertEqual(states[0], states[1])
        self.assertNotEqual(states[1], states[2])

    def test_observing_changes_nothing(self) -> None:
        def run(exp: Experiment) -> None:
            exp.step(0, [])
            exp.post_episode(1)

        lm = full_lm()
        experiment = Experiment(lm)
        before = experiment.rng.get_state()[1].copy()
        hypotheses_before = {k: v.evidence.copy() for k, v in lm._hypotheses.items()}
        likely = dict(lm.current_mlh)
        self.observe(experiment, run)
        np.testing.assert_array_equal(experiment.rng.get_state()[1], before)
        self.assertEqual(lm.current_mlh, likely)
        for name, evidence in hypotheses_before.items():
            np.testing.assert_array_equal(lm._hypotheses[name].evidence, evidence)

    def test_an_episode_is_recorded_with_the_memory_at_its_end(self) -> None:
        def run(exp: Experiment) -> None:
            exp.post_episode(7)
            exp.post_episode(7)
            exp.post_episode(8)

        events = self.observe(Experiment(full_lm()), run)
        self.assertEqual([e["index"] for e in events], [0, 1, 2])
        self.assertEqual((events[0]["mode"], events[0]["epoch"]), ("TRAIN", 1))
        self.assertEqual(events[0]["counters"], {"total_steps": 9})
        seen = events[0]["lms"]["full"]
        self.assertEqual(seen["observations"], 5)
        self.assertEqual(seen["processed_steps"], [True])
        memories = [e["lms"]["full"]["memory"] for e in events]
        self.assertEqual(memories[0], memories[1])
        self.assertNotEqual(memories[1], memories[2])

    def test_a_learning_module_may_lack_everything(self) -> None:
        def run(exp: Experiment) -> None:
            exp.step(0, [])
            exp.post_episode(1)

        step, episode = self.observe(Experiment(SimpleNamespace()), run)
        self.assertEqual(step["lms"], {"number 0": {}})
        self.assertEqual(episode["lms"], {"number 0": {}})

    def test_a_value_that_cannot_be_recorded_is_a_harness_fault(self) -> None:
        lm = full_lm()
        lm.terminal_state = object()
        with self.assertRaisesRegex(HarnessFault, r"object at .*terminal_state"):
            self.observe(Experiment(lm), lambda exp: exp.step(0, []))
