# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Injects faults into commands: how they end, what they say, what they leave behind."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from monty_tools.recording.file import Recording
from monty_tools.workers.sides import Paths
from tests.tools.small_monty import small_monty
from tests.tools.small_release import fork_first_on_path, write_release

PR_CAPBSET_DROP, CAP_DAC_OVERRIDE = 24, 1

RECORD = "record experiment=small --out=out.rec.zip"
FEED = "parity --recording=run.rec.zip"
SLOWLY = "experiment.config.pause=60 experiment.config.tell_in=running"
FED_SLOWLY = " ".join(f"--proposed-override={word}" for word in SLOWLY.split())


def limit_files() -> None:
    """Let no file grow, as on a full disk."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (5000, 5000))


def heed_permissions() -> None:
    """Take the right to write everywhere from root."""
    ctypes.CDLL(None).prctl(PR_CAPBSET_DROP, CAP_DAC_OVERRIDE)


def damage(folder: Path) -> None:
    """Change some bytes in the middle of a recording."""
    file = folder / "run.rec.zip"
    content = bytearray(file.read_bytes())
    middle = len(content) // 2
    content[middle : middle + 40] = bytes(40)
    file.write_bytes(content)


def forbid_writing(folder: Path) -> None:
    folder.chmod(0o555)


class Fault(NamedTuple):
    """A fault, and what must come of it.

    Attributes:
        command: The command, after `monty`.
        status: Its exit status.
        says: A part of the only line on standard error.
        before: Makes the fault in the folder, before the command starts.
        within: Makes the fault in the process of the command, before it runs.
        sent: A signal, to be sent while a worker steps.
        to_worker: Whether the worker gets the signal, and not the command.
        leaves: The files that it leaves: recordings marked as incomplete.
    """

    command: str
    status: int
    says: str
    before: Callable[[Path], None] | None = None
    within: Callable[[], None] | None = None
    sent: signal.Signals | None = None
    to_worker: bool = False
    leaves: tuple[str, ...] = ()


TERM, KILL = signal.SIGTERM, signal.SIGKILL

FAULTS = {
    "term while recording": Fault(
        f"{RECORD} {SLOWLY}", 143, "terminated", sent=TERM, leaves=("out.rec.zip",)
    ),
    "term of a worker while feeding": Fault(
        f"{FEED} {FED_SLOWLY}", 2, "fork: the process was interrupted",
        sent=TERM, to_worker=True,
    ),
    "full disk while recording": Fault(
        RECORD, 2, "upstream: [Errno 27] File too large", within=limit_files
    ),
    "damaged recording": Fault(FEED, 2, "run.rec.zip is damaged", before=damage),
    "no memory while feeding": Fault(
        f"{FEED} --proposed-override=+experiment.config.hungry=true", 2,
        "fork: MemoryError",
    ),
}  # fmt: skip

MORE_FAULTS = {
    "kill of a worker while recording": Fault(
        f"{RECORD} {SLOWLY}", 2, "upstream: the process was ended by SIGKILL",
        sent=KILL, to_worker=True,
    ),
    "term while feeding": Fault(f"{FEED} {FED_SLOWLY}", 143, "terminated", sent=TERM),
    "term of a worker while recording": Fault(
        f"{RECORD} {SLOWLY}", 2, "upstream: the process was interrupted",
        sent=TERM, to_worker=True, leaves=("out.rec.zip",),
    ),
    "full disk when writing the result": Fault(
        f"{FEED} --json=/dev/full", 2, "No space left on device"
    ),
    "read-only folder": Fault(
        RECORD, 2, "Permission denied", before=forbid_writing, within=heed_permissions
    ),
    "no memory while recording": Fault(
        f"{RECORD} +experiment.config.hungry=true", 2, "upstream: MemoryError"
    ),
    "exception while feeding": Fault(
        f"{FEED} --proposed-override=experiment.config.raises_at=6", 2,
        "fork: LookupError: lost at",
    ),
}  # fmt: skip


@unittest.skipUnless(sys.platform == "linux", "needs /proc and prctl")
class FaultsTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name)
        roots = [cls.root / name for name in ("upstream", "fork", "cache")]
        for release in roots[:2]:
            write_release(release)
        cls.paths = Paths(*roots)

    def setUp(self) -> None:
        fork_first_on_path(self, self.paths.fork_root)

    def folder(self) -> Path:
        folder = tempfile.TemporaryDirectory(dir=self.root)
        self.addCleanup(folder.cleanup)
        here = Path(folder.name)
        (here / "running").mkdir()
        (here / "tmp").mkdir()
        return here

    def start(self, here: Path, command: str, within=None) -> subprocess.Popen:
        name, *words = command.split()
        return subprocess.Popen(
            [*small_monty(name, self.paths), *words],
            cwd=here,
            env={**os.environ, "TMPDIR": str(here / "tmp")},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            preexec_fn=within,  # noqa: PLW1509 there are no threads
        )

    def worker_of(self, here: Path, running: subprocess.Popen) -> int:
        """Return a worker, once it has reported that it steps."""
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline and running.poll() is None:
            for file in (here / "running").iterdir():
                return int(file.name)
            time.sleep(0.05)
        raise AssertionError(f"no worker: {running.communicate()[1]}")

    def assert_gone(self, process: int) -> None:
        deadline = time.monotonic() + 2
        while Path(f"/proc/{process}").exists():
            self.assertLess(time.monotonic(), deadline, "a process is left")
            time.sleep(0.05)

    def left_in(self, here: Path) -> list[str]:
        found = [str(one.relative_to(here)) for one in here.rglob("*")]
        return [name for name in found if not name.startswith("running")]

    @classmethod
    def recording(cls) -> Path:
        """Return a recording of a whole run, which is made once."""
        file = cls.root / "run.rec.zip"
        if not file.exists():
            words = ["experiment=small", f"--out={file}"]
            subprocess.run([*small_monty("record", cls.paths), *words], check=True)
        return file

    def test_each_fault_is_named_and_leaves_nothing(self) -> None:
        for name, fault in FAULTS.items():
            with self.subTest(name):
                self.check(fault)

    @pytest.mark.thorough
    def test_each_fault_is_named_and_leaves_nothing_more(self) -> None:
        for name, fault in MORE_FAULTS.items():
            with self.subTest(name):
                self.check(fault)

    def test_a_killed_command_ends_its_workers_and_the_next_one_cleans_up(self) -> None:
        here = self.folder()
        killed = self.start(here, f"{RECORD} {SLOWLY}")
        worker = self.worker_of(here, killed)
        killed.kill()
        killed.communicate()
        self.assert_gone(worker)
        abandoned = [*here.glob(".tbp.monty-*"), *(here / "tmp").iterdir()]
        self.assertEqual(len(abandoned), 2)
        following = self.start(here, f"{RECORD} --steps=1")
        _, err = following.communicate()
        self.assertEqual(following.returncode, 0, err)
        self.assertEqual(sorted(self.left_in(here)), ["out.rec.zip", "tmp"])

    def check(self, fault: Fault) -> None:
        here = self.folder()
        shutil.copy(self.recording(), here)
        if fault.before is not None:
            fault.before(here)
        running = self.start(here, fault.command, fault.within)
        worker = None
        if fault.sent is not None:
            worker = self.worker_of(here, running)
            os.kill(worker if fault.to_worker else running.pid, fault.sent)
        _, err = running.communicate(timeout=60)
        here.chmod(0o755)
        self.assertEqual(running.returncode, fault.status, err)
        [line] = err.splitlines()
        self.assertIn(fault.says, line)
        if worker is not None:
            self.assert_gone(worker)
        left = ["run.rec.zip", "tmp", *fault.leaves]
        self.assertEqual(sorted(self.left_in(here)), sorted(left))
        for file in fault.leaves:
            with Recording(here / file) as recording:
                self.assertFalse(recording.complete)
