# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides of a learning module's step that call `super()` become halves."""

from __future__ import annotations

from functools import partial
from typing import Sequence

import libcst as cst
import libcst.matchers as m

from ...class_codemod import find_method, replace_method, with_statement
from ...imports import NeededImport
from ...nodes import statements_of
from ...phases.naming import halves_of
from ...phases.refusal import Refused
from ...phases.split_call import find_call
from ..class_rewriter import ClassRewriter, own_methods
from ..halves import halves_of_override
from ..kinds import Kind
from ..ownership.check import check_split_override
from ..ownership.known_code import TWO_PHASE_METHODS
from ..rule import PythonFile, Rule

__all__ = ["RULE", "TWO_PHASE_METHODS"]


class _SplitOverrides(ClassRewriter):
    def __init__(self, file: PythonFile) -> None:
        super().__init__(RULE.id, file)
        self._made_types: set[str] = set()

    def rewrite_class(
        self, original: cst.ClassDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef:
        may_be_one = kind is Kind.UNKNOWN and self.imports_monty()
        if kind is not Kind.EVIDENCE_LM and not may_be_one:
            return updated
        updated = self._mark_branches(original, updated)
        for method in own_methods(original, TWO_PHASE_METHODS):
            halves = halves_of(method.name.value)
            if not own_methods(updated, [halves.dispatch, halves.process]):
                split = partial(self._split, kind=kind)
                updated = self.rewritten_or_marked(method, updated, "split", split)
        return updated

    def _split(
        self, original: cst.FunctionDef, updated: cst.ClassDef, kind: Kind
    ) -> cst.ClassDef | None:
        name = original.name.value
        at, method = find_method(updated, name)
        call = self._call_of_base(method, updated)
        if call is None:
            return None  # it runs as a whole while steps are processed, as before
        self._check_class(updated, name, kind)
        halves = halves_of_override(
            method,
            call,
            updated.name.value,
            self._taken(),
            self.annotations_are_evaluated(),
        )
        self._check_imports(halves.imports)
        check_split_override(self.file.index, self.project_class, name)
        self.check_may_have_halves(name)
        self.records += halves.records
        self._made_types |= {record.name.value for record in halves.records}
        self.imports += halves.imports
        names = ", ".join(half.name.value for half in halves.methods)
        self.changed(original, f"{name} became {names}")
        return replace_method(updated, at, halves.methods)

    def _check_class(self, definition: cst.ClassDef, method: str, kind: Kind) -> None:
        if kind is Kind.UNKNOWN:
            raise Refused(
                f"whether {definition.name.value} is an evidence learning module is "
                "not known, since its base is not among the files"
            )
        if len(own_methods(definition, [method])) > 1:
            raise Refused(f"{method} is defined twice")

    def _call_of_base(
        self, method: cst.FunctionDef, definition: cst.ClassDef
    ) -> str | None:
        """Return how a method calls the one that it overrides, None if it does not."""
        name = method.name.value
        parameters = [*method.params.posonly_params, *method.params.params]
        instance = parameters[0].name.value if parameters else ""
        for receiver in ("super()", f"super({definition.name.value}, {instance})"):
            call = f"{receiver}.{name}"
            found = find_call(method, cst.parse_expression(call))
            if found.call is not None or found.passed:
                return call
        for base in definition.bases:
            if not isinstance(base.value, (cst.Name, cst.Attribute)):
                continue
            text = self.module.code_for_node(base.value)
            called = find_call(method, cst.parse_expression(f"{text}.{name}"))
            if called.call is not None:
                raise Refused(f"{text}.{name} is called by its class, not by super()")
        return None

    def _mark_branches(
        self, original: cst.ClassDef, updated: cst.ClassDef
    ) -> cst.ClassDef:
        """Mark methods that are defined in a branch of the class's body."""
        if not isinstance(original.body, cst.IndentedBlock):
            return updated
        named = m.FunctionDef(
            name=m.Name(m.MatchIfTrue(lambda name: name in TWO_PHASE_METHODS))
        )
        for at, statement in enumerate(original.body.body):
            if isinstance(statement, (cst.If, cst.Try)) and m.findall(statement, named):
                what = "not split: a method that is defined in a branch of the class"
                marked = self.mark(statement, statements_of(updated.body)[at], what)
                updated = with_statement(updated, at, marked)
        return updated

    def _taken(self) -> set[str]:
        names = self.file.index.names(self.file.path)
        return {*names.imports, *names.aliases, *names.bases, *self._made_types}

    def _check_imports(self, imports: Sequence[NeededImport]) -> None:
        names = self.file.index.names(self.file.path)
        for needed in imports:
            known = names.imports.get(needed.name, f"{needed.module}.{needed.name}")
            if known != f"{needed.module}.{needed.name}" or needed.name in names.bases:
                raise Refused(f"the module has a {needed.name} of its own")


RULE: Rule = Rule(
    id="split-override",
    summary=(
        "In evidence learning modules, overrides of the matching step, or of a part of "
        "it, that call super() become halves."
    ),
    by_hand=(
        "The override runs whole while steps are processed, and nothing has to be "
        "done, with one exception: if it changes a message that other learning modules "
        "receive too, those with halves have read the message before the change. "
        "For its work to run with that of other learning modules, make sure that it "
        "does not matter when those are stepped. Then move what stands before the "
        "call of super() to the dispatch half and the rest to the process half. Begin "
        "with the base classes: a class may have halves of a method only if no base "
        "class overrides the whole of it."
    ),
    words=rf"def\s+({'|'.join(TWO_PHASE_METHODS)})\b",
    rewrite=lambda module, file: _SplitOverrides(file).run(module),
)
