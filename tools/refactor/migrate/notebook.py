# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Converts a notebook to one Python text, and back."""

from __future__ import annotations

import ast
import json
import re
from typing import Any, Callable

__all__ = ["NotNotebook", "Notebook"]

_BOUNDARY = "__monty_refactor_cell__({number})"
_BOUNDARIES = re.compile(r"^__monty_refactor_cell__\((\d+)\)$", re.MULTILINE)
_MAGIC = re.compile(r"^(?P<indent>\s*)(?P<magic>[%!?].*)$")
_MASKED = re.compile(r"^(?P<indent>\s*)pass  # __monty_refactor_magic__ (?P<magic>.*)$")
_FILE_CELLS = ("%%writefile", "%%file")
_PYTHON_CELLS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%python", "%%memit")


class NotNotebook(Exception):
    """A file is not a notebook, or could not be written back unchanged."""


class Notebook:
    """The code of a notebook's cells, one after the other.

    Attributes:
        code: The code, with a line between cells; IPython's own lines are masked.
        unparsed: The numbers of code cells that are not Python, or that write Python
            to a file.
    """

    def __init__(self, text: str) -> None:
        """Read a notebook.

        Args:
            text: The text of the file.

        Raises:
            NotNotebook: If the text is not a notebook.
        """
        try:
            self._content = json.loads(text)
            cells = self._content["cells"]
            self._sources = {
                number: _source(cell)
                for number, cell in enumerate(cells, 1)
                if cell["cell_type"] == "code"
            }
        except (ValueError, KeyError, TypeError) as error:
            raise NotNotebook(f"is not a notebook: {error!r}") from error
        self._write = _writer(self._content, text)
        self.unparsed: dict[int, str] = {}
        parts = []
        for number, source in self._sources.items():
            masked = _masked(source)
            if not _parses(masked) or source.startswith(_FILE_CELLS):
                self.unparsed[number] = source
                continue
            parts += [_BOUNDARY.format(number=number), masked]
        self.code = "\n".join(parts) + "\n"

    def with_code(self, code: str) -> str:
        """Return the text of the notebook with new code in its cells."""
        content = json.loads(json.dumps(self._content))
        for number, source in self._split(code).items():
            if source == self._sources[number]:
                continue
            cell = content["cells"][number - 1]
            as_lines = isinstance(cell["source"], list)
            cell["source"] = source.splitlines(keepends=True) if as_lines else source
        return self._write(content)

    def place(self, code: str, line: int) -> tuple[int, int]:
        """Return the cell of a line of the code, and the line in it."""
        before = code.splitlines()[:line]
        for at in range(len(before) - 1, -1, -1):
            boundary = _BOUNDARIES.match(before[at])
            if boundary:
                return int(boundary[1]), max(line - at - 1, 1)
        return 1, line

    def _split(self, code: str) -> dict[int, str]:
        _, *parts = _BOUNDARIES.split(code)
        pairs = zip(parts[::2], parts[1::2], strict=True)
        sources = {}
        for number, part in pairs:
            original = self._sources[int(number)]
            masked = part.removeprefix("\n").removesuffix("\n")
            unmasked = _unmasked(masked)
            if unmasked != original:
                # Empty lines added at the start of a cell are removed.
                unmasked = unmasked.lstrip("\n")
            sources[int(number)] = unmasked
        return sources


def _source(cell: dict[str, Any]) -> str:
    source = cell["source"]
    return source if isinstance(source, str) else "".join(source)


def _masked(source: str) -> str:
    lines = source.split("\n")
    first = lines[0].split()[0] if lines[0].split() else ""
    if first.startswith("%%") and first not in _PYTHON_CELLS:
        return "\n".join(_mask(line) for line in lines)
    in_string = _lines_in_strings(source)
    return "\n".join(
        line if number in in_string or not _MAGIC.match(line) else _mask(line)
        for number, line in enumerate(lines, 1)
    )


def _mask(line: str) -> str:
    indent = line[: len(line) - len(line.lstrip())]
    return f"{indent}pass  # __monty_refactor_magic__ {line[len(indent) :]}"


def _unmasked(source: str) -> str:
    return "\n".join(
        f"{masked['indent']}{masked['magic']}" if masked else line
        for line in source.split("\n")
        for masked in [_MASKED.match(line)]
    )


def _lines_in_strings(source: str) -> set[int]:
    """Return the lines that continue a string from an earlier line."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return set()
    return {
        line
        for node in ast.walk(tree)
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno
        for line in range(node.lineno + 1, node.end_lineno + 1)
    }


def _parses(source: str) -> bool:
    try:
        ast.parse(source)
    except (SyntaxError, ValueError):
        return False
    return True


def _writer(content: Any, text: str) -> Callable[[Any], str]:
    """Find the JSON format of a notebook, so that the rest of it stays the same."""
    for indent in (1, 2, 4, None):
        for ascii_only in (False, True):
            for end in ("\n", ""):

                def write(
                    value: Any,
                    indent: int | None = indent,
                    ascii_only: bool = ascii_only,
                    end: str = end,
                ) -> str:
                    return (
                        json.dumps(value, indent=indent, ensure_ascii=ascii_only) + end
                    )

                if write(content) == text:
                    return write
    raise NotNotebook("cannot be written back as it is formatted")
