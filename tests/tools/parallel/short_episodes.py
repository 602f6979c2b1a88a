# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Episodes of a second or less, of a real Monty that renders primitive shapes."""

from __future__ import annotations

__all__ = ["LEARNING", "RECOGNISING", "SHORT"]

CONFIG = "experiment.config"
LOGGERS = "tbp.monty.frameworks.loggers"
LOGGER = f"{LOGGERS}.graph_matching_loggers.BasicGraphMatchingLogger"
TABLE = f"{{_target_:{LOGGERS}.monty_handlers.BasicCSVStatsHandler}}"
QUIET = (
    f"{CONFIG}.logging.python_log_level=WARNING",
    f"{CONFIG}.logging.monty_data_logger._target_={LOGGER}",
    f"{CONFIG}.logging.monty_data_logger.handlers=[{TABLE}]",
    f"{CONFIG}.logging.run_name=short",
)
SHORT = (
    "experiment=test/reproducibility_eval_episodes_mujoco",
    f"{CONFIG}.do_train=false",
    *QUIET,
)
"""Two objects per epoch; without a model, they end after a few steps."""

EXPERIMENTS = "tbp.monty.frameworks.experiments.pretraining_experiments"
LEARNING = (
    "experiment=test/evidence_lm/evidence_mujoco",
    f"experiment._target_={EXPERIMENTS}.MontySupervisedObjectPretrainingExperiment",
    f"{CONFIG}.do_eval=false",
    f"{CONFIG}.supervised_lm_ids=all",
    *QUIET,
)
"""Makes a model of two objects."""

RECOGNISING = (
    "experiment=test/evidence_lm/evidence_mujoco",
    f"{CONFIG}.do_train=false",
    f"{CONFIG}.recognition_policy.max_eval_steps=5",
    *QUIET,
)
"""Needs a model; one object per epoch."""
