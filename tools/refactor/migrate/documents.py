# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The files that are migrated, as texts that can be written back."""

from __future__ import annotations

import codecs
import io
import os
import tokenize
from dataclasses import dataclass
from pathlib import Path
from typing import Collection, Iterable, Iterator

from ..git import ignored
from .notebook import Notebook, Unreadable
from .source import Edit, applied

__all__ = ["Document", "find_files", "monty_around", "read_document"]

_SUFFIXES = {".py", ".pyi", ".ipynb", ".yaml", ".yml"}
_INSTALLED = {"site-packages", "dist-packages"}
_OF_ENVIRONMENT = ("pyvenv.cfg", "conda-meta")


@dataclass(frozen=True)
class Document:
    """A file.

    Attributes:
        path: Where it is.
        text: Its Python code, or the text of a config. Lines end in a line feed if all
            of them ended in the same way.
        is_python: Whether it is Python.
        encoding: How the file is encoded, also whether with a byte order mark.
        crlf: Whether its lines end as on Windows.
        notebook: The notebook that the text comes from.
    """

    path: Path
    text: str
    is_python: bool
    encoding: str = "utf-8"
    crlf: bool = False
    notebook: Notebook | None = None

    def encoded(self, edits: Collection[Edit] = ()) -> bytes:
        """Return the bytes of the file, with edits of its text."""
        if self.notebook is not None:
            text = self.notebook.edited(edits)
        else:
            text = applied(self.text, edits)
        if self.crlf:
            text = text.replace("\n", "\r\n")
        return text.encode(self.encoding)


def find_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the files at some paths, each once, those in folders in order.

    Hidden folders, environments, links and what git ignores are skipped, unless they
    are named.

    Raises:
        FileNotFoundError: If a path does not exist.
    """
    seen: set[Path] = set()
    for path in paths:
        for file in [path] if path.is_file() else _files_below(path):
            if file.resolve() not in seen:
                seen.add(file.resolve())
                yield file


def _files_below(path: Path) -> Iterator[Path]:
    if not path.is_dir():
        raise FileNotFoundError(f"{path} does not exist")
    skipped = ignored(path) - {path}
    for folder, folders, files in os.walk(path):
        here = Path(folder)
        if here != path and (here / ".git").exists():
            skipped |= ignored(here)
        folders[:] = sorted(
            name
            for name in folders
            if here / name not in skipped and _is_source(here / name)
        )
        for name in sorted(files):
            file = here / name
            is_wanted = file.suffix in _SUFFIXES and file not in skipped
            if is_wanted and not file.is_symlink():
                yield file


def _is_source(folder: Path) -> bool:
    hidden = folder.name.startswith(".") or folder.name == "__pycache__"
    installed = folder.name in _INSTALLED or any(
        (folder / name).exists() for name in _OF_ENVIRONMENT
    )
    return not (hidden or installed or folder.is_symlink())


def monty_around(file: Path) -> Path | None:
    """Return the package tbp.monty that a file belongs to."""
    for folder in file.resolve().parents:
        # Only with its own file: a folder of projects may have that name, too.
        named = folder.name == "monty" and folder.parent.name == "tbp"
        if named and (folder / "__init__.py").is_file():
            return folder
    return None


def read_document(path: Path) -> Document:
    """Read a file.

    Args:
        path: The file.

    Returns:
        The document.

    Raises:
        Unreadable: If it cannot be read, with the reason.
    """
    try:
        data = path.read_bytes()
        is_python = path.suffix in {".py", ".pyi"}
        encoding = "utf-8-sig" if data.startswith(codecs.BOM_UTF8) else "utf-8"
        if is_python:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        text = data.decode(encoding)
    except (OSError, UnicodeDecodeError, SyntaxError, LookupError) as error:
        raise Unreadable(f"cannot be read: {error}") from error
    crlf = "\r\n" in text and text.count("\n") == text.count("\r\n")
    if crlf:
        text = text.replace("\r\n", "\n")
    if path.suffix != ".ipynb":
        return Document(path, text, is_python, encoding, crlf)
    notebook = Notebook(text)
    return Document(path, notebook.code, True, encoding, crlf, notebook)
