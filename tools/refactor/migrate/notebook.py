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
import itertools
import json
import re
from typing import Any

__all__ = ["Notebook", "Unreadable"]

_BOUNDARY = "__monty_refactor_cell__({number})"
_BOUNDARIES = re.compile(r"^__monty_refactor_cell__\((\d+)\)$", re.MULTILINE)
_MAGIC = re.compile(r"^\s*[%!?]")
_MASKED = re.compile(r"^(\s*)pass  # __monty_refactor_magic__ ", re.MULTILINE)
_FILE_CELLS = ("%%writefile", "%%file")
_PYTHON_CELLS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%python", "%%memit")


class Unreadable(Exception):
    """A file cannot be read, or could not be written back unchanged."""


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
            Unreadable: If the text is not a notebook.
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
            raise Unreadable(f"is not a notebook: {error!r}") from error
        self._encoder = _encoder(self._content, text)
        self._end = "\n" if text.endswith("\n") else ""
        self.unparsed: dict[int, str] = {}
        parts = []
        for number, source in self._sources.items():
            masked = _masked(source)
            if _parsed(masked) is None or source.startswith(_FILE_CELLS):
                self.unparsed[number] = source
                continue
            parts += [_BOUNDARY.format(number=number), masked]
        self.code = "\n".join(parts) + "\n"

    def with_code(self, code: str) -> str:
        """Return the text of the notebook with new code in its cells."""
        content = json.loads(json.dumps(self._content))
        _, *parts = _BOUNDARIES.split(code)
        for number, part in zip(parts[::2], parts[1::2], strict=True):
            unmasked = _MASKED.sub(r"\1", part.removeprefix("\n").removesuffix("\n"))
            # Empty lines added at the start of a cell are removed.
            source = unmasked.lstrip("\n")
            if self._sources[int(number)] in (unmasked, source):
                continue
            cell = content["cells"][int(number) - 1]
            as_lines = isinstance(cell["source"], list)
            cell["source"] = source.splitlines(keepends=True) if as_lines else source
        return self._encoder.encode(content) + self._end

    def place(self, code: str, line: int) -> tuple[int, int]:
        """Return the cell of a line of the code, and the line in it."""
        before = code.splitlines()[:line]
        for at in range(len(before) - 1, -1, -1):
            boundary = _BOUNDARIES.match(before[at])
            if boundary:
                return int(boundary[1]), max(line - at - 1, 1)
        return 1, line


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


def _lines_in_strings(source: str) -> set[int]:
    """Return the lines that continue a string from an earlier line."""
    return {
        line
        for node in ast.walk(_parsed(source) or ast.Module([], []))
        if isinstance(node, (ast.Constant, ast.JoinedStr)) and node.end_lineno
        for line in range(node.lineno + 1, node.end_lineno + 1)
    }


def _parsed(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError):
        return None


def _encoder(content: Any, text: str) -> json.JSONEncoder:
    """Find the JSON format of a notebook, so that the rest of it stays the same."""
    for indent, ascii_only in itertools.product((1, 2, 4, None), (False, True)):
        encoder = json.JSONEncoder(indent=indent, ensure_ascii=ascii_only)
        if encoder.encode(content) == text.removesuffix("\n"):
            return encoder
    raise Unreadable("cannot be written back as it is formatted")
