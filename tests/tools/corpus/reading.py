# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reads damaged files with the commands, within bounds of memory and time.

``python -m tests.tools.corpus.reading KIND FIRST COUNT FILE ...``: damages each file
COUNT times, reads each copy in this process, and prints a line of JSON for each.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import itertools
import json
import random
import resource
import shutil
import signal
import sys
import tempfile
import traceback
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from monty_tools.guard import guarded
from tests.tools.corpus.mutations import mutated

MEMORY = 3 << 30
"""More than a file may expand to, which is 1 GiB."""

SECONDS = 60
"""A hundred times what it takes on a quiet machine."""

Read = Callable[[Path, Path], int]


def _in_this_process(module: str) -> Callable[..., list[Any]]:
    """Return what runs jobs as `workers.control.go` does, without processes."""
    from monty_tools.ending import CouldNotRun, Ending  # noqa: PLC0415

    work = importlib.import_module(f"monty_tools.{module}").main

    def go(jobs: Sequence[Any], _doing: str, **_: Any) -> list[Any]:
        endings = []
        for job in jobs:
            words = [f"--expect-root={job.side.import_root}", *job.arguments()]
            with contextlib.redirect_stderr(io.StringIO()) as error:
                endings.append(Ending.of_status(work(words)))
            if endings[-1] is Ending.UNABLE:
                # As with a process: its last line is the reason.
                reason = error.getvalue().strip().splitlines()[-1]
                raise CouldNotRun(f"{job.side.name}: {reason}")
        return endings

    return go


def _recording() -> Read:
    from monty_tools.parity import command  # noqa: PLC0415
    from monty_tools.workers.sides import Paths  # noqa: PLC0415

    command.go = _in_this_process("recording.worker")
    monty = importlib.import_module("tbp.monty")
    root = Path(monty.__path__[0]).parents[1]

    def read(path: Path, _: Path) -> int:
        paths = Paths(root, root, None)
        words = [f"--recording={path}"]
        return guarded("monty parity", lambda: command.PARITY(words, paths=paths))

    return read


def _model() -> Read:
    from tbp.monty.cli import main  # noqa: PLC0415

    def read(path: Path, out: Path) -> int:
        return main(["model", "convert", str(path), "--out", str(out), "--force"])

    return read


KINDS = {
    "recording": _recording,
    "model": _model,
}


def _too_slow(*_: object) -> None:
    raise BaseException(f"more than {SECONDS} seconds")  # noqa: TRY002 must get out


def main(kind: str, first: str, count: str, *files: str) -> None:
    read = KINDS[kind]()
    signal.signal(signal.SIGALRM, _too_slow)
    with tempfile.TemporaryDirectory() as folder:
        path, out = Path(folder) / "damaged.zip", Path(folder) / "out"
        for file in files:
            shutil.copy(file, path)
            assert read(path, out) == 0, f"{file} is not good to begin with"
        # Imported libraries take gigabytes of addresses, but not of memory. Some files
        # need torch, and the good ones may not.
        importlib.import_module("torch")
        used = int(Path("/proc/self/statm").read_text().split()[0])
        limit = used * resource.getpagesize() + MEMORY
        resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
        seeds = range(int(first), int(first) + int(count))
        for file, seed in itertools.product(map(Path, files), seeds):
            good = file.read_bytes()
            path.write_bytes(mutated(good, random.Random(seed)))  # noqa: S311
            signal.alarm(SECONDS)
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()) as error,
            ):
                try:
                    status = read(path, out)
                except BaseException:  # noqa: BLE001 the test shows it
                    status = -1
                    traceback.print_exc()
            signal.alarm(0)
            said = {"file": file.name, "seed": seed, "status": status}
            print(json.dumps({**said, "error": error.getvalue()}), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
