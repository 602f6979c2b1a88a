# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Shows a plan, to a person and to a program."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tbp.monty.backends.null.engine import VOTES_PER_LM

from ..table import table
from .calibration import Estimate
from .demand import Counted, Demand
from .placing import Placing
from .planned import Planned

__all__ = ["Plan"]

FORMAT, VERSION = "monty-plan", 1


@dataclass(frozen=True)
class Plan:
    """All that is said of an experiment beforehand.

    Attributes:
        planned: The learning modules.
        backend: The backend that was asked for.
        placing: Where learning modules run.
        demand: What they ask of a GPU; None for a backend of the CPU.
        estimates: How long a step may take.
    """

    planned: Planned
    backend: str
    placing: Placing
    demand: Demand | None
    estimates: Sequence[Estimate]

    def as_dict(self) -> dict[str, Any]:
        """Return it for a program."""
        planned = self.planned
        return {
            "format": FORMAT,
            "format_version": VERSION,
            "title": planned.title,
            "backend": self.backend,
            "lms": [
                {"lm": lm.lm_id, "kind": lm.kind, "objects": len(lm.graph_ids)}
                for lm in planned.lms
            ],
            "without_backend": dict(planned.others),
            "groups": [
                {"lms": [planned.lms[i].lm_id for i in group], "why": why}
                for group, why in zip(planned.groups, planned.why, strict=True)
            ],
            "placing": asdict(self.placing),
            "gpu": self.demand and asdict(self.demand),
            "seconds_per_step": [asdict(one) for one in self.estimates],
        }

    def show(self) -> str:
        """Return it as text."""
        parts = [self.planned.title, self._groups(), self._backends()]
        if self.demand is not None:
            parts.append(self._gpu(self.demand))
        return "\n\n".join([*parts, self._time()])

    def _groups(self) -> str:
        lms = self.planned.lms
        lines = []
        for group, why in zip(self.planned.groups, self.planned.why, strict=True):
            objects = {len(lms[i].graph_ids) for i in group}
            known = " or ".join(map(str, sorted(objects)))
            names = _few([lms[i].lm_id for i in group])
            lines.append(f"  {names}; each knows {known} objects; {why}")
        for lm, kind in self.planned.others:
            lines.append(f"  {lm} steps by itself, without a backend: it is a {kind}")
        return "\n".join(["groups of learning modules", *lines])

    def _backends(self) -> str:
        found, lines = self.placing, []
        for name, refused in found.refused.items():
            can = len(self.planned.lms) - len(refused)
            here = f"; {found.absent[name]}" if name in found.absent else ""
            lines.append(f"  {name} can run {can} of {len(self.planned.lms)}{here}")
            reasons: dict[str, list[str]] = {}
            for lm, reason in refused.items():
                reasons.setdefault(reason, []).append(lm)
            lines += [f"    not {_few(of)}: {why}" for why, of in reasons.items()]
        lines.append(f"  auto would choose {_tally(found.auto_here)} here")
        lines.append(f"  with a GPU: {_tally(found.auto_with_gpu)}")
        return "\n".join(["backends", *lines])

    def _gpu(self, demand: Demand) -> str:
        steps = {
            "first step": demand.first,
            "step of a burst": demand.burst,
            "later step": demand.later,
            "at most": demand.most,
        }
        shown = {name: step for name, step in steps.items() if step is not None}
        moved = [one for name, one in shown.items() if name != "at most"]
        rows = [
            ("hypotheses", *(f"{one.hypotheses:,}" for one in shown.values()), ""),
            _row("kernels launched", (f"{one.launches}" for one in moved)),
            _row("sent", (_size(one.sent) for one in moved)),
            _row("returned", (_size(one.returned) for one in moved)),
            *_memory_rows(list(shown.values())),
            ("memory at most", *(_size(one.peak) for one in shown.values()), ""),
        ]
        notes = []
        if any(lm.voters for lm in self.planned.lms):
            notes.append(
                f"{VOTES_PER_LM} votes per learning module: evidence decides how many"
            )
        elif len(self.planned.lms) > 1:
            notes.append("without votes: these learning modules do not vote")
        if demand.burst is not None:
            notes.append("one burst, without deletions: evidence decides on others")
        return "\n".join([table((self.backend, *shown, ""), rows), *notes])

    def _time(self) -> str:
        lines = [
            f"  {one.backend} on {one.machine}: {_duration(one.seconds)}, "
            f"{_trust(one)}, measured {' to '.join(dict.fromkeys(one.dates))}"
            for one in self.estimates
        ]
        if not lines:
            lines = [f"  nothing was measured with {self.backend} and these updaters"]
        return "\n".join(["time of a later step of the learning modules", *lines])


def _memory_rows(steps: Sequence[Counted]) -> list[tuple[str, ...]]:
    rows = []
    for use in steps[0].memory:
        cells = [_size(one.memory[use]) for one in steps]
        if set(cells) != {_size(0)}:
            rows.append((f"memory: {use}", *cells, ""))
    return rows


def _row(what: str, cells: Iterable[str]) -> tuple[str, ...]:
    return (what, *cells, "", "")


def _few(names: Sequence[str]) -> str:
    if len(names) <= 4:
        return ", ".join(names)
    return f"{names[0]} to {names[-1]} ({len(names)})"


def _tally(chosen: Mapping[str, str]) -> str:
    counts = Counter(chosen.values())
    return ", ".join(f"{name} for {count}" for name, count in counts.items()) or "none"


def _trust(estimate: Estimate) -> str:
    count = estimate.measurements
    measurements = f"{count} measurement{'' if count == 1 else 's'}"
    if estimate.error is None:
        return f"from {measurements}, too few to tell the error"
    return f"within {estimate.error:.0%} of {measurements}"


def _duration(seconds: float) -> str:
    return f"{seconds:.2f} s" if seconds >= 1 else f"{seconds * 1e3:.1f} ms"


def _size(nbytes: int) -> str:
    for unit, size in (("GiB", 2**30), ("MiB", 2**20), ("KiB", 2**10)):
        if nbytes >= size:
            return f"{nbytes / size:.1f} {unit}"
    return f"{nbytes} B"
