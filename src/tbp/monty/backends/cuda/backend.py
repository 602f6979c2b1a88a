# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The backends `cuda` and `cuda-streams`."""

from __future__ import annotations

from collections import Counter
from typing import Callable, ClassVar, Hashable, Literal

from tbp.monty.backends.cuda.availability import reason_against
from tbp.monty.backends.cuda.engine import CudaEngine
from tbp.monty.backends.cuda.lane import Lane
from tbp.monty.backends.cuda.settings import CudaSettings
from tbp.monty.backends.features import FeatureColumnMismatch
from tbp.monty.backends.numbers import UnusableNumbers
from tbp.monty.backends.protocol import Ticket
from tbp.monty.backends.stacked_update import Launched, StackedUpdate
from tbp.monty.backends.work import EvidenceWork

__all__ = ["CudaBackend", "CudaStreamsBackend"]

ByTicket = "dict[Ticket, EvidenceWork]"


class _Group:
    """Learning modules whose works run in one lane."""

    def __init__(self, lane: Lane) -> None:
        self.lane = lane
        self.queued: ByTicket = {}
        self._update = StackedUpdate(CudaEngine(lane))
        self._launched: tuple[Launched, ByTicket] | None = None
        self._failed: tuple[Exception, ByTicket] | None = None

    def launch(self) -> None:
        """Queue on the GPU what is queued here. Waits for nothing."""
        works, self.queued = self.queued, {}
        if not works:
            return
        try:
            self._launched = (self._update.launch(list(works.values())), works)
        except Exception as error:  # noqa: BLE001 raised with the results
            self._failed = (error, works)

    def finish(self) -> dict[Ticket, Exception | None]:
        """Wait for what was launched.

        Returns:
            For each ticket what it raised, or None.
        """
        self.launch()
        if self._launched is not None:
            (launched, works), self._launched = self._launched, None
            try:
                self._update.finish(launched)
            except Exception as error:  # noqa: BLE001 raised with the results
                self._failed = (error, works)
            else:
                return dict.fromkeys(works)
        if self._failed is None:
            return {}
        (error, works), self._failed = self._failed, None
        if len(works) > 1 and isinstance(
            error, (FeatureColumnMismatch, UnusableNumbers)
        ):
            # The input of one of them, and nothing has changed: the others go on.
            return {ticket: self._error_of(work) for ticket, work in works.items()}
        return dict.fromkeys(works, error)

    def release(self, work: EvidenceWork) -> None:
        """Leave to a learning module all that is held of it."""
        self._update.release(work)

    def close(self) -> None:
        self.queued.clear()
        self._launched = None
        self._update.close()
        self.lane.close()

    def _error_of(self, work: EvidenceWork) -> Exception | None:
        try:
            self._update.run([work])
        except Exception as error:  # noqa: BLE001 raised with the result
            return error
        return None


class CudaBackend:
    """Stacks all learning modules with the same kind of update into one launch."""

    name: ClassVar[str] = "cuda"
    where: ClassVar[str] = "GPU"
    summary: ClassVar[str] = "all hypotheses in one launch a stage, resident on the GPU"
    priority: ClassVar[int | None] = 200

    def __init__(self, open_lane: Callable[[int], Lane] | None = None) -> None:
        """Open the backend.

        Args:
            open_lane: Opens a lane, given how many there are. By default, on the GPUs
                in turn.
        """
        self._open_lane = open_lane or _lanes_of_gpus(CudaSettings.from_environment())
        self._groups: dict[Hashable, _Group] = {}
        self._of_ticket: dict[Ticket, _Group] = {}
        self._errors: dict[Ticket, Exception | None] = {}
        self._dispatched = 0
        self._steps: Counter[str] = Counter()

    @staticmethod
    def unavailable() -> str | None:
        return reason_against()

    def can_run(self, work: EvidenceWork) -> Literal[True] | str:
        return StackedUpdate.can_run(work)

    def dispatch(self, work: EvidenceWork) -> Ticket:
        self._dispatched += 1
        ticket = self._dispatched
        key = self._group_of(work)
        if key not in self._groups:
            self._groups[key] = _Group(self._open_lane(len(self._groups)))
        group = self._groups[key]
        group.queued[ticket] = work
        self._of_ticket[ticket] = group
        self._steps[work.lm_id] += 1
        self._after_dispatch(group)
        return ticket

    def wait(self) -> None:
        # All of them first, so that they overlap.
        for group in self._groups.values():
            group.launch()
        for group in self._groups.values():
            self._errors.update(group.finish())

    def result(self, ticket: Ticket) -> None:
        group = self._of_ticket.pop(ticket)
        if ticket not in self._errors:
            for other in self._groups.values():
                other.launch()
            self._errors.update(group.finish())
        error = self._errors.pop(ticket)
        if error is not None:
            raise error

    def release(self, work: EvidenceWork) -> None:
        """Leave to a learning module all that is held of it."""
        group = self._groups.get(self._group_of(work))
        if group is not None:
            group.release(work)

    def close(self) -> None:
        for group in self._groups.values():
            group.close()
        self._groups.clear()
        self._of_ticket.clear()
        self._errors.clear()

    def note(self) -> str:
        """Return what was moved and how much memory it took, in words."""
        lanes = [group.lane for group in self._groups.values()]
        steps = sum(self._steps.values())
        if not steps:
            return ""
        to_device = sum(lane.moved.to_device for lane in lanes) / steps / 1024
        from_device = sum(lane.moved.from_device for lane in lanes) / steps / 1024
        peak = sum(getattr(lane, "peak", 0) for lane in lanes) / 2**20
        return (
            f"moved {to_device:.1f} KiB to the GPU and {from_device:.1f} KiB back a "
            f"step and learning module, at most {peak:.0f} MiB in use there"
        )

    def _group_of(self, work: EvidenceWork) -> Hashable:
        return work.updater.kind

    def _after_dispatch(self, group: _Group) -> None:
        """Called when a group has got work."""


class CudaStreamsBackend(CudaBackend):
    """Gives each learning module a stream, and launches when it dispatches."""

    name: ClassVar[str] = "cuda-streams"
    summary: ClassVar[str] = (
        "a stream for each learning module, side by side on the GPU"
    )
    priority: ClassVar[int | None] = None

    def _group_of(self, work: EvidenceWork) -> Hashable:
        return work.lm_id, work.updater.kind

    def _after_dispatch(self, group: _Group) -> None:
        group.launch()


def _lanes_of_gpus(settings: CudaSettings) -> Callable[[int], Lane]:
    from tbp.monty.backends.cuda.gpu import GpuLane, gpu_count  # noqa: PLC0415

    devices = settings.devices or tuple(range(gpu_count()))
    return lambda lanes: GpuLane(devices[lanes % len(devices)], settings)
