# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Models that are converted are the same models, on both sides of a comparison."""

from __future__ import annotations

import contextlib
import io
import os
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import torch

from monty_tools.arguments import TRUST_VARIABLE
from monty_tools.ending import CouldNotRun
from monty_tools.models.converted import find_converted, read_converted, write_converted
from monty_tools.models.guard import NAME, guarded_models
from monty_tools.recording.codec import Arrays, encode
from tbp.monty.cli import main
from tbp.monty.frameworks.utils import unpickle_model as unpickling
from tbp.monty.frameworks.utils.read_model import read_model
from tests.frameworks.utils.unpickle_model_test import Calling, make_model

LEARNED = Path(os.environ.get("MONTY_MODELS", "")) / (
    "pretrained_ycb_v13/supervised_pre_training_base/pretrained"
)


def content_of(model: object) -> tuple[object, set[str]]:
    """Return all values of a model, and the names of its arrays, which are hashes."""
    arrays = Arrays()
    return encode(model, arrays), {*arrays.members}


class ModelTestCase(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.model = self.folder / "model.pt"
        self.converted = self.folder / "converted.zip"
        torch.save(make_model(), self.model)


class ConvertedModelTest(ModelTestCase):
    def monty(self, *argv: object) -> tuple[int, str]:
        output = io.StringIO()
        with (
            contextlib.redirect_stdout(output),
            contextlib.redirect_stderr(output),
            patch.dict(os.environ, {TRUST_VARIABLE: ""}),
        ):
            try:
                status = main([*map(str, argv)])
            except SystemExit as stop:
                status = stop.code
        return status, output.getvalue()

    def convert(self, *argv: object) -> tuple[int, str]:
        model, out, *words = argv
        return self.monty("model", "convert", model, "--out", out, *words)

    def test_a_round_trip_changes_no_bit(self) -> None:
        status, output = self.convert(self.model, self.converted)
        self.assertEqual(status, 0, output)
        self.assertEqual(
            content_of(read_model(self.converted)), content_of(make_model())
        )
        state = read_model(self.converted)
        graph = state["lm_dict"][0]["graph_memory"]["mug"]["patch"]
        self.assertEqual(graph.graph_delta_thresholds.patch.distance, [0.1, 2])

    @unittest.skipUnless(LEARNED.is_dir(), "set MONTY_MODELS to a folder of models")
    def test_a_learned_model_too(self) -> None:
        self.assertEqual(self.convert(LEARNED, self.converted)[0], 0)
        learned = torch.load(LEARNED / "model.pt", weights_only=False)
        self.assertEqual(content_of(read_model(self.converted)), content_of(learned))

    def test_paths_that_upstream_completes(self) -> None:
        self.convert(self.model, self.converted)
        for path in (self.converted, self.converted / "model.pt"):
            self.assertEqual(find_converted(path), self.converted)
        self.assertIsNone(find_converted(self.model))
        self.model.unlink()
        self.assertIsNone(find_converted(self.model))
        named = self.converted.rename(self.folder / "model.zip")
        self.assertEqual(find_converted(self.model), named)

    def test_conversion_says_what_is_wrong(self) -> None:
        missing = self.folder / "missing.pt"
        self.assertRegex(self.convert(missing, self.converted)[1], "No such file")
        self.assertIn("--force", self.convert(self.model, self.model)[1])
        elsewhere = self.folder / "no folder" / "model.zip"
        self.assertIn("not a folder", self.convert(self.model, elsewhere)[1])
        for hostile, words in (
            (Calling(os.getcwd), "names posix.getcwd"),
            (torch.zeros(2, dtype=torch.bfloat16), "torch.Tensor"),
        ):
            torch.save({"lm_dict": hostile}, self.model)
            status, output = self.convert(self.model, self.converted)
            self.assertEqual(status, 2)
            self.assertIn(words, output)
            self.assertEqual(len(output.splitlines()), 1)
        self.assertEqual([*self.folder.iterdir()], [self.model])

    def test_a_trusted_model_is_converted(self) -> None:
        self.assertEqual(TRUST_VARIABLE, unpickling.TRUST_VARIABLE)
        torch.save({"lm_dict": Calling(os.getcwd)}, self.model)
        trust = ("--trust", self.folder)
        with patch.dict(os.environ):
            status, output = self.convert(self.model, self.converted, *trust)
        self.assertEqual(status, 0, output)
        self.assertEqual(read_converted(self.converted), {"lm_dict": str(Path.cwd())})

    def test_a_conversion_that_was_cut_short_is_refused(self) -> None:
        write_converted(self.converted, {"lm_dict": {}})
        content = self.converted.read_bytes()
        self.converted.write_bytes(content[:-30])
        with self.assertRaises(CouldNotRun):
            read_converted(self.converted)


class GuardTest(ModelTestCase):
    """Upstream's own `torch.load(path, weights_only=False)`."""

    def upstream_loads(self, path: Path) -> object:
        with (
            patch.dict("sys.modules", {NAME: None}),  # upstream does not have it
            guarded_models(),
        ):
            return torch.load(path, weights_only=False)

    def test_upstream_reads_both_kinds(self) -> None:
        write_converted(self.converted, make_model())
        for path in (self.model, self.converted / "model.pt"):
            self.assertEqual(
                content_of(self.upstream_loads(path)), content_of(make_model())
            )

    def test_upstream_does_not_run_code_of_a_model(self) -> None:
        proof = self.folder / "proof"
        torch.save(Calling(os.system, f"touch {proof}"), self.model)
        with self.assertRaisesRegex(CouldNotRun, "posix.system"):
            self.upstream_loads(self.model)
        self.assertFalse(proof.exists())
        with patch.dict(os.environ, {TRUST_VARIABLE: str(self.model)}):
            self.upstream_loads(self.model)
        self.assertTrue(proof.exists())
