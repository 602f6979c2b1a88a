# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The workers of a run: Ray actors, each replaced when it is lost."""

from __future__ import annotations

import contextlib
import importlib
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from typing_extensions import Self

from ..ending import one_line
from ..guard import Failed
from .worker import Order, Outcome, Prepared, Worker, last_lines

__all__ = ["Crew", "Ended", "Lost"]

SECONDS_FOR_LINES = 30
SECONDS_TO_CLOSE = 5
MOST_FAILED_STARTS = 3
LEAST_GPU_SHARE = 0.02
GPU_MARGIN = 1.2
"""Later episodes may take more memory than the first one."""


@dataclass(frozen=True)
class Lost:
    """An episode ended without a result, because its worker did.

    Attributes:
        reason: What happened to the worker.
        lines: What it logged last.
        counts: Whether this counts as one of the episode's tries.
    """

    reason: str
    lines: str
    counts: bool


class Ended(NamedTuple):
    """An episode that does not run any more.

    Attributes:
        number: Its place in the phase.
        outcome: What became of it.
    """

    number: int
    outcome: Outcome | Lost


@dataclass(eq=False)
class _Member:
    """A worker, and what it does now.

    Attributes:
        actor: Ray's handle.
        call: What it was asked to do; None if it waits.
        prepared: What it said when it was ready.
        number: The episode it runs.
        began: A call that it answers before the episode.
        deadline: When the episode has taken too long.
    """

    actor: Any
    call: Any
    prepared: Prepared | None = None
    number: int | None = None
    began: Any = None
    deadline: float = float("inf")


class Crew:
    """Gives episodes to workers, and tells what became of them.

    Attributes:
        options: Ray's options for workers that are started.
    """

    def __init__(self, ray: Any, order: Order, timeout: float | None) -> None:
        """Makes a crew without workers.

        Args:
            ray: Ray, connected.
            order: What the workers are for.
            timeout: How many seconds an episode may take.
        """
        self._ray = ray
        self._order = order
        self.options: dict[str, Any] = {}
        self._timeout = timeout or float("inf")
        self._members: list[_Member] = []
        self._failed_starts = 0
        self._most = sys.maxsize
        self._unmeasured_gpus = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        closing = [one.actor.close.remote() for one in self._members if not one.call]
        if closing:
            self._ray.wait(closing, num_returns=len(closing), timeout=SECONDS_TO_CLOSE)
        for member in self._members:
            self._ray.kill(member.actor)

    @property
    def running(self) -> int:
        return sum(one.number is not None for one in self._members)

    @property
    def idle(self) -> int:
        return sum(one.call is None for one in self._members)

    def in_words(self) -> str:
        """Returns how many workers there are, and where."""
        hosts = sorted({m.prepared.host for m in self._members if m.prepared})
        number = len(self._members)
        return f"{number} worker{'s' * (number != 1)} ({', '.join(hosts)})"

    def recruit(self, size: int) -> None:
        """Starts workers until there are so many."""
        while len(self._members) < min(size, self._most):
            actor = self._started(self.options)
            call = actor.prepare.remote(plans_gpu=self._unmeasured_gpus > 0)
            self._members.append(_Member(actor, call))

    def measure(self, gpus: int) -> None:
        """Has one worker only, until it is known how many can share a GPU.

        Args:
            gpus: How many GPUs there are.
        """
        self._most = 1
        self._unmeasured_gpus = gpus

    def reduce(self, size: int) -> None:
        """Dismisses workers that are too many."""
        for member in self._members[size:]:
            self._dismiss(member)

    def prepare(self, size: int) -> dict[str, tuple[str, ...]]:
        """Starts workers until there are so many, and waits until all are ready.

        Returns:
            The names of the episodes, by phase.

        Raises:
            Failed: If one of them cannot run episodes, with the names of the machines.
        """
        self.recruit(size)
        problems: dict[str, list[str]] = {}
        while any(member.call for member in self._members):
            for member in self._done(None):
                lost = self._take_prepared(member)
                if lost:
                    self._count_failed_start(lost.reason)
                    self.recruit(size)
        for member in self._members:
            found = member.prepared
            assert found is not None
            if found.problem:
                hosts = problems.setdefault(found.problem, [])
                hosts.append(f"{found.host} (node {found.node[:8]})")
        if problems:
            raise Failed(
                "\n".join(
                    f"{', '.join(sorted(set(hosts)))}: {problem}"
                    for problem, hosts in problems.items()
                )
            )
        first = self._members[0]
        assert first.prepared is not None
        if self._unmeasured_gpus and first.prepared.gpu_share is not None:
            self._share_gpus(first, first.prepared.gpu_share, "will take at most")
            return self.prepare(size)
        return first.prepared.names

    def give(self, mode: str, number: int) -> None:
        """Lets an idle worker run an episode."""
        member = next(one for one in self._members if one.call is None)
        member.began = member.actor.ping.remote()
        member.call = member.actor.run.remote(mode, number)
        member.number = number
        member.deadline = time.monotonic() + self._timeout

    def wait(self, seconds: float) -> Iterator[Ended]:
        """Yields the episodes that end within a time."""
        for member in self._done(seconds):
            if member.number is None:
                self._note_start(member)
            else:
                yield Ended(member.number, self._take_outcome(member))
        for member in list(self._members):
            if time.monotonic() > member.deadline:
                assert member.number is not None
                reason = f"it took more than {self._timeout:g} s"
                yield Ended(member.number, self._lose(member, reason, counts=True))

    def call_runner(self, function: str, *args: Any) -> Any:
        """Lets a worker call a function of upstream's parallel runner."""
        with self._helper() as actor:
            return self._ray.get(actor.call_runner.remote(function, *args))

    def join_models(self, parts: Sequence[Path], target: Path) -> None:
        """Lets a worker on this machine join models; the files are not sent."""
        with self._helper() as actor:
            self._ray.get(actor.join_models.remote(parts, target))

    @contextlib.contextmanager
    def _helper(self) -> Iterator[Any]:
        """Yields a worker on this machine that has nothing else to do."""
        here = self._ray.get_runtime_context().get_node_id()
        for member in self._members:
            if member.call is None and member.prepared and member.prepared.node == here:
                yield member.actor
                return
        actor = self._started({**self.options, "num_cpus": 0, **self._on(here)})
        try:
            self._ray.get(actor.prepare.remote())
            yield actor
        finally:
            self._ray.kill(actor)

    def _started(self, options: dict[str, Any]) -> Any:
        return self._ray.remote(Worker).options(**options).remote(self._order)

    def _on(self, node: str) -> dict[str, Any]:
        strategies = importlib.import_module("ray.util.scheduling_strategies")
        strategy = strategies.NodeAffinitySchedulingStrategy(node, soft=False)
        return {"scheduling_strategy": strategy}

    def _done(self, seconds: float | None) -> list[_Member]:
        calls = {one.call: one for one in self._members if one.call is not None}
        if not calls:
            return []
        ready, _ = self._ray.wait(list(calls), timeout=seconds, fetch_local=False)
        return [calls[call] for call in ready]

    def _take_prepared(self, member: _Member) -> Lost | None:
        try:
            member.prepared = self._ray.get(member.call)
        except self._ray.exceptions.RayTaskError as error:
            raise Failed(f"a worker cannot start: {one_line(error.cause)}") from error
        except self._ray.exceptions.RayError as error:
            return self._lose(member, _why(error), counts=False)
        member.call = None
        return None

    def _note_start(self, member: _Member) -> None:
        """Notes that a worker started which replaces another."""
        lost = self._take_prepared(member)
        problem = lost.reason if lost else member.prepared and member.prepared.problem
        if not problem:
            self._failed_starts = 0
            return
        self._dismiss(member)
        self._count_failed_start(problem)

    def _count_failed_start(self, problem: str) -> None:
        self._failed_starts += 1
        if self._failed_starts == MOST_FAILED_STARTS:
            raise Failed(f"no worker can be started any more: {problem}")
        print(f"a worker did not start: {problem}", file=sys.stderr)

    def _take_outcome(self, member: _Member) -> Outcome | Lost:
        try:
            outcome = self._ray.get(member.call)
        except self._ray.exceptions.RayTaskError as error:
            # Not the experiment: what surrounds it.
            outcome = Outcome(error=str(error), reason=one_line(error.cause))
        except self._ray.exceptions.RayError as error:
            return self._lose(member, _why(error), counts=self._had_begun(member))
        member.call = member.number = None
        member.deadline = float("inf")
        return self._heed_gpu(member, outcome)

    def _heed_gpu(self, member: _Member, outcome: Outcome) -> Outcome | Lost:
        """Lets as many workers share a GPU as its memory holds."""
        if outcome.is_crowded and len(self._members) > 1:
            self._most = len(self._members) - 1
            print(
                f"{outcome.reason}\nThe GPU is too small for so many workers: going on "
                f"with {self._most}",
                file=sys.stderr,
            )
            self._dismiss(member)
            return Lost(outcome.reason, "", counts=False)
        if self._unmeasured_gpus and outcome.error is None:
            self._share_gpus(member, outcome.gpu_share, "takes")
        return outcome

    def _share_gpus(self, member: _Member, share: float, takes: str) -> None:
        """Gives each worker a part of a GPU.

        Args:
            member: The worker that has measured it.
            share: The part of a GPU's memory that a worker needs.
            takes: What it does with that part, for people.
        """
        per_gpu = max(1, int(1 / (max(share, LEAST_GPU_SHARE) * GPU_MARGIN)))
        print(
            f"an episode {takes} {share:.0%} of a GPU's memory: {per_gpu} workers per "
            "GPU",
            file=sys.stderr,
        )
        self._most = per_gpu * self._unmeasured_gpus
        self._unmeasured_gpus = 0
        if per_gpu > 1:
            self.options = {**self.options, "num_gpus": 1 / per_gpu}
            self._dismiss(member)  # it has a whole GPU

    def _had_begun(self, member: _Member) -> bool:
        try:
            self._ray.get(member.began, timeout=1)
        except self._ray.exceptions.RayError:
            return False
        return True

    def _lose(self, member: _Member, reason: str, *, counts: bool) -> Lost:
        self._dismiss(member)
        lines = ""
        if member.prepared is not None:
            reason = f"{reason} (on {member.prepared.host})"
            lines = self._last_lines(member.prepared)
        return Lost(reason, lines, counts)

    def _last_lines(self, prepared: Prepared) -> str:
        read = self._ray.remote(last_lines)
        read = read.options(num_cpus=0, **self._on(prepared.node))
        try:
            return self._ray.get(
                read.remote(prepared.folder), timeout=SECONDS_FOR_LINES
            )
        except self._ray.exceptions.RayError:
            return ""  # the machine is gone, and so are its logs

    def _dismiss(self, member: _Member) -> None:
        if member in self._members:
            self._members.remove(member)
        with contextlib.suppress(self._ray.exceptions.RayError):
            self._ray.kill(member.actor)


def _why(error: Exception) -> str:
    """Returns what Ray says about a worker, in one line."""
    first, _, rest = str(error).strip().partition("\n")
    why = next((line for line in rest.splitlines() if "exit" in line.lower()), "")
    return f"{type(error).__name__}: {first} {why.strip()}".strip()
