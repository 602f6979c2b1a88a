# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A folder that holds tbp.monty, in any of the layouts it comes in."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from .failures import NotMonty, UnreadableFile

__all__ = ["Tree"]

PACKAGE = Path("tbp", "monty")
_VERSION = re.compile(r"^__version__\s*=\s*['\"]([^'\"]+)['\"]", re.MULTILINE)


@dataclass(frozen=True)
class Tree:
    """A copy of tbp.monty on disk.

    Attributes:
        folder: What the user named: a git checkout, an unpacked sdist or wheel.
        import_root: The folder inside it from which `tbp.monty` is importable. Paths
            of files are relative to it and written with slashes.
        version: What `tbp.monty.__version__` says.
    """

    folder: Path
    import_root: Path
    version: str

    @classmethod
    def at(cls, folder: Path) -> Tree:
        """Find tbp.monty in a folder.

        Args:
            folder: A git checkout or an unpacked sdist (`src` layout), or any folder
                that holds `tbp/monty`.

        Returns:
            The tree.

        Raises:
            NotMonty: If there is no tbp.monty.
        """
        if not folder.is_dir():
            raise NotMonty(f"{folder} is not a folder")
        for import_root in (folder / "src", folder):
            init = import_root / PACKAGE / "__init__.py"
            if not init.is_file():
                continue
            version = _VERSION.search(init.read_text("utf-8", "replace"))
            if version is None:
                raise NotMonty(f"{init} has no __version__: this is not upstream's")
            return cls(folder, import_root, version.group(1))
        raise NotMonty(
            f"{folder} holds no tbp.monty: expected tbp/monty/__init__.py in it or in "
            "its src folder"
        )

    def read(self, file: str) -> str | None:
        """Read a Python file.

        Args:
            file: Path relative to the import root.

        Returns:
            The text with its line endings unchanged, or None if there is no such
            file.

        Raises:
            UnreadableFile: If there is one and it cannot be read as UTF-8.
        """
        path = self.import_root / file
        try:
            return path.read_bytes().decode("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            raise UnreadableFile(f"cannot read {path}: {error}") from error
