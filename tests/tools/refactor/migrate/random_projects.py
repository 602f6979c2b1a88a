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

from tests.tools.refactor.phases.random_methods import MethodWriter

__all__ = ["CLASSES", "random_project"]

IMPORT = (
    "from tbp.monty.frameworks.models.evidence_matching.learning_module import (\n"
    "    EvidenceGraphLM,\n"
    ")\n"
)
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
    "{call}",
    "{call}",
    "{call}  # the base class's",
    "{{y}} = 1; {call}; self.kept = {{y}}",
    "return {call}",
    "return {call}",
    "{{x}} = {call}",
)


def random_project(seed: int) -> str:
    """Return the source of a module with classes that derive from each other.

    Up to three form a chain, sometimes with mixins. Sometimes the last one also derives
    from a class outside the chain.

    Args:
        seed: The same seed gives the same module.
    """
    chance = random.Random(seed)  # noqa: S311
    parts = [IMPORT]
    if chance.random() < 0.7:
        parts.insert(0, "from __future__ import annotations\n")
    bases = ["EvidenceGraphLM"]
    names = CLASSES[: chance.choice((1, 1, 2, 2, 3))]
    for number, name in enumerate(names):
        if chance.random() < 0.25:
            mixin = f"{name}Mixin"
            parts.append(_class(chance, mixin, "", 500 + 100 * number))
            bases.insert(0, mixin)
        if name == names[-1] and len(names) > 1 and chance.random() < 0.25:
            parts.append(_class(chance, CLASSES[-1], "EvidenceGraphLM", 900))
            bases.append(CLASSES[-1])
        parts.append(_class(chance, name, ", ".join(bases), 100 * number))
        bases = [name]
    return "\n\n".join(parts)


def _class(chance: random.Random, name: str, bases: str, numbers: int) -> str:
    head = f"class {name}({bases}):" if bases else f"class {name}:"
    chosen = chance.sample([*SIGNATURES], chance.choice((1, 1, 2)))
    methods = [
        _override(chance, name, method, numbers + 30 * at)
        for at, method in enumerate(chosen)
    ]
    lines = [f"    swallows = {chance.random() < 0.5}"]
    if bases and chance.random() < 0.3:
        lines.append("    fails_in_update = False")
        methods.append(_update(chance, name))
    return "\n\n".join([head + "\n" + "\n".join(lines), *methods]) + "\n"


def _override(chance: random.Random, name: str, method: str, numbers: int) -> str:
    signature, arguments = SIGNATURES[method]
    owner = chance.choice(("super()", "super()", f"super({name}, self)"))
    call = f"{owner}.{method}({chance.choice(arguments)})"
    writer = MethodWriter(
        chance.choice, [form.format(call=call) for form in FORMS], numbers
    )
    body = ["a, b, k = 0, 1, ctx"] if chance.random() < 0.5 else []
    docstring = ['"""Step, and more."""'] if chance.random() < 0.3 else []
    if chance.random() < 0.05:
        body = [f"self.step({numbers + 1})", OWN[method]]
    elif body:
        body += [*writer.assignments(), *writer.block_with_split(depth=0)]
    else:
        body = _plain(chance, call, numbers)
    text = textwrap.indent("\n".join([*docstring, *body]), " " * 8)
    return f"    def {method}(self, {signature}):\n{text}"


def _plain(chance: random.Random, call: str, numbers: int) -> list[str]:
    """Return a body of simple statements before and after the call."""
    before = [f"self.step({numbers + 1})"] if chance.random() < 0.6 else []
    after = [f"self.step({numbers + 2}, ctx)"] if chance.random() < 0.3 else []
    after += [f"self.step({numbers + 3})"] if chance.random() < 0.6 else []
    return [*before, call, *after]


def _update(chance: random.Random, name: str) -> str:
    lines = [f'self.note(graph_id, "{name}", displacement)']
    if chance.random() < 0.3:
        lines += ["if displacement:", f'    self.note(graph_id, "{name} moved")']
    lines.append("super()._update_evidence(features, displacement, graph_id)")
    if chance.random() < 0.3:
        lines.append(f'self.note(graph_id, "{name} after")')
    text = textwrap.indent("\n".join(lines), " " * 8)
    return f"    def _update_evidence(self, features, displacement, graph_id):\n{text}"
