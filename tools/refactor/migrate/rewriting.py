# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Applies rules to the text of a Python file."""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import Sequence

import libcst as cst

from .class_index import ClassIndex
from .module_names import ModuleNames, names_in
from .rule import Change, PythonFile, Rule
from .whole_overrides import WholeOverrides

__all__ = ["rewritten", "whole_overrides"]


def rewritten(
    text: str, file: PythonFile, rules: Sequence[Rule]
) -> tuple[str, list[Change]]:
    """Apply rules to a text.

    Args:
        text: The text.
        file: Its file.
        rules: The rules, in order.

    Returns:
        The new text, and what was changed.
    """
    file = replace(file, changes=[])
    for rule in rules:
        if rule.may_concern(text):
            text = rule.rewrite(cst.parse_module(text), file).code
    return text, file.changes


def whole_overrides(index: ClassIndex, rules: Sequence[Rule]) -> WholeOverrides:
    """Return which overrides of a project stay whole.

    Args:
        index: The classes of the project.
        rules: The rules that are applied to it.
    """

    @functools.cache
    def names_if_migrated_alone(path: Path) -> ModuleNames:
        file = PythonFile(path, index)
        try:
            return names_in(rewritten(index.texts[path], file, rules)[0])
        except (cst.ParserSyntaxError, SyntaxError, ValueError):
            return index.names(path)  # the file stays unchanged

    return WholeOverrides(index, names_if_migrated_alone)
