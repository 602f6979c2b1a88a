# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What has another name than in earlier releases, or is in another module."""

from __future__ import annotations

__all__ = ["FORMER_ARGUMENTS", "RENAMED"]

_MONTY = "tbp.monty"
_FRAMEWORKS = f"{_MONTY}.frameworks"
_MODELS = f"{_FRAMEWORKS}.models"
_EVIDENCE = f"{_MODELS}.evidence_matching"
_POSITIONING = f"{_FRAMEWORKS}.environments.positioning_procedures"
_SLOPES = f"{_EVIDENCE}.evidence_slope_tracker"

RENAMED = {
    # Modules. What is in them has other names only if it is below, too.
    f"{_EVIDENCE}.resampling_hypotheses_updater": f"{_EVIDENCE}.burst_sampling",
    f"{_MODELS}.goal_state_generation": f"{_MODELS}.goal_generation",
    f"{_MODELS}.states": f"{_MONTY}.cmp",
    # Classes and functions.
    f"{_EVIDENCE}.resampling_hypotheses_updater.ResamplingHypothesesUpdater": (
        f"{_EVIDENCE}.burst_sampling.BurstSamplingHypothesesUpdater"
    ),
    f"{_EVIDENCE}.burst_sampling.ResamplingHypothesesUpdater": (
        f"{_EVIDENCE}.burst_sampling.BurstSamplingHypothesesUpdater"
    ),
    f"{_EVIDENCE}.hypotheses_updater.all_usable_input_channels": (
        f"{_EVIDENCE}.channels.all_usable_input_channels"
    ),
    f"{_FRAMEWORKS}.utils.evidence_matching.EvidenceSlopeTracker": (
        f"{_SLOPES}.EvidenceSlopeTracker"
    ),
    f"{_FRAMEWORKS}.utils.evidence_matching.HypothesesSelection": (
        f"{_SLOPES}.HypothesesSelection"
    ),
    f"{_MODELS}.goal_state_generation.EvidenceGoalStateGenerator": (
        f"{_MODELS}.goal_generation.EvidenceGoalGenerator"
    ),
    f"{_MODELS}.goal_state_generation.GraphGoalStateGenerator": (
        f"{_MODELS}.goal_generation.GraphGoalGenerator"
    ),
    f"{_MODELS}.abstract_monty_classes.GoalStateGenerator": (
        f"{_MODELS}.abstract_monty_classes.GoalGenerator"
    ),
    f"{_MODELS}.abstract_monty_classes.SensorObservation": (
        f"{_MONTY}.observations.SensorObservation"
    ),
    f"{_MODELS}.states.GoalState": f"{_MONTY}.cmp.Goal",
    f"{_MODELS}.states.State": f"{_MONTY}.cmp.Message",
    f"{_MODELS}.states.encode_goal_state": f"{_MONTY}.cmp.encode_goal",
    f"{_MODELS}.sensor_modules.HabitatSM": f"{_MODELS}.sensor_modules.CameraSM",
    f"{_MODELS}.salience.sensor_module.HabitatSalienceSM": (
        f"{_MODELS}.salience.sensor_module.SalienceSM"
    ),
    f"{_FRAMEWORKS}.experiments.monty_experiment.ExperimentMode": (
        f"{_FRAMEWORKS}.experiments.mode.ExperimentMode"
    ),
    f"{_FRAMEWORKS}.environments.embodied_environment.ObjectInfo": (
        f"{_FRAMEWORKS}.environments.environment.ObjectInfo"
    ),
    **{
        f"{_MODELS}.motor_policies.{name}": f"{_POSITIONING}.{name}"
        for name in (
            "GetGoodView",
            "PositioningProcedure",
            "PositioningProcedureResult",
            "get_perc_on_obj_semantic",
        )
    },
}
"""Present names by former ones, with their modules."""

FORMER_ARGUMENTS = {
    "hypotheses_count_multiplier": (
        "sampling_multiplier, sampling_burst_duration and burst_trigger_slope say how "
        "many hypotheses are added and when"
    ),
    "hypotheses_existing_to_new_ratio": (
        "deletion_trigger_slope says which hypotheses are deleted"
    ),
}
"""What replaced arguments of the burst sampling updater."""
