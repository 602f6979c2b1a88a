# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The methods and attributes of upstream's learning modules that matter for steps."""

from __future__ import annotations

from typing import NamedTuple

from .source import Function

__all__ = [
    "ARGUMENTS",
    "MONTYS_ATTRIBUTES",
    "MONTYS_READERS",
    "MONTYS_STEP",
    "TWO_PHASE_METHODS",
    "Halves",
    "can_be_called",
    "halves_of",
    "parameters",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


TWO_PHASE_METHODS = (
    "matching_step",
    "_compute_possible_matches",
    "_update_possible_matches",
)
"""Methods that evidence learning modules of the fork also have in halves.

Each calls the next one.
"""
MONTYS_ATTRIBUTES = _words("""
    _hypotheses buffer current_mlh detected_object detected_pose detected_rotation_r
    evidence_threshold_config feature_evidence_increment feature_weights graph_memory
    graph_id_to_target gsg has_detailed_logger hypotheses_updater
    hypotheses_updater_telemetry learning_module_id max_graph_size max_match_distance
    mode object_evidence_threshold past_weight path_similarity_threshold
    pose_similarity_threshold possible_matches possible_paths present_weight
    previous_mlh primary_target primary_target_rotation_quat
    required_symmetry_evidence stepwise_target_object stepwise_targets_list
    symmetry_evidence target_to_graph_id terminal_state tolerances use_multithreading
    vote_evidence_threshold vote_weight x_percent_threshold
""")
"""The attributes of upstream's evidence learning modules."""
MONTYS_STEP = _words("""
    _add_detailed_stats _add_displacements _agent_moved_since_reset
    _append_mlh_prediction_error_to_stats _calculate_most_likely_hypothesis
    _compute_possible_matches _displace_hypotheses _get_current_mlh
    _get_mlh_dict_from_id _select_features_to_use _threshold_possible_matches
    _update_evidence _update_possible_matches collect_stats_to_save
    evidence_for_each_graph get_all_known_object_ids get_object_scale
    get_possible_matches get_possible_poses matching_step set_detected_object
    set_individual_ts
""")
"""The methods that `matching_step` of upstream's evidence learning modules may call."""
MONTYS_READERS = ("get_all_known_object_ids", "get_possible_matches")
"""Methods without arguments that only read the learning module."""

_LM_STEP = ("ctx", "percepts")
_MONTY_STEP = ("ctx", "observations", "proprioceptive_state")
ARGUMENTS = {
    "matching_step": _LM_STEP,
    "exploratory_step": _LM_STEP,
    "_compute_possible_matches": ("ctx", "observations"),
    "_update_possible_matches": ("ctx",),
    "_step_learning_modules": ("ctx",),
    "_matching_step": _MONTY_STEP,
    "_exploratory_step": _MONTY_STEP,
}
"""What Monty passes at least to a method, by position."""
_ONCE_FIRST = {"observation", "observations", "percepts", "query"}
"""Names of the parameter that was the first one before there was a context."""


class Halves(NamedTuple):
    """The names of the halves of a method."""

    dispatch: str
    process: str


def halves_of(method: str) -> Halves:
    bare = method.lstrip("_")
    hidden = method[: len(method) - len(bare)]
    return Halves(f"{hidden}dispatch_{bare}", f"{hidden}process_{bare}")


def parameters(method: Function) -> list[str]:
    """Return the names of all parameters of a method, `self` included."""
    given = method.args
    several = [one for one in (given.vararg, given.kwarg) if one is not None]
    return [
        one.arg
        for one in (*given.posonlyargs, *given.args, *given.kwonlyargs, *several)
    ]


def can_be_called(method: Function) -> bool:
    """Return whether a method can be called as Monty calls methods of its name."""
    given = method.args
    names = [one.arg for one in (*given.posonlyargs, *given.args)][1:]
    if names and names[0] in _ONCE_FIRST:
        return False
    return given.vararg is not None or len(names) >= len(ARGUMENTS[method.name])
