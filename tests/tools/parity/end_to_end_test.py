# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Records and replays the installed Monty."""

from __future__ import annotations

import importlib
import json
import tempfile
import unittest
from pathlib import Path

import numpy as np
import pytest
import quaternion

from monty_tools.ending import Ending
from monty_tools.opengl import ensure_headless_opengl
from monty_tools.parity.compare import compare
from monty_tools.recording.codec import Arrays, decode, encode
from monty_tools.recording.file import Recording
from monty_tools.workers.control import Job, run_jobs
from monty_tools.workers.sides import Paths as SidePaths
from monty_tools.workers.sides import Run, Side, fork_side


def need_rendering() -> None:
    problem = ensure_headless_opengl()
    if problem:
        pytest.skip(problem)


class MontyTest(unittest.TestCase):
    @pytest.mark.thorough
    def test_a_recorded_run_replays_equal_without_a_simulator(self) -> None:
        need_rendering()
        root = Path(importlib.import_module("tbp.monty").__file__).parents[2]
        side = fork_side(SidePaths(root, root, root), None)
        # MuJoCo refuses to be imported with a platform that it does not know.
        blind = Side("blind", root, {**side.env, "MUJOCO_GL": "no such platform"})
        run = Run("test/eval_lt_mujoco", episodes=":1")
        with tempfile.TemporaryDirectory() as folder:
            live, fed = Path(folder) / "live.rec.zip", Path(folder) / "fed.rec.zip"
            [recorded] = run_jobs([Job(side, run, live)])
            [replayed] = run_jobs([Job(blind, run, fed, feed=live)])
            self.assertEqual((recorded, replayed), (Ending.LIMIT, Ending.LIMIT))
            with Recording(live) as left, Recording(fed) as right:
                result = compare(left, right)
                stored = left.manifest["counts"]["arrays"]
        self.assertIsNone(result.first_difference)
        self.assertEqual(result.episodes, 1)
        self.assertGreater(result.steps, 0)
        self.assertGreater(stored, 0)


class MontyCodecTest(unittest.TestCase):
    def there_and_back(self, value):
        arrays = Arrays()
        text = json.dumps(encode(value, arrays), allow_nan=False)
        back = decode(json.loads(text), arrays.get)
        self.assertIs(type(back), type(value))
        again = json.dumps(encode(back, Arrays()), allow_nan=False)
        self.assertEqual(again, text)
        return back

    def test_states_and_observations(self) -> None:
        models = "tbp.monty.frameworks.models."
        states = importlib.import_module(f"{models}motor_system_state")
        seen = importlib.import_module(f"{models}abstract_monty_classes")
        sensor = states.SensorState((0.0, 1.0, -0.0), quaternion.one)
        agent = states.AgentState({"patch": sensor}, (1.0, 2.0, 3.0), quaternion.x)
        back = self.there_and_back(states.ProprioceptiveState(agent_0=agent))
        self.assertEqual(back["agent_0"], agent)
        image = {"depth": np.random.default_rng(0).normal(size=(8, 8))}
        value = seen.Observations(agent_0=seen.AgentObservations(patch=image))
        back = self.there_and_back(value)
        self.assertIsInstance(back["agent_0"], seen.AgentObservations)
        np.testing.assert_array_equal(back["agent_0"]["patch"]["depth"], image["depth"])

    def test_objects_and_rotations(self) -> None:
        environments = "tbp.monty.frameworks.environments.environment"
        info = importlib.import_module(environments).ObjectInfo(3, None)
        self.assertEqual(self.there_and_back(info), info)
        geometry = importlib.import_module("tbp.monty.geometry")
        rotation = geometry.Rotation.from_euler("xyz", [0.1, 0.2, 0.3])
        back = self.there_and_back(rotation)
        self.assertEqual(back.as_quat().tobytes(), rotation.as_quat().tobytes())

    def test_every_action(self) -> None:
        actions = importlib.import_module("tbp.monty.frameworks.actions.actions")
        kinds = actions.Action.__subclasses__()
        self.assertGreater(len(kinds), 5)
        for kind in kinds:
            action = kind.__new__(kind)
            vars(action).update(agent_id="agent_0", amount=0.1, where=(1.0, 2.0))
            back = self.there_and_back([action])[0]
            self.assertIs(type(back), kind)
            self.assertEqual(dict(back), dict(action))
