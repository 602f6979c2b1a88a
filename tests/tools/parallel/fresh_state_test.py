# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Tests that nothing of an episode stays behind in its process."""

from __future__ import annotations

import logging
import os
import random
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import numpy as np
import pandas as pd

from monty_tools.parallel.fresh_state import fresh_state
from monty_tools.parallel.worker import read_models_once
from tbp.monty.frameworks.experiments import monty_experiment


class FreshStateTest(unittest.TestCase):
    def test_restores_what_an_episode_changes(self) -> None:
        logger = logging.getLogger("tbp.monty")
        before = (list(logger.handlers), logger.level, logger.propagate)
        rows = pd.get_option("display.max_rows")
        options = np.get_printoptions()
        with tempfile.TemporaryDirectory() as folder:
            handlers = [logging.FileHandler(Path(folder) / name) for name in "ab"]
            with fresh_state():
                os.environ["OF_AN_EPISODE"] = "1"
                pd.set_option("display.max_rows", 1)
                np.set_printoptions(precision=1)
                np.seterr(all="raise")
                logger.setLevel("ERROR")
                logger.propagate = False
                for handler in handlers:
                    logger.addHandler(handler)
                new = logging.getLogger("made.by.an.episode")
                new.disabled = True
        self.assertNotIn("OF_AN_EPISODE", os.environ)
        self.assertEqual(pd.get_option("display.max_rows"), rows)
        self.assertEqual(np.get_printoptions(), options)
        self.assertEqual(np.geterr()["divide"], "warn")
        after = (list(logger.handlers), logger.level, logger.propagate)
        self.assertEqual(after, before)
        self.assertTrue(all(handler.stream is None for handler in handlers))
        self.assertFalse(new.disabled)

    def test_restores_also_after_an_exception(self) -> None:
        with self.assertRaises(LookupError), fresh_state():
            os.environ["OF_AN_EPISODE"] = "1"
            raise LookupError
        self.assertNotIn("OF_AN_EPISODE", os.environ)

    def test_seeds_random_generators_from_the_system(self) -> None:
        drawn = set()
        for _ in range(2):
            with fresh_state():
                drawn.add((random.random(), np.random.rand()))  # noqa: NPY002, S311
                random.seed(1)
                np.random.seed(1)  # noqa: NPY002
        self.assertEqual(len(drawn), 2)

    def test_closes_figures(self) -> None:
        import matplotlib as mpl  # noqa: PLC0415 slow

        mpl.use("agg")
        pyplot = __import__("matplotlib.pyplot").pyplot
        with fresh_state():
            pyplot.figure()
        self.assertEqual(pyplot.get_fignums(), [])
        self.assertIn("matplotlib.pyplot", sys.modules)


class KeptModelTest(unittest.TestCase):
    def test_reads_once_and_hands_out_copies(self) -> None:
        reads = []

        def read(path: str) -> dict:
            reads.append(path)
            return {"nodes": np.zeros(3), "graphs": {"ball": [1]}}

        self.enterContext(patch.object(monty_experiment, "read_model", read))
        read_models_once()
        first = monty_experiment.read_model("model.pt")
        first["nodes"] += 1
        first["graphs"]["box"] = [2]
        second = monty_experiment.read_model("model.pt")
        self.assertEqual(reads, ["model.pt"])
        self.assertEqual(second["nodes"].tolist(), [0, 0, 0])
        self.assertEqual(second["graphs"], {"ball": [1]})
