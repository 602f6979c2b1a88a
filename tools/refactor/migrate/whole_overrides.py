# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds methods that cannot be split because another override stays whole."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import Iterator, Sequence

import libcst as cst

from ..phases.naming import halves_of
from .class_index import ClassIndex, ProjectClass
from .module_names import ModuleNames, names_in
from .rule import PythonFile, Rule, rewritten

__all__ = ["WholeOverrides"]


class WholeOverrides:
    """The overrides of a project that stay whole when its files are migrated."""

    def __init__(self, index: ClassIndex, rules: Sequence[Rule]) -> None:
        """Set up the search.

        Args:
            index: The classes of the project, as they are.
            rules: The rules that are applied to it.
        """
        self._index = index
        self._rules = rules
        self._migrated = functools.cache(self._names_if_migrated_alone)

    def in_the_way(self, one: ProjectClass, method: str) -> str | None:
        """Return why a class may not have halves of a method; None if it may."""
        split = [one]
        for each in split:
            for other in self._below(each):
                if isinstance(other, str):
                    base = other.rpartition(".")[2] or "a base class"
                    return f"{base} is not among the files, and may override the whole"
                members = self._index.names(other.file).members[other.name]
                if method not in members:
                    continue
                if self._stays_whole(other, method):
                    where = f"{other.name}.{method}"
                    return f"{where} stays whole, and cannot be called by halves"
                # The base of a split override must be split too.
                if other not in split:
                    split.append(other)
        return None

    def _below(self, one: ProjectClass) -> Iterator[ProjectClass | str]:
        """Yield the classes after a class in every base order that contains it."""
        for order in self._index.orders_with(one):
            for other in order[order.index(one) + 1 :]:
                if isinstance(other, ProjectClass) or self._index.is_not_known(other):
                    yield other

    def _names_if_migrated_alone(self, path: Path) -> ModuleNames:
        if path in self._index.of_monty:
            return self._index.names(path)  # it is not migrated
        file = PythonFile(path, self._index)
        try:
            return names_in(rewritten(self._index.texts[path], file, self._rules)[0])
        except (cst.ParserSyntaxError, SyntaxError, ValueError):
            return self._index.names(path)  # the file stays unchanged

    def _stays_whole(self, one: ProjectClass, method: str) -> bool:
        members = self._migrated(one.file).members[one.name]
        halves = halves_of(method)
        return method in members and not members & {halves.dispatch, halves.process}
