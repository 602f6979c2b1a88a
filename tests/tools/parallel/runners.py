# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The commands that run an experiment in parallel: upstream's, and ours."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence

from monty_tools.opengl import use_headless_opengl
from monty_tools.refactor.upstream import obtain

__all__ = ["our_command", "upstream_command"]

Command = tuple[list[str], dict[str, str]]
"""The words of a command, and its environment variables."""

UPSTREAM = """
from tbp.monty.frameworks.run_env import setup_env
from tbp.monty.frameworks.run_parallel import main
setup_env()
main()
"""


def upstream_command(words: Sequence[str], logs: str) -> Command:
    """Return the command of unchanged upstream.

    Args:
        words: Hydra overrides.
        logs: Where to write.
    """
    root = str(obtain().import_root)
    env = {**_environment(logs), "PYTHONPATH": root}
    return [sys.executable, "-c", UPSTREAM, *words], env


def our_command(words: Sequence[str], logs: str) -> Command:
    """Return the command of the fork."""
    command = [sys.executable, "-m", "tbp.monty.cli", "run-parallel"]
    return [*command, *words], _environment(logs)


def _environment(logs: str) -> dict[str, str]:
    env = {**os.environ, "MONTY_LOGS": logs, "OMP_NUM_THREADS": "1"}
    use_headless_opengl(env)
    return env
