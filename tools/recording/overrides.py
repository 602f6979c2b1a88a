# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a recording may ask Hydra to run.

Hydra makes objects of any class that a configuration names, and its interpolations call
functions, one of them `eval`. So overrides out of a file may only choose among the
configs of tbp.monty, and set plain values in them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from ..ending import CouldNotRun
from ..workers.sides import Run
from .file import Recording

__all__ = ["NotAllowed", "check_overrides", "run_of"]

NAME = r"[A-Za-z0-9]\w*"
VALUE = r"[A-Za-z0-9+-][\w.+-]*"
ALLOWED = re.compile(
    # A setting below experiment.config. Names with a leading underscore are Hydra's.
    rf"\+{{0,2}}experiment\.config(\.{NAME})+=({VALUE}|\[[\w.+,\[\] -]*\])"
    rf"|~experiment\.config(\.{NAME})+"
    # A choice among the configs of the package.
    rf"|(?!hydra)\+?{NAME}(/{NAME})*={NAME}(/{NAME})*"
)
FILES = re.compile(r"\b(model_name_or_path|output_dir)=")
"""Settings that name files to read or to write."""


class NotAllowed(CouldNotRun):
    """A recording asks for what a file may not ask for."""


def check_overrides(path: Path, experiment: str, overrides: Sequence[str]) -> None:
    """Checks what a recording says was run.

    Args:
        path: The recording.
        experiment: The name of its experiment.
        overrides: Its Hydra overrides.

    Raises:
        NotAllowed: If running it could run or write more than a config of tbp.monty.
    """
    for override in (f"experiment={experiment}", *overrides):
        if not ALLOWED.fullmatch(override) or FILES.search(override):
            raise NotAllowed(
                f"{path} asks for {override!r}, which a file may not set: if you trust "
                f"the file, say --trust {path}"
            )


def run_of(recording: Recording, *, trusted: bool) -> Run:
    """Returns what was run for a recording.

    Args:
        recording: The recording.
        trusted: Whether it may ask for anything.

    Raises:
        NotAllowed: If it is not trusted, and asks for what a file may not ask for.
    """
    recording.check_run()
    manifest = recording.manifest
    if not trusted:
        check_overrides(recording.path, manifest["experiment"], manifest["overrides"])
    overrides = tuple(manifest["overrides"])
    return Run(manifest["experiment"], overrides, **manifest["limits"])
