# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import json
import shutil
import tempfile
import unittest
from pathlib import Path
from typing import Any

from monty_tools.guard import Failed
from monty_tools.profile.folder import ProfileFolder, new_folder
from monty_tools.profile.schema import (
    EPISODES,
    MEMORY,
    STEPS,
    SUMMARY,
    TIMELINE,
    read_profile,
)

OUTCOME = {"result": "match", "recognised": "<script>", "rotation_error_deg": None}
STEP = {
    "episode": 0,
    "step": 0,
    "seconds": 0.5,
    "target": "<script>",
    "lms": {"LM": {"hypotheses": 3, "most_likely": None, "evidence": {"<b>": 1.5}}},
    "bytes_sent": 0,
    "bytes_returned": 0,
    "launches": 1,
    "host_bytes": 10,
    "device_bytes": 0,
}
HOLDER = {
    "episode": 0,
    "step": 0,
    "where": "host",
    "backend": "numba",
    "kind": "table",
    "lm": "LM",
    "object": None,
    "bytes": 10,
    "made_by": "file.py:function",
    "reason": "because",
}
EPISODE = {
    "episode": 0,
    "target": "<script>",
    "steps": 1,
    "seconds": 0.5,
    "lms": {"LM": OUTCOME},
    **OUTCOME,
}
ABOUT = {
    "experiment": "small",
    "overrides": ["seed=1"],
    "tbp.monty": "1.0",
    "backend": "numba",
    "machine": {"processors": 2},
    "started": "2026-01-01",
    "lms": ["LM"],
    "groups": [["LM"]],
    "ran": {"LM": {"backend": "numba", "updates": 1, "reason": None}},
    "fallbacks": [],
    "steps": 1,
    "episodes": 1,
}


class ProfileFolderTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name) / "new"
        self.write()

    def write(self) -> None:
        files = ProfileFolder(new_folder(self.folder), began=1000)
        files.name_host(1, {2: "<script>"})
        files.add_spans([(("step", 2, 2000, 5500, 0, 0, 7), 3500)])
        args = {"episode": 0, "step": 7, "stream": 1, "device": 0}
        gpu = {"name": "update", "pid": 2, "tid": 2, "ts": 3000.5, "dur": 1.25}
        files.add_events([{**gpu, "args": args}])
        for name, line in ((STEPS, STEP), (MEMORY, HOLDER), (EPISODES, EPISODE)):
            files.add_lines(name, [json.dumps(line)])
        files.write_summary(ABOUT)
        files.close()

    def edit(self, name: str, **changes: Any) -> None:
        """Change values of a file's last line; None removes them."""
        file = self.folder / name
        found = json.loads(file.read_text())
        found.update(changes)
        file.write_text(json.dumps({k: v for k, v in found.items() if v is not None}))

    def assert_refused(self, file: str, why: str) -> None:
        with self.assertRaises(Failed) as refused:
            read_profile(self.folder)
        message = str(refused.exception)
        self.assertEqual(message.count("\n"), 0)
        self.assertIn(str(self.folder / file), message)
        self.assertIn(why, message)

    def test_what_was_written_is_read(self) -> None:
        profile = read_profile(self.folder)
        self.assertEqual(profile.steps, [STEP])
        self.assertEqual(profile.memory, [HOLDER])
        self.assertEqual(profile.episodes, [EPISODE])
        self.assertEqual(profile.summary["phases"]["step"]["calls"], 1)
        self.assertEqual(profile.summary["seconds"], 3.5e-6)
        *_, host, gpu = profile.events
        self.assertEqual((host["ts"], host["dur"]), (1.0, 3.5))
        self.assertEqual(
            host["args"], {"episode": 0, "step": 7, "lm": "<script>", "group": 0}
        )
        self.assertEqual((gpu["ts"], gpu["cat"], gpu["ph"]), (2.0005, "gpu", "X"))

    def test_a_folder_of_something_else(self) -> None:
        shutil.rmtree(self.folder)
        self.folder.mkdir()
        (self.folder / "holiday.jpg").touch()
        with self.assertRaisesRegex(Failed, "holds no profile"):
            read_profile(self.folder)
        with self.assertRaisesRegex(Failed, "is not empty"):
            new_folder(self.folder)
        with self.assertRaisesRegex(Failed, "is no folder"):
            new_folder(self.folder / "holiday.jpg")

    def test_truncated_files(self) -> None:
        for name in (SUMMARY, TIMELINE, STEPS, MEMORY, EPISODES):
            with self.subTest(name):
                file = self.folder / name
                whole = file.read_bytes()
                file.write_bytes(whole[: len(whole) // 2])
                self.assert_refused(name, "")
                file.unlink()
                self.assert_refused(name, "") if name != SUMMARY else None
                file.write_bytes(whole)

    def test_another_format(self) -> None:
        self.edit(SUMMARY, format="monty-trace")
        self.assert_refused(SUMMARY, "not a profile")
        self.edit(SUMMARY, format="monty-profile", format_version=2)
        self.assert_refused(SUMMARY, "format version 2")

    def test_values_that_nobody_expects(self) -> None:
        for name, key, value in (
            (SUMMARY, "phases", {"sleep": {"seconds": 1, "calls": 1}}),
            (SUMMARY, "groups", [[1]]),
            (SUMMARY, "seconds", True),
            (STEPS, "lms", {"LM": {"hypotheses": "many"}}),
            (STEPS, "launches", None),
            (MEMORY, "kind", ["table"]),
            (MEMORY, "bytes", 1.5),
            (EPISODES, "rotation_error_deg", "90"),
        ):
            with self.subTest(name, key=key, value=value):
                before = (self.folder / name).read_text()
                self.edit(name, **{key: value})
                self.assert_refused(name, key)
                (self.folder / name).write_text(before)

    def test_text_that_is_no_json(self) -> None:
        for text in ("NaN", "[" * 100_000, "\xff", '{"seconds": Infinity}', "3"):
            with self.subTest(text[:30]):
                (self.folder / STEPS).write_text(text, encoding="latin-1")
                self.assert_refused(STEPS, "line 1")

    def test_events_that_nobody_expects(self) -> None:
        event = {"name": "x", "ph": "X", "pid": 1, "tid": 1, "ts": 0, "dur": 1}
        good = {**event, "args": {"episode": 0, "step": None}}
        for change in (
            {"ph": "Q"},
            {"dur": -1},
            {"ts": "0"},
            {"args": {}},
            {"name": None},
            {"tid": "1"},
        ):
            with self.subTest(change):
                events = json.dumps({"traceEvents": [good, {**good, **change}]})
                (self.folder / TIMELINE).write_text(events)
                self.assert_refused(TIMELINE, "event 1")
        (self.folder / TIMELINE).write_text('{"traceEvents": {}}')
        self.assert_refused(TIMELINE, "traceEvents")


if __name__ == "__main__":
    unittest.main()
