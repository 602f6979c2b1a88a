# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reads a zip file without trusting it: no more memory than its size allows."""

from __future__ import annotations

import io
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

__all__ = ["UNREADABLE", "Archive", "TooLarge"]

ALWAYS_ALLOWED = 1 << 30
EXPANSION = 100
"""A file may expand to 1 GiB, or to 100 times its size if that is more. Recordings
expand to 2 to 6 times their size, zip bombs to 1 000 times."""

LINE = 64 << 20
"""The longest line of JSON. As objects of Python it takes about 10 times as much."""

METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
"""The others expand a block as a whole, whatever size its member claims to have."""

UNREADABLE = (
    ValueError,
    TypeError,
    EOFError,
    OSError,
    LookupError,
    MemoryError,
    OverflowError,
    RuntimeError,  # deep JSON, a member with a password, an unknown compression
    zipfile.BadZipFile,
    zlib.error,
)
"""What reading a damaged file can raise."""


class TooLarge(ValueError):
    """A file is small, but holds too much."""


class Archive:
    """A zip file.

    Attributes:
        limit: To how many bytes it may expand.
    """

    def __init__(self, path: Path) -> None:
        """Opens a file.

        Raises:
            zipfile.BadZipFile: If it is not a zip.
            TooLarge: If it expands to too much.
        """
        self._zip = zipfile.ZipFile(path)
        try:
            self._infos = {info.filename: info for info in self._zip.infolist()}
            self.limit = max(ALWAYS_ALLOWED, EXPANSION * path.stat().st_size)
            self.check_size(sum(info.file_size for info in self._infos.values()))
        except BaseException:
            self._zip.close()
            raise

    def check_size(self, size: int) -> None:
        """Raises `TooLarge` if this is more than the file may expand to."""
        if size > self.limit:
            raise TooLarge(
                f"it expands to {size >> 20} MiB, more than {self.limit >> 20} MiB"
            )

    def read(self, name: str) -> bytes:
        """Returns a member, with no more than the size that it claims to have."""
        with self._open(name) as member:
            # Not `read()`, which expands all there is before it cuts it off.
            return member.read(self._infos[name].file_size)

    def lines(self, name: str) -> Iterator[bytes]:
        """Yields the lines of a member."""
        with io.BufferedReader(self._open(name)) as lines:
            while line := lines.readline(LINE + 1):
                if len(line) > LINE:
                    raise TooLarge(f"a line of more than {LINE >> 20} MiB")
                yield line

    def close(self) -> None:
        self._zip.close()

    def _open(self, name: str) -> Any:
        info = self._infos[name]
        if info.compress_type not in METHODS:
            raise ValueError(f"compression {info.compress_type} is not used here")
        return self._zip.open(info)
