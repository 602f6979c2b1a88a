# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Modules, classes and functions get their present names."""

from __future__ import annotations

import ast
import re
from typing import Iterable, Iterator, NamedTuple

from ..names import dotted
from ..renames import FORMER_ARGUMENTS, RENAMED
from ..rule import Left, Noted, Place, PythonFile, Rule
from ..source import Edit

__all__ = ["ARGUMENTS_RULE", "RULE"]

MAX_COLUMNS = 88
_PATH = re.compile(
    rf"(?<![\w.])(?:{'|'.join(sorted(map(re.escape, RENAMED), reverse=True))})(?!\w)"
)
_KEY = re.compile(
    rf"^[^#\n]*?\b(?P<name>{'|'.join(FORMER_ARGUMENTS)})[\"']?\s*[:=]", re.MULTILINE
)


class _Alias(NamedTuple):
    """A name that is imported: its former full name, its module and its name now."""

    node: ast.alias
    former: str
    module: str
    name: str


def _look(file: PythonFile) -> None:
    nodes = [*ast.walk(file.source.tree)]
    imports = [node for node in nodes if isinstance(node, ast.ImportFrom)]
    for one in imports:
        if one.level == 0 and one.module is not None:
            _look_at_import(file, one, one.module)
    _look_at_paths(file, imports)
    for node in nodes:
        if isinstance(node, ast.Attribute):
            _look_at_attribute(file, node)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            _look_at_divided(file, node, node.value)


def _look_at_import(file: PythonFile, node: ast.ImportFrom, module: str) -> None:
    aliases = [
        _Alias(one, f"{module}.{one.name}", *_now(module, one.name))
        for one in node.names
    ]
    if node.names[0].name == "*":
        if module in RENAMED:
            _leave_import(file, node)
        return
    modules = [*dict.fromkeys(one.module for one in aliases)]
    if all(one.name == one.node.name for one in aliases) and modules == [module]:
        return
    edits: list[Edit] = []
    texts = {one.node.name: _alias_text(file, one, edits) for one in aliases}
    source = file.source
    start, end = source.start(node), source.end(node)
    if len(modules) == 1:
        at = source.text.find(module, start, end)
        if at < 0:
            _leave_import(file, node)
            return
        edits.append(Edit(at, at + len(module), modules[0]))
        edits += [
            Edit(source.start(one.node), source.end(one.node), texts[one.node.name])
            for one in aliases
        ]
    elif "#" in source.of(node) or not _is_alone(file, node):
        _leave_import(file, node)
        return
    else:
        column = node.col_offset
        lines = [
            _import_text(
                new,
                [texts[one.node.name] for one in aliases if one.module == new],
                column,
            )
            for new in modules
        ]
        edits.append(Edit(start, end, f"\n{' ' * column}".join(lines)))
    what = ", ".join(
        f"{one.former} became {one.module}.{one.name}"
        for one in aliases
        if one.former != f"{one.module}.{one.name}"
    )
    file.noted.change(start, what, edits)


def _is_alone(file: PythonFile, node: ast.ImportFrom) -> bool:
    """Return whether there is nothing else on the lines of an import."""
    lines = file.source.lines(node.lineno, node.end_lineno or node.lineno)
    return lines.strip() == file.source.of(node)


def _leave_import(file: PythonFile, node: ast.ImportFrom) -> None:
    now = (".".join(_now(node.module or "", one.name)) for one in node.names)
    what = "names of this import are others now, or in other modules"
    file.leave(node, Left(what, f"They are: {', '.join(now)}."))


def _now(module: str, name: str) -> tuple[str, str]:
    """Return where something is now that was imported from a module."""
    full = f"{module}.{name}"
    if full in RENAMED:
        new_module, _, new_name = RENAMED[full].rpartition(".")
        return new_module, new_name
    return RENAMED.get(module, module), name


def _alias_text(file: PythonFile, alias: _Alias, edits: list[Edit]) -> str:
    """Return how something is imported; if its name changes, so do its uses."""
    old, local = alias.node.name, alias.node.asname
    if local not in (None, alias.name):
        return f"{alias.name} as {local}"
    if alias.name in (old, local):
        return alias.name
    if _is_module(alias.former) or not _may_rename_uses(file, old, alias.name):
        return f"{alias.name} as {old}"
    edits += [
        Edit(file.source.start(one), file.source.end(one), alias.name)
        for one in ast.walk(file.source.tree)
        if isinstance(one, ast.Name) and one.id == old
    ]
    return alias.name


def _may_rename_uses(file: PythonFile, old: str, new: str) -> bool:
    """Return whether a name is nothing but what is imported, also for other files."""
    imported = 0
    for node in ast.walk(file.source.tree):
        match node:
            case ast.Name(id=name, ctx=ast.Load()) if name == old:
                continue
            case ast.alias(name=name, asname=None) if name == old:
                imported += 1
            case ast.alias(name=name, asname=local):
                if old in (local, name) or new in (local, name):
                    return False
            case ast.Constant(value=str(text)) if re.search(rf"\b{old}\b", text):
                if "\n" not in text:  # it is no docstring, or a short one
                    return False
            case _ if {old, new} & {*_names_of(node)}:
                return False
    module = file.path.parent if file.path.stem == "__init__" else file.path
    others = {*file.project.classes.files_with(old)} - {file.path}
    importing = {*file.project.classes.files_with(module.stem)}
    return imported == 1 and not others & importing


def _names_of(node: ast.AST) -> Iterator[str]:
    """Yield the names that a node binds or uses, in whatever way."""
    for field in ("id", "arg", "name"):
        value = getattr(node, field, None)
        if isinstance(value, str):
            yield value
    yield from getattr(node, "names", ()) if isinstance(node, ast.Global) else ()


def _import_text(module: str, names: list[str], column: int) -> str:
    line = f"from {module} import {', '.join(names)}"
    if column + len(line) <= MAX_COLUMNS:
        return line
    indent = " " * column
    return (
        f"from {module} import (\n"
        + "".join(f"{indent}    {one},\n" for one in names)
        + f"{indent})"
    )


def _look_at_paths(file: PythonFile, imports: Iterable[ast.ImportFrom]) -> None:
    source = file.source
    spans = [(source.start(one), source.end(one)) for one in imports]
    chains = {
        source.start(node): node
        for node in ast.walk(source.tree)
        if isinstance(node, ast.Attribute)
    }
    for found in _PATH.finditer(source.text):
        at, old = found.start(), found[0]
        if any(start <= at < end for start, end in spans):
            continue
        if at in chains and not _is_in_renamed_module(old):
            what = f"{old} is {RENAMED[old]} now, whose module has to be imported"
            file.leave(chains[at], Left(what, "Import it, and use its present name."))
            continue
        _rename_path(file.noted, found)


def _rename_path(noted: Noted, found: re.Match[str]) -> None:
    new = RENAMED[found[0]]
    edit = Edit(found.start(), found.end(), new)
    noted.change(found.start(), f"{found[0]} became {new}", [edit])


def _is_in_renamed_module(old: str) -> bool:
    """Return whether what is renamed is a module, or moved with its whole module."""
    module = old.rpartition(".")[0]
    new_module = RENAMED[old].rpartition(".")[0]
    return _is_module(old) or RENAMED.get(module, module) == new_module


def _is_module(old: str) -> bool:
    return any(one.startswith(f"{old}.") for one in RENAMED)


def _look_at_attribute(file: PythonFile, node: ast.Attribute) -> None:
    """Rename what is used by another name of its module."""
    name = dotted(node)
    full = name and file.names.imported(name)
    if full is None or full == name or full not in RENAMED:
        return
    if not _is_in_renamed_module(full):
        what = f"{full} is {RENAMED[full]} now"
        file.leave(node, Left(what, "Import it from there."))
        return
    new, end = RENAMED[full].rpartition(".")[2], file.source.end(node)
    edit = Edit(end - len(node.attr), end, new)
    what = f"{full} became {RENAMED[full]}"
    file.noted.change(file.source.start(node), what, [edit])


def _look_at_divided(file: PythonFile, node: ast.Constant, value: str) -> None:
    """Rename in a path that is divided between strings, after its module."""
    text = file.source.of(node)
    for old in _PATH.findall(value):
        module, _, name = old.rpartition(".")
        if old not in text and module in text and module in RENAMED:
            start = file.source.start(node)
            for found in re.finditer(rf"\.({name})\b", text):
                new = RENAMED[old].rpartition(".")[2]
                edit = Edit(start + found.start(1), start + found.end(1), new)
                file.noted.change(start, f"{old} became {RENAMED[old]}", [edit])


def _look_at_config(text: str, noted: Noted) -> None:
    for found in _PATH.finditer(text):
        _rename_path(noted, found)


def _look_at_arguments(file: PythonFile) -> None:
    for node in ast.walk(file.source.tree):
        match node:
            case ast.Call(func=function, keywords=keywords):
                is_dict = isinstance(function, ast.Name) and function.id == "dict"
                for one in keywords:
                    if one.arg in FORMER_ARGUMENTS and (
                        is_dict or file.names.mentions_monty
                    ):
                        file.leave(one, _left_argument(one.arg))
            case ast.Constant(value=str(name)) if name in FORMER_ARGUMENTS:
                file.leave(node, _left_argument(name))


def _left_argument(name: str) -> Left:
    return Left(f"{name} is not an argument any more", f"{FORMER_ARGUMENTS[name]}.")


def _look_at_config_keys(text: str, noted: Noted) -> None:
    for found in _KEY.finditer(text):
        noted.append(Place(found.start("name"), _left_argument(found["name"])))


RULE: Rule = Rule(
    id="renamed",
    summary=(
        "Modules, classes and functions that were renamed or moved get their present "
        "names, in Python and in configs."
    ),
    words=r"\btbp\b",
    look=_look,
    look_at_config=_look_at_config,
)
ARGUMENTS_RULE: Rule = Rule(
    id="former-argument",
    summary="Arguments that the burst sampling updater no longer takes are listed.",
    words="|".join(FORMER_ARGUMENTS),
    look=_look_at_arguments,
    look_at_config=_look_at_config_keys,
)
