# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import contextlib
import tempfile
import unittest
from pathlib import Path
from typing import Any

import numpy as np

from monty_tools.recording.environment import (
    Divergence,
    RecordingEnvironment,
    ReplayEnvironment,
)
from monty_tools.recording.fault import HarnessFault
from monty_tools.recording.file import (
    Recording,
    RecordingWriter,
    UnreadableRecording,
)


class BrokenSensor(Exception):
    def __init__(self, sensor: str, volts: float) -> None:
        super().__init__(f"{sensor} has {volts} V")


class FakeEnvironment:
    """Returns arrays that it keeps using, in Fortran memory order."""

    scene_names = ("kitchen", "garage")

    def __init__(self) -> None:
        self.image = np.zeros((40, 40), order="F")
        self.closed = False

    def step(self, actions: list[float]) -> tuple[np.ndarray, dict[str, Any]]:
        self.image += sum(actions)
        return self.image, {"position": (0.0, float(self.image[0, 0]))}

    def reset(self) -> tuple[np.ndarray, dict[str, Any]]:
        self.image[:] = 0
        return self.step([])

    def add_object(self, name: str, position: Any = None) -> int:  # noqa: ARG002
        if name == "unknown":
            raise BrokenSensor("left", 1.5)
        if name == "missing":
            raise KeyError(name)
        return len(name)

    def remove_all_objects(self) -> None:
        pass

    def switch_to_scene(self, index: int) -> str:
        return self.scene_names[index]

    def close(self) -> None:
        self.closed = True


class EnvironmentTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "run.rec.zip"

    def record(self, run: Any, *, observations: bool = True) -> Any:
        manifest = {"observations": observations}
        with RecordingWriter(self.path, manifest) as writer:
            env = FakeEnvironment()
            return run(
                RecordingEnvironment(env, writer, observations=observations), writer
            )

    def replay(self, tolerance: float = 0.0) -> ReplayEnvironment:
        recording = Recording(self.path)
        self.addCleanup(recording.close)
        return ReplayEnvironment(recording, tolerance=tolerance)

    def test_replay_returns_what_was_recorded(self) -> None:
        def run(env: Any, _: Any = None) -> list[Any]:
            return [
                env.reset(),
                env.remove_all_objects(),
                env.add_object("mug", position=np.array([1.0, 2.0, 3.0])),
                env.step([0.5]),
                env.step([]),
                env.switch_to_scene(1),
                env.scene_names,
                env.close(),
            ]

        recorded, replayed = self.record(run), run(self.replay())
        self.assertEqual(recorded[1:3], [None, 3])
        self.assertEqual(recorded[5:], ["garage", ("kitchen", "garage"), None])
        self.assertEqual(replayed[1:3] + replayed[5:], recorded[1:3] + recorded[5:])
        for i in (0, 3, 4):
            np.testing.assert_array_equal(recorded[i][0], replayed[i][0])
            self.assertEqual(recorded[i][0].flags.f_contiguous, True)
            self.assertEqual(replayed[i][0].flags.f_contiguous, True)
            self.assertEqual(recorded[i][1], replayed[i][1])

    def test_observations_are_writable_copies(self) -> None:
        def run(env: Any, _: Any = None) -> float:
            image, _state = env.reset()
            image += 100
            return float(env.step([1.0])[0][0, 0])

        self.assertEqual(self.record(run), 1.0)
        self.assertEqual(run(self.replay()), 1.0)

    def test_another_argument_diverges(self) -> None:
        self.record(lambda env, _: (env.reset(), env.step([0.0])))
        for other in (1e-300, -0.0, 0):
            env = self.replay()
            env.reset()
            with self.assertRaisesRegex(Divergence, r"expected step\(\[0\.0\]\)"):
                env.step([other])
            self.assertIn(f"step([{other}])", env.divergence.found)

    def test_a_tolerance_lets_floats_differ_by_that_much(self) -> None:
        self.record(lambda env, _: env.step([0.5]))
        self.replay(tolerance=1e-6).step([0.5 + 1e-7])
        with self.assertRaises(Divergence):
            self.replay(tolerance=1e-6).step([0.5 + 1e-5])

    def test_another_method_diverges(self) -> None:
        self.record(lambda env, _: env.reset())
        with self.assertRaisesRegex(
            Divergence, r"expected reset\(\), found remove_all_objects\(\)"
        ):
            self.replay().remove_all_objects()

    def test_a_recorded_exception_is_an_exception(self) -> None:
        target = self.path.with_name("made by the recording")

        def run(env: Any, writer: RecordingWriter) -> None:
            env.reset()
            raised = {
                "type": "numpy.memmap",
                "message": "",
                "args": [str(target), "uint8", "w+", 0, 100],
            }
            writer.add(
                {
                    "event": "call",
                    "method": "step",
                    "args": [[]],
                    "kwargs": {},
                    "raised": raised,
                }
            )

        self.record(run)
        env = self.replay()
        env.reset()
        with self.assertRaises(RuntimeError):
            env.step([])
        self.assertFalse(target.exists())

    def test_a_divergence_names_episode_and_step(self) -> None:
        def run(env: Any, writer: RecordingWriter) -> None:
            env.reset()
            writer.add({"event": "step", "episode": 0, "step": 0, "lms": {}})
            writer.add({"event": "episode", "index": 0, "lms": {}})
            env.reset()
            for step in range(3):
                env.step([1.0])
                writer.add({"event": "step", "episode": 1, "step": step, "lms": {}})
            env.step([1.0])

        self.record(run)
        env = self.replay()
        env.reset()
        env.reset()
        for _ in range(3):
            env.step([1.0])
        with self.assertRaises(Divergence) as caught:
            env.step([2.0])
        self.assertEqual((caught.exception.episode, caught.exception.step), (1, 3))

    def test_closing_after_a_divergence_is_quiet(self) -> None:
        self.record(lambda env, _: env.reset())
        env = self.replay()
        with self.assertRaises(Divergence):
            env.step([])
        env.close()

    def test_closing_does_not_hide_what_ended_the_run(self) -> None:
        self.record(lambda env, _: (env.reset(), env.step([])))
        for error in (KeyboardInterrupt, HarnessFault, LookupError):
            env = self.replay()
            env.reset()
            with self.assertRaises(error), contextlib.closing(env):
                raise error
            self.assertIsNone(env.divergence)

    def test_closing_too_early_diverges(self) -> None:
        self.record(lambda env, _: (env.reset(), env.step([])))
        env = self.replay()
        env.reset()
        with self.assertRaisesRegex(Divergence, r"expected step\(.*found close"):
            env.close()

    def test_exceptions_are_replayed_by_type_and_message(self) -> None:
        for name, kind in (("unknown", BrokenSensor), ("missing", KeyError)):

            def run(env: Any, _: Any = None, name: str = name) -> Exception:
                with self.assertRaises(Exception) as caught:
                    env.add_object(name)
                return caught.exception

            recorded, replayed = self.record(run), run(self.replay())
            self.assertIs(type(recorded), kind)
            self.assertIs(type(replayed), kind)
            self.assertEqual(str(replayed), str(recorded))

    def test_an_exception_from_a_missing_module_keeps_its_name(self) -> None:
        event = {
            "event": "call",
            "method": "reset",
            "args": [],
            "kwargs": {},
            "raised": {"type": "far.away.Broken", "message": "no", "args": ["no"]},
        }
        with RecordingWriter(self.path, {"observations": True}) as writer:
            writer.add(event)
        with self.assertRaisesRegex(RuntimeError, "no") as caught:
            self.replay().reset()
        kind = type(caught.exception)
        self.assertEqual(f"{kind.__module__}.{kind.__qualname__}", "far.away.Broken")

    def test_a_value_that_cannot_be_recorded_is_a_harness_fault(self) -> None:
        with self.assertRaisesRegex(HarnessFault, "object at the arguments"):
            self.record(lambda env, _: env.step([object()]))

    def test_without_observations_there_is_nothing_to_replay(self) -> None:
        image, _ = self.record(lambda env, _: env.reset(), observations=False)
        self.assertEqual(image.shape, (40, 40))
        with self.assertRaisesRegex(UnreadableRecording, "no observations"):
            self.replay()
