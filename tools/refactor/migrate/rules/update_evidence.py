# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides of the update of a graph move to the halves around all updates."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from ...class_codemod import find_method, has_method, replace_method
from ...nodes import Statement, find_all, parsed, statements_of
from ...phases.blocks import at_start
from ...phases.names import names_of
from ...phases.parameters import all_parameters, arguments_passing_on
from ...phases.refusal import Refused
from ...phases.scopes import own_nodes
from ...phases.split_call import find_call
from ..class_rewriter import ClassRewriter, own_methods
from ..kinds import Kind
from ..ownership.check import check_moved_update
from ..rule import Rule

__all__ = ["RULE"]

METHOD = "_update_evidence"
AROUND = "_update_possible_matches"
DISPATCH = "_dispatch_update_possible_matches"
PROCESS = "_process_update_possible_matches"

GRAPHS = "get_all_known_object_ids"

_CALL = f"super().{METHOD}"
_PLAIN_DECORATORS = m.Decorator(m.Name("override") | m.Name("final"))
_TEMPLATE = f"""\
def {DISPATCH}(self, ctx, query):
    for graph_id in self.{GRAPHS}():
        pass
    return super().{DISPATCH}(ctx, query)
"""


class _MoveUpdates(ClassRewriter):
    def rewrite_class(
        self, original: cst.ClassDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        if kind is not Kind.EVIDENCE_LM:
            return updated
        for definition in own_methods(original, [METHOD]):
            updated = self.rewritten_or_marked(
                definition, updated, "moved", self._moved
            )
        return updated

    def _moved(self, original: cst.FunctionDef, updated: cst.ClassDef) -> cst.ClassDef:
        at, method = find_method(updated, METHOD)
        found = find_call(method, cst.parse_expression(_CALL))
        if found.call is None:
            raise Refused(
                "it is an update of its own, so the learning module runs on the "
                "backend reference only"
            )
        _check_class(updated)
        around = self.file.index.members_around(self.project_class)
        # Those may skip updates, or stay where they are and so run later.
        if METHOD in around:
            raise Refused(f"a class above, below or beside it overrides {METHOD}, too")
        if around & {AROUND, DISPATCH, PROCESS}:
            raise Refused(f"a class above, below or beside it overrides {AROUND}")
        if GRAPHS in around or has_method(updated, GRAPHS):
            raise Refused(f"{GRAPHS} is overridden, and would be called once more")
        self.check_may_have_halves(AROUND)
        if method.asynchronous is not None:
            raise Refused("an async method")
        if not all(m.matches(one, _PLAIN_DECORATORS) for one in method.decorators):
            raise Refused("a decorator, which would not apply to the half")
        before = self._before(method, found.call)
        instance, *parameters = [
            one.name.value for one in all_parameters(method.params)
        ]
        if len(parameters) != 3 or instance != "self":
            raise Refused("its parameters are not those of Monty's")
        self._check_before(before, parameters)
        check_moved_update(self.file.index, self.project_class, METHOD)
        self.changed(original, f"{METHOD} became {DISPATCH}")
        return replace_method(updated, at, [_half(method, before, parameters)])

    def _before(self, method: cst.FunctionDef, call: cst.Call) -> list[Statement]:
        if not isinstance(method.body, cst.IndentedBlock):
            raise Refused("it stands on one line")
        statements = statements_of(method.body)
        if method.get_docstring() is not None:
            statements.pop(0)
        it: m.MatchIfTrue[cst.BaseExpression] = m.MatchIfTrue(lambda one: one is call)
        last = m.SimpleStatementLine(body=[m.Expr(it) | m.Return(it)])
        if not statements or not m.matches(statements[-1], last):
            raise Refused(
                "what stands after the call of super(), or around it, has to happen "
                "before the most likely hypothesis is chosen, and no half does"
            )
        code = cst.Module([]).code_for_node
        arguments = [
            code(one.value) if one.keyword is None else f"{one.keyword.value}="
            for one in call.args
        ]
        if arguments != arguments_passing_on(method.params):
            raise Refused("it passes other arguments on than it is given")
        return statements[:-1]

    def _check_before(self, before: list[Statement], parameters: list[str]) -> None:
        if not before:
            raise Refused("it does nothing but call super(); it can be deleted")
        block = cst.IndentedBlock(before)
        if own_nodes(block, cst.Return):
            raise Refused("it may return without updating the graph")
        if own_nodes(block, cst.Yield, cst.Global, cst.Nonlocal):
            raise Refused("a generator, or a declaration of outer variables")
        if names_of(block).made_local & {*parameters, "self", "ctx", "query"}:
            raise Refused("it gives its parameters other values")
        if m.findall(block, m.Attribute(attr=m.Name("hypotheses_updater"))):
            raise Refused(
                "it uses the hypotheses updater, which is entered after the half"
            )


def _check_class(definition: cst.ClassDef) -> None:
    if any(has_method(definition, name) for name in (AROUND, DISPATCH, PROCESS)):
        raise Refused(f"the class overrides {AROUND}, too")
    named = m.Attribute(attr=m.Name(METHOD))
    others = [
        one
        for one in find_all(definition, cst.Attribute, named)
        if not m.matches(one.value, m.Call(func=m.Name("super")))
    ]
    if others:
        raise Refused(f"{METHOD} is also used elsewhere in the class")


def _half(
    method: cst.FunctionDef, before: list[Statement], parameters: list[str]
) -> cst.FunctionDef:
    *in_query, graph_id = parameters
    used = names_of(cst.IndentedBlock(before)).used
    half = parsed(_TEMPLATE, cst.FunctionDef)
    loop, *after = statements_of(half.body)
    block = cst.IndentedBlock(at_start(before))
    loop = loop.with_changes(target=cst.Name(graph_id), body=block)
    taken = [
        cst.parse_statement(f"{name} = query[{at}]")
        for at, name in enumerate(in_query)
        if name in used
    ]
    documented = method.get_docstring() is not None
    docstring = statements_of(method.body)[:1] if documented else []
    body = [*docstring, *taken, loop, *after]
    return half.with_changes(
        body=method.body.with_changes(body=body, footer=[]),
        decorators=method.decorators,
    )


RULE: Rule = Rule(
    id="update-evidence",
    summary=(
        "What an override of _update_evidence does before it calls super() moves to "
        "the dispatch half of _update_possible_matches."
    ),
    by_hand=(
        "The override works, on the backend reference only. For other backends, do "
        "what it does for all graphs in _dispatch_update_possible_matches or "
        "_process_update_possible_matches, or in a hypotheses updater of your own."
    ),
    words=rf"def\s+{METHOD}\b",
    rewrite=lambda module, file: _MoveUpdates(RULE.id, file).run(module),
)
