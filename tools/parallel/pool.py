# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The workers of a run: Ray's actors, which Ray starts again when they are lost."""

from __future__ import annotations

import importlib
import sys
import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from ..ending import one_line
from ..guard import Failed
from .cluster import Cluster
from .worker import Order, Outcome, Prepared, Worker

__all__ = ["Lost", "Pool"]

MOST_RESTARTS = 20
"""Of one worker. Then something is wrong with its machine."""

LAST_LINES = 40


class Lost(NamedTuple):
    """An episode has no result, because each worker that ran it was lost.

    Attributes:
        reason: What happened to the last one.
        lines: What it logged last, if that is on this machine.
    """

    reason: str
    lines: str


class _Worker(NamedTuple):
    """A worker.

    Attributes:
        actor: Ray's handle.
        output: Where it logs to, on its machine.
    """

    actor: Any
    output: Path


class _Run(NamedTuple):
    """A worker runs an episode.

    Attributes:
        worker: The worker.
        number: The place of the episode in its phase.
        began: When.
    """

    worker: _Worker
    number: int
    began: float


class Pool:
    """Gives episodes to workers, and gives them again if a worker was lost.

    Ray's `ActorPool` does not tell which value was lost with an actor. And what Ray
    retries stays with its actor, which may never start again: after the loss of a
    machine there may be no room for it. So episodes wait and are retried here; Ray
    does the rest.
    """

    def __init__(self, cluster: Cluster, order: Order) -> None:
        """Makes a pool without workers.

        Args:
            cluster: Ray.
            order: What the workers are for.
        """
        self._ray, self._logs = cluster
        self._order = order
        self._started = 0
        self._where: dict[_Worker, str] = {}
        """The machines of all workers."""
        self._idle: list[_Worker] = []
        self._runs: dict[Any, _Run] = {}
        """What workers do, by Ray's calls."""
        self._restarts: dict[Any, _Worker] = {}
        """Workers that Ray starts again."""

    def __str__(self) -> str:
        machines = sorted({where.split()[0] for where in self._where.values()})
        workers = f"{len(self._where)} workers ({', '.join(machines)})"
        return f"{len(self._runs)} running on {workers}"

    def start(self, count: int, gpus: float) -> dict[str, tuple[str, ...]]:
        """Starts workers, and waits until they are ready.

        Args:
            count: How many.
            gpus: How many GPUs each of them takes.

        Returns:
            The names of the episodes, by phase.

        Raises:
            Failed: If one of them cannot run episodes, with the names of the machines.
        """
        options = {"num_cpus": 1, "num_gpus": gpus, "scheduling_strategy": "SPREAD"}
        workers = [self._worker(**options) for _ in range(count)]
        try:
            found = self._ray.get([one.actor.prepared.remote() for one in workers])
        except self._ray.exceptions.RayError as error:
            raise Failed(f"a worker cannot start: {_why(error)}") from error
        problems: dict[str, set[str]] = {}
        for worker, one in zip(workers, found, strict=True):
            self._where[worker] = one.where
            if one.problem:
                problems.setdefault(one.problem, set()).add(one.where)
        if problems:
            raise Failed(
                "\n".join(
                    f"{', '.join(sorted(where))}: {problem}"
                    for problem, where in problems.items()
                )
            )
        self._idle += workers
        return found[0].names

    def dismiss(self) -> None:
        """Ends all workers."""
        for worker in list(self._where):
            self._end(worker)

    def run(
        self, mode: str, numbers: Iterable[int], retries: int
    ) -> Iterator[tuple[int, Outcome | Lost]]:
        """Yields episodes that have ended, and what became of them.

        Args:
            mode: The phase.
            numbers: The episodes.
            retries: How often to run an episode again whose worker was lost.

        Raises:
            Failed: If no worker is left.
        """
        waiting, losses = deque(numbers), Counter[int]()
        while waiting or self._runs:
            while waiting and self._idle:
                self._give(self._idle.pop(), mode, waiting.popleft())
            for call in self._ended():
                if call in self._restarts:
                    self._take_back(call)
                    continue
                worker, number, began = self._runs.pop(call)
                outcome = self._outcome(call, worker, began)
                if isinstance(outcome, Lost):
                    self._expect_back(worker)
                    losses[number] += 1
                    reason = f"tried {losses[number]} times; {outcome.reason}"
                    outcome = outcome._replace(reason=reason)
                    is_tried_again = losses[number] <= retries
                elif outcome.is_crowded and len(self._where) > 1:
                    self._make_room(worker, outcome)
                    is_tried_again = True
                else:
                    self._idle.append(worker)
                    is_tried_again = False
                if is_tried_again:
                    waiting.appendleft(number)
                else:
                    yield number, outcome

    def join_models(self, parts: Sequence[Path], target: Path) -> None:
        """Has models joined by a worker on this machine, which has the files."""
        strategies = importlib.import_module("ray.util.scheduling_strategies")
        here = strategies.NodeAffinitySchedulingStrategy(
            self._ray.get_runtime_context().get_node_id(), soft=False
        )
        actor, _ = self._worker(num_cpus=0, scheduling_strategy=here)
        self._ray.get(actor.join_models.remote(parts, target))
        self._ray.kill(actor)

    def _worker(self, **options: Any) -> _Worker:
        self._started += 1
        job = self._ray.get_runtime_context().get_job_id()
        output = self._logs / f"monty-{job}-{self._started}.log"
        remote = self._ray.remote(Worker).options(max_restarts=MOST_RESTARTS, **options)
        return _Worker(remote.remote(self._order, output), output)

    def _give(self, worker: _Worker, mode: str, number: int) -> None:
        call = worker.actor.run.remote(mode, number)
        self._runs[call] = _Run(worker, number, time.monotonic())

    def _ended(self) -> list[Any]:
        """Returns calls that have an answer."""
        calls = [*self._runs, *self._restarts]
        if not calls:
            raise Failed("no worker is left, and none can be started any more")
        ended, _ = self._ray.wait(calls)
        return ended

    def _outcome(self, call: Any, worker: _Worker, began: float) -> Outcome | Lost:
        limit = self._order.timeout
        try:
            return self._ray.get(call)
        except self._ray.exceptions.RayTaskError as error:
            # Not the experiment: what surrounds it.
            return Outcome(error=str(error), reason=one_line(error.cause))
        except self._ray.exceptions.RayError as error:
            reason = f"its worker was lost: {_why(error)}"
            if limit is not None and time.monotonic() - began >= limit:
                reason = f"it took more than {limit:g} s"
            reason += f" (on {self._where[worker]}, log {worker.output})"
            return Lost(reason, _last_lines(worker.output))

    def _expect_back(self, worker: _Worker) -> None:
        # Ray answers when it has started the worker again.
        call = worker.actor.prepared.options(max_task_retries=-1).remote()
        self._restarts[call] = worker

    def _take_back(self, call: Any) -> None:
        worker = self._restarts.pop(call)
        try:
            found: Prepared = self._ray.get(call)
        except self._ray.exceptions.RayError as error:
            found = Prepared(self._where[worker], problem=_why(error))
        self._where[worker] = found.where
        self._idle.append(worker)
        if found.problem:
            self._end(worker)
            print(f"a worker did not start again: {found.problem}", file=sys.stderr)

    def _make_room(self, worker: _Worker, outcome: Outcome) -> None:
        """Ends a worker, so that the others have more memory of the GPU."""
        self._end(worker)
        print(
            f"{outcome.reason}\nThe GPU is too small for so many workers: going on "
            f"with {len(self._where)}",
            file=sys.stderr,
        )

    def _end(self, worker: _Worker) -> None:
        self._idle = [one for one in self._idle if one != worker]
        del self._where[worker]
        self._ray.kill(worker.actor)


def _last_lines(path: Path) -> str:
    try:
        return "\n".join(path.read_text("utf-8", "replace").splitlines()[-LAST_LINES:])
    except OSError:
        return ""  # it is on another machine


def _why(error: Exception) -> str:
    """Returns what Ray says about a worker, in one line."""
    first, *rest = str(error).strip().splitlines() or [""]
    if "creation task" in first:
        return rest[-1].strip()  # what it raised
    why = next((line for line in rest if "exit" in line.lower()), "")
    return f"{type(error).__name__}: {first} {why.strip()}".strip()
