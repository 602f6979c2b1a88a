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
_EITHER = _MESSAGE | m.SimpleString()
_LINES = m.ConcatenatedString(_MESSAGE, _EITHER) | m.ConcatenatedString(
    _EITHER, _MESSAGE
)
_LOG = m.Call(
    func=m.Attribute(value=m.Name("logger")),
    args=[m.Arg(value=m.OneOf(_MESSAGE, _LINES), keyword=None, star="")],
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
    message = call.args[0].value
    lines = [message]
    if isinstance(message, cst.ConcatenatedString):
        lines = [message.left, message.right]
    texts, arguments, marks = "", [], set()
    for line in lines:
        assert isinstance(line, (cst.FormattedString, cst.SimpleString))
        marks.add((line.prefix.lower().replace("f", ""), line.quote))
        if isinstance(line, cst.SimpleString):
            texts += line.raw_value.replace("%", "%%")
            continue
        for part in line.parts:
            if isinstance(part, cst.FormattedStringExpression):
                texts += "%s"
                arguments.append(cst.Arg(part.expression))
            elif isinstance(part, cst.FormattedStringText):
                text = part.value.replace("%", "%%")
                texts += text.replace("{{", "{").replace("}}", "}")
    [(prefix, quote)] = marks  # the same for all lines
    literal = cst.Arg(cst.SimpleString(prefix + quote + texts + quote))
    plain = cst.SimpleWhitespace("")
    return call.with_changes(whitespace_before_args=plain, args=[literal, *arguments])
