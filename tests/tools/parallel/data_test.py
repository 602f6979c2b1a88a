# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Tests that data, models and backends are checked before the first episode."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

from omegaconf import OmegaConf

from monty_tools.guard import Failed
from monty_tools.parallel.data import check_backend, check_data


def config(**values):
    return OmegaConf.create({"experiment": {"config": values}})


class DataTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "data" / "here").mkdir(parents=True)
        (self.folder / "models" / "old").mkdir(parents=True)
        (self.folder / "models" / "old" / "model.pt").touch()
        (self.folder / "models" / "new").mkdir(parents=True)
        (self.folder / "models" / "new" / "model.zip").touch()
        variables = {
            "MONTY_DATA": str(self.folder / "data"),
            "MONTY_MODELS": str(self.folder / "models"),
        }
        patched = patch.dict(os.environ, variables)
        patched.start()
        self.addCleanup(patched.stop)

    def test_accepts_what_is_here(self) -> None:
        for model in ("", "models/old", "models/old/model.pt", "models/new"):
            check_data(
                config(
                    model_name_or_path=model and str(self.folder / model),
                    environment={"data_path": "${oc.env:MONTY_DATA}/here"},
                    logging={"output_dir": "${oc.env:MONTY_MODELS}/to/be/made"},
                    of_others=["/nowhere/at/all"],
                )
            )

    def test_names_all_that_is_missing(self) -> None:
        cfg = config(
            model_name_or_path="${oc.env:MONTY_MODELS}/none",
            environment={"args": [{"data_path": "${oc.env:MONTY_DATA}/none"}]},
        )
        missing = f"the model {self.folder}/models/none and the data {self.folder}/data"
        with self.assertRaisesRegex(Failed, missing):
            check_data(cfg)

    def test_names_a_backend_that_cannot_be_used(self) -> None:
        check_backend(config(monty_config={"backend": "reference"}))
        with self.assertRaisesRegex(Failed, "unknown backend 'none'"):
            check_backend(config(monty_config={"backend": "none"}))
