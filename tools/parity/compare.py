# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Compares two recorded runs, in the order in which they happened."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Any

from ..ending import Ending
from ..recording.codec import plain
from ..recording.difference import delta, inside
from ..recording.file import Recording
from ..recording.hypotheses import APART
from ..recording.look import HYPOTHESES_ARRAYS

__all__ = ["Comparison", "Difference", "Row", "compare"]

COMPARED = ("step", "episode", "end")

STEP_FIELDS = {
    "step number": "step",
    "step type": "step_type",
}
STEP_LM_FIELDS = {
    "most likely object": "most_likely.graph_id",
    "most likely hypothesis": "most_likely.mlh_id",
    "its location": "most_likely.location",
    "its rotation": "most_likely.rotation",
    "its scale": "most_likely.scale",
    "its evidence": "most_likely.evidence",
    "hypotheses per object": "hypotheses.*.count",
    "highest evidence per object": "hypotheses.*.max_evidence",
    "all hypotheses (digest)": "hypotheses.*.digest",
    "possible matches": "possible_matches",
    "terminal state": "terminal_state",
}
STEP_RESULT_FIELDS = {
    "motor-only flag": "motor_only",
    "actions": "actions",
    "random state": "random_state",
}
EPISODE_FIELDS = {
    "episode mode": "mode",
    "episode number": "episode",
    "epoch number": "epoch",
    "episode target": "target",
    "episode step counts": "counters",
    "episode steps": "steps",
}
EPISODE_LM_FIELDS = {
    "recognised object": "detected_object",
    "recognised pose": "detected_pose",
    "recognised rotation": "detected_rotation",
    "episode terminal state": "terminal_state",
    "observations in buffer": "observations",
    "processed steps": "processed_steps",
    "stepwise targets": "stepwise_targets_list",
    "long-term memory (digest)": "memory",
}
BITWISE = {
    "random state",
    "all hypotheses (digest)",
    "long-term memory (digest)",
}
"""Fields that are compared only when every bit must be equal."""

CUT_SHORT = (Ending.INTERRUPTED.words, Ending.DIVERGED.words)
"""Endings of runs that may have continued differently, even if they ended alike.

A recording from another machine can end both sides at the same step.
"""

ABSENT = {"$absent": None}


@dataclass
class Row:
    """One line of the table: how often something was compared and was equal."""

    what: str
    compared: int = 0
    equal: int = 0
    largest: float = 0.0


@dataclass(frozen=True)
class Difference:
    """One place where the runs differ.

    Attributes:
        episode: The number of the episode in the run, from 0.
        step: The number of the step in the episode, if it concerns a step.
        lm: The learning module, if it concerns one.
        field: What differs.
        left: Its value in the first run.
        right: Its value in the second.
    """

    episode: int
    step: int | None
    lm: str | None
    field: str
    left: Any
    right: Any

    def __str__(self) -> str:
        where = [f"episode {self.episode}"]
        if self.step is not None:
            where.append(f"step {self.step}")
        if self.lm is not None:
            where.append(self.lm)
        return f"{', '.join(where)}: {self.field}"


@dataclass
class Comparison:
    """The result of comparing two runs.

    Attributes:
        rows: What was compared, how often, and how much was equal.
        first_difference: The first place where the runs differ; None when they do not.
        steps: How many steps were compared.
        episodes: How many episodes were compared.
        updates: How often a learning module changed the evidence of its hypotheses in
            the first run. With none, equal runs say nothing about evidence updates.
        ending: How both runs ended, as recorded, when they ended alike.
    """

    rows: list[Row] = field(default_factory=list)
    first_difference: Difference | None = None
    steps: int = 0
    episodes: int = 0
    updates: int = 0
    ending: dict[str, Any] | None = None

    @property
    def equal(self) -> bool:
        return self.first_difference is None

    def as_dict(self) -> dict[str, Any]:
        """Returns the comparison as it is written to a JSON file."""
        return {"equal": self.equal, **asdict(self)}


def compare(
    left: Recording,
    right: Recording,
    tolerance: float = 0.0,
    *,
    all_hypotheses: bool = False,
) -> Comparison:
    """Compares two recorded runs.

    Args:
        left: The run to compare with.
        right: The run in question.
        tolerance: With 0, everything must be equal bit for bit. With more, floats may
            differ by that much, and digests and random states are not compared.
        all_hypotheses: Whether the run in question checked all its hypotheses while it
            ran. Without, digests tell whether they are equal bit for bit, and a
            tolerance lets only the highest evidence and the most likely hypothesis be
            compared.

    Returns:
        What was equal and what was not.
    """
    return _Comparing(left, right, tolerance, all_hypotheses).run()


class _Comparing:
    def __init__(
        self, left: Recording, right: Recording, tolerance: float, all_hypotheses: bool
    ) -> None:
        self._left = left
        self._right = right
        self._tolerance = tolerance
        self._all_hypotheses = all_hypotheses
        self._rows: dict[str, Row] = {}
        self._result = Comparison()
        self._episode = 0
        self._step: int | None = None
        self._evidence: dict[str, Any] = {}

    def run(self) -> Comparison:
        for a, b in zip(_events(self._left), _events(self._right), strict=False):
            if a["event"] != b["event"]:
                self._ended_apart(a, b)
                break
            if a["event"] == "end":
                self._ends(a, b)
                break
            self._pair(a, b)
        self._result.rows = list(self._rows.values())
        return self._result

    def _pair(self, a: dict[str, Any], b: dict[str, Any]) -> None:
        if a["event"] == "step":
            self._step = a["step"]
            self._fields(STEP_FIELDS, a, b)
            self._lms(STEP_LM_FIELDS, a["lms"], b["lms"])
            # Monty acts after its learning modules: causes are compared before effects.
            self._fields(STEP_RESULT_FIELDS, a, b)
            self._result.steps += 1
            self._count_updates(a["lms"])
        else:
            self._step = None
            self._fields(EPISODE_FIELDS, a, b)
            self._lms(EPISODE_LM_FIELDS, a["lms"], b["lms"])
            self._result.episodes += 1
            self._episode += 1
            self._evidence.clear()

    def _count_updates(self, lms: dict[str, Any]) -> None:
        for lm, seen in lms.items():
            evidence = _at(seen, "hypotheses.*.max_evidence")
            # The first hypotheses of an episode are an initialisation, not an update.
            if self._evidence.get(lm) and evidence != self._evidence[lm]:
                self._result.updates += 1
            self._evidence[lm] = evidence if evidence is not ABSENT else {}

    def _lms(self, fields: dict[str, str], a: dict, b: dict) -> None:
        self._check("learning modules", None, list(a), list(b))
        for lm, seen in a.items():
            if lm in b:
                self._fields(fields, seen, b[lm], lm)
                if self._all_hypotheses and "hypotheses" in b[lm]:
                    self._checked_hypotheses(b[lm]["hypotheses"], lm)

    def _checked_hypotheses(self, objects: dict[str, Any], lm: str) -> None:
        for name in HYPOTHESES_ARRAYS:
            what = f"all hypotheses: {name}"
            row = self._rows.setdefault(what, Row(what))
            row.compared += 1
            unequal = []
            for graph_id, of_object in objects.items():
                if APART not in of_object:
                    unequal.append((graph_id, "nothing to compare with", "not checked"))
                    continue
                if name not in of_object[APART]:
                    continue
                found = plain(of_object[APART][name], self._right.array)
                row.largest = max(row.largest, float(found["largest"]))
                if not found["equal"]:
                    place = inside(graph_id, found["place"])
                    unequal.append((place, found["left"], found["right"]))
            row.equal += not unequal
            for place, left, right in unequal[:1]:
                self._differ(lm, f"{what} at {place}", left, right)

    def _fields(
        self, fields: dict[str, str], a: dict, b: dict, lm: str | None = None
    ) -> None:
        for what, path in fields.items():
            if self._tolerance > 0 and what in BITWISE:
                continue
            left, right = _at(a, path), _at(b, path)
            if left is not ABSENT or right is not ABSENT:
                self._check(what, lm, left, right)

    def _check(self, what: str, lm: str | None, left: Any, right: Any) -> None:
        row = self._rows.setdefault(what, Row(what))
        found = delta(left, right, self._left.array, self._right.array, self._tolerance)
        row.compared += 1
        row.equal += found.equal
        row.largest = max(row.largest, found.largest)
        if not found.equal:
            place = f" at {found.place}" if found.place else ""
            a = plain(found.left, self._left.array)
            b = plain(found.right, self._right.array)
            if repr(a) == repr(b):
                # Only the types differ, so they are shown.
                a, b = found.left, found.right
            self._differ(lm, f"{what}{place}", a, b)

    def _ends(self, a: dict[str, Any], b: dict[str, Any]) -> None:
        self._step = None
        row = self._rows.setdefault("end of the run", Row("end of the run"))
        row.compared += 1
        if a == b and a["ending"] not in CUT_SHORT:
            row.equal += 1
            self._result.ending = a
        else:
            self._differ(None, "end of the run", a, b)

    def _ended_apart(self, a: dict[str, Any], b: dict[str, Any]) -> None:
        row = self._rows.setdefault("end of the run", Row("end of the run"))
        row.compared += 1
        sides = [_brief(event) for event in (a, b)]
        self._step = self._step + 1 if self._step is not None else 0
        self._differ(None, "what happened next", *sides)

    def _differ(self, lm: str | None, what: str, left: Any, right: Any) -> None:
        if self._result.first_difference is None:
            self._result.first_difference = Difference(
                self._episode, self._step, lm, what, left, right
            )


def _events(recording: Recording) -> Iterator[dict[str, Any]]:
    for event in recording.events():
        if event["event"] in COMPARED:
            yield event
            if event["event"] == "end":
                return
    # A recording that was cut short has no end event.
    yield {"event": "end", "ending": Ending.INTERRUPTED.words}


def _brief(event: dict[str, Any]) -> Any:
    return event if event["event"] == "end" else f"one more {event['event']}"


def _at(data: Any, path: str) -> Any:
    """Returns the value at a dotted path, where ``*`` means under every key."""
    head, _, rest = path.partition(".")
    if head == "*":
        return {key: _at(item, rest) for key, item in data.items()}
    if not isinstance(data, dict) or head not in data:
        return ABSENT
    return _at(data[head], rest) if rest else data[head]
