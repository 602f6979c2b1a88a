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

from tbp.monty.backends.tables.segments import Hypothesis
from tbp.monty.cmp import Goal, Message
from tbp.monty.frameworks.models.copied_stats import copied
from tbp.monty.frameworks.models.evidence_matching.known_evidence import (
    one_at,
    second_most_likely,
)
from tbp.monty.frameworks.models.object_model import GridObjectModel
from tbp.monty.frameworks.utils.clip_number import clip_number
from tbp.monty.frameworks.utils.original_method import are_original

if TYPE_CHECKING:
    from tbp.monty.frameworks.models.goal_generation import EvidenceGoalGenerator

__all__ = ["add_outcome", "unread_goal"]

_MODELS = "tbp.monty.frameworks.models"
_LM_MODULE = f"{_MODELS}.evidence_matching.learning_module"

_COMPUTING = (
    "_generate_goal",
    "_compute_graph_mismatch",
    "_search_farthest_node",
    "_get_target_loc_info",
    "_compute_goal_for_target_loc",
)
"""The methods that compute a goal."""

_ANSWERING = (
    "get_output",
    "get_top_two_pose_hypotheses_for_graph_id",
    "_calculate_most_likely_hypothesis",
    "_get_mlh_dict_from_id",
)
"""The methods of a learning module of whose answers a part is enough."""


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


def add_outcome(goal: Goal, achieved: bool, step: int) -> None:
    """Add to the information about a goal what became of it, without computing it.

    Args:
        goal: The goal.
        achieved: Whether it was achieved.
        step: The matching step on which it was set.
    """
    outcome = {"achieved": achieved, "matching_step_when_output_goal_set": step}
    if isinstance(goal, UnreadGoal) and "info" not in vars(goal):
        goal._info.update(outcome)
    else:
        goal.info.update(outcome)


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
    computes_as_upstream = are_original(
        generator, f"{_MODELS}.goal_generation", "EvidenceGoalGenerator", _COMPUTING
    )
    if isinstance(lm, _LMThen) or not computes_as_upstream:
        return None
    then = _LMThen(lm, generator.focus_on_pose)
    if None in then.models.values():
        return None
    generator_then = _with_own_attributes(generator)
    generator_then._parent_lm = then
    generator_then.output_goal = None  # It would keep all goals that were set before.
    if generator_then.parent_lm is not then:
        return None
    generator.prev_top_mlhs = [then.hypotheses[one] for one in then.top_two]
    percepts = [
        SimpleNamespace(sender_id=one.sender_id, location=copied(one.location))
        for one in observations
    ]
    return UnreadGoal(
        partial(generator_then._generate_goal, percepts),
        then.confidence,
        then.hypothesis_to_test,
    )


class _LMThen:
    """What a learning module answered when a goal was set.

    It also stands for its buffer and its output, which a goal asks for one thing each.
    """

    second_pose: Mapping[str, Any] | Hypothesis | None = None

    def __init__(self, lm: Any, focus_on_pose: bool) -> None:
        """Ask a learning module now.

        Args:
            lm: The learning module.
            focus_on_pose: Whether the goal compares two poses of one object.
        """
        self.learning_module_id = lm.learning_module_id
        self.channel = lm.buffer.get_first_sensory_input_channel()
        self.hypothesis_to_test = current = lm._get_current_mlh()
        self.current = _kept(current)
        self.top_two = top_two = lm.get_top_two_mlh_ids()
        compared = top_two[:1] if focus_on_pose else top_two
        self.models = {
            one: _kept_model(lm.get_graph(one, input_channel=self.channel))
            for one in {*compared, current["graph_id"]} - {None}
        }
        if None in self.models.values():
            return  # It will be refused, and asked again; answers may be random.
        self.hypotheses = {one: _kept(lm.get_mlh_for_object(one)) for one in top_two}
        if not are_original(lm, _LM_MODULE, "EvidenceGraphLM", _ANSWERING):
            if focus_on_pose:
                _, second = lm.get_top_two_pose_hypotheses_for_graph_id(top_two[0])
                self.second_pose = _kept(second)
            self.confidence = lm.get_output().confidence
            return
        steps = len(lm.buffer)
        self.confidence = clip_number(current["evidence"] / steps, 0, 1) if steps else 0
        if focus_on_pose:
            place: Any = second_most_likely(lm._hypotheses, top_two[0])
            evidence, location, pose = one_at(lm._hypotheses, top_two[0], place)
            self.second_pose = Hypothesis(evidence, np.array(location), np.array(pose))
            self._rotations = lm._mlh_rotations  # often has that of the last goal

    @property
    def buffer(self) -> _LMThen:
        return self

    def get_first_sensory_input_channel(self) -> str:
        return self.channel

    def get_graph(self, graph_id: str, input_channel: str | None = None) -> Any:
        model = self.models[graph_id]
        return model if input_channel else {self.channel: model}

    def get_mlh_for_object(self, graph_id: str | None) -> Mapping[str, Any]:
        return self.hypotheses[graph_id]

    def get_output(self) -> _LMThen:
        return self

    def get_top_two_mlh_ids(self) -> Sequence[str | None]:
        return self.top_two

    def get_top_two_pose_hypotheses_for_graph_id(
        self, _: str
    ) -> tuple[None, Mapping[str, Any] | None]:
        second = self.second_pose
        if isinstance(second, Hypothesis):
            rotation = self._rotations.of(second.pose)
            second = {"location": second.location, "rotation": rotation}
        return None, second

    def _get_current_mlh(self) -> Mapping[str, Any]:
        return self.current


def _with_own_attributes(one: Any) -> Any:
    """Return a copy that stays as it is if the original gets other attributes."""
    made = object.__new__(type(one))
    vars(made).update(vars(one))
    return made


def _kept_model(model: Any) -> GridObjectModel | None:
    """Return a copy of a model that stays as it is; None if it may change in place."""
    return _with_own_attributes(model) if type(model) is GridObjectModel else None


def _kept(hypothesis: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of a hypothesis that stays where it is."""
    return {**hypothesis, "location": np.array(hypothesis["location"])}
