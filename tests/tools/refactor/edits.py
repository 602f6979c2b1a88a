# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Edited releases: changes of kinds that upstream makes, in code that steps change."""

# ruff: noqa: ARG002, N802 LibCST calls visitors by the names of nodes

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Any, Callable, Sequence

import libcst as cst

__all__ = ["EDITS", "MOVES", "Edit", "Texts"]

Texts = dict[str, str]
"""Texts of files by path below `tbp/monty`."""

MODELS = "frameworks/models"
LM = f"{MODELS}/evidence_matching/learning_module.py"
GRAPH = f"{MODELS}/graph_matching.py"
BASE = f"{MODELS}/monty_base.py"
NO_RESET = f"{MODELS}/no_reset_evidence_matching.py"
BURST = f"{MODELS}/evidence_matching/burst_sampling.py"
DISPLACER = f"{MODELS}/evidence_matching/hypotheses_displacer.py"
ABSTRACT = f"{MODELS}/abstract_monty_classes.py"
SELECTORS = f"{MODELS}/motor_policy_selectors.py"
TRANSFORMS = "frameworks/environment_utils/transforms.py"
SENSORS = f"{MODELS}/sensor_modules.py"

NEW = "self.something_new = make_something_new()"
Change = Callable[[cst.FunctionDef], Any]


@dataclass(frozen=True)
class Edit:
    """A change of upstream.

    Attributes:
        what: What changes, in words.
        files: The files that it reads and changes.
        make: Makes it.
        applies: Whether the series still applies; None where either is right.
        moved: Where classes and methods are afterwards, each as `file name`.
    """

    what: str
    files: Sequence[str]
    make: Callable[[Texts], None]
    applies: bool | None = None
    moved: Sequence[str] = ()


def _statements(code: str) -> list[cst.BaseStatement]:
    return list(cst.parse_module(textwrap.dedent(code)).body)


class _Editor(cst.CSTTransformer):
    """Changes a method, or a function of the module, and says if it found it."""

    def __init__(self, name: str, change: Change) -> None:
        self._wanted = name
        self._change = change
        self._classes: list[str] = []
        self.found: cst.FunctionDef | None = None

    def visit_ClassDef(self, node: cst.ClassDef) -> None:
        self._classes.append(node.name.value)

    def leave_ClassDef(self, original_node, updated_node):
        self._classes.pop()
        return updated_node

    def leave_FunctionDef(self, original_node, updated_node):
        if ".".join([*self._classes, updated_node.name.value]) != self._wanted:
            return updated_node
        self.found = original_node
        return self._change(updated_node) or cst.RemoveFromParent()


def edited(texts: Texts, file: str, name: str, change: Change) -> cst.FunctionDef:
    """Change a method in a file, and return the former one."""
    editor = _Editor(name, change)
    texts[file] = cst.parse_module(texts[file]).visit(editor).code
    assert editor.found is not None, (file, name)
    return editor.found


def _body(change: Callable[[list], list]) -> Change:
    def changed(method: cst.FunctionDef) -> cst.FunctionDef:
        return method.with_deep_changes(
            method.body, body=change(list(method.body.body))
        )

    return changed


def added(at: int, code: str = NEW) -> Change:
    """Add a statement to a method, counted from its end if negative."""
    return _body(lambda body: [*body[:at], *_statements(code), *body[at:]])


def removed(at: int) -> Change:
    return _body(lambda body: [*body[:at], *body[at:][1:]])


def inside_block(at: int, code: str = NEW) -> Change:
    """Add a statement at the end of the block that a statement of a method has."""

    def change(body: list) -> list:
        block = body[at].body
        longer = block.with_changes(body=[*block.body, *_statements(code)])
        return [*body[:at], body[at].with_changes(body=longer), *body[at + 1 :]]

    return _body(change)


def with_else(at: int) -> Change:
    def change(body: list) -> list:
        block = cst.IndentedBlock(_statements(NEW))
        one = body[at].with_changes(orelse=cst.Else(block))
        return [*body[:at], one, *body[at + 1 :]]

    return _body(change)


def commented(at: int) -> Change:
    def change(body: list) -> list:
        lines = [*body[at].leading_lines, cst.EmptyLine(comment=cst.Comment("# Why."))]
        return [*body[:at], body[at].with_changes(leading_lines=lines), *body[at + 1 :]]

    return _body(change)


def spaced(at: int) -> Change:
    def change(body: list) -> list:
        lines = [cst.EmptyLine(indent=False), *body[at].leading_lines]
        return [*body[:at], body[at].with_changes(leading_lines=lines), *body[at + 1 :]]

    return _body(change)


def with_parameter(text: str) -> Change:
    def change(method: cst.FunctionDef) -> cst.FunctionDef:
        made = cst.parse_statement(f"def f({text}): pass")
        params = [*method.params.params, *made.params.params]
        return method.with_deep_changes(method.params, params=params)

    return change


def returning(text: str) -> Change:
    annotation = cst.Annotation(cst.parse_expression(text))
    return lambda method: method.with_changes(returns=annotation)


def decorated(name: str) -> Change:
    one = cst.Decorator(cst.Name(name))
    return lambda method: method.with_changes(decorators=[*method.decorators, one])


def documented(text: str) -> Change:
    def change(body: list) -> list:
        return [*_statements(f'"""{text}"""'), *body[1:]]

    return _body(change)


def renamed(new: str) -> Change:
    return lambda method: method.with_changes(name=cst.Name(new))


def _edit(what: str, file: str, name: str, change: Change, applies=None) -> Edit:
    def make(texts: Texts) -> None:
        edited(texts, file, name, change)

    return Edit(f"{what}: {name}", [file], make, applies)


def _replace(what: str, file: str, old: str, new: str, applies=None) -> Edit:
    def make(texts: Texts) -> None:
        assert old in texts[file], (file, old)
        texts[file] = texts[file].replace(old, new)

    return Edit(f"{what}: {old}", [file], make, applies)


def _moved_method(name: str, file: str, to_class: str, to_file: str) -> Edit:
    """Move a method to another class, a base class or one of another file."""

    def make(texts: Texts) -> None:
        method = edited(texts, file, name, lambda _: None)
        module = cst.parse_module(texts[to_file])
        body = [
            one.with_deep_changes(one.body, body=[*one.body.body, method])
            if _is_class(one, to_class)
            else one
            for one in module.body
        ]
        texts[to_file] = module.with_changes(body=body).code

    new = f"{to_class}.{name.rpartition('.')[2]}"
    moved = [f"{to_file} {new}"]
    return Edit(f"moved to {to_class}: {name}", [file, to_file], make, False, moved)


def _renamed_method(file: str, name: str, new: str) -> Edit:
    def make(texts: Texts) -> None:
        edited(texts, file, name, renamed(new))

    to = f"{name.rpartition('.')[0]}.{new}".lstrip(".")
    return Edit(f"renamed: {name}", [file], make, False, [f"{file} {to}"])


def _renamed_class(file: str, name: str, new: str) -> Edit:
    def make(texts: Texts) -> None:
        texts[file] = texts[file].replace(f"class {name}(", f"class {new}(")
        texts[file] = texts[file].replace(f"class {name}:", f"class {new}:")

    return Edit(f"renamed: {name}", [file], make, False, [f"{file} {new}"])


def _moved_class(file: str, name: str, to_file: str) -> Edit:
    def make(texts: Texts) -> None:
        module, other = (cst.parse_module(texts[one]) for one in (file, to_file))
        [moved] = [one for one in module.body if _is_class(one, name)]
        rest = [one for one in module.body if one is not moved]
        texts[file] = module.with_changes(body=rest).code
        texts[to_file] = other.with_changes(body=[*other.body, moved]).code

    moved = [f"{to_file} {name}"]
    return Edit(f"moved to {to_file}: {name}", [file, to_file], make, False, moved)


def _is_class(node: cst.CSTNode, name: str) -> bool:
    return isinstance(node, cst.ClassDef) and node.name.value == name


def beside(code: str) -> Change:
    """Add a method after a method."""
    [new] = _statements(code)
    return lambda method: cst.FlattenSentinel([method, new])


VOTE = "EvidenceGraphLM._update_evidence_with_vote"
MOVES = [
    _renamed_method(LM, VOTE, "_add_votes_to_evidence"),
    _renamed_method(LM, "EvidenceGraphLM.receive_votes", "take_votes"),
    _renamed_method(LM, "EvidenceGraphLM._get_mlh_dict_from_id", "_mlh_of"),
    _renamed_method(GRAPH, "GraphMemory._get_all_node_features", "_features_of_nodes"),
    _renamed_method(BASE, "MontyBase._step_learning_modules", "_step_lms"),
    _renamed_method(SELECTORS, "highest_confidence_goal", "best_goal"),
    _renamed_method(TRANSFORMS, "DepthTo3DLocations.get_on_surface_th", "on_surface"),
    _moved_method("EvidenceGraphLM.send_out_vote", LM, "GraphLM", GRAPH),
    _moved_method("EvidenceGraphLM._check_for_symmetry", LM, "GraphLM", GRAPH),
    _moved_method("MontyForGraphMatching._vote", GRAPH, "MontyBase", BASE),
    _moved_method("GraphLM._compute_possible_matches", GRAPH, "GraphMemory", GRAPH),
    _moved_method("MontyBase._pass_goals", BASE, "LearningModule", ABSTRACT),
    _renamed_class(BURST, "BurstSamplingHypothesesUpdater", "BurstUpdater"),
    _renamed_class(LM, "EvidenceGraphLM", "EvidenceLM"),
    _moved_class(TRANSFORMS, "MissingToMaxDepth", SENSORS),
    _moved_class(DISPLACER, "DefaultHypothesesDisplacer", BURST),
]
"""Edits after which something is elsewhere."""

MATCHING = "EvidenceGraphLM.matching_step"
RECEIVE = "EvidenceGraphLM.receive_votes"
UPDATE = "EvidenceGraphLM._update_possible_matches"
COMPUTE = "GraphLM._compute_possible_matches"
FEATURES = "GraphMemory._get_all_node_features"
REPEATED = "NoResetEvidenceGraphLM.matching_step"
STEP_LMS = "_step_learning_modules"
INIT = "MontyBase.__init__"
FUTURE = "from __future__ import annotations\n"

IN_SPANS = [
    _edit("statement added", LM, VOTE, added(5), applies=False),
    _edit("statement added last", LM, VOTE, added(-1), applies=False),
    _edit("statement added", LM, MATCHING, added(2)),
    _edit("statement added", LM, UPDATE, added(1)),
    _edit("statement added in a with", LM, UPDATE, inside_block(1)),
    _edit("statement added", GRAPH, COMPUTE, added(1)),
    _edit("statement added", GRAPH, FEATURES, added(-2)),
    _edit("statement added", BASE, f"MontyBase.{STEP_LMS}", inside_block(-1)),
    _edit("added", GRAPH, f"MontyForGraphMatching.{STEP_LMS}", inside_block(-1)),
    _edit("statement added", NO_RESET, REPEATED, added(2), applies=False),
    # A step returns before it.
    _edit("added", LM, "EvidenceGraphLM.evidence_for_each_graph", added(-1), False),
    _edit("statement removed", LM, VOTE, removed(6), applies=False),
    _replace("statement changed", TRANSFORMS, "np.histogram(", "numpy.histogram("),
    _replace("argument renamed", LM, "vote_data", "votes_of_lms"),
    _replace("argument renamed", TRANSFORMS, "min_depth_range", "least_range"),
    _edit("else added", LM, VOTE, with_else(6), applies=False),
    _edit("docstring changed", NO_RESET, REPEATED, documented("Step."), applies=False),
]
"""Edits of what steps take away."""

OUTSIDE = [
    _edit("statement added", BASE, INIT, added(3), applies=True),
    _edit("statement added", GRAPH, "MontyForGraphMatching._vote", added(-1), True),
    _edit("statement added in a block", LM, RECEIVE, inside_block(1), applies=True),
    _edit("else added", LM, RECEIVE, with_else(1), applies=True),
    _edit("argument added", LM, VOTE, with_parameter("scale=1"), applies=True),
    _edit("argument added", BASE, INIT, with_parameter("extra=None"), applies=True),
    _edit("argument added", LM, MATCHING, with_parameter("a=1")),
    _edit("decorator added", LM, RECEIVE, decorated("timed"), applies=True),
    _edit("decorator added", LM, MATCHING, decorated("timed")),
    _edit("annotation added", LM, VOTE, returning("None"), applies=True),
    _edit("annotation added", GRAPH, FEATURES, returning("tuple"), applies=True),
    _edit("comment added in a span", LM, VOTE, commented(5), applies=True),
    _edit("comment added", BASE, "MontyBase._pass_goals", commented(-1), applies=True),
    _edit("blank line added in a span", LM, VOTE, spaced(5), applies=True),
    _edit("blank line added", GRAPH, COMPUTE, spaced(1), applies=True),
    _edit("docstring changed", LM, VOTE, documented("Add the votes."), applies=True),
    _edit("docstring changed", BASE, "MontyBase._pass_goals", documented("Pass.")),
    _replace("import removed", LM, "import threading\n", ""),
    _replace("import moved", GRAPH, FUTURE, f"{FUTURE}\nimport threading\n", True),
]
"""Edits beside it, and of what is no code."""

OF_OUR_NAMES = [
    _edit("argument", BASE, INIT, with_parameter("backend=1"), applies=False),
    _edit(
        "method",
        BASE,
        "MontyBase.is_done",
        beside("def close(self):\n    self.closed = True\n"),
        applies=False,
    ),
    _edit(
        "method, as ours",
        BASE,
        "MontyBase.is_done",
        beside("def close(self) -> None:\n    self.backend.close()\n"),
        applies=True,
    ),
    _edit("method", GRAPH, COMPUTE, beside("def _make_query(self): ...\n"), False),
]
"""Upstream adds what we add."""

EDITS = [*MOVES, *IN_SPANS, *OUTSIDE, *OF_OUR_NAMES]
