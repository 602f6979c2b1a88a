# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The sections about a profile: time, what ran where, episodes, memory, recognition."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from ..profile.schema import PHASES, Profile
from .charts import bars, dots, over_steps, stacked_over_steps
from .content import Chart, Section, Table, Timeline, known
from .timeline import data_of

__all__ = ["profile_sections", "side_by_side"]

MOST_LMS = 8
"""Learning modules whose lines are drawn; more could not be told apart."""

MOST_ROWS = 500
"""Rows of a table; a browser shows more, but nobody reads them."""

KIB, MIB = 2**10, 2**20


def profile_sections(profile: Profile) -> list[Section]:
    """Return the sections about a profile; those without data are left out."""
    source = str(profile.folder)
    parts = {
        "Run": _run(profile),
        "Where it ran": _ran(profile),
        "Timeline": _timeline(profile),
        "Over an episode": _over_an_episode(profile),
        "Memory": _memory(profile),
        "Recognition": _recognition(profile),
    }
    choices: dict[str, list] = {
        "episode": list(dict.fromkeys(step["episode"] for step in profile.steps)),
        "lm": _shown_lms(profile),
    }
    return [
        Section(title, source, found, choices if title == "Over an episode" else {})
        for title, found in parts.items()
        if found
    ]


def side_by_side(profiles: Sequence[Profile]) -> list[Section]:
    """Return a section that compares profiles, if there are several."""
    if len(profiles) < 2:
        return []
    rows = [
        {
            "name": phase,
            "series": f"{profile.summary['backend']} ({profile.folder.name})",
            "value": found["seconds"],
            "label": _seconds(found["seconds"]),
        }
        for profile in profiles
        for phase, found in profile.summary["phases"].items()
    ]
    if not rows:
        return []
    chart = Chart("Time by phase", bars(rows, "seconds"), "Own time of each phase.")
    sources = ", ".join(str(profile.folder) for profile in profiles)
    return [Section("Profiles side by side", sources, [chart])]


def _run(profile: Profile) -> list[Any]:
    summary, steps = profile.summary, profile.steps
    phases = sorted(summary["phases"].items(), key=lambda item: -item[1]["seconds"])
    whole = sum(found["seconds"] for _, found in phases)
    facts = known(
        ("Experiment", summary["experiment"]),
        ("Overrides", " ".join(summary["overrides"])),
        ("Backend", summary["backend"]),
        ("tbp.monty", summary["tbp.monty"]),
        ("Started", summary["started"][:19].replace("T", " ")),
        ("Episodes", summary["episodes"]),
        ("Steps", summary["steps"]),
        ("Seconds", summary["seconds"]),
        ("Learning modules", len(summary["lms"])),
        ("Groups", len(summary["groups"])),
        ("Launches", sum(step["launches"] for step in steps) or None),
        ("MiB sent to a device", _sum_mib(steps, "bytes_sent")),
        ("MiB returned", _sum_mib(steps, "bytes_returned")),
        *((key.capitalize(), value) for key, value in summary["machine"].items()),
    )
    if not phases or not whole:
        return [facts]
    chart = bars(
        [
            {
                "name": name,
                "series": "",
                "value": found["seconds"],
                "label": f"{_seconds(found['seconds'])}, {_share(found, whole)}",
            }
            for name, found in phases
        ],
        "seconds",
    )
    table = Table(
        "Phases",
        ("Phase", "Seconds", "Share, %", "Calls", "ms per call", "What it is"),
        [
            (
                name,
                found["seconds"],
                100 * found["seconds"] / whole,
                found["calls"],
                1e3 * found["seconds"] / found["calls"] if found["calls"] else None,
                PHASES[name],
            )
            for name, found in phases
        ],
    )
    own = "Own time: what a phase calls counts for the phase that is called."
    return [facts, Chart("Time by phase", chart, own), table]


def _ran(profile: Profile) -> list[Any]:
    summary = profile.summary
    group_of = {lm: i for i, group in enumerate(summary["groups"]) for lm in group}
    ran = [
        (lm, group_of.get(lm), found["backend"], found["updates"], found["reason"])
        for lm, found in summary["ran"].items()
    ]
    columns = ("Learning module", "Group", "Backend", "Updates", "Why not elsewhere")
    fell = [
        (found["lm"], found["from"], found["to"], found["reason"])
        for found in summary["fallbacks"]
    ]
    return [
        *_table("What ran where", columns, ran),
        *_table("Fallbacks", ("Learning module", "From", "To", "Reason"), fell),
    ]


def _timeline(profile: Profile) -> list[Any]:
    data, left_out = data_of(profile.events)
    if not data["events"]:
        return []
    note = (
        f"{left_out} events are not shown: open timeline.json in Perfetto."
        if left_out
        else "timeline.json of the profile also opens in Perfetto."
    )
    return [Timeline(data, note)]


def _over_an_episode(profile: Profile) -> list[Any]:
    steps = profile.steps
    if not steps:
        return []
    shown = _shown_lms(profile)
    few = "" if len(shown) == len(profile.summary["lms"]) else _of_lms(profile)
    hypotheses = [
        {**_place(step), "lm": "", "series": lm, "y": found["hypotheses"]}
        for step in steps
        for lm, found in step["lms"].items()
        if lm in shown
    ]
    moved = [
        {**_place(step), "lm": "", "series": name, "y": step[key] / KIB}
        for step in steps
        for name, key in (("sent", "bytes_sent"), ("returned", "bytes_returned"))
    ]
    evidence = _evidence(steps, shown)
    parts = []
    if hypotheses:
        spec = over_steps(hypotheses, "hypotheses", chosen=("episode",))
        parts.append(Chart("Hypotheses of each learning module", spec, few))
    if evidence:
        spec = over_steps(evidence, "highest evidence", chosen=("episode", "lm"))
        text = "The five objects whose evidence was highest in the episode."
        parts.append(Chart("Evidence of the top objects", spec, text))
    for where, rows in _memory_over_steps(profile).items():
        spec = stacked_over_steps(rows, "MiB")
        parts.append(Chart(f"Memory on the {where}", spec))
    if any(row["y"] for row in moved):
        spec = over_steps(moved, "KiB per step", chosen=("episode",))
        parts.append(Chart("Bytes moved between host and device", spec))
    return parts


def _evidence(steps: Sequence[Mapping[str, Any]], lms: Sequence[str]) -> list[dict]:
    """Return the evidence of those objects that had the most of it in an episode."""
    highest: dict[tuple, dict[str, float]] = defaultdict(dict)
    rows = []
    for step in steps:
        for lm in lms:
            best = highest[step["episode"], lm]
            for name, value in step["lms"].get(lm, {}).get("evidence", {}).items():
                best[name] = max(best.get(name, value), value)
                rows.append({**_place(step), "lm": lm, "series": name, "y": value})
    top = {
        key: {*sorted(best, key=lambda o: -best[o])[:5]}
        for key, best in highest.items()
    }
    rows = [row for row in rows if row["series"] in top[row["episode"], row["lm"]]]
    return [{**row, "y": float(f"{row['y']:.5g}")} for row in rows]


def _memory_over_steps(profile: Profile) -> dict[str, list[dict]]:
    """Return the bytes of each kind on every step, by where they are."""
    changed: dict[tuple[int, int], dict[tuple[str, str], int]] = {}
    for line in profile.memory:
        sums = changed.setdefault((line["episode"], line["step"]), defaultdict(int))
        sums[line["where"], line["kind"]] += line["bytes"]
    kinds = {key for sums in changed.values() for key in sums}
    rows: dict[str, list[dict]] = {where: [] for where, _ in sorted(kinds)}
    samples = sorted(changed.items())
    held: dict[tuple[str, str], int] = {}
    for step in profile.steps:
        while samples and samples[0][0] <= (step["episode"], step["step"]):
            held = samples.pop(0)[1]
        for where, kind in sorted(kinds):
            mib = round(held.get((where, kind), 0) / MIB, 3)
            rows[where].append({**_place(step), "series": kind, "y": mib})
    return rows


def _memory(profile: Profile) -> list[Any]:
    if not profile.memory:
        return []
    last = max((line["episode"], line["step"]) for line in profile.memory)
    held = [one for one in profile.memory if (one["episode"], one["step"]) == last]
    rows = [
        (
            one["where"],
            one["kind"],
            one["backend"],
            one["lm"],
            one["object"],
            one["bytes"] / KIB,
            one["made_by"],
            one["reason"],
        )
        for one in sorted(held, key=lambda one: -one["bytes"])
    ]
    columns = (
        *("Where", "Kind", "Backend", "Learning module", "Object"),
        *("KiB", "Made by", "Why it is still there"),
    )
    return _table("What holds memory at the end of the run", columns, rows)


def _recognition(profile: Profile) -> list[Any]:
    episodes = profile.episodes
    rows = [
        (
            one["episode"],
            one["target"],
            sum(found["recognised"] == one["target"] for found in one["lms"].values()),
            len(one["lms"]),
            _median_error(one),
            one["steps"],
            one["seconds"],
        )
        for one in episodes
    ]
    columns = (
        *("Episode", "Target", "Learning modules that recognised it", "Of"),
        *("Median pose error, degrees", "Steps", "Seconds"),
    )
    by_lm = [
        (
            one["episode"],
            lm,
            one["target"],
            found["result"],
            found["recognised"],
            found["rotation_error_deg"],
        )
        for one in episodes
        for lm, found in one["lms"].items()
    ]
    lm_columns = (
        *("Episode", "Learning module", "Target"),
        *("Result", "Recognised", "Pose error, degrees"),
    )
    right, wrong, none = "recognised", "taken for another object", "not recognised"
    errors = [
        {
            "name": target or "no target",
            "x": error,
            "kind": right if recognised == target else wrong if recognised else none,
            "label": f"episode {episode}, {lm}",
        }
        for episode, lm, target, _, recognised, error in by_lm
        if error is not None
    ]
    spec = dots(errors, "pose error, degrees", (right, wrong, none)) if errors else None
    return [
        *(
            [Chart("Pose error by target, one mark per learning module", spec)]
            if spec
            else []
        ),
        *_table("Episodes", columns, rows),
        *_table("Learning modules", lm_columns, by_lm),
    ]


def _median_error(episode: Mapping[str, Any]) -> float | None:
    """Return the pose error of those learning modules that recognised the target."""
    errors = [
        found["rotation_error_deg"]
        for found in episode["lms"].values()
        if found["recognised"] == episode["target"]
        and found["rotation_error_deg"] is not None
    ]
    return statistics.median(errors) if errors else None


def _table(
    caption: str, columns: Sequence[str], rows: Sequence[Sequence[Any]]
) -> list[Table]:
    if not rows:
        return []
    more = len(rows) - MOST_ROWS
    note = f"{more} more rows are in the profile." if more > 0 else ""
    return [Table(caption, columns, rows[:MOST_ROWS], note)]


def _place(step: Mapping[str, Any]) -> dict[str, Any]:
    return {"episode": step["episode"], "step": step["step"]}


def _shown_lms(profile: Profile) -> list[str]:
    lms = dict.fromkeys(lm for step in profile.steps for lm in step["lms"])
    return list(lms)[:MOST_LMS]


def _of_lms(profile: Profile) -> str:
    return f"The first {MOST_LMS} of {len(profile.summary['lms'])} learning modules."


def _share(found: Mapping[str, Any], whole: float) -> str:
    return f"{found['seconds'] / whole:.0%}"


def _sum_mib(steps: Sequence[Mapping[str, Any]], key: str) -> float | None:
    return sum(step[key] for step in steps) / MIB or None


def _seconds(seconds: float) -> str:
    return f"{seconds:.3g} s" if seconds >= 1e-3 or not seconds else f"{seconds:.1e} s"
