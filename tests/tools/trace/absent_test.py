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
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from monty_tools.trace.absent import LIBRARIES
from tests.tools.trace.synthetic import trace_run

OTHERS = ("hydra", "mujoco", "cv2", "skimage", "wandb", "matplotlib", "imageio")
"""Libraries that only an experiment or a simulator needs."""

SCRIPT = """
import sys
for name in {names!r}:
    sys.modules[name] = None  # as if it were not installed
from monty_tools.trace.worker import main
sys.exit(main(sys.argv[1:]))
"""


class AbsentTest(unittest.TestCase):
    def test_a_trace_is_replayed_without_libraries_of_experiments(self) -> None:
        import tbp.monty  # noqa: PLC0415

        root = Path(tbp.monty.__file__).parents[2]
        script = SCRIPT.format(names=(*LIBRARIES, *OTHERS))
        with tempfile.TemporaryDirectory() as folder:
            trace = Path(folder) / "run.trace.zip"
            trace_run(trace, "default", steps=4)
            written = Path(folder) / "run.rec.zip"
            done = subprocess.run(
                [
                    *(sys.executable, "-c", script, str(trace)),
                    *(f"--write={written}", f"--expect-root={root}"),
                ],
                env={**os.environ, "MONTY_BACKEND": "reference"},
                capture_output=True,
                text=True,
            )
            self.assertEqual(done.returncode, 0, done.stderr)
            self.assertTrue(written.exists())
