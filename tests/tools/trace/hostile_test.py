# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Traces that try to run code, or to fill the memory, are refused."""

from __future__ import annotations

import json
import tempfile
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from monty_tools.ending import CouldNotRun
from monty_tools.recording.file import CorruptRecording, Recording
from monty_tools.recording.kinds import NotTrusted, trusting
from monty_tools.trace.replay import replay
from monty_tools.trace.results import TRACE
from tests.tools.edited_files import edited
from tests.tools.trace.synthetic import trace_run


class HostileTraceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.trace = cls.folder / "good.trace.zip"
        trace_run(cls.trace, "default", steps=2)

    def replay_edited(self, edit: Callable[[dict[str, Any]], None]) -> None:
        path = edited(self.trace, self.folder / "edited.trace.zip", edit)
        with Recording(path, TRACE) as trace:
            replay(trace)

    def test_an_interpolation_does_not_run_a_shell(self) -> None:
        proof = self.folder / "proof"
        command = f"__import__('os').system('touch {proof}')"

        def attack(event: dict[str, Any]) -> None:
            if event["event"] == "monty":
                # Its module registers upstream's resolvers, one of which is eval.
                event["a"] = {"$class": "tbp.monty.hydra.Path"}
                run = f'${{np.list_eval:["{command}"]}}'
                event["b"] = {"$tuple": {"$omegaconf": [run]}}

        with self.assertRaises(NotTrusted):
            self.replay_edited(attack)
        with trusting("tbp.monty"), self.assertRaisesRegex(CouldNotRun, r"\$\{"):
            self.replay_edited(attack)
        self.assertFalse(proof.exists())

    def test_an_interpolation_in_an_array_is_found_too(self) -> None:
        text = "${oc.env:HOME}"

        def attack(event: dict[str, Any]) -> None:
            if event["event"] == "monty":
                word = {"$scalar": {"dtype": f"<U{len(text)}", "value": text}}
                event["a"] = {"$omegaconf": {"key": [word]}}

        with self.assertRaisesRegex(CouldNotRun, r"\$\{"):
            self.replay_edited(attack)

    def test_a_class_that_traces_do_not_need_is_not_imported(self) -> None:
        for name in (
            "subprocess.Popen",
            "tbp.monty.cli.__main__.main",
            "tbp.monty.frameworks.loggers.monty_handlers.BasicCSVStatsHandler",
        ):

            def attack(event: dict[str, Any], name: str = name) -> None:
                if event["event"] == "monty":
                    event["match_criterion"] = {"_target_": name}

            with (
                self.subTest(name),
                self.assertRaisesRegex(
                    NotTrusted, rf"{name}.*--trust {name.split('.')[0]}"
                ),
            ):
                self.replay_edited(attack)

    def test_only_methods_that_are_traced_are_called(self) -> None:
        for method in ("close", "__init__", "_step_learning_modules"):

            def attack(event: dict[str, Any], method: str = method) -> None:
                if event.get("method") == "reset":
                    event["method"] = method

            with self.subTest(method), self.assertRaisesRegex(CouldNotRun, method):
                self.replay_edited(attack)

    def test_only_what_supervision_writes_is_written(self) -> None:
        def attack(event: dict[str, Any]) -> None:
            for written in event.get("written", ()):
                written["attributes"]["backend"] = None

        with self.assertRaisesRegex(CouldNotRun, "backend"):
            self.replay_edited(attack)

    @pytest.mark.thorough
    def test_an_array_that_is_named_often_does_not_fill_the_memory(self) -> None:
        with Recording(self.trace, TRACE) as trace:
            names = [n for n in trace.members if n.startswith("arrays/")]
            largest = max(names, key=lambda name: trace.array(name).nbytes)
            times = (1 << 30) // trace.array(largest).nbytes + 1

        def attack(event: dict[str, Any]) -> None:
            if event["event"] == "monty":
                event["a"] = [{"$array": largest}] * times

        with self.assertRaisesRegex(CorruptRecording, "1024 MiB"):
            self.replay_edited(attack)

    def test_deep_json_is_one_line(self) -> None:
        for depth in (500, 100_000):

            def attack(event: dict[str, Any], depth: int = depth) -> str | None:
                if event["event"] != "monty":
                    return None
                return (
                    json.dumps(event)[:-1] + ',"a":' + "[" * depth + "]" * depth + "}"
                )

            with self.subTest(depth), self.assertRaises(CorruptRecording) as refused:
                self.replay_edited(attack)
            self.assertEqual(len(str(refused.exception).splitlines()), 1)
