# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Which episodes run, of a training of two and an evaluation of four."""

from __future__ import annotations

import unittest
from types import SimpleNamespace
from typing import Any

from monty_tools.ending import CouldNotRun
from monty_tools.recording.counter import LimitReached
from monty_tools.recording.episodes import choose_episodes, expected_episodes
from tbp.monty.experiment.environment import (
    OneObjectPerEpisodeInterface,
    SaccadeOnImageFromStreamInterface,
)

TRAIN, EVAL = SimpleNamespace(name="TRAIN"), SimpleNamespace(name="EVAL")


def interface(kind: type, objects: list[str]) -> Any:
    """Return an interface that shows its objects one after the other."""

    class Shown(kind):
        def __init__(self) -> None:
            self.object_names = objects
            self.number = 0

        def post_episode(self) -> None:
            self.number += 1

    return Shown()


class Experiment:
    """Notes the number of every episode that runs, and its object."""

    do_train, do_eval = True, True
    n_train_epochs, n_eval_epochs = 1, 2

    def __init__(self, kind: type = OneObjectPerEpisodeInterface) -> None:
        self.train_env_interface = interface(kind, ["cup", "mug"])
        self.eval_env_interface = interface(kind, ["ball", "box"])
        self.train_episodes = self.eval_episodes = 0
        self.ran: list[str] = []

    def run(self) -> None:
        for mode, name, epochs in ((TRAIN, "train", 1), (EVAL, "eval", 2)):
            self.experiment_mode = mode
            self.env_interface = getattr(self, f"{name}_env_interface")
            for _ in range(epochs * 2):
                self.run_episode()

    def run_episode(self) -> None:
        name = self.experiment_mode.name.lower()
        number = getattr(self, f"{name}_episodes")
        shown = self.env_interface.object_names[self.env_interface.number % 2]
        self.ran.append(f"{name} {number}: {shown}")
        setattr(self, f"{name}_episodes", number + 1)
        self.env_interface.post_episode()


ALL = [
    *("train 0: cup", "train 1: mug"),
    *("eval 0: ball", "eval 1: box", "eval 2: ball", "eval 3: box"),
]


class EpisodesTest(unittest.TestCase):
    def test_those_of_upstreams_spec_run_as_in_a_whole_run(self) -> None:
        for spec, chosen in {
            "3": [3],
            ":3": [0, 1, 2],
            "4:": [4, 5],
            "0,2:4": [0, 2, 3],
            "all": [*range(6)],
        }.items():
            with self.subTest(spec):
                experiment = Experiment()
                self.assertEqual(expected_episodes(experiment, spec), len(chosen))
                choose_episodes(experiment, spec)
                self.assertRaises(LimitReached, experiment.run)
                self.assertEqual(experiment.ran, [ALL[number] for number in chosen])

    def test_without_a_spec_all_run(self) -> None:
        experiment = Experiment()
        choose_episodes(experiment, None)
        experiment.run()
        self.assertEqual(experiment.ran, ALL)
        self.assertEqual(expected_episodes(experiment, None), 6)

    def test_others_are_refused(self) -> None:
        endless = Experiment(SaccadeOnImageFromStreamInterface)
        self.assertIsNone(expected_episodes(endless, None))
        for experiment, spec, says in (
            (Experiment(), "6", "--episodes 6, of its 6: 6 is not"),
            (Experiment(), "2:9", "of its 6: 2:9 is not"),
            (Experiment(), ",", "there are none"),
            (endless, ":3", "use --steps"),
        ):
            with self.subTest(spec), self.assertRaisesRegex(CouldNotRun, says):
                choose_episodes(experiment, spec)
