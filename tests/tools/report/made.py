# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes profiles and files of commands, as large and as hostile as a test needs."""

from __future__ import annotations

import json
import random
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

__all__ = ["OBJECTS", "bench_file", "compare_file", "parity_file", "profile_folder"]

OBJECTS = ("mug", "bowl", "potted_meat_can", "spoon", "banana", "dice", "c_cups")
PHASES = {
    "sensor modules": 4.1e-3,
    "dispatch": 0.5e-3,
    "pack": 0.3e-3,
    "launch": 2.2e-3,
    "wait": 0.9e-3,
    "result": 0.2e-3,
    "process": 1.4e-3,
    "votes": 2.6e-3,
    "goals": 0.3e-3,
    "motor": 0.2e-3,
}
OF_LMS = ("dispatch", "result", "process")


def profile_folder(
    folder: Path,
    *,
    lms: int = 5,
    episodes: int = 3,
    steps: int = 12,
    objects: Sequence[str] = OBJECTS,
    backend: str = "cuda",
    lm: str = "learning_module",
) -> Path:
    """Write a profile of a run that never was, and return its folder."""
    made = _Made(
        random.Random(0),  # noqa: S311 not for secrets
        [f"{lm}_{i}" for i in range(lms)],
        objects,
    )
    for episode in range(episodes):
        made.episode(episode, steps)
    folder.mkdir(parents=True)
    ran = {lm: {"backend": backend, "updates": 9, "reason": None} for lm in made.lms}
    ran[made.lms[-1]] = {
        "backend": "reference",
        "updates": 9,
        "reason": f"{objects[0]}: its updater is not known to {backend}",
    }
    summary = {
        "format": "monty-profile",
        "format_version": 1,
        "experiment": "randrot_noise_10distinctobj_5lms_dist_agent_mujoco",
        "overrides": [],
        "tbp.monty": "0.55.0+backends.16",
        "backend": backend,
        "machine": {"processor": "Neoverse-N1", "cores": 2},
        "started": "2026-11-17T08:00:00",
        "lms": made.lms,
        "groups": [made.lms],
        "ran": ran,
        "fallbacks": [
            {
                "lm": made.lms[-1],
                "from": backend,
                "to": "reference",
                "reason": ran[made.lms[-1]]["reason"],
            }
        ],
        "phases": made.phases,
        "steps": episodes * steps,
        "episodes": episodes,
        "seconds": made.now / 1e6,
    }
    _write(folder / "profile.json", summary)
    _write(folder / "timeline.json", {"traceEvents": made.events})
    for name in ("steps", "memory", "episodes"):
        lines = "".join(f"{json.dumps(line)}\n" for line in getattr(made, name))
        (folder / f"{name}.jsonl").write_text(lines, "utf-8")
    return folder


class _Made:
    def __init__(
        self, rng: random.Random, lms: list[str], objects: Sequence[str]
    ) -> None:
        self.lms = lms
        self.now = 0.0
        self.phases: dict[str, dict[str, float]] = {}
        self.steps: list[dict] = []
        self.memory: list[dict] = []
        self.episodes: list[dict] = []
        self._rng = rng
        self._objects = objects
        rows = [(1, 0, "Monty"), *((1, i + 1, lm) for i, lm in enumerate(lms))]
        rows.append((2, 0, "stream 0"))
        self.events: list[dict] = [
            {
                "ph": "M",
                "name": "thread_name",
                "pid": pid,
                "tid": tid,
                "args": {"name": name},
            }
            for pid, tid, name in rows
        ]

    def episode(self, episode: int, steps: int) -> None:
        began = self.now
        target = self._objects[episode % len(self._objects)]
        evidence = {(lm, o): 0.0 for lm in self.lms for o in self._objects}
        self._hold(episode, -1, 1)
        for step in range(steps):
            self._step(episode, step, target, evidence)
            if step == steps // 2:
                self._hold(episode, step, 2)
        self._span("episode", began, self.now, {"episode": episode, "step": None})
        outcome = {
            "result": "match",
            "recognised": target if episode % 3 else self._objects[-1],
            "rotation_error_deg": round(self._rng.uniform(0, 12), 2),
        }
        self.episodes.append(
            {
                "episode": episode,
                "target": target,
                "steps": steps,
                "seconds": (self.now - began) / 1e6,
                **outcome,
                "lms": {
                    lm: {**outcome, "rotation_error_deg": self._rng.uniform(0, 20)}
                    for lm in self.lms
                },
            }
        )

    def _step(self, episode: int, step: int, target: str, evidence: dict) -> None:
        began, args = self.now, {"episode": episode, "step": step}
        for phase, seconds in PHASES.items():
            for tid in range(1, len(self.lms) + 1) if phase in OF_LMS else (0,):
                took = 1e6 * seconds * self._rng.uniform(0.8, 1.3)
                took /= len(self.lms) if tid else 1
                lm = {"lm": self.lms[tid - 1]} if tid else {}
                self._span(phase, self.now, self.now + took, {**args, **lm}, tid)
                found = self.phases.setdefault(phase, {"seconds": 0.0, "calls": 0})
                found["seconds"] += took / 1e6
                found["calls"] += 1
                if phase == "wait":
                    for i, name in enumerate(("score_nodes", "update", "maxima")):
                        at = self.now + took * i / 3
                        event = self._span(name, at, at + took / 4, args)
                        event.update(pid=2, cat="gpu")
                self.now += took
        self._span("step", began, self.now, args)
        self.now += 300
        for key in evidence:
            evidence[key] += self._rng.uniform(-0.3, 1.0 if key[1] == target else 0.5)
        self.steps.append(
            {
                **args,
                "seconds": (self.now - began) / 1e6,
                "target": target,
                "lms": {
                    lm: self._state(lm, i, step, evidence)
                    for i, lm in enumerate(self.lms)
                },
                "bytes_sent": 35_000 + self._rng.randrange(4_000),
                "bytes_returned": 57_000 + self._rng.randrange(9_000),
                "launches": 9,
                "host_bytes": 80_000_000,
                "device_bytes": 160_000_000,
            }
        )

    def _state(self, lm: str, i: int, step: int, evidence: Mapping) -> dict[str, Any]:
        own = {o: evidence[lm, o] for o in self._objects}
        top = sorted(own, key=lambda o: -own[o])[:5]
        return {
            "hypotheses": 40_000 - 400 * step + 900 * i,
            "most_likely": top[0],
            "evidence": {o: own[o] for o in top},
        }

    def _hold(self, episode: int, step: int, size: int) -> None:
        for where, kinds in {
            "host": ("model", "graphs"),
            "device 0": ("table", "pool", "window"),
        }.items():
            self.memory += [
                {
                    "episode": episode,
                    "step": step,
                    "where": where,
                    "backend": "cuda",
                    "kind": kind,
                    "lm": lm,
                    "object": None if kind == "window" else self._objects[0],
                    "bytes": size * 2**20 * (i + 1),
                    "made_by": "backends/device/tables.py:grow",
                    "reason": "hypotheses stay on the device until the next episode",
                }
                for lm in self.lms
                for i, kind in enumerate(kinds)
            ]

    def _span(
        self, name: str, start: float, end: float, args: dict, tid: int = 0
    ) -> dict:
        event = {
            "ph": "X",
            "name": name,
            "pid": 1,
            "tid": tid,
            "ts": start,
            "dur": end - start,
            "args": args,
        }
        self.events.append(event)
        return event


def bench_file(
    file: Path, rows: Sequence[Mapping[str, Any]], what: str = "lm-phase"
) -> Path:
    """Write a file as `monty bench --json` does; rows are completed from a default."""
    default = {
        "backend": "numba",
        "lms": 5,
        "objects": 10,
        "updater": "default",
        "groups": None,
        "steps": 10,
        "rounds": 3,
        "version": "0.55.0",
        "hypotheses": 177_000,
        "median_s": 0.2,
        "ratio": 24.5,
        "ratio_quartiles": [21.7, 24.6],
        "peak_mib": 800,
        "rounds_s": [0.19, 0.2, 0.22],
    }
    content = {
        "format": "monty-bench",
        "format_version": 1,
        "benchmark": what,
        "rows": [{**default, **row} for row in rows],
    }
    return _write(file, content)


def parity_file(file: Path, **differing: Any) -> Path:
    """Write a file as `monty parity --json` does."""
    seconds = {"learning modules": 20.0, "votes": 3.0, "other": 0.5, "whole": 23.5}
    sides = [{"side": name, "experiment": "test"} for name in ("upstream", "numba")]
    content = {
        "format": "monty-parity",
        "format_version": 1,
        "sides": sides,
        "tolerance": 1e-9,
        "times": [
            {"seconds": seconds},
            {"seconds": {k: v / 8 for k, v in seconds.items()}},
        ],
        "equal": True,
        "rows": [
            {"what": "actions", "compared": 169, "equal": 169, "largest": 0.0},
            {"what": "its evidence", "compared": 845, "equal": 845, "largest": 4.4e-16},
        ],
        "first_difference": None,
        "episodes": 4,
        "steps": 169,
        "updates": 640,
    }
    return _write(file, {**content, **differing})


def compare_file(file: Path, name: str = "base_config") -> Path:
    """Write a file as `monty compare --json` does."""
    rows = [
        ("percent_correct (%)", 98.0, 98.0, 0.0, "unchanged"),
        ("match_steps", 35.0, 34.0, -1.0, "better"),
        ("runtime (min)", 4.0, 5.0, 1.0, "worse"),
        ("rotation_error (deg)", None, None, None, "unchanged"),
    ]
    keys = ("metric", "baseline", "proposed", "delta", "result")
    content = {
        "format": "monty-compare",
        "format_version": 1,
        "machine": {},
        "baseline": "upstream 0.55.0",
        "proposed": "numba",
        "tolerances": {},
        "measured": "Each side ran alone.",
        "experiments": [
            {
                "name": name,
                "notes": ["the sides ran different episodes"],
                "rows": [dict(zip(keys, row, strict=True)) for row in rows],
            }
        ],
        "left_out": [{"name": "surf_agent", "reason": "needs data"}],
    }
    return _write(file, content)


def _write(file: Path, content: Mapping[str, Any]) -> Path:
    file.write_text(json.dumps(content), "utf-8")
    return file
