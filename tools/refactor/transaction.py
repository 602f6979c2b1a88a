# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Writes several files, or a folder, as one change: all of it, or nothing."""

from __future__ import annotations

import contextlib
import os
import signal
from pathlib import Path
from typing import Iterable, Iterator, Mapping

from ..guard import INTERRUPTS, signals_handled
from ..temporary import temporary_folder
from .failures import CannotWrite

__all__ = ["whole_folder", "write_all"]

_NEW = ".monty-refactor-new"
_OLD = ".monty-refactor-old"


def write_all(folder: Path, texts: Mapping[str, str | bytes]) -> None:
    """Write files, and leave everything as it was if one cannot be written.

    All new files are first written completely beside their targets; a full disk fails
    here. Then they replace the old ones by renaming, which needs no space and can be
    undone. Ctrl-C and SIGTERM take effect before the renaming, but not during it. A
    link stays a link: the file that it leads to is written.

    Args:
        folder: The folder.
        texts: Texts, or bytes, by path relative to the folder.

    Raises:
        CannotWrite: If a file cannot be written, or is protected against it.
    """
    targets = {(folder / file).resolve(): text for file, text in texts.items()}
    _check_writable(targets)
    made_folders: list[Path] = []
    try:
        for target, text in targets.items():
            _make_parents(target.parent, made_folders)
            _write(_beside(target, _NEW), text, mode_of=target)
        with signals_handled(signal.SIG_IGN, *INTERRUPTS):
            _swap_in(list(targets))
            made_folders.clear()
    except BaseException as error:
        _clean_up(targets, made_folders)
        if isinstance(error, OSError):
            raise _cannot_write(error) from error
        raise


@contextlib.contextmanager
def whole_folder(target: Path, *, replace: bool = False) -> Iterator[Path]:
    """Have a folder made under another name first, so that it is never incomplete.

    Args:
        target: The folder.
        replace: Whether it may exist and have content, which is then replaced.

    Yields:
        Where to make it.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    with temporary_folder(target.parent) as temporary:
        made = temporary / "made"
        yield made
        if target.exists() and replace:
            target.rename(temporary / "previous")
        elif target.exists():
            target.rmdir()
        made.rename(target)


def _check_writable(targets: Iterable[Path]) -> None:
    """Refuse to replace a read-only file, which renaming and root could."""
    for target in targets:
        if target.exists() and not target.stat().st_mode & 0o222:
            raise CannotWrite(
                f"{target} is read-only, nothing was written: make it writable first"
            )


def _cannot_write(error: OSError) -> CannotWrite:
    return CannotWrite(f"cannot write, nothing was changed: {error}")


def _clean_up(targets: Iterable[Path], made_folders: list[Path]) -> None:
    with signals_handled(signal.SIG_IGN, *INTERRUPTS):
        for target in targets:
            _beside(target, _NEW).unlink(missing_ok=True)
        for made in reversed(made_folders):
            made.rmdir()


def _swap_in(targets: list[Path]) -> None:
    done: list[Path] = []
    try:
        for target in targets:
            done.append(target)
            if target.exists():
                target.rename(_beside(target, _OLD))
            _beside(target, _NEW).rename(target)
    except OSError:
        for target in reversed(done):
            old = _beside(target, _OLD)
            if old.exists():
                old.replace(target)
            elif not _beside(target, _NEW).exists():
                target.unlink(missing_ok=True)
        raise
    for target in targets:
        _beside(target, _OLD).unlink(missing_ok=True)


def _beside(target: Path, suffix: str) -> Path:
    return target.with_name(target.name + suffix)


def _make_parents(folder: Path, made: list[Path]) -> None:
    if not folder.exists():
        _make_parents(folder.parent, made)
        folder.mkdir()
        made.append(folder)


def _write(path: Path, text: str | bytes, mode_of: Path) -> None:
    with path.open("wb") as file:
        file.write(text.encode("utf-8") if isinstance(text, str) else text)
        file.flush()
        os.fsync(file.fileno())
    if mode_of.exists():
        path.chmod(mode_of.stat().st_mode)
