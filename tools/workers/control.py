# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs workers: processes that import upstream or the fork, and write recordings."""

from __future__ import annotations

import contextlib
import functools
import json
import os
import selectors
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, ClassVar

from .. import child
from ..ending import CouldNotRun, Ending
from ..progress import progress_shown
from ..temporary import remove_abandoned
from .crash import crash_in
from .sides import Run, Side
from .turns import ring

__all__ = ["Job", "WorkerSaid", "ask", "describe", "go", "run_jobs"]

NO_RESULT = (Ending.UNABLE, Ending.INTERRUPTED)
SECONDS_TO_STOP = 10


@dataclass(frozen=True)
class Job:
    """A run of one side, to be recorded.

    Attributes:
        side: The side.
        run: What it runs.
        write: The recording to write.
        feed: The recording that answers in place of the environment, if any.
        observations: Whether to record what the environment answers.
        tolerance: How much floats may differ from those of the recording that is fed,
            and from those of hypotheses that are checked.
        trace: The trace to write too, if any.
        state: Whether to read and record Monty's state. Without, steps are counted and
            timed as those of a run that nobody watches.
        module: The module that runs it, below ``monty_tools``.
    """

    side: Side
    run: Run
    write: Path
    feed: Path | None = None
    observations: bool = True
    tolerance: float = 0.0
    trace: Path | None = None
    state: bool = True

    module: ClassVar[str] = "recording.worker"

    def arguments(self) -> list[str]:
        """Returns the arguments of a worker that is started now."""
        words = [f"--side={self.side.name}", f"--write={self.write}"]
        if self.feed is not None:
            words.append(f"--feed={self.feed}")
        words.append(f"--tolerance={self.tolerance!r}")
        if self.trace is not None:
            words.append(f"--trace={self.trace}")
        if not self.state:
            words += ["--no-state", f"--began={time.monotonic()!r}"]
        words.append("--observations" if self.observations else "--no-observations")
        return words + self.run.arguments()


OnProgress = Callable[[Job, Mapping[str, Any]], None]
Link = Sequence[tuple[str, int]]
"""What connects a worker with others: options, and their file descriptors."""


@functools.cache
def describe(side: Side, run: Run) -> dict[str, Any]:
    """Asks a side what it would run, without running it.

    Asking starts a process and takes seconds, and a run may be compared many times.

    Returns:
        The composed configuration and the versions of the libraries.

    Raises:
        CouldNotRun: If the configuration cannot be composed.
    """
    return ask(side, Job.module, ["--describe", *run.arguments()])


def ask(side: Side, module: str, words: Sequence[str]) -> Any:
    """Returns what a worker prints, which is JSON.

    Args:
        side: The side that the worker imports.
        module: The worker, below ``monty_tools``.
        words: Its arguments.

    Raises:
        CouldNotRun: If it does not answer.
    """
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        worker = _start(side, module, words, out, err)
        try:
            status = worker.wait()
        finally:
            _stop([worker])
        if status != Ending.FINISHED.status:
            raise _worker_failed(side.name, status, err)
        out.seek(0)
        return json.load(out)


def run_jobs(
    jobs: Sequence[Job],
    on_progress: OnProgress = lambda _job, _progress: None,
    *,
    take_turns: bool = False,
    check_hypotheses: bool = False,
) -> list[Ending]:
    """Runs jobs at the same time, each in its own process.

    However this function ends, also by an exception or Ctrl-C, no process is left.

    Args:
        jobs: The jobs.
        on_progress: Called whenever a worker reports progress.
        take_turns: Whether only one of them works at a time. Their workers must take
            the arguments `--place` and wait with `ring.in_turn`.
        check_hypotheses: Whether the second of two jobs compares all its hypotheses
            with those of the first, see `hypotheses`.

    Returns:
        How each job ended.

    Raises:
        CouldNotRun: If a worker could not do its job.
    """
    workers: list[subprocess.Popen] = []
    with contextlib.ExitStack() as stack:
        stack.callback(_stop, workers)
        errors = [stack.enter_context(tempfile.TemporaryFile("w+")) for _ in jobs]
        pipes = stack.enter_context(selectors.DefaultSelector())
        with contextlib.ExitStack() as ends:
            linked: list[Link] = [()] * len(jobs)
            if take_turns:
                places = ends.enter_context(ring(len(jobs)))
                linked = [[("--place", fd) for fd in place] for place in places]
            if check_hypotheses:
                linked = ends.enter_context(_sender_and_checker())
            for job, err, link in zip(jobs, errors, linked, strict=True):
                workers.append(_start_job(job, err, pipes, link))
        _follow(pipes, on_progress)
        endings = [Ending.of_status(worker.wait()) for worker in workers]
        for job, worker, err in zip(jobs, workers, errors, strict=True):
            if Ending.of_status(worker.returncode) in NO_RESULT:
                # If it was killed, it could not remove what it was writing.
                for file in filter(None, (job.write, job.trace)):
                    remove_abandoned(file.parent)
                remove_abandoned()
                raise _worker_failed(job.side.name, worker.returncode, err)
        return endings


def go(jobs: Sequence[Any], doing: str, **how: bool) -> list[Ending]:
    """Runs jobs as `run_jobs` does, and shows the progress of each."""
    with contextlib.ExitStack() as stack:
        shown = {
            id(job): stack.enter_context(
                progress_shown(f"{doing} {job.side.name}", position=i)
            )
            for i, job in enumerate(jobs)
        }

        def on_progress(job: Job, found: Mapping[str, Any]) -> None:
            show = shown[id(job)]
            show(found["episodes"], found["total"], f"{found['steps']} steps")

        return run_jobs(jobs, on_progress, **how)


@contextlib.contextmanager
def _sender_and_checker() -> Iterator[list[Link]]:
    """Makes the pipe that hypotheses go through; the processes have its ends."""
    reading, writing = os.pipe()
    try:
        yield [[("--send-hypotheses", writing)], [("--check-hypotheses", reading)]]
    finally:
        os.close(reading)
        os.close(writing)


def _start_job(
    job: Job, err: IO[str], pipes: selectors.BaseSelector, link: Link
) -> subprocess.Popen:
    reading, writing = os.pipe()
    try:
        words = [f"--progress-fd={writing}", *(f"{k}={fd}" for k, fd in link)]
        words += job.arguments()
        fds = (writing, *(fd for _, fd in link))
        worker = _start(
            job.side, job.module, words, subprocess.DEVNULL, err, pass_fds=fds
        )
    finally:
        os.close(writing)
    pipe = os.fdopen(reading, "rb")
    pipes.register(pipe, selectors.EVENT_READ, (job, pipe))
    return worker


def _start(
    side: Side,
    module: str,
    words: Sequence[str],
    out: Any,
    err: Any,
    pass_fds: tuple[int, ...] = (),
) -> subprocess.Popen:
    return child.start(
        module,
        [f"--expect-root={side.import_root}", *words],
        env=side.env,
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=err,
        pass_fds=pass_fds,
    )


def _follow(pipes: selectors.BaseSelector, on_progress: OnProgress) -> None:
    """Passes on the workers' progress until all have closed their pipes."""
    rests: dict[int, bytes] = {}
    while pipes.get_map():
        for key, _ in pipes.select():
            job, pipe = key.data
            block = os.read(key.fd, 1 << 16)
            *lines, rests[key.fd] = (rests.get(key.fd, b"") + block).split(b"\n")
            if lines:
                # Only the last line counts: it says where the worker is now.
                on_progress(job, json.loads(lines[-1]))
            if not block:
                pipes.unregister(pipe)
                pipe.close()


def _stop(workers: Sequence[subprocess.Popen]) -> None:
    """Ends the workers that still run, by force if necessary."""
    running = [worker for worker in workers if worker.poll() is None]
    for worker in running:
        worker.send_signal(signal.SIGINT)
    try:
        for worker in running:
            worker.wait(SECONDS_TO_STOP)
    except subprocess.TimeoutExpired:
        pass
    finally:
        # Also after a second Ctrl-C.
        for worker in running:
            child.kill(worker)


def _worker_failed(name: str, status: int, err: IO[str]) -> CouldNotRun:
    """Returns why a worker has no result, with all that it wrote as the cause.

    Args:
        name: The name of its side.
        status: Its exit status.
        err: What it wrote to standard error.
    """
    said = WorkerSaid(err)
    reason = said.how_it_ended(status)
    if status in (1, Ending.UNABLE.status) and str(said):
        reason = str(said).splitlines()[-1]
    failed = CouldNotRun(f"{name}: {reason}")
    failed.__cause__ = said
    return failed


class WorkerSaid(Exception):
    """What a worker wrote to standard error, for ``--debug`` to show."""

    def __init__(self, err: IO[str]) -> None:
        err.seek(0)
        super().__init__(err.read().strip())

    def how_it_ended(self, status: int) -> str:
        """Returns what its exit status says, and where it crashed, if it did."""
        crash = crash_in(str(self))
        return ": ".join(filter(None, (child.how_it_ended(status), crash)))
