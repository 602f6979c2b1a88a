# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""triton is loaded before MuJoCo, or the process would crash."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import tbp.monty
from tbp.monty.cli.run import RUN

STAND_IN = """
from pathlib import Path
with Path(__file__).with_name("order").open("a") as order:
    print(__name__, file=order)
raise ImportError("this is a stand-in")
"""

AS_WORKERS_DO = """
from monty_tools.llvm_order import load_triton_first
load_triton_first()
import mujoco
import tbp.monty.frameworks.models.evidence_matching.model
"""


class Called(BaseException):
    pass


class OrderTest(unittest.TestCase):
    def test_in_a_worker(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            for name in ("triton", "mujoco"):
                Path(folder, name).with_suffix(".py").write_text(STAND_IN)
            root = Path(tbp.monty.__file__).parents[2]
            words = [f"--expect-root={root}", f"--write={folder}/a.rec.zip"]
            words += ["--no-shadows", "test/eval_mujoco"]
            subprocess.run(
                [sys.executable, "-m", "monty_tools.recording.worker", *words],
                env={**os.environ, "PYTHONPATH": folder},
                capture_output=True,
            )
            order = Path(folder, "order").read_text().split()
        self.assertEqual([order[0], order[-1]], ["triton", "mujoco"])

    def test_in_a_run(self) -> None:
        load = patch("monty_tools.llvm_order.load_triton_first", side_effect=Called)
        with load, patch.dict(os.environ), self.assertRaises(Called):
            RUN(["experiment=test/eval_mujoco"], None)

    @unittest.skipIf(
        importlib.util.find_spec("triton") is None,
        "triton is not installed: torch's CPU build comes without it",
    )
    def test_avoids_the_crash(self) -> None:
        variables = dict.fromkeys(("MUJOCO_GL", "PYOPENGL_PLATFORM"), "osmesa")
        done = subprocess.run(
            [sys.executable, "-c", AS_WORKERS_DO],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
