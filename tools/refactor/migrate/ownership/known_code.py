# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Functions, methods and attributes of others whose effects are known."""

from __future__ import annotations

import builtins

__all__ = [
    "MONTYS_ATTRIBUTES",
    "MONTYS_STEP",
    "TWO_PHASE_METHODS",
    "makes_something_new",
    "only_computes",
    "only_reads",
    "returns_part_of_argument",
]


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_TO_PLAIN = _words("""
    abs all any bool float format int isinstance len print range repr round str sum
    copy.deepcopy math.* numpy.inf numpy.nan numpy.pi
""")
_TO_ARGUMENT = _words("""
    dict enumerate frozenset iter list max min reversed set slice sorted tuple zip
    copy.copy
    numpy.abs numpy.all numpy.allclose numpy.any numpy.arange numpy.argmax numpy.argmin
    numpy.argsort numpy.array numpy.asarray numpy.clip numpy.concatenate numpy.cross
    numpy.cumsum numpy.diff numpy.dot numpy.exp numpy.full numpy.hstack numpy.isclose
    numpy.isfinite numpy.isnan numpy.linalg.norm numpy.log numpy.max numpy.maximum
    numpy.mean numpy.median numpy.min numpy.minimum numpy.ones numpy.ones_like
    numpy.round numpy.sqrt numpy.stack numpy.std numpy.sum numpy.unique numpy.vstack
    numpy.where numpy.zeros numpy.zeros_like
""")
_NEW = _words("""
    bool dict float int len list set str sum tuple
    collections.Counter collections.OrderedDict collections.defaultdict
    collections.deque contextlib.nullcontext contextlib.suppress copy.deepcopy
    numpy.arange numpy.array numpy.full numpy.ones numpy.ones_like numpy.zeros
    numpy.zeros_like threading.Lock threading.RLock
""")
_READING = _words("""
    all any argmax argmin astype copy count endswith get index items join keys lower
    max mean min split startswith std strip sum tolist upper values
    get_feature_by_name get_on_object get_pose_vectors is_from_sm
""")
"""Methods of containers, text and arrays, and in the last line of Monty's messages."""
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


def only_computes(function: str) -> bool:
    """Return whether a function changes nothing, and returns a new plain value."""
    parts = {function, f"{function.rpartition('.')[0]}.*"}
    return bool(parts & _TO_PLAIN) or _is_exception(function)


def returns_part_of_argument(function: str) -> bool:
    """Return whether a function changes nothing, and may return what it is given."""
    return function in _TO_ARGUMENT


def makes_something_new(function: str) -> bool:
    """Return whether a function returns an object that nobody else has."""
    return function in _NEW


def only_reads(method: str) -> bool:
    """Return whether a method of an argument does not change it."""
    return method in _READING


def _is_exception(name: str) -> bool:
    kind = getattr(builtins, name, None)
    return isinstance(kind, type) and issubclass(kind, BaseException)
