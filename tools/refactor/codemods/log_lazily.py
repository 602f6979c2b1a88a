# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Formats log messages of a method only when they are logged."""

from __future__ import annotations

import libcst as cst
import libcst.matchers as m

from ..class_codemod import MethodCodemod
from ..nodes import replaced_all

__all__ = ["LogLazily"]

_NAME = m.Name() | m.Attribute()
_FIELD = m.FormattedStringExpression(
    expression=_NAME, conversion=None, equal=None, format_spec=None
)
_MESSAGE = m.FormattedString(parts=[m.ZeroOrMore(m.FormattedStringText() | _FIELD)])
_LOG = m.Call(
    func=m.Attribute(value=m.Name("logger")),
    args=[m.Arg(value=_MESSAGE, keyword=None, star="")],
)


class LogLazily(MethodCodemod):
    """Turns f-strings that are logged into a format and its arguments.

    Only f-strings that insert plain names: any other expression in braces would still
    be evaluated.
    """

    def is_done(self, method: cst.FunctionDef) -> bool:
        lazy = m.Call(
            func=m.Attribute(value=m.Name("logger")),
            args=[m.Arg(m.SimpleString()), m.AtLeastN(n=1)],
        )
        return bool(m.findall(method, lazy)) and not m.findall(method, _LOG)

    def transform_method(self, method: cst.FunctionDef) -> list[cst.FunctionDef]:
        if not m.findall(method, _LOG):
            raise self.missing("a call of logger with an f-string of names")
        return [replaced_all(method, _LOG, _with_arguments)]


def _with_arguments(node: cst.CSTNode) -> cst.Call:
    call = cst.ensure_type(node, cst.Call)
    message = cst.ensure_type(call.args[0].value, cst.FormattedString)
    texts, arguments = [], []
    for part in message.parts:
        if isinstance(part, cst.FormattedStringExpression):
            texts.append("%s")
            arguments.append(cst.Arg(part.expression))
        elif isinstance(part, cst.FormattedStringText):
            text = part.value.replace("%", "%%")
            texts.append(text.replace("{{", "{").replace("}}", "}"))
    prefix = message.prefix.lower().replace("f", "")
    literal = prefix + message.quote + "".join(texts) + message.quote
    return call.with_changes(args=[cst.Arg(cst.SimpleString(literal)), *arguments])
