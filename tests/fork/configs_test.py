# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import json
import os
import subprocess
import sys
import unittest
from pathlib import Path

import pytest

from monty_tools.refactor.fork import fork_folder
from monty_tools.refactor.upstream import obtain

SCRIPT = Path(__file__).with_name("compose_configs.py")


def start(import_root: Path, every: int) -> subprocess.Popen:
    return subprocess.Popen(
        [sys.executable, SCRIPT, str(every)],
        env={**os.environ, "PYTHONPATH": str(import_root)},
        stdout=subprocess.PIPE,
        text=True,
    )


class ConfigsTest(unittest.TestCase):
    def test_every_tenth_experiment_config_composes_as_upstream(self) -> None:
        self.check(every=10, count=27)

    @pytest.mark.thorough
    def test_every_experiment_config_composes_as_upstream(self) -> None:
        self.check(every=1, count=265)

    def check(self, every: int, count: int) -> None:
        roots = [obtain().import_root, fork_folder()]
        processes = [start(root, every) for root in roots]
        outputs = [process.communicate()[0] for process in processes]
        self.assertEqual([process.returncode for process in processes], [0, 0])
        upstream, fork = map(json.loads, outputs)

        self.assertEqual([upstream["root"], fork["root"]], [str(r) for r in roots])
        self.assertEqual(len(upstream["configs"]), count)
        self.assertEqual(set(fork["configs"]), set(upstream["configs"]))
        for name, config in upstream["configs"].items():
            with self.subTest(name):
                self.assertEqual(fork["configs"][name], config)
        # Nearly all are experiments; the rest are parts that other configs include.
        failing = [
            n for n, text in upstream["configs"].items() if "Exception: " in text
        ]
        self.assertLess(len(failing), 10)
