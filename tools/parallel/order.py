# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What the workers of a run get: the config, the code, their share of the machine."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import json
import os
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from omegaconf import ListConfig, OmegaConf

from ..guard import Failed
from ..machine import cores
from ..recording.config import compose
from ..workers.sides import BACKEND_VARIABLE, SINGLE_THREADED, UPSTREAM, Paths
from .asked import LOCAL, ParallelRun
from .data import model_file
from .episodes import EVAL, TRAIN
from .worker import Order

__all__ = [
    "code_of",
    "composed",
    "gpu_share",
    "identity_of",
    "most_workers",
    "order_of",
    "variables_of",
    "wanted_workers",
]

PRECISION_VARIABLE = "MONTY_CUDA_PRECISION"

OF_THE_MACHINE = {"MONTY_DATA", "MONTY_MODELS", "MONTY_LOGS", "MONTY_CUDA_DEVICES"}
"""Variables that workers do not get; Ray chooses their GPUs."""


def composed(run: ParallelRun) -> Any:
    """Returns the configuration of a run, not resolved yet."""
    importlib.import_module("tbp.monty.frameworks.run_env").setup_env()
    cfg = compose(run.experiment, run.overrides)
    if run.episodes is not None:
        cfg.episodes = run.episodes
    logging_config = cfg.experiment.config.logging
    # Resolved here: it is this machine that has the results.
    logging_config.output_dir = str(run.out or logging_config.output_dir)
    if cfg.num_parallel < 1:
        raise Failed(f"num_parallel must be 1 or more, got {cfg.num_parallel}")
    return cfg


def order_of(run: ParallelRun, paths: Paths, cfg: Any) -> Order:
    """Returns what the workers are for."""
    root = _root(run, paths)
    if run.side != UPSTREAM:
        version = importlib.import_module("tbp.monty").__version__
    else:
        found = importlib.metadata.distributions(name="tbp.monty", path=[str(root)])
        version = next(iter(found)).version
    is_local = run.ray == LOCAL and run.side == UPSTREAM
    import_root = root if is_local else None
    return Order(cfg, version, import_root, run.episode_timeout)


def identity_of(run: ParallelRun, cfg: Any, version: str) -> dict[str, Any]:
    """Returns what decides the results of a run, to be compared with that of another.

    Args:
        run: What to run.
        cfg: Its configuration.
        version: The version of its tbp.monty.
    """
    config: Any = OmegaConf.to_container(cfg, resolve=False)
    # Where it runs does not matter, nor on how many workers.
    del config["experiment"]["config"]["logging"]["output_dir"]
    del config["num_parallel"]
    model = OmegaConf.select(cfg.experiment.config, "model_name_or_path")
    path = model_file(Path(model)) if model else None
    return {
        "experiment": run.experiment,
        "overrides": list(run.overrides),
        "episodes": str(cfg.episodes),
        "side": run.side,
        "backend": run.backend or os.environ.get(BACKEND_VARIABLE),
        "precision": os.environ.get(PRECISION_VARIABLE),
        "tbp.monty": version,
        "sha256 of the config": _sha256(json.dumps(config).encode()),
        "sha256 of the model": _sha256(path.read_bytes()) if path else None,
    }


def _sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:12]


def wanted_workers(run: ParallelRun, cfg: Any) -> int:
    """Returns how many workers to start, at most."""
    processors = cores() if run.ray == LOCAL else cfg.num_parallel
    return min(run.workers or min(cfg.num_parallel, processors), _most_episodes(cfg))


def gpu_share(run: ParallelRun, cfg: Any, free: Mapping[str, float]) -> float | None:
    """Returns how many GPUs a worker takes; None if that is to be measured.

    Args:
        run: What to run.
        cfg: Its configuration.
        free: How much of each resource Ray has left.

    Raises:
        Failed: If it needs one, and there is none.
    """
    gpus = free.get("GPU", 0)
    if run.gpus_per_worker is not None:
        return run.gpus_per_worker
    configured = OmegaConf.select(cfg.experiment.config, "monty_config.backend")
    name = str(run.backend or os.environ.get(BACKEND_VARIABLE) or configured)
    if run.side == UPSTREAM or not name.startswith(("cuda", "auto")):
        return 0.0
    if gpus >= 1:
        return None
    if name.startswith("cuda"):
        raise Failed(f"backend {name!r} needs a GPU, and the Ray at {run.ray} has none")
    return 0.0


def most_workers(run: ParallelRun, share: float, free: Mapping[str, float]) -> int:
    """Returns how many workers there is room for.

    Args:
        run: What to run.
        share: How many GPUs a worker takes.
        free: How much of each resource Ray has left.

    Raises:
        Failed: If there is room for none.
    """
    gpus = free.get("GPU", 0)
    if free.get("CPU", 0) < 1:
        raise Failed(f"the Ray at {run.ray} has no free processor")
    if share > gpus:
        raise Failed(
            f"--gpus-per-worker {share:g}: the Ray at {run.ray} has {gpus:g} free GPUs"
        )
    return min(int(free["CPU"]), int(gpus / share) if share else sys.maxsize)


def variables_of(run: ParallelRun, size: int) -> dict[str, str]:
    """Returns the environment variables of workers, beside those of their machine.

    Args:
        run: What to run.
        size: How many workers there will be.
    """
    variables = {
        name: value
        for name, value in os.environ.items()
        if name.startswith("MONTY_") and name not in OF_THE_MACHINE
    }
    if run.backend is not None:
        variables[BACKEND_VARIABLE] = run.backend
    # A worker has one processor. Only one machine may have some left over.
    threads = max(1, cores() // size) if run.ray == LOCAL else 1
    chosen = {**SINGLE_THREADED, "NUMBA_NUM_THREADS": str(threads)}
    return {**variables, **{k: os.environ.get(k, v) for k, v in chosen.items()}}


def code_of(run: ParallelRun, paths: Paths) -> list[str]:
    """Returns the folders with the code that must travel to other machines."""
    if run.ray == LOCAL:
        return []
    root = _root(run, paths)
    tools = root / "monty_tools"
    if not tools.exists():  # upstream's folder has no tools
        tools = Path(__file__).parents[1]
    folders = (root / "tbp", tools, root / "hydra_plugins")
    return [str(folder) for folder in folders if folder.exists()]


def _root(run: ParallelRun, paths: Paths) -> Path:
    root = paths.upstream_root if run.side == UPSTREAM else paths.fork_root
    if root is None:
        raise Failed("there are no paths of upstream")
    return root


def _most_episodes(cfg: Any) -> int:
    """Returns how many episodes a phase can have; many if that is not known."""
    config = cfg.experiment.config
    most = 0
    for mode in (TRAIN, EVAL):
        if config[f"do_{mode}"]:
            names = OmegaConf.select(config, f"{mode}_env_interface_args.object_names")
            if not isinstance(names, ListConfig):
                return cfg.num_parallel
            most = max(most, len(names) * (config.n_eval_epochs if mode == EVAL else 1))
    return most or cfg.num_parallel
