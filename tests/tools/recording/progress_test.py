# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A run on a terminal shows how far it is; elsewhere it is quiet."""

from __future__ import annotations

import contextlib
import io
import logging
import os
import sys
import termios
import unittest
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace
from unittest.mock import patch

from monty_tools import progress as display
from monty_tools.recording import progress
from monty_tools.recording.progress import experiments_shown

EPISODES, STEPS = 2, 3


class Experiment:
    """Runs episodes that end after a few steps, and logs as upstream's does."""

    do_train, do_eval = False, True
    n_eval_epochs, eval_env_interface = 1, "two objects"
    env_interface = SimpleNamespace(primary_target={"object": "mug"})

    def __init__(self, names: list[str]) -> None:
        lms = [SimpleNamespace(current_mlh={"graph_id": name}) for name in names]
        self.monty = SimpleNamespace(learning_modules=lms)
        self._step_hook = lambda _ctx, _monty, _supervised, _step, actions: actions

    def run(self) -> None:
        for _ in range(EPISODES):
            for step in range(STEPS):
                self._step_hook(None, self.monty, [], step, [])
                logging.getLogger("tbp.monty").warning("a line of upstream")
            self.post_episode(STEPS)

    def post_episode(self, steps: int) -> None:
        pass


def run(experiment: Experiment) -> None:
    runner = SimpleNamespace(instantiate_experiment=lambda _config: experiment)
    logger, handler = logging.getLogger("tbp.monty"), logging.StreamHandler()
    with (
        patch.object(progress, "expected_episodes", lambda *_: EPISODES),
        patch.multiple(logger, handlers=[handler], propagate=False),
        experiments_shown(runner),
    ):
        runner.instantiate_experiment(None).run()


class ProgressTest(unittest.TestCase):
    def shown(self, *names: str) -> str:
        """Return what appears on a terminal."""
        ours, theirs = os.openpty()
        termios.tcsetwinsize(theirs, (24, 100))
        # Read while it runs: a terminal takes only a few kilobytes ahead.
        with ThreadPoolExecutor(1) as reader:
            read = reader.submit(_read_all, ours)
            with (
                os.fdopen(theirs, "w") as terminal,
                patch.object(sys, "stderr", terminal),
            ):
                run(Experiment([*names]))
                self.assertIs(sys.stderr, terminal)
            return read.result()

    def test_a_terminal_shows_episodes_steps_and_objects(self) -> None:
        # All of them: otherwise at most ten states per second are drawn.
        with patch.object(display, "tqdm", _AtOnce):
            shown = self.shown("mug", "mug", "bowl")
        self.assertIn("episodes 0/2 [00:00<?, step 1, on mug, most likely mug", shown)
        self.assertIn("step 3, on mug, most likely mug (2 of 3)]", shown)
        self.assertIn("episodes 1/2 [00:00<00:00", shown)
        self.assertIn("episodes 2/2", shown)

    def test_logs_are_lines_of_their_own(self) -> None:
        lines = self.shown("mug").replace("\r\n", "\n").split("\n")
        # After a carriage return a line begins again.
        last_written = [line.rpartition("\r")[2] for line in lines]
        self.assertEqual(
            last_written.count("a line of upstream"), EPISODES * STEPS, last_written
        )

    def test_names_cannot_control_the_terminal(self) -> None:
        with patch.object(display, "tqdm", _AtOnce):
            shown = self.shown("\x1b[2Jmug\n")
        self.assertIn("most likely ?[2Jmug", shown)
        self.assertNotIn("\x1b[2J", shown)

    def test_nothing_is_shown_before_anything_is_sensed(self) -> None:
        with patch.object(display, "tqdm", _AtOnce):
            shown = self.shown("no_observations_yet")
        self.assertIn("step 1, on mug]", shown)

    def test_elsewhere_it_is_quiet(self) -> None:
        with patch.object(sys, "stderr", io.StringIO()) as file:
            run(Experiment(["mug"]))
            self.assertIs(sys.stderr, file)
        self.assertEqual(file.getvalue(), "a line of upstream\n" * EPISODES * STEPS)


def _read_all(terminal: int) -> str:
    shown = b""
    # Linux reports an error when the other end is closed, and macOS the end.
    with contextlib.suppress(OSError), os.fdopen(terminal, "rb", 0) as file:
        while part := file.read(4096):
            shown += part
    return shown.decode()


class _AtOnce(display.tqdm):
    """Draws every state."""

    def __init__(self, *args, **kwargs) -> None:
        super().__init__(*args, **kwargs, mininterval=0)


if __name__ == "__main__":
    unittest.main()
