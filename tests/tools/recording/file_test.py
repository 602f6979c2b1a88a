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
import tempfile
import unittest
import zipfile
from pathlib import Path
from unittest.mock import patch

import numpy as np

from monty_tools.ending import CouldNotRun
from monty_tools.recording import archive
from monty_tools.recording.codec import Arrays, encode
from monty_tools.recording.file import (
    FORMAT_VERSION,
    Recording,
    RecordingWriter,
    UnreadableRecording,
)


def add(writer: RecordingWriter, kind: str, value: object) -> None:
    arrays = Arrays()
    writer.add({"event": kind, "value": encode(value, arrays)}, arrays)


class RecordingTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "run.rec.zip"

    def write(self, *values: object) -> None:
        with RecordingWriter(self.path, {"side": "upstream"}) as writer:
            for value in values:
                add(writer, "noted", value)

    def test_written_events_are_read_back(self) -> None:
        self.write(1, np.arange(100.0), {"a": (None, -0.0)})
        with Recording(self.path) as recording:
            values = [recording.decode(e["value"]) for e in recording.events()]
            self.assertTrue(recording.complete)
            self.assertEqual(recording.manifest["side"], "upstream")
            self.assertEqual(recording.manifest["counts"], {"noted": 3, "arrays": 1})
        self.assertEqual(values[0], 1)
        np.testing.assert_array_equal(values[1], np.arange(100.0))
        self.assertEqual(repr(values[2]), "{'a': (None, -0.0)}")

    def test_events_and_arrays_can_be_read_without_this_program(self) -> None:
        self.write(np.arange(100.0))
        with zipfile.ZipFile(self.path) as archive:
            [line] = archive.read("events.jsonl").splitlines()
            name = json.loads(line)["value"]["$array"]
            with archive.open(name) as member:
                array = np.load(member, allow_pickle=False)
        np.testing.assert_array_equal(array, np.arange(100.0))

    def test_the_file_appears_only_when_it_is_closed(self) -> None:
        with RecordingWriter(self.path, {}) as writer:
            add(writer, "noted", 1)
            self.assertFalse(self.path.exists())
        self.assertEqual(list(self.path.parent.iterdir()), [self.path])

    def end_by(self, error: BaseException, *values: object) -> None:
        with (
            self.assertRaises(type(error)),
            RecordingWriter(self.path, {}) as writer,
        ):
            for value in values:
                add(writer, "noted", value)
            raise error

    def test_an_interrupted_run_is_kept_and_marked(self) -> None:
        self.end_by(KeyboardInterrupt(), np.arange(100.0))
        with Recording(self.path) as recording:
            self.assertFalse(recording.complete)
            [event] = recording.events()
            self.assertEqual(recording.decode(event["value"])[99], 99)

    def test_an_interrupted_run_replaces_nothing(self) -> None:
        self.write(1)
        before = self.path.read_bytes()
        self.end_by(KeyboardInterrupt(), 2)
        self.assertEqual(self.path.read_bytes(), before)

    def test_nothing_is_left_of_a_failed_or_an_empty_run(self) -> None:
        self.end_by(RuntimeError(), 1)
        self.end_by(KeyboardInterrupt())
        self.assertEqual(list(self.path.parent.iterdir()), [])

    def test_another_file_is_no_recording(self) -> None:
        self.path.write_text("hello")
        with self.assertRaisesRegex(UnreadableRecording, "not a recorded run"):
            Recording(self.path)

    def test_another_zip_is_no_recording(self) -> None:
        with zipfile.ZipFile(self.path, "w") as archive:
            archive.writestr("a.txt", "hello")
        with self.assertRaisesRegex(UnreadableRecording, "no manifest.json"):
            Recording(self.path)

    def test_a_truncated_file_is_corrupt(self) -> None:
        self.write(np.arange(1000.0))
        content = self.path.read_bytes()
        self.path.write_bytes(content[: len(content) // 2])
        with self.assertRaisesRegex(UnreadableRecording, "cut off"):
            Recording(self.path)

    def test_a_damaged_array_is_corrupt(self) -> None:
        self.write(np.random.default_rng(0).normal(size=1000))
        content = bytearray(self.path.read_bytes())
        content[2000:2100] = bytes(100)
        self.path.write_bytes(content)
        with Recording(self.path) as recording:
            [event] = recording.events()
            with self.assertRaisesRegex(UnreadableRecording, "arrays/"):
                recording.decode(event["value"])

    def test_a_newer_format_is_named(self) -> None:
        with RecordingWriter(
            self.path, {"format_version": FORMAT_VERSION + 1}
        ) as writer:
            add(writer, "noted", 1)
        with self.assertRaisesRegex(
            UnreadableRecording, f"version {FORMAT_VERSION + 1}"
        ):
            Recording(self.path)

    def test_a_manifest_of_another_form_is_named(self) -> None:
        for manifest, words in (
            ({"format_version": "newest"}, "names the format"),
            ({"format_version": [1]}, "names the format"),
            ({"complete": None}, "complete"),
        ):
            with self.subTest(manifest):
                with RecordingWriter(self.path, manifest):
                    pass
                with self.assertRaisesRegex(UnreadableRecording, words) as refused:
                    Recording(self.path)
                self.assertEqual(str(refused.exception).count("\n"), 0)

    def test_what_was_run_is_checked(self) -> None:
        run = {
            "experiment": "small",
            "limits": {"steps": None, "episodes": ":3"},
            "overrides": ["a=1"],
            "side": "upstream",
        }
        for name, value in (
            *((name, None) for name in run),
            ("overrides", [1]),
            ("limits", {"steps": 1}),
        ):
            with self.subTest(name), RecordingWriter(self.path, {**run, name: value}):
                pass
            with (
                Recording(self.path) as recording,
                self.assertRaisesRegex(UnreadableRecording, rf"manifest.json .*{name}"),
            ):
                recording.check_run()

    def test_events_of_another_form_are_named(self) -> None:
        for event, words in (
            ({"event": "call", "method": "step"}, "args, kwargs: missing"),
            ({"event": "step", "step": "0", "lms": {}}, "step: missing"),
            ({"event": "end", "a": {"$float": "1", "b": 2}}, "beside other keys"),
            ({"event": "end", "a": {"$scalar": 1}}, "stands for no value"),
        ):
            with RecordingWriter(self.path, {}) as writer:
                writer.add(event)
            with (
                self.subTest(words),
                Recording(self.path) as recording,
                self.assertRaisesRegex(UnreadableRecording, words),
            ):
                [*recording.events()]

    def test_values_that_ask_for_more_than_data_are_refused(self) -> None:
        text, deep = "${oc.env:HOME}", "[" * 500 + "]" * 500
        word = {"$scalar": {"dtype": f"<U{len(text)}", "value": text}}
        for value, words in (
            ({"$omegaconf": {"key": [text]}}, r"\$\{"),
            ({"$omegaconf": {"key": [word]}}, r"\$\{"),
            ({"$class": "subprocess.Popen"}, "no value"),
            ({"$object": ["Popen", {}]}, "no value"),
            (json.loads(deep), "nested"),
        ):
            with RecordingWriter(self.path, {}) as writer:
                writer.add({"event": "noted", "value": value})
            with self.subTest(words), Recording(self.path) as recording:
                [event] = recording.events()
                with self.assertRaisesRegex(CouldNotRun, words) as refused:
                    recording.decode(event["value"])
                self.assertEqual(str(refused.exception).count("\n"), 0)

    def test_an_array_that_is_named_often_does_not_fill_the_memory(self) -> None:
        array = np.random.default_rng(0).normal(size=1000)
        self.write([array] * 300)
        with (
            patch.object(archive, "ALWAYS_ALLOWED", 0),
            Recording(self.path) as recording,
        ):
            [event] = recording.events()
            with self.assertRaisesRegex(UnreadableRecording, "expands to"):
                recording.decode(event["value"])
