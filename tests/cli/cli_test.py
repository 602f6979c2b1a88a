# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import contextlib
import io
import os
import subprocess
import sys
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest.mock import patch

import pytest

from monty_tools.bench import command as benchmarks
from monty_tools.guard import Failed
from monty_tools.refactor import upstream
from monty_tools.refactor.pin import PINNED
from tbp.monty.cli import COMMANDS, main

EXPERIMENT = "test/no_reset_evidence_lm/unsupervised_mujoco"


def monty(*arguments: str) -> tuple[int, str]:
    """Run the command in this process.

    Returns:
        The exit status and what was printed.
    """
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            status = main(arguments)
        except SystemExit as stop:
            status = stop.code
    return status, output.getvalue()


class CommandTest(unittest.TestCase):
    def test_help_and_version(self) -> None:
        status, output = monty("--help")
        self.assertEqual(status, 0)
        for command in COMMANDS:
            self.assertIn(f"monty {command}", output)
            self.assertEqual(monty(*command.split(), "--help")[0], 0)
        self.assertIn("+backends.", monty("--version")[1])

    def test_an_unknown_command_is_refused(self) -> None:
        status, output = monty("fly")
        self.assertEqual(status, 2)
        self.assertIn("'fly'", output)

    def test_backends_marks_the_one_a_run_would_use(self) -> None:
        self.assertIn("* reference", monty("backends")[1])

    def test_backends_compiles_kernels_or_says_why_it_cannot(self) -> None:
        compile_all = "tbp.monty.backends.numba.compile_all"
        with patch(compile_all) as compiled:
            self.assertEqual(monty("backends", "--compile")[0], 0)
        compiled.assert_called_once_with()
        with patch("importlib.metadata.version", return_value="0.59.1"):
            status, output = monty("backends", "--compile")
        self.assertEqual(status, 2)
        self.assertIn("numba 0.59.1 is installed", output)

    def test_backends_refuses_an_unknown_one_in_the_environment(self) -> None:
        with patch.dict(os.environ, MONTY_BACKEND="refrence"):
            status, output = monty("backends")
        self.assertEqual(status, 2)
        self.assertIn("MONTY_BACKEND", output)

    def test_run_without_an_experiment_says_what_is_missing(self) -> None:
        status, output = monty("run")
        self.assertEqual(status, 2)
        self.assertIn("experiment=", output)

    def test_devices_must_be_numbers(self) -> None:
        with patch.dict(os.environ):
            status, output = monty("run", "experiment=none", "--devices", "0,zero")
        self.assertEqual(status, 2)
        self.assertIn("must be numbers of GPUs, such as 0,1, got '0,zero'", output)

    def test_a_side_to_record_is_upstream_or_a_backend(self) -> None:
        run = ("record", f"experiment={EXPERIMENT}", "--out=x", "--side")
        for side, says in (("nmba", "did you mean numba?"), ("fork", "'fork'")):
            with self.subTest(side=side):
                status, output = monty(*run, side)
                self.assertEqual(status, 2)
                self.assertIn(says, output)

    def test_an_unknown_backend_is_refused_with_the_nearest_name(self) -> None:
        for arguments, variable in (
            (("--backend", "refrence"), ""),
            ((), "refrence"),
        ):
            with (
                self.subTest(arguments=arguments, variable=variable),
                patch.dict(os.environ, MONTY_BACKEND=variable),
            ):
                status, output = monty("run", f"experiment={EXPERIMENT}", *arguments)
                self.assertEqual(status, 2)
                self.assertIn("did you mean reference?", output)


class FaultTest(unittest.TestCase):
    """What goes wrong before a command has done anything."""

    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        patched = patch.object(upstream, "build_folder", return_value=self.folder)
        patched.start()
        self.addCleanup(patched.stop)

    def assert_one_line(self, *arguments: str) -> str:
        status, output = monty(*arguments)
        self.assertEqual(status, 2, output)
        [line] = output.splitlines()
        self.assertTrue(line.startswith(f"monty {arguments[0]}: "), line)
        return line

    def test_no_network(self) -> None:
        variables = {
            "PIP_CONFIG_FILE": os.devnull,
            "PIP_INDEX_URL": "http://127.0.0.1:9/simple",
            "PIP_RETRIES": "0",
        }
        with patch.dict(os.environ, variables):
            line = self.assert_one_line("parity", f"experiment={EXPERIMENT}")
        self.assertIn("pip could not fetch tbp.monty", line)
        self.assertNotIn("--upstream", line)  # which is no option
        left = [one.name for one in (self.folder / "upstream").iterdir()]
        self.assertEqual(left, [".lock"])

    def test_another_wheel_than_the_pinned_one(self) -> None:
        (self.folder / "upstream").mkdir()
        wheel = self.folder / "upstream" / PINNED.wheel_name
        wheel.write_text("no wheel")
        for command in (["record", "--out=a.rec.zip"], ["parity"]):
            line = self.assert_one_line(*command, "experiment=any")
            self.assertIn(f"{wheel} is not the pinned", line)

    def test_a_file_that_a_config_names_is_missing(self) -> None:
        policy = "experiment.config.monty_config.motor_system_config.policy_selector"
        status, output = monty(
            "plan",
            "experiment=test/evidence_lm/five_lm_mujoco",
            f"{policy}.policy.file_name=/nowhere/actions.jsonl",
        )
        self.assertEqual(status, 2)
        last = output.splitlines()[-1]
        for part in ("PredefinedPolicy", "No such file", "/nowhere/actions.jsonl"):
            self.assertIn(part, last)

    def test_a_build_folder_that_cannot_be_made(self) -> None:
        (self.folder / "upstream").touch()
        self.assert_one_line("parity", f"experiment={EXPERIMENT}")

    def test_backends_of_the_fork_are_timed_without_upstream(self) -> None:
        obtained = patch.object(upstream, "obtain", side_effect=AssertionError)
        timed = patch.object(benchmarks, "measure", side_effect=Failed("asked"))
        with obtained, timed as measure:
            monty("bench", "lm-phase", "--baseline=reference", "--proposed=numpy")
        names, paths, *_ = measure.call_args.args
        self.assertEqual(names, ("reference", "numpy"))
        self.assertIsNone(paths.upstream_root)

    def test_files_that_nobody_expects(self) -> None:
        file = self.folder / "odd.rec.zip"
        for manifest in (
            '{"format": "monty-parity-recording", "format_version": "one"}',
            '{"format": "monty-parity-recording", "format_version": 1}',
            "[" * 100_000,
        ):
            with zipfile.ZipFile(file, "w") as archive:
                archive.writestr("manifest.json", manifest)
            self.assert_one_line("parity", f"--recording={file}")

    def test_a_result_that_cannot_be_written_is_refused_at_the_start(self) -> None:
        with patch.object(upstream, "obtain"):
            for file in (self.folder, self.folder / "none" / "result.json"):
                status, output = monty("parity", "experiment=any", f"--json={file}")
                self.assertEqual(status, 2)
                self.assertIn("cannot be written to", output)

    def test_debug_shows_where(self) -> None:
        for arguments in (("--debug", "parity"), ("parity", "--debug")):
            (self.folder / "upstream").write_text("no folder")
            status, output = monty(*arguments, f"experiment={EXPERIMENT}")
            self.assertEqual(status, 2)
            self.assertIn("Traceback", output)
            self.assertIn("in obtain", output)


class RunTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.logs = Path(folder.name)

    def run_command(self, *arguments: str) -> subprocess.CompletedProcess:
        return self.command("run", *arguments)

    def record(self, *arguments: str) -> subprocess.CompletedProcess:
        return self.command("record", "--no-shadows", *arguments)

    def command(self, *arguments: str) -> subprocess.CompletedProcess:
        variables = {"MONTY_LOGS": str(self.logs), "WANDB_MODE": "disabled"}
        return subprocess.run(
            [sys.executable, "-m", "tbp.monty.cli", *arguments],
            env={**os.environ, **variables},
            capture_output=True,
            text=True,
        )

    def test_runs_an_experiment_with_overrides(self) -> None:
        done = self.run_command(
            f"experiment={EXPERIMENT}",
            f"experiment.config.logging.output_dir={self.logs}",
            "experiment.config.logging.run_name=a_name",
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("run_name: a_name", done.stdout)
        self.assertRegex(done.stderr, r"backend reference ran \d+ evidence updates? \(")
        self.assertTrue((self.logs / "a_name").is_dir())

    def test_runs_from_a_recording_without_a_simulator(self) -> None:
        recording = self.logs / "run.rec.zip"
        recorded = self.record(f"experiment={EXPERIMENT}", f"--out={recording}")
        self.assertEqual(recorded.returncode, 0, recorded.stderr)
        # MuJoCo refuses to be imported with a platform that it does not know.
        with patch.dict(os.environ, MUJOCO_GL="no such platform"):
            done = self.run_command(
                f"--recording={recording}",
                f"experiment.config.logging.output_dir={self.logs}",
            )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stderr, r"backend reference ran \d+ evidence updates? \(")

    def test_a_run_ends_where_it_leaves_the_recording_or_where_that_ends(self) -> None:
        recording = self.logs / "run.rec.zip"
        self.record(f"experiment={EXPERIMENT}", f"--out={recording}", "--steps=3")
        output = f"experiment.config.logging.output_dir={self.logs}"
        done = self.run_command(f"--recording={recording}", output)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("the recording ends here: 0 episodes, 3 steps", done.stderr)
        done = self.run_command(
            f"--recording={recording}", output, "experiment.config.seed=7"
        )
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("the run left the recording", done.stderr)

    def test_an_unreadable_recording_is_named(self) -> None:
        broken = self.logs / "broken.rec.zip"
        broken.write_text("no recording")
        for file in (broken, self.logs / "none.rec.zip"):
            status, output = monty("run", f"--recording={file}")
            self.assertEqual(status, 2)
            self.assertRegex(output, rf"\Amonty run: .*{file.name}.*\n\Z")

    def test_invalid_groups_stop_the_run(self) -> None:
        done = self.run_command(
            f"experiment={EXPERIMENT}",
            "+experiment.config.monty_config.lm_groups=[[1]]",
        )
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("Traceback", done.stderr)
        self.assertIn("InvalidLMGroups", done.stderr)
        self.assertIn("each of the 1 learning modules exactly once", done.stderr)

    @pytest.mark.thorough
    def test_a_config_chooses_the_backend_unless_the_environment_does(self) -> None:
        asked = "+experiment.config.monty_config.backend=refrence"
        done = self.run_command(f"experiment={EXPERIMENT}", asked)
        self.assertEqual(done.returncode, 2)
        self.assertNotIn("Traceback", done.stderr)
        self.assertIn("did you mean reference?", done.stderr.splitlines()[-1])
        with patch.dict(os.environ, MONTY_BACKEND="reference"):
            done = self.run_command(
                f"experiment={EXPERIMENT}",
                f"experiment.config.logging.output_dir={self.logs}",
                asked,
            )
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_hydras_own_options_are_passed_on(self) -> None:
        done = self.run_command(f"experiment={EXPERIMENT}", "--cfg", "job")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("monty_class:", done.stdout)

    def test_an_unknown_experiment_fails_and_is_named(self) -> None:
        done = self.run_command("experiment=no_such_thing")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no_such_thing", done.stderr)
