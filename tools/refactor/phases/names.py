# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The local names that a piece of code uses, binds or passes to closures."""

# ruff: noqa: N802, N815 LibCST calls visitors by the names of nodes

from __future__ import annotations

from dataclasses import dataclass, field

import libcst as cst

from .parameters import all_parameters
from .scopes import own_nodes

__all__ = ["Names", "names_of", "target_names"]


@dataclass
class Names:
    """The names of a piece of code, as seen from the function it stands in.

    Attributes:
        used: Names that are read, also from within functions defined in the piece.
        bound: Names that have a value once the piece has run.
        maybe_bound: Names that may have a value then, such as those of a walrus on one
            side of an `or`.
        unbound: Names that have no value afterwards, because of `del`.
        declared: Names with an annotation and no value.
        captured: Names that a function defined in the piece reads whenever it runs.
        nonlocals: Names that a function defined in the piece rebinds.
    """

    used: set[str] = field(default_factory=set)
    bound: set[str] = field(default_factory=set)
    maybe_bound: set[str] = field(default_factory=set)
    unbound: set[str] = field(default_factory=set)
    declared: set[str] = field(default_factory=set)
    captured: set[str] = field(default_factory=set)
    nonlocals: set[str] = field(default_factory=set)

    @property
    def made_local(self) -> set[str]:
        return self.bound | self.maybe_bound | self.unbound | self.declared


def names_of(*nodes: cst.CSTNode) -> Names:
    """Return the names of statements or expressions, taken together."""
    collector = _Collector()
    for node in nodes:
        node.visit(collector)
    return collector.names


def target_names(target: cst.BaseExpression) -> Names:
    """Return the names of the target of an assignment, a loop or a `with`."""
    collector = _Collector()
    collector.bind(target)
    return collector.names


class _Collector(cst.CSTVisitor):
    """Walks one scope, and collects only the free names of inner scopes.

    Annotations are skipped: with `from __future__ import annotations` those inside
    functions are never evaluated.
    """

    def __init__(self) -> None:
        super().__init__()
        self.names = Names()
        self._not_always = 0

    def visit_Name(self, node: cst.Name) -> None:
        self.names.used.add(node.value)

    def visit_Attribute(self, node: cst.Attribute) -> bool:
        node.value.visit(self)
        return False

    def visit_Arg(self, node: cst.Arg) -> bool:
        node.value.visit(self)
        return False

    def visit_Annotation(self, node: cst.Annotation) -> bool:  # noqa: ARG002
        return False

    # Bindings

    def bind(self, target: cst.BaseExpression) -> None:
        if isinstance(target, cst.Name):
            always = self.names.bound
            (self.names.maybe_bound if self._not_always else always).add(target.value)
        elif isinstance(target, (cst.Tuple, cst.List)):
            for element in target.elements:
                self.bind(element.value)
        else:
            target.visit(self)

    def visit_AssignTarget(self, node: cst.AssignTarget) -> bool:
        self.bind(node.target)
        return False

    def visit_AugAssign(self, node: cst.AugAssign) -> bool:
        node.target.visit(self)
        self.bind(node.target)
        node.value.visit(self)
        return False

    def visit_AnnAssign(self, node: cst.AnnAssign) -> bool:
        if node.value is not None:
            node.value.visit(self)
            self.bind(node.target)
        elif isinstance(node.target, cst.Name):
            self.names.declared.add(node.target.value)
        else:
            node.target.visit(self)
        return False

    def visit_NamedExpr(self, node: cst.NamedExpr) -> bool:
        node.value.visit(self)
        self.bind(node.target)
        return False

    def visit_For(self, node: cst.For) -> bool:
        node.iter.visit(self)
        self.bind(node.target)
        for block in (node.body, node.orelse):
            if block is not None:
                block.visit(self)
        return False

    def visit_AsName(self, node: cst.AsName) -> bool:
        self.bind(node.name)
        return False

    def visit_ImportAlias(self, node: cst.ImportAlias) -> bool:
        name = node.evaluated_alias or node.evaluated_name.split(".")[0]
        self.names.bound.add(name)
        return False

    def visit_ImportFrom(self, node: cst.ImportFrom) -> bool:
        for alias in () if isinstance(node.names, cst.ImportStar) else node.names:
            alias.visit(self)
        return False

    def visit_Del(self, node: cst.Del) -> bool:
        node.target.visit(self)
        deleted = target_names(node.target)
        self.names.unbound |= deleted.bound
        return False

    # Expressions that are evaluated only on some paths

    def visit_BooleanOperation(self, node: cst.BooleanOperation) -> bool:
        node.left.visit(self)
        self._perhaps(node.right)
        return False

    def visit_IfExp(self, node: cst.IfExp) -> bool:
        node.test.visit(self)
        self._perhaps(node.body, node.orelse)
        return False

    def visit_Comparison(self, node: cst.Comparison) -> bool:
        node.left.visit(self)
        first, *others = node.comparisons
        first.visit(self)
        self._perhaps(*others)
        return False

    def visit_Assert(self, node: cst.Assert) -> bool:
        self._perhaps(node.test, *([] if node.msg is None else [node.msg]))
        return False

    def _perhaps(self, *nodes: cst.CSTNode) -> None:
        self._not_always += 1
        for node in nodes:
            node.visit(self)
        self._not_always -= 1

    # Inner scopes

    def visit_FunctionDef(self, node: cst.FunctionDef) -> bool:
        for decorator in node.decorators:
            decorator.visit(self)
        self.names.bound.add(node.name.value)
        return self._function(node)

    def visit_Lambda(self, node: cst.Lambda) -> bool:
        return self._function(node)

    def _function(self, node: cst.FunctionDef | cst.Lambda) -> bool:
        for parameter in all_parameters(node.params):
            if parameter.default is not None:
                parameter.default.visit(self)
        self._capture(_free_names_of_function(node))
        return False

    def visit_ClassDef(self, node: cst.ClassDef) -> bool:
        for outside in (*node.decorators, *node.bases, *node.keywords):
            outside.visit(self)
        self.names.bound.add(node.name.value)
        self._capture(names_of(node.body))
        return False

    def _comprehension(self, node: cst.BaseComp) -> bool:
        inner = _names_of_comprehension(node)
        if isinstance(node, cst.GeneratorExp):
            # A generator runs when its values are read, which may be later.
            self._capture(inner)
        self.names.used |= inner.used
        self.names.captured |= inner.captured
        self.names.nonlocals |= inner.nonlocals
        # A walrus in a comprehension binds in the function around it.
        self.names.maybe_bound |= inner.maybe_bound
        return False

    visit_ListComp = visit_SetComp = _comprehension
    visit_DictComp = visit_GeneratorExp = _comprehension

    def _capture(self, inner: Names) -> None:
        self.names.used |= inner.used
        self.names.captured |= inner.used | inner.captured
        self.names.nonlocals |= inner.nonlocals


def _free_names_of_function(function: cst.FunctionDef | cst.Lambda) -> Names:
    inner = names_of(function.body)
    nonlocals, declared_global = (
        {item.name.value for node in nodes for item in node.names}
        for nodes in (
            own_nodes(function.body, cst.Nonlocal),
            own_nodes(function.body, cst.Global),
        )
    )
    own = {parameter.name.value for parameter in all_parameters(function.params)}
    own |= inner.made_local - nonlocals
    own |= declared_global
    return Names(
        used=(inner.used | nonlocals) - own,
        captured=inner.captured - own,
        nonlocals=(inner.nonlocals | nonlocals) - own,
    )


def _names_of_comprehension(node: cst.BaseComp) -> Names:
    # The first iterable is evaluated outside: in `[x for x in x]` its x is another.
    outside = names_of(node.for_in.iter)
    collector = _Collector()
    own: set[str] = set()
    loop: cst.CompFor | None = node.for_in
    while loop is not None:
        target = target_names(loop.target)
        own |= target.bound
        collector.names.used |= target.used
        for condition in loop.ifs:
            condition.test.visit(collector)
        loop = loop.inner_for_in
        if loop is not None:
            loop.iter.visit(collector)
    for part in ("key", "value", "elt"):
        if hasattr(node, part):
            getattr(node, part).visit(collector)
    inner = collector.names
    return Names(
        used=outside.used | (inner.used - own),
        maybe_bound=outside.made_local | inner.bound | inner.maybe_bound,
        captured=outside.captured | (inner.captured - own),
        nonlocals=outside.nonlocals | (inner.nonlocals - own),
    )
