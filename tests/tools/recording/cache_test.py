# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import contextlib
import dataclasses
import io
import subprocess
import sys
import tempfile
import threading
import unittest
from pathlib import Path
from unittest.mock import patch

from monty_tools.recording import cache
from monty_tools.recording.cache import cache_key, cached_recording
from monty_tools.recording.file import Recording, RecordingWriter
from monty_tools.workers.sides import Run, Side

DESCRIPTION = {
    "config": "seed: 42",
    "model": "",
    "tbp.monty": "0.55.0",
    "versions": {"numpy": "2.0", "python": "3.11"},
}


def side(**env: str) -> Side:
    return Side("upstream", Path("somewhere"), {"MONTY_DATA": "/data", **env})


def write(path: Path) -> None:
    with RecordingWriter(path, {}) as writer:
        writer.add({"event": "noted"})


class CacheKeyTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.actions = Path(folder.name) / "actions.jsonl"
        self.actions.write_text("one")
        self.run_ = Run("test/a", (f"policy.file_name={self.actions}",), episodes=":1")
        self.key = cache_key(side(), self.run_, DESCRIPTION)

    def changed(self, **changes: object) -> str:
        return cache_key(side(), dataclasses.replace(self.run_, **changes), DESCRIPTION)

    def test_the_same_run_has_the_same_key(self) -> None:
        self.assertEqual(cache_key(side(), self.run_, dict(DESCRIPTION)), self.key)
        self.assertEqual(cache_key(side(LANG="C"), self.run_, DESCRIPTION), self.key)

    def test_whatever_changes_the_run_changes_the_key(self) -> None:
        keys = [
            self.key,
            self.changed(experiment="test/b"),
            self.changed(overrides=()),
            self.changed(overrides=(*self.run_.overrides, "seed=7")),
            self.changed(episodes=":2"),
            self.changed(episodes=None),
            self.changed(steps=1),
            self.changed(shadows=False),
            cache_key(side(MONTY_DATA="/other"), self.run_, DESCRIPTION),
            cache_key(side(MONTY_MODELS="/other"), self.run_, DESCRIPTION),
            cache_key(side(MUJOCO_GL="egl"), self.run_, DESCRIPTION),
            cache_key(side(PYOPENGL_PLATFORM="egl"), self.run_, DESCRIPTION),
            cache_key(side(), self.run_, {**DESCRIPTION, "config": "seed: 43"}),
            cache_key(side(), self.run_, {**DESCRIPTION, "tbp.monty": "0.56.0"}),
            cache_key(side(), self.run_, {**DESCRIPTION, "versions": {"numpy": "2.1"}}),
        ]
        self.assertEqual(len(set(keys)), len(keys))

    def test_every_source_of_the_release_counts(self) -> None:
        upstream = dataclasses.replace(side(), import_root=self.actions.parent)
        source = upstream.import_root / "tbp/monty/frameworks/module.py"
        source.parent.mkdir(parents=True)
        keys = []
        for text in ("a = 1", "a = 2"):
            source.write_text(text)
            keys.append(cache_key(upstream, self.run_, DESCRIPTION))
        source.rename(source.with_name("other.py"))
        keys.append(cache_key(upstream, self.run_, DESCRIPTION))
        self.assertEqual(len({*keys}), 3)

    def test_every_source_of_the_harness_counts(self) -> None:
        tools = Path(cache.__file__).parents[1]
        digest = cache._sha256
        for name in ("recording/counter.py", "models/guard.py", "opengl.py"):
            with self.subTest(name):

                def edited(path: Path, name: str = name) -> str:
                    return "edited" if path == tools / name else digest(path)

                with patch.object(cache, "_sha256", edited):
                    self.assertNotEqual(self.changed(), self.key)

    def test_all_that_a_recording_process_imports_is_of_the_harness(self) -> None:
        script = (
            "import sys, monty_tools.recording.worker, monty_tools.models.guard\n"
            "for name, module in sys.modules.items():\n"
            "    if name.startswith('monty_tools'): print(module.__file__)"
        )
        ran = subprocess.run(
            [sys.executable, "-c", script], capture_output=True, text=True, check=True
        )
        imported = {Path(line).resolve() for line in ran.stdout.split()}
        named = [
            file.resolve()
            for one in cache.HARNESS
            for file in ([one] if one.is_file() else one.rglob("*.py"))
        ]
        self.assertGreater(len(imported), 10)
        self.assertLessEqual(imported, {*named})

    def test_the_content_of_a_named_file_counts(self) -> None:
        self.actions.write_text("two")
        self.assertNotEqual(cache_key(side(), self.run_, DESCRIPTION), self.key)

    def test_the_content_of_a_named_model_counts(self) -> None:
        description = {**DESCRIPTION, "model": str(self.actions.parent)}
        before = cache_key(side(), self.run_, description)
        (self.actions.parent / "model.pt").write_text("weights")
        self.assertNotEqual(cache_key(side(), self.run_, description), before)


class CachedRecordingTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.cache = Path(folder.name) / "cache"
        self.recorded = 0

    def record(self, path: Path) -> None:
        self.recorded += 1
        write(path)

    def test_a_run_is_recorded_once(self) -> None:
        first = cached_recording(self.cache, "key", self.record)
        second = cached_recording(self.cache, "key", self.record)
        self.assertEqual(first, second)
        self.assertEqual(self.recorded, 1)
        cached_recording(self.cache, "other", self.record)
        self.assertEqual(self.recorded, 2)

    def test_an_interrupted_recording_is_not_used(self) -> None:
        def interrupted(path: Path) -> None:
            with RecordingWriter(path, {}):
                raise KeyboardInterrupt

        with self.assertRaises(KeyboardInterrupt):
            cached_recording(self.cache, "key", interrupted)
        path = cached_recording(self.cache, "key", self.record)
        self.assertEqual(self.recorded, 1)
        with Recording(path) as recording:
            self.assertTrue(recording.complete)

    def test_a_recording_is_checked_whole(self) -> None:
        path = cached_recording(self.cache, "key", self.record)
        whole = path.read_bytes()
        for place in range(0, len(whole), 5):
            damaged = bytearray(whole)
            damaged[place] ^= 0xFF
            path.write_bytes(damaged)
            with contextlib.redirect_stderr(io.StringIO()) as said:
                cached_recording(self.cache, "key", self.record)
            with Recording(path) as recording:
                self.assertEqual(list(recording.events()), [{"event": "noted"}])
            # Some bytes, such as the date of a member, do not matter.
            is_kept = path.read_bytes() == damaged
            self.assertEqual("is damaged" in said.getvalue(), not is_kept)
        self.assertGreater(self.recorded, len(whole) // 10)

    def test_two_concurrent_callers_record_once(self) -> None:
        waiting = threading.Event()

        def slowly(path: Path) -> None:
            other.start()
            self.assertTrue(waiting.wait(10))
            self.record(path)

        other = threading.Thread(
            target=cached_recording, args=(self.cache, "key", self.record, waiting.set)
        )
        cached_recording(self.cache, "key", slowly)
        other.join(10)
        self.assertFalse(other.is_alive())
        self.assertEqual(self.recorded, 1)
