# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The burst sampling updater gets its present name."""

# ruff: noqa: N802 LibCST calls visitors by the names of nodes

from __future__ import annotations

import re

import libcst as cst
import libcst.matchers as m
from libcst.helpers import get_full_name_for_node

from ...nodes import Node, find_all, replaced_all
from ..class_rewriter import ClassRewriter
from ..rule import Change, PythonFile, Rule

__all__ = ["RULE"]

OLD_CLASS = "ResamplingHypothesesUpdater"
NEW_CLASS = "BurstSamplingHypothesesUpdater"
PACKAGE = "tbp.monty.frameworks.models.evidence_matching"
OLD_NAME, NEW_NAME = "resampling_hypotheses_updater", "burst_sampling"
OLD_MODULE, NEW_MODULE = f"{PACKAGE}.{OLD_NAME}", f"{PACKAGE}.{NEW_NAME}"
REPLACED = ("hypotheses_count_multiplier", "hypotheses_existing_to_new_ratio")

_PATH = re.compile(
    re.escape(OLD_MODULE) + rf"(?P<attribute>\.{OLD_CLASS}\b)?(?![A-Za-z0-9_])"
)
_MODULE_RENAMED = f"{OLD_MODULE} became {NEW_MODULE}"
_GONE = f"{' and '.join(REPLACED)} are not arguments any more"
_REPLACED_KEY = re.compile(rf"^[^#]*?\b({'|'.join(REPLACED)})[\"']?\s*[:=]")
_REPLACED_NAME = m.Name(m.MatchIfTrue(lambda name: name in REPLACED))


class _UseNewName(ClassRewriter):
    def __init__(self, rule: str, file: PythonFile) -> None:
        super().__init__(rule, file)
        names = file.index.names(file.path)
        full = f"{OLD_MODULE}.{OLD_CLASS}"
        # Whether the class itself is imported, without an alias.
        self._is_imported = names.imports.get(OLD_CLASS) in (
            full,
            f"{NEW_MODULE}.{OLD_CLASS}",
        )
        self._own = OLD_CLASS in names.bases or OLD_CLASS in names.aliases
        self._modules = [
            local for local, what in names.imports.items() if what == OLD_MODULE
        ]

    def _reported(self, original: Node, renamed: Node, what: str) -> Node:
        if not renamed.deep_equals(original):
            self.changed(original, what)
        return renamed

    def leave_ImportFrom(
        self, original_node: cst.ImportFrom, updated_node: cst.ImportFrom
    ) -> cst.ImportFrom:
        if original_node.module is None or original_node.relative:
            return updated_node
        module = get_full_name_for_node(original_node.module)
        if module == PACKAGE:
            return self._submodule(original_node, updated_node)
        if module not in (OLD_MODULE, NEW_MODULE):
            return updated_node
        names = updated_node.names
        if not isinstance(names, cst.ImportStar):
            names = [self._renamed_alias(alias) for alias in names]
        elif module == NEW_MODULE:
            return updated_node
        renamed = updated_node.with_changes(
            module=_dotted(NEW_MODULE, original_node.module), names=names
        )
        what = f"{OLD_CLASS} became {NEW_CLASS}"
        return self._reported(original_node, renamed, what)

    def _renamed_alias(self, alias: cst.ImportAlias) -> cst.ImportAlias:
        if alias.evaluated_name != OLD_CLASS:
            return alias
        return alias.with_changes(name=cst.Name(NEW_CLASS))

    def _submodule(
        self, original: cst.ImportFrom, updated: cst.ImportFrom
    ) -> cst.ImportFrom:
        if isinstance(updated.names, cst.ImportStar):
            return updated
        names = [
            alias.with_changes(
                name=cst.Name(NEW_NAME),
                # The module keeps the name that it has in the file.
                asname=alias.asname or cst.AsName(cst.Name(OLD_NAME)),
            )
            if alias.evaluated_name == OLD_NAME
            else alias
            for alias in updated.names
        ]
        renamed = updated.with_changes(names=names)
        what = f"the module {OLD_NAME} became {NEW_NAME}"
        return self._reported(original, renamed, what)

    def leave_Import(
        self, original_node: cst.Import, updated_node: cst.Import
    ) -> cst.Import:
        names = [
            alias.with_changes(name=_dotted(NEW_MODULE, alias.name))
            if alias.evaluated_name == OLD_MODULE
            else alias
            for alias in updated_node.names
        ]
        renamed = updated_node.with_changes(names=names)
        return self._reported(original_node, renamed, _MODULE_RENAMED)

    def visit_ImportFrom(self, _: cst.ImportFrom) -> bool:
        return False

    def visit_Import(self, _: cst.Import) -> bool:
        return False

    def leave_Attribute(
        self, original_node: cst.Attribute, updated_node: cst.Attribute
    ) -> cst.BaseExpression:
        full = get_full_name_for_node(original_node) or ""
        if full == OLD_MODULE:
            return _dotted(NEW_MODULE, original_node)
        of_module = [f"{local}.{OLD_CLASS}" for local in self._modules]
        if full in (f"{OLD_MODULE}.{OLD_CLASS}", *of_module):
            self.changed(original_node, f"{OLD_CLASS} became {NEW_CLASS}")
            return updated_node.with_changes(attr=cst.Name(NEW_CLASS))
        return updated_node.with_changes(attr=original_node.attr)

    def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
        return updated_node.with_changes(keyword=original_node.keyword)

    def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.Name:
        if original_node.value != OLD_CLASS or not self._is_imported or self._own:
            return updated_node
        return updated_node.with_changes(value=NEW_CLASS)

    def leave_SimpleString(
        self, original_node: cst.SimpleString, updated_node: cst.SimpleString
    ) -> cst.SimpleString:
        text = _PATH.sub(_new_path, original_node.value)
        renamed = updated_node.with_changes(value=text)
        return self._reported(original_node, renamed, _MODULE_RENAMED)

    def leave_ConcatenatedString(
        self,
        original_node: cst.ConcatenatedString,
        updated_node: cst.ConcatenatedString,
    ) -> cst.BaseExpression:
        """Rename also in a path that is split into several strings."""
        value = original_node.evaluated_value
        if not isinstance(value, str) or not _PATH.search(value):
            return updated_node
        renamed = replaced_all(original_node, m.SimpleString(), _renamed_piece)
        return self._reported(original_node, renamed, _MODULE_RENAMED)

    def leave_SimpleStatementLine(
        self,
        original_node: cst.SimpleStatementLine,
        updated_node: cst.SimpleStatementLine,
    ) -> cst.SimpleStatementLine:
        if any(map(self._passes_replaced, find_all(original_node, cst.Call, m.Call()))):
            return self.mark(original_node, updated_node, _GONE)
        strings = find_all(original_node, cst.SimpleString, m.SimpleString())
        if any(one.evaluated_value in REPLACED for one in strings):
            return self.mark(original_node, updated_node, _GONE)
        return updated_node

    def _passes_replaced(self, call: cst.Call) -> bool:
        if not any(m.matches(one, m.Arg(keyword=_REPLACED_NAME)) for one in call.args):
            return False
        return m.matches(call.func, m.Name("dict")) or self.imports_monty()


def _renamed_piece(piece: cst.CSTNode) -> cst.CSTNode:
    value = cst.ensure_type(piece, cst.SimpleString).value
    text = value.replace(OLD_CLASS, NEW_CLASS).replace(OLD_NAME, NEW_NAME)
    return piece.with_changes(value=text)


def _new_path(found: re.Match[str]) -> str:
    return f"{NEW_MODULE}.{NEW_CLASS}" if found["attribute"] else NEW_MODULE


def _dotted(path: str, like: cst.BaseExpression) -> cst.BaseExpression:
    node = cst.parse_expression(path)
    return node.with_changes(lpar=like.lpar, rpar=like.rpar)


def _rewrite_text(text: str) -> tuple[str, list[Change]]:
    lines = text.splitlines(keepends=True)
    changes = []
    result: list[str] = []
    for number, line in enumerate(lines, 1):
        renewed = _PATH.sub(_new_path, line)
        if renewed != line:
            changes.append(Change(number, _MODULE_RENAMED))
        key = _REPLACED_KEY.match(line)
        if key and not (result and RULE.id in result[-1]):
            indent = line[: len(line) - len(line.lstrip())]
            ending = "\r\n" if line.endswith("\r\n") else "\n"
            what = f"{key[1]} is not an argument any more"
            result.append(f"{indent}# monty-refactor[{RULE.id}]: {what}{ending}")
        result.append(renewed)
    return "".join(result), changes


RULE: Rule = Rule(
    id="resampling-name",
    summary=(
        "ResamplingHypothesesUpdater and its module become "
        "BurstSamplingHypothesesUpdater and burst_sampling, in Python and in configs."
    ),
    by_hand=(
        "sampling_multiplier, sampling_burst_duration and burst_trigger_slope say how "
        "many hypotheses are added and when; deletion_trigger_slope says which are "
        "deleted."
    ),
    words=rf"{OLD_CLASS}|{OLD_NAME}|{'|'.join(REPLACED)}",
    rewrite=lambda module, file: _UseNewName(RULE.id, file).run(module),
    rewrite_text=_rewrite_text,
)
