# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Controls processes that import upstream or the fork.

Such a worker reports to this process in lines of JSON. Some workers wait for orders,
each a line, and answer each with one report.
"""

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
from typing import IO, Any, ClassVar, Protocol

from typing_extensions import Self

from .. import child
from ..ending import CouldNotRun, Ending
from ..progress import progress_shown
from ..temporary import remove_abandoned
from .sides import Run, Side

__all__ = ["Job", "Worker", "ask", "describe", "go", "run_jobs"]

NO_RESULT = (Ending.UNABLE, Ending.INTERRUPTED)
SECONDS_TO_STOP = 10

Links = Sequence[tuple[str, int]]
"""What connects a worker with another: options, and their file descriptors."""


class Task(Protocol):
    """What a worker is started for.

    Attributes:
        side: The side that it imports.
        write: The file or folder that it writes.
        module: The module that it runs, below ``monty_tools``.
    """

    @property
    def side(self) -> Side: ...

    @property
    def write(self) -> Path: ...

    @property
    def module(self) -> str: ...

    def arguments(self) -> list[str]:
        """Returns the arguments of a worker that is started now."""


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
        state: Whether to read and record Monty's state. Without, steps are counted and
            timed as those of a run that nobody watches.
        rounds: How often to run it, one after the other in one process.
        in_turns: Whether the worker waits for an order before each step, see
            `run_jobs`.
    """

    side: Side
    run: Run
    write: Path
    feed: Path | None = None
    observations: bool = True
    tolerance: float = 0.0
    state: bool = True
    rounds: int = 1
    in_turns: bool = False

    module: ClassVar[str] = "recording.worker"

    def arguments(self) -> list[str]:
        words = [
            f"--side={self.side.name}",
            f"--write={self.write}",
            f"--tolerance={self.tolerance!r}",
            f"--rounds={self.rounds}",
            f"--began={time.monotonic()!r}",
            "--state" if self.state else "--no-state",
            "--observations" if self.observations else "--no-observations",
        ]
        if self.feed is not None:
            words.append(f"--feed={self.feed}")
        if self.in_turns:
            words.append("--in-turns")
        return words + self.run.arguments()


class Worker:
    """A process that imports a side; it ends with the `with` block."""

    def __init__(
        self, side: Side, module: str, words: Sequence[str], links: Links = ()
    ) -> None:
        """Starts a worker.

        Args:
            side: The side that it imports.
            module: The module that it runs, below ``monty_tools``.
            words: The arguments of the module.
            links: What connects it with other workers.
        """
        self.name = side.name
        self._errors = tempfile.TemporaryFile("w+")  # noqa: SIM115 closed in close()
        reading, reports = os.pipe()
        orders, writing = os.pipe()
        try:
            links = [("--reports", reports), ("--orders", orders), *links]
            self._process = _start(
                side,
                module,
                [*(f"{option}={fd}" for option, fd in links), *words],
                subprocess.DEVNULL,
                self._errors,
                pass_fds=tuple(fd for _, fd in links),
            )
        finally:
            os.close(reports)
            os.close(orders)
        self.reports = os.fdopen(reading, "rb")
        self._orders = os.fdopen(writing, "w")

    def report(self) -> Any:
        """Returns the next report; None if the worker has ended."""
        line = self.reports.readline()
        return json.loads(line) if line else None

    def order(self, word: str) -> Any:
        """Gives an order, and returns the report that answers it."""
        # If it has ended, there is no report.
        with contextlib.suppress(BrokenPipeError):
            print(word, file=self._orders, flush=True)
        return self.report()

    def result(self) -> Ending:
        """Waits for its end.

        Raises:
            CouldNotRun: If it could not do what it was started for.
        """
        ending = Ending.of_status(self._process.wait())
        if ending in NO_RESULT:
            remove_abandoned()  # what it could not remove itself if it was killed
            raise self.failed()
        return ending

    def failed(self) -> CouldNotRun:
        """Returns why it has no result, with all that it wrote as the cause."""
        status = self._process.wait()
        self._errors.seek(0)
        said = self._errors.read().strip()
        if status in (1, Ending.UNABLE.status) and said:
            reason = said.splitlines()[-1]
        else:
            reason = child.how_it_ended(status)
        failed = CouldNotRun(f"{self.name}: {reason}")
        failed.__cause__ = WorkerSaid(said)
        return failed

    def close(self) -> None:
        """Ends the worker if it still runs, by force if necessary."""
        try:
            if self._process.poll() is None:
                self._process.send_signal(signal.SIGINT)
                self._process.wait(SECONDS_TO_STOP)
        except subprocess.TimeoutExpired:
            pass
        finally:
            # Also after a second Ctrl-C.
            child.kill(self._process)
            self.reports.close()
            with contextlib.suppress(BrokenPipeError):
                self._orders.close()
            self._errors.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class WorkerSaid(Exception):
    """What a worker wrote to standard error, for ``--debug`` to show."""


OnProgress = Callable[[Any, Mapping[str, Any]], None]


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
    """Returns what a worker reports.

    Args:
        side: The side that the worker imports.
        module: The module that it runs, below ``monty_tools``.
        words: The arguments of the module.

    Raises:
        CouldNotRun: If it does not answer.
    """
    with Worker(side, module, words) as worker:
        answer = worker.report()
        worker.result()
        return answer


def run_jobs(
    jobs: Sequence[Task],
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
        take_turns: Whether only one of them works at a time. Their workers must wait
            for an order before each piece of work. So what one of them times is not
            slowed down by the others, and when the machine is slow for a while, all of
            them meet that.
        check_hypotheses: Whether the second of two jobs compares all its hypotheses
            with those of the first, see `hypotheses`.

    Returns:
        How each job ended.

    Raises:
        CouldNotRun: If a worker could not do its job.
    """
    workers: dict[Worker, Task] = {}
    try:
        with contextlib.ExitStack() as stack:
            with _hypotheses_sent(check_hypotheses) as links:
                for i, job in enumerate(jobs):
                    worker = Worker(
                        job.side, job.module, job.arguments(), links[i : i + 1]
                    )
                    workers[stack.enter_context(worker)] = job
            (_follow_in_turns if take_turns else _follow)(workers, on_progress)
            return [worker.result() for worker in workers]
    except CouldNotRun:
        for job in jobs:
            remove_abandoned(job.write.parent)
        raise


def go(jobs: Sequence[Task], doing: str, **how: bool) -> list[Ending]:
    """Runs jobs as `run_jobs` does, and shows the progress of each."""
    with contextlib.ExitStack() as stack:
        shown = [
            stack.enter_context(progress_shown(f"{doing} {job.side.name}", position=i))
            for i, job in enumerate(jobs)
        ]

        def on_progress(job: Task, found: Mapping[str, Any]) -> None:
            show = shown[jobs.index(job)]
            show(found["episodes"], found["total"], f"{found['steps']} steps")

        return run_jobs(jobs, on_progress, **how)


def _follow(workers: Mapping[Worker, Task], on_progress: OnProgress) -> None:
    """Passes on reports until all workers have ended, or one has failed."""
    with selectors.DefaultSelector() as selector:
        for worker in workers:
            selector.register(worker.reports, selectors.EVENT_READ, worker)
        while selector.get_map():
            for key, _ in selector.select():
                report = key.data.report()
                if report is None:
                    selector.unregister(key.fileobj)
                    key.data.result()
                else:
                    on_progress(workers[key.data], report)


def _follow_in_turns(workers: Mapping[Worker, Task], on_progress: OnProgress) -> None:
    running = dict(workers)
    while running:
        for worker, job in list(running.items()):
            report = worker.order("go on")
            if report is None:
                worker.result()
                del running[worker]
            else:
                on_progress(job, report)


@contextlib.contextmanager
def _hypotheses_sent(wanted: bool) -> Iterator[Links]:
    """Makes the pipe between two workers; they have its ends once they are started."""
    if not wanted:
        yield []
        return
    reading, writing = os.pipe()
    try:
        yield [("--send-hypotheses", writing), ("--check-hypotheses", reading)]
    finally:
        os.close(reading)
        os.close(writing)


def _start(
    side: Side,
    module: str,
    words: Sequence[str],
    out: Any,
    err: IO[str],
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
