# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Plans how much memory of a GPU the learning modules of a run need."""

from __future__ import annotations

import copy
import importlib
from typing import Any

from omegaconf import OmegaConf

from tbp.monty.backends.cuda.settings import CudaSettings
from tbp.monty.backends.registry import chosen_backend

from ..plan.demand import COUNTING, demand_of
from ..plan.experiment import planned_config
from ..plan.placing import place

__all__ = ["planned_share"]


def planned_share(cfg: Any) -> float | None:
    """Returns the part of the visible GPU's memory that will be taken, at most.

    What other processes and CUDA itself have taken counts, as it does when an episode
    is measured. None if nothing of the run can be planned.

    Args:
        cfg: The configuration of the run.
    """
    configured = OmegaConf.select(cfg.experiment.config, "monty_config.backend")
    name = chosen_backend(configured)
    backend = name if name in COUNTING else "cuda"  # what auto chooses
    planned = planned_config(copy.deepcopy(cfg.experiment), "the run")
    planned = planned.without(place(planned, backend).refused[backend])
    if not planned.lms:
        return None
    demand = demand_of(planned, CudaSettings.from_environment().real)
    cupy: Any = importlib.import_module("cupy")
    free, total = cupy.cuda.runtime.memGetInfo()
    return (total - free + demand.most.peak) / total
