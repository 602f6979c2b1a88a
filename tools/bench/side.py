# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A side in its own long-lived process, which runs an episode on request."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from typing_extensions import Self

from .. import child
from ..ending import CouldNotRun
from ..workers.control import WorkerSaid
from ..workers.sides import UPSTREAM, Paths, side_named
from .settings import Settings

__all__ = ["CouldNotBench", "Side"]

SECONDS_TO_END = 10


class CouldNotBench(CouldNotRun):
    """A side could not be run, or is not what it should be."""


class Side:
    """Pristine upstream, or the fork with a backend.

    Use it in a `with` block: at its end the process is gone, whatever happens.
    """

    def __init__(
        self, name: str, paths: Paths, settings: Settings, scenario: Path
    ) -> None:
        """Start the process; sides import and load at the same time.

        Args:
            name: `upstream`, or the name of one of the fork's backends.
            paths: Where upstream and the fork are.
            settings: What to time.
            scenario: The file with memories and percepts.
        """
        self.name = name
        self._is_upstream = name == UPSTREAM
        side = side_named(name, paths)
        self._root = side.import_root.resolve()
        env = dict(side.env)
        if settings.threads is not None:
            env["NUMBA_NUM_THREADS"] = str(settings.threads)
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 closed in close()
        reading, writing = os.pipe()
        try:
            self._process = child.start(
                "bench.worker",
                [
                    f"--settings={json.dumps(settings.as_dict())}",
                    f"--scenario={scenario}",
                    f"--replies={writing}",
                ],
                env=env,
                stdin=subprocess.PIPE,
                # Upstream prints now and then.
                stdout=subprocess.DEVNULL,
                stderr=self._errors,
                text=True,
                pass_fds=(writing,),
            )
        finally:
            os.close(writing)
        self._replies = os.fdopen(reading)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, exc_type: object, *_: object) -> None:
        self.close(at_once=exc_type is not None)

    def describe(self) -> dict[str, Any]:
        """Wait until it is ready, and check that it is the side it should be.

        Returns:
            Its version, and the time and memory that building it took.

        Raises:
            CouldNotBench: If it is not.
        """
        found = self._ask("describe")
        if Path(found["root"]) != self._root:
            raise CouldNotBench(
                f"{self.name}: expected tbp.monty from {self._root}, but it is "
                f"imported from {found['root']}: check PYTHONPATH and what is installed"
            )
        is_fork = found["has_backends"] and "+backends." in found["version"]
        if is_fork == self._is_upstream:
            raise CouldNotBench(
                f"{self.name}: {found['root']} holds tbp.monty {found['version']}, "
                f"which is {'the fork' if is_fork else 'not the fork'}"
            )
        return found

    def begin(self) -> dict[str, Any]:
        """Let it get ready for an episode."""
        return self._ask("begin")

    def run(self) -> dict[str, Any]:
        """Let it run the episode, timed."""
        return self._ask("run")

    def trace(self) -> dict[str, Any]:
        """Let it run the episode, and note what is believed after each step."""
        return self._ask("trace")

    def end(self) -> dict[str, Any]:
        """Return how the episode ended."""
        return self._ask("end")

    def close(self, *, at_once: bool = False) -> None:
        """End the process.

        Args:
            at_once: Do not wait for what it is doing.
        """
        try:
            if at_once:
                child.kill(self._process)
            if self._process.stdin is not None:
                self._process.stdin.close()
            self._process.wait(SECONDS_TO_END)
        except (BrokenPipeError, subprocess.TimeoutExpired):
            pass
        finally:
            # Also after an interrupt while waiting.
            child.kill(self._process)
            self._replies.close()
            self._errors.close()

    def _ask(self, command: str) -> dict[str, Any]:
        # If it has ended, its last answer says why.
        with contextlib.suppress(BrokenPipeError):
            print(command, file=self._process.stdin, flush=True)
        line = self._replies.readline()
        if not line:
            status, said = self._process.wait(), WorkerSaid(self._errors)
            raise CouldNotBench(
                f"{self.name}: no answer to {command!r}; {said.how_it_ended(status)}"
            ) from said
        reply = json.loads(line)
        if "error" in reply:
            raise CouldNotBench(f"{self.name}: {reply['error']}") from WorkerSaid(
                self._errors
            )
        return reply
