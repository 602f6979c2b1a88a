# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The episodes of a run, as upstream's parallel runner makes them.

This module runs in workers: it imports the tbp.monty that runs the episodes.
"""

from __future__ import annotations

import importlib
import pickle
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import hydra
from omegaconf import OmegaConf

from ..ending import CouldNotRun

__all__ = ["EVAL", "TRAIN", "Phase", "phases_of"]

TRAIN, EVAL = "train", "eval"


class NotParallel(CouldNotRun):
    """Upstream's parallel runner cannot run the experiment."""


@dataclass(frozen=True)
class Phase:
    """The training or the evaluation of an experiment.

    Attributes:
        mode: "train" or "eval".
        names: The names of its runs: one per episode when evaluating, one per object
            when training.
        configs: Their configurations, pickled as for a process of their own.
    """

    mode: str
    names: tuple[str, ...]
    configs: tuple[bytes, ...]


def phases_of(cfg: Any) -> list[Phase]:
    """Returns the phases of an experiment, in order.

    Raises:
        NotParallel: If upstream's parallel runner could not run it to its end.
    """
    config = cfg.experiment.config
    if cfg.print_cfg:
        raise NotParallel(
            "print_cfg=true runs nothing: 'monty run --cfg job' prints the config"
        )
    modes = [mode for mode in (TRAIN, EVAL) if config[f"do_{mode}"]]
    if not modes:
        raise NotParallel("the config neither trains nor evaluates")
    for mode in modes:
        _check(cfg, mode)
    return [_phase(cfg, mode) for mode in modes]


def _check(cfg: Any, mode: str) -> None:
    config = cfg.experiment.config
    interfaces = importlib.import_module("tbp.monty.experiment.environment")
    if not issubclass(
        config[f"{mode}_env_interface_class"], interfaces.OneObjectPerEpisodeInterface
    ):
        raise NotParallel(
            "only experiments with one object per episode can run in parallel: "
            f"{mode}_env_interface_class is "
            f"{config[f'{mode}_env_interface_class'].__name__}"
        )
    args = config[f"{mode}_env_interface_args"]
    for needed in ("object_names", "object_init_sampler"):
        if needed not in args:
            raise NotParallel(
                "only episodes from a list of objects and their poses can run in "
                f"parallel: {mode}_env_interface_args has no {needed}"
            )
    names = args["object_names"]
    if isinstance(names, Mapping):
        raise NotParallel(
            f"{mode}_env_interface_args.object_names is a mapping: episodes with "
            "several objects cannot run in parallel"
        )
    if mode == TRAIN:
        _check_training(cfg, names)


def _check_training(cfg: Any, names: Any) -> None:
    pretraining = importlib.import_module(
        "tbp.monty.frameworks.experiments.pretraining_experiments"
    )
    experiment = hydra.utils.get_class(cfg.experiment._target_)
    if not issubclass(
        experiment, pretraining.MontySupervisedObjectPretrainingExperiment
    ):
        raise NotParallel(
            f"of training, only supervised pretraining can run in parallel, and "
            f"{experiment.__name__} is none: it saves no model.pt that could be "
            "joined. Use 'monty run', or experiment.config.do_train=false"
        )
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise NotParallel(f"objects are trained one by one, and {twice[0]} is twice")
    args = cfg.experiment.config.train_env_interface_args
    sampler = hydra.utils.instantiate(args["object_init_sampler"])
    if not hasattr(sampler, "__len__"):
        raise NotParallel(
            f"training in parallel needs a sampler with a number of poses, and "
            f"{type(sampler).__name__} has none"
        )


def _phase(cfg: Any, mode: str) -> Phase:
    runner = importlib.import_module("tbp.monty.frameworks.run_parallel")
    generate = getattr(runner, f"generate_parallel_{mode}_configs")
    # Upstream resolves the config for each episode, which is quick the second time.
    resolved = OmegaConf.create(
        OmegaConf.to_object(cfg.experiment), flags={"allow_objects": True}
    )
    configs = generate(resolved, resolved.config.logging.run_name)
    try:
        configs = runner.filter_episode_configs(configs, cfg.episodes)
    except ValueError as error:
        raise NotParallel(
            f"episodes={cfg.episodes}: {error} There are {len(configs)}"
        ) from error
    if not configs:
        raise NotParallel(f"there are no episodes to run in {mode}")
    return Phase(
        mode,
        tuple(one["config"]["logging"]["run_name"] for one in configs),
        tuple(pickle.dumps(one) for one in configs),
    )
