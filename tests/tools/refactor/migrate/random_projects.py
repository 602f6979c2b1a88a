# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Random modules with learning modules that override each other's steps."""

from __future__ import annotations

import random
import textwrap
from typing import NamedTuple

__all__ = ["CLASSES", "RandomProject", "random_project"]

HEAD = """\
import contextlib

import numpy as np
from lab import LOCK, REENTRANT, TOTALS, LabLM
"""
CLASSES = ("FirstLM", "SecondLM", "ThirdLM", "BesideLM")
OWN = {
    "matching_step": "self._compute_possible_matches(ctx, percepts)",
    "exploratory_step": "self.kept = percepts",
    "_compute_possible_matches": "self._update_possible_matches(ctx, [percepts, ctx])",
    "_update_possible_matches": "self.kept = query",
}
"""The statement of an override that does not call super()."""
SIGNATURES = {
    "matching_step": ("ctx, percepts", ("ctx, percepts", "ctx, [*percepts]")),
    "exploratory_step": ("ctx, percepts", ("ctx, percepts", "ctx, percepts=percepts")),
    "_compute_possible_matches": (
        "ctx, percepts, first_movement_detected=True",
        (
            "ctx, percepts, first_movement_detected=first_movement_detected",
            "ctx, percepts, first_movement_detected",
            "ctx, percepts",
        ),
    ),
    "_update_possible_matches": ("ctx, query", ("ctx, query", "ctx, [*query]")),
}
FORMS = (
    "{call}",
    "self.step({number})\n{call}  # the base class's\nself.step({number}, 1)",
    "y = 1; {call}; self.kept = y",
    "self.step({number})\nreturn {call}",
    "x = {call}\nself.step({number}, x)",
    "x = self.step({number})\n{call}\nself.kept = x, {given}",
    "if self.holds({number}):\n    self.step({number})\n    return\n{call}",
    "if self.holds({number}):\n    {call}\nelse:\n    self.step({number})",
    "with {context}:\n    {call}\nself.step({number})",
    "with self.context({number}) as y, {context}:\n    self.step(y)\n    {call}",
    "try:\n    {call}\nexcept ValueError:\n    self.step({number})",
    "try:\n    self.step({number})\nfinally:\n    {call}",
    "for _ in self.some({number}):\n    {call}",
    "held = lambda: {given}\n{call}\nself.step({number}, len(held()))",
    "def inner(x={number}):\n    return x, {given}\n{call}\nself.kept = inner()",
)
HARMLESS = (
    "self.steps += 1",
    "self.notes.append({number})",
    "self.note_size({given})",
    "self.kept = self.total()",
    "self.step({number}, len({given}))",
    "self.kept = [one for one in {given}]",
)
"""Statements that touch only the learning module."""
PLAIN_BEFORE = (
    "self.steps += {number}",
    "self.width = len({given})",
    "many = len({given}) + {number}\nself.width = many * 2",
    "if self.width > {number}:\n    self.width = 1",
    "self.first = {given}",
    "self.first = self.current",
    "nothing = {given} is None\nself.steps += abs(self.steps)",
)
PLAIN_AFTER = (
    "self.steps += {number}",
    "self.width = self.steps",
    "self.first = self.buffer",
    "self.width = len(self.buffer) if self.steps else 0",
    "self.steps = len(self.get_all_known_object_ids())",
)
"""Statements that a reader sees to touch only the learning module."""
HAZARDS = (
    "{given}.append({number})",
    "them = {given}; them += [{number}]",
    "self.step({number}, ctx)",
    "self.step({number}, self.peers[0].steps)",
    "self.kept = self.peers[-1].total()",
    "self.kept = [sum(one._hypotheses.values()) for one in self.peers]",
    "self.peers[-1].steps += 1",
    "self.look_around()",
    "self.shared.append({number}); self.kept = len(self.shared)",
    "TOTALS.append({number}); self.kept = len(TOTALS)",
    "LabLM.count += 1; self.kept = LabLM.count",
    "for one in self.peers:\n    one.width = {number}",
    "self.steps += self.peers[0].steps",
    "self.kept = getattr(self.peers[-1], 'width', 0)",
    "self.kept = self.peers[-1].own_width()",
)
"""Statements whose effect depends on when other learning modules are stepped."""
OWN_CONTEXTS = (
    "self.lock",
    "self.reentrant",
    "self.context({number})",
    "contextlib.suppress(KeyError)",
)
SHARED_CONTEXTS = (
    "LOCK",
    "REENTRANT",
    "self.given_lock",
    "self.peers[0].reentrant",
    "np.errstate(divide='ignore')",
    "self.quiet()",
)
HARMLESS_UPDATES = (
    'self.notes.append(("{name}", graph_id, displacement))',
    "self.seen_graphs[graph_id] = len(features)",
    'if displacement:\n    self.notes.append("{name} moved")',
)
HAZARDOUS_UPDATES = (
    "features.append(len(features))",
    "self.notes.append(self._hypotheses[graph_id])",
    "self.notes.append(self.total())",
    "self._hypotheses[graph_id] *= 2",
    "self.notes.append(self.peers[-1].steps)",
    "TOTALS.append(graph_id); self.notes.append(len(TOTALS))",
)
HARMLESS_LISTING = ("self.notes.append({number})", "self.steps += 1")
HAZARDOUS_LISTING = (
    "TOTALS.append({number}); self.notes.append(len(TOTALS))",
    "self.notes.append([one.steps for one in self.peers])",
)
UPDATE = "super()._update_evidence(features, displacement, graph_id)"


class RandomProject(NamedTuple):
    """The source of a module, and whether its classes may notice each other."""

    source: str
    hazardous: bool


def random_project(seed: int) -> RandomProject:
    """Return a module with classes that derive from each other.

    Up to three form a chain, sometimes with mixins. Sometimes the last one also derives
    from a class outside the chain. In half of the modules, some statements and contexts
    have effects on other learning modules.

    Args:
        seed: The same seed gives the same module.
    """
    chance = random.Random(seed)  # noqa: S311
    parts = [HEAD]
    if chance.random() < 0.7:
        parts.insert(0, "from __future__ import annotations\n")
    hazardous = chance.random() < 0.5
    writer = _ClassWriter(chance, hazardous, plain=chance.random() < 0.5)
    bases = ["LabLM"]
    names = CLASSES[: chance.choice((1, 1, 1, 2, 2, 3))]
    for number, name in enumerate(names):
        if chance.random() < 0.25:
            mixin = f"{name}Mixin"
            parts.append(writer.write(mixin, "", 500 + 100 * number))
            bases.insert(0, mixin)
        if name == names[-1] and len(names) > 1 and chance.random() < 0.25:
            parts.append(writer.write(CLASSES[-1], "LabLM", 900))
            bases.append(CLASSES[-1])
        parts.append(writer.write(name, ", ".join(bases), 100 * number))
        bases = [name]
    return RandomProject("\n\n".join(parts), hazardous)


class _ClassWriter:
    def __init__(self, chance: random.Random, hazardous: bool, plain: bool) -> None:
        self._chance = chance
        self._hazardous = hazardous
        self._plain_only = plain

    def write(self, name: str, bases: str, numbers: int) -> str:
        chance = self._chance
        head = f"class {name}({bases}):" if bases else f"class {name}:"
        chosen = chance.sample([*SIGNATURES], chance.choice((1, 1, 2)))
        methods = [
            self._override(name, method, numbers + 30 * at)
            for at, method in enumerate(chosen)
        ]
        lines = [f"    swallows = {chance.random() < 0.5}"]
        if bases and chance.random() < (0.1 if self._plain_only else 0.3):
            lines.append("    fails_in_update = False")
            methods.append(self._update(name))
        if chance.random() < 0.05:
            methods.append(self._known_graphs(numbers))
        return "\n\n".join([head + "\n" + "\n".join(lines), *methods]) + "\n"

    def _override(self, name: str, method: str, numbers: int) -> str:
        chance = self._chance
        signature, arguments = SIGNATURES[method]
        owner = chance.choice(("super()", "super()", f"super({name}, self)"))
        call = f"{owner}.{method}({chance.choice(arguments)})"
        given = "query" if "query" in signature else "percepts"
        if self._plain_only:
            call = f"{owner}.{method}({arguments[0]})"
            return self._plain_override(method, signature, call, given, numbers)
        docstring = ['"""Step, and more."""'] if chance.random() < 0.3 else []
        contexts = SHARED_CONTEXTS if self._is_hazard(0.4) else OWN_CONTEXTS
        context = chance.choice(contexts).format(number=numbers + 4)
        form = OWN[method] if chance.random() < 0.05 else chance.choice(FORMS)
        before, after = (
            self._statements(number=numbers + 20 + at, given=given) for at in range(2)
        )
        values = dict(call=call, context=context, given=given, number=numbers + 1)
        body = [*docstring, *before, form.format(**values), *after]
        source = (
            f"    def {method}(self, {signature}):\n{_indented(chr(10).join(body))}"
        )
        if chance.random() < 0.03:
            # As in releases in which no context was passed.
            return source.replace("ctx, ", "")
        return source

    def _plain_override(
        self, method: str, signature: str, call: str, given: str, number: int
    ) -> str:
        chance = self._chance
        lines = [
            *(one for one in PLAIN_BEFORE if chance.random() < 0.25),
            *self._hazards(),
            chance.choice((call, call, call, f"return {call}")),
        ]
        if not lines[-1].startswith("return"):
            lines += [one for one in PLAIN_AFTER if chance.random() < 0.25]
            lines += self._hazards()
        text = "\n".join(lines).format(number=number, given=given)
        return f"    def {method}(self, {signature}):\n{_indented(text)}"

    def _hazards(self) -> list[str]:
        return [self._chance.choice(HAZARDS)] if self._is_hazard(0.15) else []

    def _statements(self, **values: object) -> list[str]:
        if self._chance.random() < 0.6:
            return []
        statements = HAZARDS if self._is_hazard(0.3) else HARMLESS
        return [self._chance.choice(statements).format(**values)]

    def _update(self, name: str) -> str:
        chance = self._chance
        statements = HAZARDOUS_UPDATES if self._is_hazard(0.5) else HARMLESS_UPDATES
        lines = [chance.choice(statements).format(name=name), UPDATE]
        if chance.random() < 0.2:
            lines.append(f'self.note(graph_id, "{name} after")')
        signature = "self, features, displacement, graph_id"
        return f"    def _update_evidence({signature}):\n" + _indented("\n".join(lines))

    def _known_graphs(self, numbers: int) -> str:
        statements = HAZARDOUS_LISTING if self._is_hazard(0.5) else HARMLESS_LISTING
        line = self._chance.choice(statements).format(number=numbers + 25)
        text = _indented(f"{line}\nreturn super().get_all_known_object_ids()")
        return f"    def get_all_known_object_ids(self):\n{text}"

    def _is_hazard(self, probability: float) -> bool:
        return self._hazardous and self._chance.random() < probability


def _indented(text: str) -> str:
    return textwrap.indent(text, " " * 8)
