# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Tells what the classes of a project are, by following their bases through files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Callable, Iterable, Iterator, Mapping

from .kinds import Kind, kind_of_upstream_class
from .module_names import ModuleNames, names_in

__all__ = ["ClassIndex"]

_NO_BASE = {"object", "ABC", "abc.ABC", "Protocol", "typing.Protocol", "Generic"}


@dataclass(frozen=True)
class _Class:
    file: Path
    name: str


class ClassIndex:
    """The classes of the files that are migrated together.

    Files are read when a class in them is asked for, and only then.
    """

    def __init__(self, texts: Mapping[Path, str]) -> None:
        """Set up the index.

        Args:
            texts: The Python text of every file.
        """
        self._texts = texts
        self._names: dict[Path, ModuleNames] = {}
        self._kinds: dict[_Class, Kind] = {}

    def names(self, file: Path) -> ModuleNames:
        """Return what the names in a file stand for; nothing if it does not parse."""
        if file not in self._names:
            try:
                self._names[file] = names_in(self._texts[file])
            except (SyntaxError, ValueError):
                self._names[file] = ModuleNames()
        return self._names[file]

    def kind(self, file: Path, class_name: str) -> Kind:
        """Return what a class is.

        A class without bases that is mixed into learning modules, and into nothing
        else, counts as one.

        Args:
            file: The file that defines it.
            class_name: Its qualified name in the file.
        """
        one = _Class(file, class_name)
        if one not in self._kinds:
            self._kinds[one] = Kind.OTHER  # for a class that is among its own bases
            self._kinds[one] = self._kind(one)
        return self._kinds[one]

    def kind_of_expression(self, file: Path, scope: str, dotted: str) -> Kind:
        """Return what the class is that an expression names in a scope."""
        found = self._resolve(file, scope, dotted)
        if isinstance(found, _Class):
            return self.kind(found.file, found.name)
        return kind_of_upstream_class(found) or Kind.UNKNOWN

    def imported(self, file: Path, dotted: str) -> str:
        """Return what a dotted name stands for, with the imports put in."""
        first, dot, rest = dotted.partition(".")
        names = self.names(file)
        if first in names.imports:
            return f"{names.imports[first]}{dot}{rest}"
        return dotted

    def _kind(self, one: _Class) -> Kind:
        bases = self.names(one.file).bases.get(one.name, [])
        scope = one.name.rpartition(".")[0]
        kinds = {
            Kind.UNKNOWN
            if base is None
            else self.kind_of_expression(one.file, scope, base)
            for base in bases
            if base not in _NO_BASE
        }
        if not kinds:
            return self._kind_of_mixin(one)
        known = [
            kind
            for kind in (Kind.LM, Kind.MONTY, Kind.UPDATER, Kind.DISPLACER)
            if kind in kinds
        ]
        if known:
            return known[0]
        return Kind.UNKNOWN if Kind.UNKNOWN in kinds else Kind.OTHER

    def methods_around(self, file: Path, class_name: str) -> set[str]:
        """Return the methods that classes above and below another one define.

        Upstream's own classes do not count.
        """
        one = _Class(file, class_name)
        return {
            method
            for step in (self._direct_subclasses, self._direct_bases)
            for other in self._reached(one, step)
            for method in self.names(other.file).methods.get(other.name, ())
        }

    def _reached(
        self, one: _Class, step: Callable[[_Class], Iterable[_Class]]
    ) -> set[_Class]:
        reached: set[_Class] = set()
        following = [*step(one)]
        while following:
            other = following.pop()
            if other not in reached:
                reached.add(other)
                following += step(other)
        return reached

    def _direct_bases(self, one: _Class) -> Iterator[_Class]:
        scope = one.name.rpartition(".")[0]
        for base in self.names(one.file).bases.get(one.name, ()):
            found = base and self._resolve(one.file, scope, base)
            if isinstance(found, _Class):
                yield found

    def _kind_of_mixin(self, one: _Class) -> Kind:
        kinds = {
            self.kind(below.file, below.name)
            for below in self._direct_subclasses(one)
            if len(self.names(below.file).bases[below.name]) > 1
        }
        return kinds.pop() if len(kinds) == 1 else Kind.OTHER

    def _direct_subclasses(self, one: _Class) -> Iterator[_Class]:
        # An import under another name has the name itself, too.
        short = one.name.rpartition(".")[2]
        for file, text in self._texts.items():
            if short not in text:
                continue
            for name, bases in self.names(file).bases.items():
                scope = name.rpartition(".")[0]
                if any(
                    base is not None and self._resolve(file, scope, base) == one
                    for base in bases
                ):
                    yield _Class(file, name)

    def _resolve(
        self, file: Path, scope: str, dotted: str, depth: int = 0
    ) -> _Class | str:
        """Find the class that a name means, or what it is imported as."""
        names = self.names(file)
        near = names.class_near(dotted, scope)
        if near is not None:
            return _Class(file, near)
        if depth > len(self._texts) + 8:
            return dotted
        first, dot, rest = dotted.partition(".")
        if first in names.imports:
            return self._imported_class(
                file, f"{names.imports[first]}{dot}{rest}", depth
            )
        if first in names.aliases and names.aliases[first] != first:
            return self._resolve(
                file, scope, f"{names.aliases[first]}{dot}{rest}", depth + 1
            )
        for module in names.stars:
            found = self._imported_class(file, f"{module}.{dotted}", depth)
            upstream = isinstance(found, str) and kind_of_upstream_class(found)
            if isinstance(found, _Class) or upstream not in (None, Kind.OTHER, False):
                return found
        return dotted

    def _imported_class(self, file: Path, imported: str, depth: int) -> _Class | str:
        module, _, name = imported.rpartition(".")
        levels = len(imported) - len(imported.lstrip("."))
        if levels:
            module = imported[levels:].rpartition(".")[0]
        # The name may be a class inside a class of the module.
        while module or levels:
            there = self._file_of(file, module, levels)
            if there is not None and there != file:
                return self._resolve(there, "", name, depth + 1)
            if "." not in module:
                break
            module, _, last = module.rpartition(".")
            name = f"{last}.{name}"
        return imported

    def _file_of(self, importer: Path, module: str, levels: int) -> Path | None:
        parts = module.split(".") if module else []
        if levels:
            folder = importer.parent
            for _ in range(levels - 1):
                folder = folder.parent
            wanted = folder.joinpath(*parts)
            candidates = [wanted.with_name(f"{wanted.name}.py"), wanted / "__init__.py"]
            return next((one for one in candidates if one in self._texts), None)
        endings = [
            PurePath(*parts[:-1], f"{parts[-1]}.py"),
            PurePath(*parts, "__init__.py"),
        ]
        matches = [
            file
            for file in self._texts
            for ending in endings
            if file.parts[-len(ending.parts) :] == ending.parts
        ]
        # Of two modules of the same name, the one next to the importer.
        return max(
            matches, key=lambda file: _shared_parts(file, importer), default=None
        )


def _shared_parts(one: Path, other: Path) -> int:
    count = 0
    for mine, theirs in zip(one.parts, other.parts, strict=False):
        if mine != theirs:
            break
        count += 1
    return count
