# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Zip files that expand to more than they should."""

from __future__ import annotations

import struct
import tempfile
import tracemalloc
import unittest
import zipfile
from pathlib import Path
from unittest.mock import patch

from monty_tools.recording import archive
from monty_tools.recording.archive import Archive, TooLarge

MIB = 1 << 20


class ArchiveTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "file.zip"

    def write(self, content: bytes, method: int = zipfile.ZIP_DEFLATED) -> None:
        with zipfile.ZipFile(self.path, "w", method) as file:
            file.writestr("a", content)

    def test_a_bomb_is_not_opened(self) -> None:
        self.write(bytes(8 * MIB))
        with patch.object(archive, "ALWAYS_ALLOWED", 4 * MIB):
            with self.assertRaisesRegex(TooLarge, "8 MiB, more than 4 MiB"):
                Archive(self.path)
            self.write(bytes(8 * MIB), zipfile.ZIP_STORED)
            self.assertEqual(len(Archive(self.path).read("a")), 8 * MIB)

    def test_a_member_is_not_larger_than_it_claims(self) -> None:
        self.write(bytes(64 * MIB))
        content = bytearray(self.path.read_bytes())
        claimed = content.index(b"PK\x01\x02") + 24
        content[claimed : claimed + 4] = struct.pack("<I", 10)
        self.path.write_bytes(content)
        file = Archive(self.path)
        tracemalloc.start()
        self.addCleanup(tracemalloc.stop)
        with self.assertRaises(zipfile.BadZipFile):
            file.read("a")
        self.assertLess(tracemalloc.get_traced_memory()[1], MIB)

    def test_a_compression_without_bound_is_not_used(self) -> None:
        for method in (zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2):
            self.write(b"content", method)
            with self.assertRaisesRegex(ValueError, "compression"):
                Archive(self.path).read("a")

    def test_lines(self) -> None:
        self.write(b"1\n22\n333")
        self.assertEqual([*Archive(self.path).lines("a")], [b"1\n", b"22\n", b"333"])
        with patch.object(archive, "LINE", 3), self.assertRaises(TooLarge):
            self.write(b"1\n4444\n")
            [*Archive(self.path).lines("a")]
