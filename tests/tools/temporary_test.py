# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import shutil
import tempfile
import unittest
from pathlib import Path

from monty_tools.temporary import remove_abandoned, temporary_folder, whole_file


class TemporaryTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)

    def left(self) -> list[str]:
        return sorted(one.name for one in self.folder.iterdir())


class TemporaryFolderTest(TemporaryTest):
    def test_it_is_removed_however_the_block_ends(self) -> None:
        with (
            self.assertRaises(KeyboardInterrupt),
            temporary_folder(self.folder) as made,
        ):
            (made / "file").touch()
            raise KeyboardInterrupt
        self.assertEqual(self.left(), [])

    def test_the_next_one_removes_what_a_killed_process_left(self) -> None:
        with temporary_folder(self.folder) as made:
            (made / "file").touch()
            # A copy of it, which no process holds a lock on.
            shutil.copytree(made, made.with_name(".tbp.monty-abandoned.tmp"))
            with temporary_folder(self.folder) as other:
                self.assertEqual(self.left(), sorted([made.name, other.name]))

    def test_what_others_made_is_not_touched(self) -> None:
        for name in (".tbp.monty-mine.tmp", ".tbp.monty-mine", "tbp.monty-mine.tmp"):
            (self.folder / name).mkdir()
        remove_abandoned(self.folder)
        self.assertEqual(len(self.left()), 3)


class WholeFileTest(TemporaryTest):
    def test_the_file_appears_when_it_is_written(self) -> None:
        file = self.folder / "file"
        with whole_file(file) as written:
            written.write_text("all of it")
            self.assertFalse(file.exists())
        self.assertEqual(file.read_text(), "all of it")
        self.assertEqual(self.left(), ["file"])

    def test_if_it_cannot_be_written_the_old_one_stays(self) -> None:
        file = self.folder / "file"
        file.write_text("old")
        with self.assertRaises(OSError), whole_file(file) as written:
            written.write_text("half")
            raise OSError("the disk is full")
        self.assertEqual(file.read_text(), "old")
        self.assertEqual(self.left(), ["file"])

    def test_a_device_is_not_replaced(self) -> None:
        with whole_file(Path("/dev/null")) as written:
            self.assertEqual(written, Path("/dev/null"))
