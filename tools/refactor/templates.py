# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Methods that codemods write, from their source."""

from __future__ import annotations

import textwrap

import libcst as cst
import libcst.matchers as m

from .nodes import parsed, replaced_all

__all__ = ["method_from", "without_remarks"]

_UNUSED = m.TrailingWhitespace(comment=m.Comment("# noqa: ARG002"))


def method_from(source: str) -> cst.FunctionDef:
    """Parse the source of a method, which is not indented."""
    # Parsed inside a class: LibCST indents code, but not the text of docstrings.
    around = f"class _:\n{textwrap.indent(source, '    ')}"
    return cst.ensure_type(parsed(around, cst.ClassDef).body.body[0], cst.FunctionDef)


def without_remarks(parameters: cst.Parameters) -> cst.Parameters:
    """Drop the remarks that a parameter is unused, since it is now passed on."""
    return replaced_all(parameters, _UNUSED, cst.TrailingWhitespace())
