# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs upstream and the fork on a config and compares them."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
from pathlib import Path

from monty_tools.parity.command import PARITY
from monty_tools.refactor.fork import fork_folder
from monty_tools.refactor.layout import build_folder
from monty_tools.refactor.upstream import obtain
from monty_tools.workers.sides import Paths

__all__ = ["actions_from", "assert_parity"]


def assert_parity(experiment: str, *arguments: str) -> dict:
    """Fail unless both sides do the same, bit for bit.

    Args:
        experiment: The config's name.
        *arguments: Overrides, and options of `monty parity`.

    Returns:
        What `monty parity --json` says.
    """
    paths = Paths(
        upstream_root=obtain().import_root,
        fork_root=fork_folder(),
        cache=build_folder() / "recordings",
    )
    output = io.StringIO()
    with tempfile.TemporaryDirectory() as folder:
        result = Path(folder) / "result.json"
        command = [f"experiment={experiment}", *arguments, f"--json={result}"]
        # Shadows take most of the time of a run, and any images will do.
        command.append("--no-shadows")
        with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
            status = PARITY(command, paths=paths)
        assert status == 0, f"{experiment}\n{output.getvalue()}"
        return json.loads(result.read_text())


def actions_from(file: str) -> str:
    """Return the override that makes a config use one of our files of actions.

    Some configs name a file of actions that only upstream's own tests have.
    """
    policy = "experiment.config.monty_config.motor_system_config.policy_selector.policy"
    return f"{policy}.file_name={Path(__file__).with_name(file)}"
