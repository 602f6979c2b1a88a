# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Damaged files are read, or refused in one line with exit status 2."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

import pytest
import torch

from monty_tools.models.converted import write_converted
from monty_tools.parity.command import RECORD
from monty_tools.workers.sides import Paths
from tests.frameworks.utils.unpickle_model_test import make_model
from tests.tools.small_release import write_release

ROOT = Path(__file__).parents[3]
SAMPLE, ALL = 10, 800


class CorpusTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def assert_read_or_refused(self, kind: str, first: int, count: int) -> None:
        """Read damaged copies of good files, in a process of their own."""
        files = getattr(self, f"make_{kind}")()
        release = [str(self.folder)] if kind == "recording" else []
        path = [*release, str(ROOT), os.environ.get("PYTHONPATH", "")]
        command = ("-m", "tests.tools.corpus.reading", kind, str(first), str(count))
        done = subprocess.run(
            [sys.executable, *command, *map(str, files)],
            capture_output=True,
            text=True,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(path)},
        )
        # Before the first damaged copy, the good file is read aloud.
        lines = [one for one in done.stdout.splitlines() if one.startswith("{")]
        results = [*map(json.loads, lines)]
        self.assertEqual(done.returncode, 0, f"after {results[-1:]}: {done.stderr}")
        for result in results:
            with self.subTest(file=result["file"], seed=result["seed"]):
                self.assertIn(result["status"], (0, 1, 2), result["error"])
                if result["status"] == 2:
                    self.assertRegex(result["error"], r"\Amonty [^\n]+\n\Z")
        for file in files:
            statuses = Counter(r["status"] for r in results if r["file"] == file.name)
            self.assertEqual(statuses.total(), count)
            self.assertGreater(statuses[2], count / 4)

    def make_recording(self) -> list[Path]:
        file = self.folder / "good.rec.zip"
        write_release(self.folder)
        paths = Paths(self.folder, self.folder, None)
        with contextlib.redirect_stdout(io.StringIO()):
            argv = ("experiment=small", "--episodes=:1", f"--out={file}")
            self.assertEqual(RECORD(argv, paths=paths), 0)
        return [file]

    def make_model(self) -> list[Path]:
        pickled, converted = self.folder / "model.pt", self.folder / "model.zip"
        torch.save(make_model(), pickled)
        write_converted(converted, make_model())
        return [pickled, converted]

    def test_a_sample(self) -> None:
        for kind in ("recording", "model"):
            self.assert_read_or_refused(kind, 0, SAMPLE)

    @pytest.mark.thorough
    def test_recordings(self) -> None:
        self.assert_read_or_refused("recording", SAMPLE, ALL)

    @pytest.mark.thorough
    def test_models(self) -> None:
        self.assert_read_or_refused("model", SAMPLE, ALL)
