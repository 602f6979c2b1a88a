# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How many workers there is room for, and what tells runs apart."""

from __future__ import annotations

import os
import tempfile
import unittest
from pathlib import Path
from typing import Any
from unittest.mock import patch

from omegaconf import OmegaConf

from monty_tools.guard import Failed
from monty_tools.parallel.asked import ParallelRun
from monty_tools.parallel.order import (
    composed,
    gpu_share,
    identity_of,
    most_workers,
)

MODEL = "experiment.config.model_name_or_path"


class MostWorkersTest(unittest.TestCase):
    def test_has_no_more_workers_than_processors_and_gpus_hold(self) -> None:
        free = {"CPU": 16.0, "GPU": 2.0}
        for share, expected in ((0, 16), (0.5, 4), (1 / 3, 6), (0.01, 16), (2, 1)):
            with self.subTest(share=share):
                self.assertEqual(
                    most_workers(ParallelRun("any"), share, free), expected
                )

    def test_says_what_there_is_too_little_of(self) -> None:
        for free, says in (
            ({"GPU": 1.0}, "no free processor"),
            ({"CPU": 4.0}, "--gpus-per-worker 0.5: the Ray at local has 0 free GPUs"),
        ):
            with self.subTest(free=free), self.assertRaisesRegex(Failed, says):
                most_workers(ParallelRun("any"), 0.5, free)


class GpuShareTest(unittest.TestCase):
    def test_is_measured_where_the_backend_may_use_a_gpu(self) -> None:
        cfg = OmegaConf.create({"experiment": {"config": {}}})
        self.enterContext(patch.dict(os.environ))
        os.environ.pop("MONTY_BACKEND", None)
        for backend, gpus, expected in (
            (None, 1, 0),
            ("numba", 1, 0),
            ("auto", 0, 0),
            ("auto", 1, None),
            ("cuda", 2, None),
        ):
            run = ParallelRun("any", backend=backend)
            with self.subTest(backend=backend, gpus=gpus):
                self.assertEqual(gpu_share(run, cfg, {"GPU": gpus}), expected)
        asked = ParallelRun("any", backend="cuda", gpus_per_worker=0.25)
        self.assertEqual(gpu_share(asked, cfg, {"GPU": 1}), 0.25)
        with self.assertRaisesRegex(Failed, "needs a GPU"):
            gpu_share(ParallelRun("any", backend="cuda"), cfg, {})


class IdentityTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.model = Path(folder) / "model.pt"
        self.model.write_text("learned")

    def identity(
        self, *overrides: str, version: str = "1", **options: Any
    ) -> dict[str, Any]:
        model = f"{MODEL}={self.model}"
        run = ParallelRun("test/eval_mujoco", (model, *overrides), **options)
        return identity_of(run, composed(run), version)

    def test_is_that_of_all_runs_with_the_same_results(self) -> None:
        first = self.identity()
        same = self.identity(workers=3, retries=0, resume=True, out=Path("/elsewhere"))
        self.assertEqual(same, first)
        with patch.dict(os.environ, MONTY_BACKEND="numba"):
            self.assertEqual(self.identity(), self.identity(backend="numba"))

    def test_differs_with_what_decides_results(self) -> None:
        found = [
            self.identity(),
            self.identity("experiment.config.seed=7"),
            self.identity(backend="numba"),
            self.identity(episodes=":1"),
            self.identity(side="upstream"),
            self.identity(version="2"),
        ]
        with patch.dict(os.environ, MONTY_CUDA_PRECISION="float32"):
            found.append(self.identity())
        self.model.write_text("learned more")
        found.append(self.identity())
        for number, one in enumerate(found):
            self.assertNotIn(one, found[:number])

    def test_differs_when_the_file_of_the_config_was_edited(self) -> None:
        run = ParallelRun("test/eval_mujoco", (f"{MODEL}={self.model}",))
        cfg = composed(run)
        before = identity_of(run, cfg, "1")
        cfg.experiment.config.seed += 1
        self.assertNotEqual(identity_of(run, cfg, "1"), before)
