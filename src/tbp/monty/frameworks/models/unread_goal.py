# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Goals that test hypotheses are computed when somebody reads them."""

from __future__ import annotations

import copy
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Callable, Mapping, Sequence

import numpy as np

from tbp.monty.cmp import Goal, Message
from tbp.monty.frameworks.models.copied_stats import copied
from tbp.monty.frameworks.models.object_model import GridObjectModel
from tbp.monty.frameworks.utils.original_method import is_original

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.goal_generation import EvidenceGoalGenerator

__all__ = ["add_info", "unread_goal"]

_COMPUTING = (
    "_generate_goal",
    "_compute_graph_mismatch",
    "_search_farthest_node",
    "_get_target_loc_info",
    "_compute_goal_for_target_loc",
)
"""The methods that compute a goal."""


class UnreadGoal(Goal):
    """A goal of which at most the confidence and the type of its sender were read.

    It becomes a plain `Goal` when something else is read. A copy or a pickle of it is a
    plain one, too; a deep copy becomes one on demand.
    """

    def __init__(
        self,
        compute: Callable[[], Goal],
        confidence: float,
        hypothesis: Mapping[str, Any],
    ) -> None:
        """Put a goal off.

        Args:
            compute: Computes it.
            confidence: How confident it is.
            hypothesis: What it tests. The learning module refreshes its location.
        """
        self._compute = compute
        self._hypothesis = hypothesis
        self._info: dict[str, Any] = {}
        self.confidence = confidence
        self.sender_type = "GSG"  # type: ignore[assignment]

    def __getattr__(self, name: str) -> Any:
        """Compute the goal, because it is asked for what it does not have yet."""
        self._become_plain()
        return getattr(self, name)

    def _become_plain(self) -> None:
        made = vars(self._compute())
        known = vars(self)
        made["info"].update(
            hypothesis_to_test=known.pop("_hypothesis"), **known.pop("_info")
        )
        del known["_compute"]
        made.update(known)  # Somebody may have set something.
        known.clear()
        known.update(made)
        self.__class__ = Goal  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        self._become_plain()
        return self.__reduce_ex__(2)

    def __deepcopy__(self, memo: dict[int, Any]) -> UnreadGoal:
        values = vars(self).copy()
        compute = values.pop("_compute")  # Nothing it uses changes.
        # With a learning module, its hypothesis is copied once for both.
        values = copy.deepcopy(values, memo) if memo else copied(values)
        made = object.__new__(UnreadGoal)
        vars(made).update(values, _compute=compute)
        return made


def add_info(goal: Goal, **info: Any) -> None:
    """Add to the information about a goal, without computing it."""
    if isinstance(goal, UnreadGoal) and "info" not in vars(goal):
        goal._info.update(info)
    else:
        goal.info.update(info)


def unread_goal(
    generator: EvidenceGoalGenerator, observations: Sequence[Message]
) -> UnreadGoal | None:
    """Return the goal that a generator would compute now, without computing it.

    Args:
        generator: The generator.
        observations: What its learning module senses.

    Returns:
        The goal; None if it must be computed now, because a subclass does so in its own
        way, or because models may change in a way that is not known.
    """
    lm: Any = generator.parent_lm
    if isinstance(lm, _LMThen) or not _computes_as_upstream(generator):
        return None
    then = _as_of_now(lm, generator.focus_on_pose)
    if then is None:
        return None
    generator_then = _with_own_attributes(generator)
    generator_then._parent_lm = then
    generator_then.output_goal = None  # It would keep all goals that were set before.
    if generator_then.parent_lm is not then:
        return None
    top_two = then.get_top_two_mlh_ids()
    generator.prev_top_mlhs = [then.get_mlh_for_object(one) for one in top_two]
    percepts = [_kept_percept(one) for one in observations]
    return UnreadGoal(
        partial(generator_then._generate_goal, percepts),
        then.get_output().confidence,
        lm._get_current_mlh(),
    )


class _LMThen(SimpleNamespace):
    """What a learning module answered when a goal was set."""


def _as_of_now(lm: Any, focus_on_pose: bool) -> _LMThen | None:
    """Return the answers of a learning module now; None if models may change."""
    channel = lm.buffer.get_first_sensory_input_channel()
    current = _kept(lm._get_current_mlh())
    top_two = lm.get_top_two_mlh_ids()
    models = {}
    for graph_id in {*top_two, current["graph_id"]} - {None}:
        model = lm.get_graph(graph_id, input_channel=channel)
        if type(model) is not GridObjectModel:
            return None
        models[graph_id] = _with_own_attributes(model)
    hypotheses = {one: _kept(lm.get_mlh_for_object(one)) for one in top_two}
    poses = (
        [_kept(one) for one in lm.get_top_two_pose_hypotheses_for_graph_id(top_two[0])]
        if focus_on_pose
        else []
    )
    output = lm.get_output()
    return _LMThen(
        learning_module_id=lm.learning_module_id,
        buffer=SimpleNamespace(get_first_sensory_input_channel=lambda: channel),
        get_graph=lambda graph_id, input_channel=None: (
            models[graph_id] if input_channel else {channel: models[graph_id]}
        ),
        get_mlh_for_object=hypotheses.__getitem__,
        get_output=lambda: output,
        get_top_two_mlh_ids=lambda: top_two,
        get_top_two_pose_hypotheses_for_graph_id=lambda _: poses,
        _get_current_mlh=lambda: current,
    )


def _computes_as_upstream(generator: EvidenceGoalGenerator) -> bool:
    return all(
        is_original(
            getattr(generator, name),
            "tbp.monty.frameworks.models.goal_generation",
            f"EvidenceGoalGenerator.{name}",
        )
        for name in _COMPUTING
    )


def _with_own_attributes(one: Any) -> Any:
    """Return a copy that stays as it is if the original gets other attributes."""
    made = object.__new__(type(one))
    vars(made).update(vars(one))
    return made


def _kept(hypothesis: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a hypothesis that stays where it is."""
    return {**hypothesis, "location": np.array(hypothesis["location"])}


def _kept_percept(percept: Message) -> Message:
    """Return a copy of a percept that stays where it is."""
    made = _with_own_attributes(percept)
    if percept.location is not None:
        made.location = np.array(percept.location)
    return made
