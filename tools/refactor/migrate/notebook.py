# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The code of a notebook as one Python text, each line at its place."""

from __future__ import annotations

import ast
import itertools
import json
import re
from typing import Any, Collection

from .source import Edit, applied

__all__ = ["Notebook", "Unreadable"]

_MAGIC = re.compile(r"^([ \t]*)([%!?].*)$", re.MULTILINE)
_FILE_CELLS = ("%%writefile", "%%file")
_PYTHON_CELLS = ("%%time", "%%timeit", "%%capture", "%%prun", "%%python", "%%memit")


class Unreadable(Exception):
    """A file cannot be read, or could not be written back unchanged."""


class Notebook:
    """The code of a notebook's cells, one after the other.

    Attributes:
        code: The code. IPython's own lines are comments of the same length.
        unparsed: The sources of code cells that are not Python, or that write Python
            to a file, by the number of the cell.
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
            sources = {
                number: "".join(cell["source"])
                for number, cell in enumerate(self._content["cells"], 1)
                if cell["cell_type"] == "code"
            }
        except (ValueError, KeyError, TypeError) as error:
            raise Unreadable(f"is not a notebook: {error!r}") from error
        self._encoder = _encoder(self._content, text)
        self._end = "\n" if text.endswith("\n") else ""
        self._sources: list[tuple[int, int, str]] = []
        self.unparsed: dict[int, str] = {}
        self.code = ""
        for number, source in sources.items():
            code = _masked(source)
            if code is None or source.startswith(_FILE_CELLS):
                self.unparsed[number] = source
                continue
            self._sources.append((len(self.code), number, source))
            self.code += f"{code}\n"

    def edited(self, edits: Collection[Edit]) -> str:
        """Return the text of the notebook, with edits of its code."""
        content = json.loads(json.dumps(self._content))
        for start, number, source in self._sources:
            own = [
                Edit(one.start - start, one.end - start, one.text)
                for one in edits
                if start <= one.start <= start + len(source)
            ]
            cell = content["cells"][number - 1]
            new = applied(source, own)
            as_lines = isinstance(cell["source"], list)
            cell["source"] = new.splitlines(keepends=True) if as_lines else new
        return self._encoder.encode(content) + self._end

    def place(self, offset: int) -> tuple[int, int]:
        """Return the cell of a place in the code, and where the cell begins."""
        starts = [one for one in self._sources if one[0] <= offset]
        return (starts[-1][1], starts[-1][0]) if starts else (1, 0)


def _masked(source: str) -> str | None:
    """Return a cell as Python of the same length; None if it is something else."""
    first = source.split(maxsplit=1)[0] if source.strip() else ""
    if first.startswith("%%") and first not in _PYTHON_CELLS:
        return "#" * len(source)
    # Only where it is needed: a string may have such lines, too.
    for code in (source, _MAGIC.sub(_comment, source)):
        try:
            ast.parse(code)
        except (SyntaxError, ValueError):
            continue
        return code
    return None


def _comment(magic: re.Match[str]) -> str:
    return magic[1] + "0".ljust(len(magic[2]), "#")


def _encoder(content: Any, text: str) -> json.JSONEncoder:
    """Find the JSON format of a notebook, so that the rest of it stays the same."""
    for indent, ascii_only in itertools.product((1, 2, 4, None), (False, True)):
        encoder = json.JSONEncoder(indent=indent, ensure_ascii=ascii_only)
        if encoder.encode(content) == text.removesuffix("\n"):
            return encoder
    raise Unreadable("cannot be written back as it is formatted")
