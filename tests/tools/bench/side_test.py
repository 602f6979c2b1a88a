# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import os
import tempfile
import time
import unittest
from pathlib import Path
from unittest import mock

from monty_tools.bench import side as side_module
from monty_tools.bench.settings import Settings
from monty_tools.bench.side import CouldNotBench, Side
from monty_tools.workers.sides import Paths

FOUND = {"version": "1.0+backends.1", "has_backends": True}


class DescribeTest(unittest.TestCase):
    def describe(self, name: str, **found) -> None:
        paths = Paths(Path("/upstream"), Path("/fork"), Path("/cache"))
        with (
            mock.patch.object(side_module, "Worker"),
            mock.patch.object(Side, "_ask", return_value={**FOUND, **found}),
            Side(name, paths, Settings(), Path("scenario")) as side,
        ):
            side.describe()

    def test_the_fork_is_accepted(self) -> None:
        self.describe("reference")

    def test_upstream_is_accepted(self) -> None:
        self.describe("upstream", version="1.0", has_backends=False)

    def test_a_fork_in_upstreams_folder_is_refused(self) -> None:
        with self.assertRaisesRegex(CouldNotBench, "which is the fork"):
            self.describe("upstream")

    def test_upstream_in_the_forks_folder_is_refused(self) -> None:
        with self.assertRaisesRegex(CouldNotBench, "which is not the fork"):
            self.describe("reference", version="1.0", has_backends=False)


class ProcessTest(unittest.TestCase):
    """Runs a process with an empty package tbp.monty."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        package = self.root / "tbp" / "monty"
        package.mkdir(parents=True)
        (package / "__init__.py").write_text("")

    def start(self) -> Side:
        paths = Paths(self.root, self.root, self.root)
        return Side("upstream", paths, Settings(), self.root / "no_scenario.npz")

    def test_an_error_in_the_process_is_reported(self) -> None:
        with self.start() as side, self.assertRaises(CouldNotBench) as raised:
            side.describe()
        self.assertIn("upstream: [Errno 2] No such file", str(raised.exception))
        self.assertIn("no_scenario.npz", str(raised.exception))

    def test_a_process_that_dies_is_noticed(self) -> None:
        with self.start() as side:
            side._worker._process.kill()
            with self.assertRaisesRegex(CouldNotBench, "ended by SIGKILL"):
                side.describe()

    def test_an_interrupt_ends_the_process(self) -> None:
        began = time.monotonic()
        with self.assertRaises(KeyboardInterrupt), self.start() as side:
            raise KeyboardInterrupt
        self.assertLess(time.monotonic() - began, 5)
        with self.assertRaises(ProcessLookupError):
            os.kill(side._worker._process.pid, 0)


class EnvironmentTest(unittest.TestCase):
    def environment(self, name: str, settings: Settings) -> dict[str, str]:
        paths = Paths(Path("/upstream"), Path("/fork"), Path("/cache"))
        with mock.patch.object(side_module, "Worker") as worker:
            Side(name, paths, settings, Path("scenario"))
        return worker.call_args.args[0].env

    def test_the_fork_gets_the_backend_and_its_threads(self) -> None:
        env = self.environment("numba", Settings(threads=3))
        self.assertEqual(
            (env["MONTY_BACKEND"], env["NUMBA_NUM_THREADS"]), ("numba", "3")
        )

    def test_upstream_gets_no_backend(self) -> None:
        with mock.patch.dict(os.environ, MONTY_BACKEND="numba"):
            env = self.environment("upstream", Settings())
        self.assertNotIn("MONTY_BACKEND", env)
        self.assertTrue(env["PYTHONPATH"].startswith("/upstream"))
