# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Determines what the classes of a project are, from their bases in all its files."""

from __future__ import annotations

import ast
import builtins
import os
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Collection, Iterator, Mapping, Sequence

from .kinds import PACKAGE, Kind, is_known_class, kind_of_upstream_class
from .names import ModuleNames, bound_in, names_in
from .source import Source

__all__ = ["Classes", "ProjectClass"]

_WORD = re.compile(r"\w+")
_MOST_IMPORTS = 50
"""Through so many files a name is followed: they may import each other."""
_NO_BASE = {"object", "ABC", "abc.ABC", "Protocol", "typing.Protocol", "Generic"}


@dataclass(frozen=True)
class ProjectClass:
    """A class of the project: its file, and its qualified name there."""

    file: Path
    name: str

    @property
    def short(self) -> str:
        return self.name.rpartition(".")[2]


class Classes:
    """The classes of the files that are migrated together.

    A file is read only when a class in it is asked for.
    """

    def __init__(
        self, texts: Mapping[Path, str], of_monty: Collection[Path] = ()
    ) -> None:
        """Set up the index.

        Args:
            texts: The Python text of every file.
            of_monty: The files that belong to a copy of tbp.monty.
        """
        self.texts = texts
        self.of_monty = of_monty
        self._sources: dict[Path, Source | None] = {}
        self._names: dict[Path, ModuleNames] = {}
        self._kinds: dict[ProjectClass, Kind] = {}

    @cached_property
    def _files_called(self) -> dict[str, list[Path]]:
        """The files by the last name of their modules."""
        files: dict[str, list[Path]] = {}
        for file in self.texts:
            files.setdefault(_module_name(file), []).append(file)
        return files

    @cached_property
    def _files_with(self) -> dict[str, list[Path]]:
        """The files by the words in them."""
        files: dict[str, list[Path]] = {}
        for file, text in self.texts.items():
            for word in {*_WORD.findall(text)}:
                files.setdefault(word, []).append(file)
        return files

    def source(self, file: Path) -> Source | None:
        """Return a file; None if it does not parse."""
        if file not in self._sources:
            try:
                self._sources[file] = Source(self.texts[file])
            except (SyntaxError, ValueError, RecursionError):
                self._sources[file] = None
        return self._sources[file]

    def names(self, file: Path) -> ModuleNames:
        """Return what the names in a file stand for; nothing if it does not parse."""
        if file not in self._names:
            source = self.source(file)
            self._names[file] = names_in(source.tree) if source else ModuleNames()
        return self._names[file]

    def files_with(self, word: str) -> Sequence[Path]:
        return self._files_with.get(word, ())

    def sources_with(self, word: str) -> list[Source]:
        """Return the files with a word in them, without those of tbp.monty."""
        files = {*self.files_with(word)} - {*self.of_monty}
        sources = map(self.source, files)
        return [one for one in sources if one is not None]

    def definition(self, one: ProjectClass) -> ast.ClassDef:
        """Return a class; of several of the same name, the last one."""
        return self.names(one.file).classes[one.name][-1]

    def definitions(self, kinds: Collection[Kind]) -> Iterator[ast.ClassDef]:
        """Yield the classes of some kinds, and those that share instances with them."""
        found = [
            one
            for file in self.files_with("tbp")
            if file not in self.of_monty
            for name in self.names(file).classes
            if self.kind(one := ProjectClass(file, name)) in kinds
        ]
        families = {two for one in found for two in self.family(one)}
        for each in families:
            if isinstance(each, ProjectClass) and each.file not in self.of_monty:
                yield from self.names(each.file).classes[each.name]

    def members(self, one: ProjectClass) -> set[str]:
        """Return the names that the body of a class binds."""
        return {
            name
            for node in self.names(one.file).classes[one.name]
            for name in bound_in(node)
        }

    def kind(self, one: ProjectClass) -> Kind:
        """Return what a class is.

        A class without bases that is mixed into learning modules, and into nothing
        else, counts as one.
        """
        if one not in self._kinds:
            self._kinds[one] = Kind.OTHER  # for a class that is among its own bases
            self._kinds[one] = self._kind(one)
        return self._kinds[one]

    def kind_of(self, file: Path, scope: str, name: str) -> Kind:
        """Return the kind of the class that a dotted name means in a scope."""
        return self._kind_of_base(self._resolve(file, scope, name))

    def kind_around(self, file: Path, scope: str) -> Kind:
        """Return the kind of the innermost class around a scope."""
        while scope and scope not in self.names(file).bases:
            scope = scope.rpartition(".")[0]
        return self.kind(ProjectClass(file, scope)) if scope else Kind.OTHER

    def family(self, one: ProjectClass) -> list[ProjectClass | str]:
        """Return the classes that may share an instance with a class, and itself.

        These are its subclasses, and all their bases. A base outside the files is a
        dotted name if the name is known, otherwise an empty string.
        """
        below = [one]
        for each in below:
            below += [two for two in self._direct_subclasses(each) if two not in below]
        family: list[ProjectClass | str] = [*below]
        for base in family:
            if isinstance(base, ProjectClass):
                family += [two for two in self._direct_bases(base) if two not in family]
        return family

    def unknown_bases(self, one: ProjectClass) -> list[str]:
        """Return those of a family that are neither upstream's nor Python's own."""
        return [
            base
            for base in self.family(one)
            if isinstance(base, str) and _is_not_known(base)
        ]

    def _kind(self, one: ProjectClass) -> Kind:
        kinds = {self._kind_of_base(base) for base in self._direct_bases(one)}
        if not kinds:
            return self._kind_of_mixin(one)
        if one.file in self.of_monty:
            kinds = kinds - {Kind.UNKNOWN} or {Kind.OTHER}
        return next(kind for kind in Kind if kind in kinds)

    def _kind_of_base(self, base: ProjectClass | str) -> Kind:
        if isinstance(base, ProjectClass):
            return self.kind(base)
        return kind_of_upstream_class(base) or Kind.UNKNOWN

    def _direct_bases(self, one: ProjectClass) -> Iterator[ProjectClass | str]:
        scope = one.name.rpartition(".")[0]
        for base in self.names(one.file).bases.get(one.name, ()):
            if base not in _NO_BASE:
                yield self._resolve(one.file, scope, base) if base else ""

    def _kind_of_mixin(self, one: ProjectClass) -> Kind:
        kinds = {
            self.kind(below)
            for below in self._direct_subclasses(one)
            if len(self.names(below.file).bases[below.name]) > 1
        }
        return kinds.pop() if len(kinds) == 1 else Kind.OTHER

    def _direct_subclasses(self, one: ProjectClass) -> Iterator[ProjectClass]:
        # An import under another name also contains the name itself.
        for file in self.files_with(one.short):
            for name, bases in self.names(file).bases.items():
                scope = name.rpartition(".")[0]
                if any(
                    base is not None and self._resolve(file, scope, base) == one
                    for base in bases
                ):
                    yield ProjectClass(file, name)

    def _resolve(
        self, file: Path, scope: str, name: str, depth: int = 0
    ) -> ProjectClass | str:
        """Find the class that a dotted name refers to, or its imported name."""
        names = self.names(file)
        near = names.class_near(name, scope)
        if near is not None:
            # Upstream's classes are known by name, also in a copy of upstream.
            known = f"{PACKAGE}.{near}"
            of_monty = file in self.of_monty and is_known_class(known)
            return known if of_monty else ProjectClass(file, near)
        if depth > _MOST_IMPORTS:
            return name
        first, dot, rest = name.partition(".")
        if first in names.imports:
            return self._imported_class(file, names.imported(name), depth)
        if first in names.aliases and names.aliases[first] != first:
            return self._resolve(
                file, scope, f"{names.aliases[first]}{dot}{rest}", depth + 1
            )
        for module in names.stars:
            found = self._imported_class(file, f"{module}.{name}", depth)
            if isinstance(found, ProjectClass) or is_known_class(found):
                return found
        return name

    def _imported_class(
        self, file: Path, imported: str, depth: int
    ) -> ProjectClass | str:
        if is_known_class(imported):
            return imported
        module, _, name = imported.rpartition(".")
        levels = len(imported) - len(imported.lstrip("."))
        if levels:
            module = imported[levels:].rpartition(".")[0]
        # The name may be a class inside a class of the module.
        while module or levels:
            there = self._file_of(file, module, levels)
            if there is not None and there != file:
                found = self._resolve(there, "", name, depth + 1)
                is_lost = isinstance(found, str) and _is_not_known(found)
                return imported if is_lost and there in self.of_monty else found
            if "." not in module:
                break
            module, _, last = module.rpartition(".")
            name = f"{last}.{name}"
        return imported

    def _file_of(self, importer: Path, module: str, levels: int) -> Path | None:
        parts = module.split(".") if module else []
        folder = importer.parents[:levels][-1] if levels else Path()
        wanted = folder.joinpath(*parts)
        candidates = [wanted.with_name(f"{wanted.name}.py"), wanted / "__init__.py"]
        if levels:
            return next((one for one in candidates if one in self.texts), None)
        matches = [
            file
            for ending in candidates
            for file in self._files_called.get(_module_name(ending), ())
            if file.parts[-len(ending.parts) :] == ending.parts
        ]

        def shared_parts(file: Path) -> int:
            return len(Path(os.path.commonpath([file, importer])).parts)

        # Of two modules of the same name, the one next to the importer.
        return max(matches, key=shared_parts, default=None)


def _is_not_known(imported: str) -> bool:
    package = imported.partition(".")[0]
    return kind_of_upstream_class(imported) is None and not (
        package in sys.stdlib_module_names or hasattr(builtins, imported or "-")
    )


def _module_name(file: Path) -> str:
    return file.parent.name if file.stem == "__init__" else file.stem
