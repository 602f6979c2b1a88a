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

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from typing_extensions import Self

from ..ending import CouldNotRun
from ..workers.control import Worker
from ..workers.sides import UPSTREAM, Paths, side_named
from .settings import Settings

__all__ = ["CouldNotBench", "Side"]


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
        if settings.threads is not None:
            threads = {"NUMBA_NUM_THREADS": str(settings.threads)}
            side = replace(side, env={**side.env, **threads})
        words = [f"--settings={json.dumps(settings.as_dict())}"]
        self._worker = Worker(side, "bench.worker", [*words, f"--scenario={scenario}"])

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._worker.close()

    def describe(self) -> dict[str, Any]:
        """Wait until it is ready, and check that it is the side it should be.

        Returns:
            Its version, and the time and memory that building it took.

        Raises:
            CouldNotBench: If it is not.
        """
        found = self._ask("describe")
        is_fork = found["has_backends"] and "+backends." in found["version"]
        if is_fork == self._is_upstream:
            raise CouldNotBench(
                f"{self.name}: {self._root} holds tbp.monty {found['version']}, "
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

    def _ask(self, command: str) -> dict[str, Any]:
        reply = self._worker.order(command)
        if reply is None:
            failed = self._worker.failed()
            raise CouldNotBench(f"{failed}, asked to {command}") from failed.__cause__
        return reply
