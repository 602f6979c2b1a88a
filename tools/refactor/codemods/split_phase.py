# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Splits a method at a call, into a half that dispatches and one that processes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Mapping, Sequence

import libcst as cst
import libcst.matchers as m
from libcst.codemod import CodemodContext
from libcst.metadata import PositionProvider

from ..class_codemod import ClassCodemod, find_method, has_method, insert_methods
from ..failures import MissingAnchor
from ..imports import NeededImport
from ..phases.callables import last_name
from ..phases.naming import halves_of, pending_type_name
from ..phases.references import find_references, unsplit_overrides
from ..phases.refusal import CannotSplit
from ..phases.split import SplitOptions, split_method
from ..phases.stdlib_imports import with_stdlib_import
from ..step import Rewrite

__all__ = ["SplitPhase", "split_chain"]

_FUTURE = m.SimpleStatementLine(
    body=[
        m.ImportFrom(
            module=m.Name("__future__"),
            names=[
                m.ZeroOrMore(),
                m.ImportAlias(m.Name("annotations")),
                m.ZeroOrMore(),
            ],
        )
    ]
)
_OWN_METHOD = m.Attribute(value=m.Name("self"))
_NEEDED = (
    NeededImport("contextlib", "ExitStack"),
    NeededImport("dataclasses", "dataclass"),
    NeededImport("typing", "Any"),
)


class SplitPhase(ClassCodemod):
    """Splits a method in two halves, and leaves it as one after the other.

    The first half runs the method up to a call and dispatches the work of that call;
    the second takes the result and runs what is left. What the second half needs of
    the first is found by following control through the method, and travels in a
    dataclass next to the class. The method called, if it is one that is split itself,
    is called by its halves.

    It does not split what would not be the same in two halves; it raises CannotSplit
    with the construct and its line. It does not look at other files: a subclass that
    overrides the method, and not its halves, is passed over by whoever calls the
    halves. A `with` around the call is left by the second half, and stays open where
    that is never run.
    """

    METADATA_DEPENDENCIES = (PositionProvider,)

    def __init__(
        self,
        context: CodemodContext,
        class_name: str,
        method: str,
        call: str,
        *,
        dispatch: str | None = None,
        process: str | None = None,
        ticket: str | None = None,
        ticket_type: str | None = None,
        types: Mapping[str, str] | None = None,
        with_swallows: bool = True,
        dispatch_docstring: str | None = None,
        process_docstring: str | None = None,
        own_halves: bool = False,
        imports: Sequence[NeededImport] = (),
    ) -> None:
        """Set up the codemod.

        Args:
            context: LibCST's context.
            class_name: The class.
            method: The method.
            call: What is called where it is split: `self.work`, `super().work`.
            dispatch: What is called to dispatch the work, with the arguments of the
                call. Defaults to the first half of what is called.
            process: What is called with what that returned, for the result. Defaults
                to the second half.
            ticket: What to call the dispatched work. Defaults to the name called.
            ticket_type: Its type. Defaults to what the first half of a method of the
                same class returns.
            types: Types of variables that have no annotation.
            with_swallows: Whether a `with` in the method may swallow an exception.
                Where none does, the halves are shorter, and fewer methods refused.
            dispatch_docstring: Docstring of the first half.
            process_docstring: Docstring of the second half.
            own_halves: Whether the whole method calls the halves of this very class,
                and not those of the instance's. Then an override of the whole that
                calls `super()` does not come back to itself where its class has halves
                that call it.
            imports: What the types need.
        """
        super().__init__(context, class_name, imports)
        self.method = method
        self.halves = halves_of(method)
        self.options = SplitOptions(
            call=call,
            dispatch=dispatch,
            process=process,
            ticket=ticket,
            ticket_type=ticket_type,
            types=types or {},
            with_swallows=with_swallows,
            dispatch_docstring=dispatch_docstring,
            process_docstring=process_docstring,
            halves_of_class=class_name if own_halves else None,
        )
        self.notes: list[str] = []
        """What refers to the split methods without calling them, with lines."""
        self._function = cst.parse_expression(call)
        self._records: Sequence[cst.ClassDef] = ()
        self._needed: Sequence[NeededImport] = ()

    def already_done(self, definition: cst.ClassDef) -> bool:
        halves = (self.halves.dispatch, self.halves.process)
        there = [name for name in halves if has_method(definition, name)]
        if len(there) == 1:
            _, half = find_method(definition, there[0])
            raise self._refuse(f"{there[0]}, which is there without its other", half)
        return bool(there)

    def transform_class(self, definition: cst.ClassDef) -> cst.ClassDef:
        if not any(m.matches(one, _FUTURE) for one in self.module.body):
            raise MissingAnchor("from __future__ import annotations")
        at, method = find_method(definition, self.method)
        others = definition.body.body[at + 1 :]
        for other in others:
            if m.matches(other, m.FunctionDef(name=m.Name(self.method))):
                raise self._refuse(f"{self.method} is defined twice", other)
        self._note_references(definition)
        options = replace(self.options, ticket_type=self._ticket_type(definition))
        try:
            split = split_method(
                method, self._pending_type_name(), options, self._refuse
            )
        except MissingAnchor as missing:
            missing.class_name = self.class_name
            raise
        self._records = split.records
        # The halves use nothing that is not in a field's type, too.
        self._needed = [one for one in _NEEDED if _is_used(one.name, split.records)]
        whole, *halves = split.methods
        definition = definition.with_deep_changes(
            definition.body, body=[*definition.body.body[:at], whole, *others]
        )
        return insert_methods(definition, at + 1, halves)

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        tree = super().transform_module_impl(tree)
        if not self._records:
            return tree
        named = m.ClassDef(name=m.Name(self.class_name))
        body = list(tree.body)
        at = next(at for at, one in enumerate(body) if m.matches(one, named))
        tree = tree.with_changes(body=[*body[:at], *self._records, *body[at:]])
        for needed in self._needed:
            tree = with_stdlib_import(tree, needed)
        return tree

    def _pending_type_name(self) -> str:
        definitions = (cst.ClassDef, cst.FunctionDef)
        taken = [
            one.name.value for one in self.module.body if isinstance(one, definitions)
        ]
        return pending_type_name(self.method, self.class_name, taken)

    def _ticket_type(self, definition: cst.ClassDef) -> str | None:
        if self.options.ticket_type is not None or self.options.dispatch is not None:
            return self.options.ticket_type
        half = halves_of(last_name(self._function)).dispatch
        is_own = m.matches(self._function, _OWN_METHOD)
        if not is_own or not has_method(definition, half):
            return None
        returned = find_method(definition, half)[1].returns
        return returned and self.module.code_for_node(returned.annotation)

    def _note_references(self, definition: cst.ClassDef) -> None:
        callee = last_name(self._function)
        for reference in (
            *find_references(definition, (self.method, callee)),
            *unsplit_overrides(self.module, self.class_name, self.method),
        ):
            note = f"line {self._line(reference.node)}: {reference.what}"
            self.notes.append(note)
            self.warn(note)

    def _refuse(self, construct: str, node: cst.CSTNode) -> CannotSplit:
        return CannotSplit(
            construct,
            line=self._line(node),
            class_name=self.class_name,
            method=self.method,
            file=self.context.filename,
        )

    def _line(self, node: cst.CSTNode) -> int:
        return self.get_metadata(PositionProvider, node).start.line


def split_chain(
    file: str,
    class_name: str,
    methods: Sequence[str],
    call: str,
    arguments: Mapping[str, Mapping[str, Any]] | None = None,
) -> tuple[Rewrite, ...]:
    """Split methods of a class of which each calls the next.

    Args:
        file: The file, as a path below `tbp/monty`.
        class_name: The class.
        methods: The methods, the one that is called from outside first.
        call: What the last of them is split at.
        arguments: Further arguments of SplitPhase, by method.

    Returns:
        The rewrites, the last method first, so that each finds the halves that it
        calls.
    """
    calls = [*(f"self.{method}" for method in methods[1:]), call]
    return tuple(
        Rewrite(
            file,
            SplitPhase,
            dict(
                class_name=class_name,
                method=method,
                call=split_at,
                **(arguments or {}).get(method, {}),
            ),
        )
        for method, split_at in reversed([*zip(methods, calls, strict=True)])
    )


def _is_used(name: str, nodes: Sequence[cst.CSTNode]) -> bool:
    return any(m.findall(node, m.Name(name)) for node in nodes)
