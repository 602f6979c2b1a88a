# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The two sides of a comparison, and the processes that run them.

Upstream and the fork share their import name, so each runs in its own process. The one
for upstream has upstream's folder first on its path; the one for the fork imports what
its interpreter has installed. Each worker checks that it imported the right one.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from ..ending import CouldNotRun
from ..opengl import use_headless_opengl

__all__ = [
    "BACKEND_VARIABLE",
    "SINGLE_THREADED",
    "UPSTREAM",
    "Paths",
    "Run",
    "Side",
    "fork_side",
    "side_named",
    "upstream_side",
]

UPSTREAM = "upstream"
BACKEND_VARIABLE = "MONTY_BACKEND"

SINGLE_THREADED = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "BLIS_NUM_THREADS": "1",
    "VECLIB_MAXIMUM_THREADS": "1",
    "NUMEXPR_NUM_THREADS": "1",
}
"""One thread each: splitting a sum among threads changes its last bits."""


@dataclass(frozen=True)
class Paths:
    """Where things are.

    Attributes:
        upstream_root: The folder that holds upstream's ``tbp/monty``; None if it is
            not run.
        fork_root: The folder that holds the ``tbp/monty`` of this interpreter.
        cache: Where recordings of upstream are kept; None if it is not run.
    """

    upstream_root: Path | None
    fork_root: Path
    cache: Path | None


@dataclass(frozen=True)
class Side:
    """One side of a comparison.

    Attributes:
        name: What to call it.
        import_root: The folder that must hold the imported ``tbp/monty``.
        env: The environment variables of its process.
    """

    name: str
    import_root: Path
    env: dict[str, str] = field(repr=False, hash=False)


@dataclass(frozen=True)
class Run:
    """What to run.

    Attributes:
        experiment: The name of the experiment's configuration.
        overrides: Hydra overrides.
        steps: After how many Monty steps to end; None for no limit.
        episodes: Which episodes, as upstream's parallel runner reads it; None for all.
        shadows: Whether the environment renders shadows.
    """

    experiment: str
    overrides: tuple[str, ...] = ()
    steps: int | None = None
    episodes: str | None = None
    shadows: bool = True

    def arguments(self) -> list[str]:
        limits = {"--steps": self.steps, "--episodes": self.episodes}
        given = [f"{k}={v}" for k, v in limits.items() if v is not None]
        given += [] if self.shadows else ["--no-shadows"]
        return [*given, "--", self.experiment, *self.overrides]


def upstream_side(paths: Paths, environ: Mapping[str, str] = os.environ) -> Side:
    """Returns the side that runs pristine upstream."""
    env = _base_env(environ)
    env.pop(BACKEND_VARIABLE, None)
    inherited = env.get("PYTHONPATH")
    root = paths.upstream_root
    if root is None:
        raise CouldNotRun("there are no paths of upstream")
    env["PYTHONPATH"] = f"{root}{os.pathsep}{inherited}" if inherited else str(root)
    return Side(UPSTREAM, root, env)


def fork_side(
    paths: Paths, backend: str | None, environ: Mapping[str, str] = os.environ
) -> Side:
    """Returns the side that runs the fork.

    Args:
        paths: Where things are.
        backend: The backend to use; None leaves the choice to the environment.
        environ: The environment variables to start from.
    """
    env = _base_env(environ)
    if backend is not None:
        env[BACKEND_VARIABLE] = backend
    chosen = env.get(BACKEND_VARIABLE)
    return Side(f"fork ({chosen})" if chosen else "fork", paths.fork_root, env)


def side_named(name: str | None, paths: Paths) -> Side:
    """Returns upstream's side, or that of the fork with a backend.

    Args:
        name: Upstream, or a backend; None for the one that a run would use.
        paths: Where upstream and the fork are.
    """
    return upstream_side(paths) if name == UPSTREAM else fork_side(paths, name)


def _base_env(environ: Mapping[str, str]) -> dict[str, str]:
    home = Path.home() / "tbp"
    env = {
        "MONTY_LOGS": str(home / "results" / "monty"),
        "MONTY_MODELS": str(home / "results" / "monty" / "pretrained_models"),
        "MONTY_DATA": str(home / "data"),
        **environ,
        **SINGLE_THREADED,
        "PYTHONFAULTHANDLER": "1",
        "PYTHONHASHSEED": "0",
        "WANDB_MODE": "disabled",
    }
    use_headless_opengl(env)
    return env
