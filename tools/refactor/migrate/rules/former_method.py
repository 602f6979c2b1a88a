# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Methods that updaters and displacers had in earlier releases."""

from __future__ import annotations

import ast
import re
from typing import Iterator

from ..attributes import is_super
from ..classes import ProjectClass
from ..kinds import Kind, kind_of_upstream_class
from ..names import dotted
from ..rule import Left, PythonFile, Rule
from ..steps import parameters

__all__ = ["RULE"]

_DISPLACE = "displace_hypotheses_and_compute_evidence"
_UPDATE = "update_hypotheses"
_FORMER = {
    _DISPLACE: Kind.DISPLACER,
    _UPDATE: Kind.UPDATER,
    "pre_step": Kind.UPDATER,
    "post_step": Kind.UPDATER,
}
_NOW = {
    "pre_step": """\
def __enter__(self):
    ...  # what pre_step did
    return self
""",
    "post_step": """\
def __exit__(self, exc_type, exc_val, exc_tb):
    ...  # what post_step did
""",
    _UPDATE: """\
def displace_hypotheses(self, hypotheses, displacement, graph_id):
    ...  # what moves hypotheses; return them

def update_evidence(self, hypotheses, features, graph_id, evidence_update_threshold):
    ...  # the rest, with hypotheses that are moved already
""",
    _DISPLACE: """\
def displace_hypotheses(self, displacement, hypotheses):
    ...  # what moves hypotheses; return them

def compute_evidence(self, features, evidence_update_threshold, graph_id, hypotheses):
    ...  # the rest, with hypotheses that are moved already
""",
}
_THRESHOLD = "evidence_update_threshold"
_LAST = ["hypotheses", "features", "displacement", "graph_id", _THRESHOLD]
_BEFORE = ["hypotheses", "features", "displacements", "graph_id", "mapper", _THRESHOLD]
_PRESENT = [one for one in _LAST if one != "displacement"]
_UPDATER_NAME = re.compile(r"_?(\w*hypothes[ei]s_)?updater\d*")
_USE_NOW = "A patch of the former name has no effect. There are instead:"


def _look(file: PythonFile) -> None:
    for one, method in file.methods():
        former = _FORMER.get(method.name)
        if method.name == _DISPLACE or (former and _kind(file, one) is former):
            what = f"{method.name} has another name, or is two methods now"
            file.leave(method, Left(what, _NOW[method.name]))
    finder = _Finder(file)
    finder.visit(file.source.tree)


def _kind(file: PythonFile, one: ProjectClass) -> Kind:
    """Return what a class is; updaters need no base, so they are told by a method."""
    is_updater = any(
        parameters(method)[1:] in (_LAST, _BEFORE, _PRESENT)
        for owner, method in file.methods()
        if owner == one and method.name in (_UPDATE, "update_evidence")
    )
    if is_updater:
        return Kind.UPDATER
    return file.project.classes.kind(one)


class _Finder(ast.NodeVisitor):
    def __init__(self, file: PythonFile) -> None:
        self._file = file
        self._scope: list[str] = []

    def visit(self, node: ast.AST) -> None:
        is_scope = isinstance(
            node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
        )
        if is_scope:
            self._scope.append(node.name)  # type: ignore[attr-defined]
        super().visit(node)
        if is_scope:
            self._scope.pop()

    def visit_Attribute(self, node: ast.Attribute) -> None:
        if self._had(node.value, node.attr):
            self._leave(node, node.attr)
        self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> None:
        if self._updates(node):
            self._leave(node, _UPDATE)
        for name in self._named_in(node):
            self._leave(node, name)
        self.generic_visit(node)

    def _leave(self, node: ast.AST, name: str) -> None:
        owners = f"{_FORMER[name].name.lower()}s"
        what = f"{name} is used, which {owners} do not have any more"
        self._file.leave(node, Left(what, f"{_USE_NOW}\n\n{_NOW[name]}"))

    def _named_in(self, call: ast.Call) -> Iterator[str]:
        """Yield what a call, such as that of a patch, is given by name."""
        owner = call.args[0] if call.args else call.func
        for keyword in call.keywords:
            if keyword.arg and self._had(owner, keyword.arg):
                yield keyword.arg
        for value in (*call.args, *(one.value for one in call.keywords)):
            if isinstance(value, ast.Constant) and isinstance(value.value, str):
                path, _, name = value.value.rpartition(".")
                former = _FORMER.get(name)
                of_path = kind_of_upstream_class(path) if path else None
                if former and (of_path is former or self._had(owner, name)):
                    yield name

    def _updates(self, call: ast.Call) -> bool:
        """Return whether a call of that name has the arguments of an update."""
        named = call.func
        if not isinstance(named, ast.Attribute) or named.attr != _UPDATE:
            return False
        if _is_own(named.value) or self._had(named.value, _UPDATE):
            return False  # known, or somebody else's
        if any(one.arg == _THRESHOLD for one in call.keywords):
            return True
        may_be = len(call.args) + len(call.keywords) in (len(_LAST), len(_BEFORE))
        is_open = any(isinstance(one, ast.Starred) for one in call.args)
        return (may_be or is_open) and self._file.names.mentions_monty

    def _had(self, owner: ast.expr, name: str) -> bool:
        """Return whether an object, or a class, had a method of that name."""
        return name == _DISPLACE or (
            name in _FORMER and self._kind(owner) is _FORMER[name]
        )

    def _kind(self, owner: ast.expr) -> Kind:
        classes, path = self._file.project.classes, self._file.path
        scope = ".".join(self._scope)
        if _is_own(owner):
            return classes.kind_around(path, scope)
        name = dotted(owner)
        if name is None:
            return Kind.UNKNOWN
        mentions_monty = self._file.names.mentions_monty
        if _UPDATER_NAME.fullmatch(name.rpartition(".")[2]) and mentions_monty:
            return Kind.UPDATER
        of = {name, *self._file.names.instances.get(name, ())}
        kinds = {classes.kind_of(path, scope, one) for one in of}
        return Kind.UPDATER if Kind.UPDATER in kinds else Kind.OTHER


def _is_own(node: ast.expr) -> bool:
    return is_super(node) or (isinstance(node, ast.Name) and node.id in ("self", "cls"))


RULE: Rule = Rule(
    id="former-method",
    summary=(
        "Methods that updaters and displacers no longer have are listed where they are "
        "defined, called, patched or given another name."
    ),
    words=rf"\b({'|'.join(_FORMER)})\b",
    look=_look,
)
