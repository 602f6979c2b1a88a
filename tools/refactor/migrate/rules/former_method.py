# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Uses of methods that updaters and displacers had in earlier releases."""

from __future__ import annotations

import re
from typing import Iterator

import libcst as cst
import libcst.matchers as m
from libcst.helpers import get_full_name_for_node

from ...nodes import find_all
from ..kinds import Kind, kind_of_upstream_class
from ..marks import Marked, marking_rules
from ..rule import Rule
from ..statement_marker import StatementMarker
from . import displacer_protocol, updater_protocol

__all__ = ["RULE"]

_DISPLACE = displacer_protocol.RENEWAL.old
_UPDATE = updater_protocol.RENEWAL.old
_FORMER = {
    _DISPLACE: Kind.DISPLACER,
    _UPDATE: Kind.UPDATER,
    **dict.fromkeys(updater_protocol.CONTEXT, Kind.UPDATER),
}
_OWNERS = {Kind.DISPLACER: "displacers", Kind.UPDATER: "updaters"}
_RENEWING = (displacer_protocol.RULE.id, updater_protocol.RULE.id)
_USE = m.Attribute(attr=m.Name(m.MatchIfTrue(lambda name: name in _FORMER)))
_OWN = m.Name("self") | m.Name("cls") | m.Call(func=m.Name("super"))
_UPDATER_NAME = re.compile(r"_?(\w*hypothes[ei]s_)?updater\d*")
_SIGNATURES = (updater_protocol.RENEWAL.parameters, updater_protocol.PER_CHANNEL)


class _FindUses(StatementMarker):
    def reason(self, node: cst.CSTNode) -> str | None:
        for name in self._used_in(node):
            owners = _OWNERS[_FORMER[name]]
            return f"{name} is used, which {owners} do not have any more"
        return None

    def is_covered(self, updated: Marked) -> bool:
        is_marked = marking_rules(updated) & {*_RENEWING}
        return bool(is_marked) or self.is_in_marked_function(*_RENEWING)

    def _used_in(self, node: cst.CSTNode) -> Iterator[str]:
        for use in find_all(node, cst.Attribute, _USE):
            if self._has(use.value, use.attr.value):
                yield use.attr.value
        for call in find_all(node, cst.Call, m.Call()):
            if self._updates(call):
                yield _UPDATE
            yield from self._named_in(call)

    def _named_in(self, call: cst.Call) -> Iterator[str]:
        """Yield what a call, such as that of a patch, is given by name."""
        owner = call.args[0].value if call.args else call.func
        for argument in call.args:
            if argument.keyword and self._has(owner, argument.keyword.value):
                yield argument.keyword.value
            if isinstance(argument.value, (cst.SimpleString, cst.ConcatenatedString)):
                path, _, name = str(argument.value.evaluated_value).rpartition(".")
                former = _FORMER.get(name)
                of_path = kind_of_upstream_class(path) if path else None
                if former and (of_path is former or self._has(owner, name)):
                    yield name

    def _updates(self, call: cst.Call) -> bool:
        """Return whether a call of that name has the arguments of an update."""
        if not m.matches(call.func, m.Attribute(m.DoesNotMatch(_OWN), m.Name(_UPDATE))):
            return False
        keywords = {one.keyword.value for one in call.args if one.keyword}
        if keywords in map(set, _SIGNATURES):
            return True
        counts = {len(one) for one in _SIGNATURES}
        may_fit = len(call.args) in counts or any(one.star for one in call.args)
        return may_fit and self.imports_monty()

    def _has(self, owner: cst.BaseExpression, name: str) -> bool:
        """Return whether an object, or a class, had a method of that name."""
        return name == _DISPLACE or (
            name in _FORMER and self._kind(owner) is _FORMER[name]
        )

    def _kind(self, owner: cst.BaseExpression) -> Kind:
        index, file = self.file.index, self.file.path
        if m.matches(owner, _OWN):
            return index.kind_around(file, self.qualified_name)
        dotted = get_full_name_for_node(owner)
        if dotted is None:
            return Kind.UNKNOWN
        if _UPDATER_NAME.fullmatch(dotted.rpartition(".")[2]) and self.imports_monty():
            return Kind.UPDATER
        classes = {dotted, *index.names(file).instances.get(dotted, ())}
        kinds = {
            index.kind_of_expression(file, self.qualified_name, one) for one in classes
        }
        return Kind.UPDATER if Kind.UPDATER in kinds else Kind.OTHER


RULE: Rule = Rule(
    id="former-method",
    summary=(
        "Uses of methods that updaters and displacers no longer have are marked: "
        "calls, patches, mocks and aliases."
    ),
    by_hand=(
        "Use displace_hypotheses and update_evidence of an updater instead of "
        "update_hypotheses, and `with updater:` instead of pre_step and post_step. Use "
        "displace_hypotheses and compute_evidence of a displacer instead of "
        "displace_hypotheses_and_compute_evidence. A patch of the former name has no "
        "effect."
    ),
    words=rf"\b({'|'.join(_FORMER)})\b",
    rewrite=lambda module, file: _FindUses(RULE.id, file).run(module),
)
