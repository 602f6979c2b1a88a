# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Asks Perfetto's trace processor about a timeline, in SQL.

The trace processor is one program. No package that the tests can install brings it: the
one of Python downloads it elsewhere. Where `trace_processor_shell` is on the path, or
its place in the variable TRACE_PROCESSOR, it answers. SQLite answers the same queries
everywhere, on the few tables of the trace processor that they use.
"""

from __future__ import annotations

import csv
import json
import os
import shutil
import sqlite3
import subprocess
import tempfile
from pathlib import Path

from monty_tools.profile.schema import TIMELINE

__all__ = [
    "LATE_DISPATCHES",
    "OVERLAPS",
    "STEPS",
    "ask",
    "ask_sqlite",
    "trace_processor",
]

_AT = """
    extract_arg(arg_set_id, 'args.episode') as episode,
    extract_arg(arg_set_id, 'args.step') as step
"""

STEPS = """
select count(*) as steps from slice where name = 'step'
"""

LATE_DISPATCHES = f"""
with
    dispatched as (
        select {_AT}, max(ts + dur) as last, count(*) as dispatches
        from slice where name = 'dispatch' group by 1, 2
    ),
    processed as (
        select {_AT}, min(ts) as first, count(*) as processes
        from slice where name = 'process' group by 1, 2
    )
select
    count(*) as steps,
    sum(last > first) as late,
    max(dispatches) as dispatches,
    max(processes) as processes
from dispatched join processed using (episode, step)
"""  # noqa: S608 nothing of others is in it
"""In how many steps a learning module processed before all had dispatched."""

OVERLAPS = f"""
with kernels as (
    select
        {_AT},
        extract_arg(arg_set_id, 'args.group') as lm_group,
        ts,
        ts + dur as ended,
        track_id
    from slice where category = 'gpu' and name = 'update'
)
select count(*) as pairs
from kernels as one join kernels as other using (episode, step)
where
    one.lm_group < other.lm_group
    and one.track_id != other.track_id
    and one.ts < other.ended
    and other.ts < one.ended
"""  # noqa: S608
"""How many updates of different groups overlap on a GPU."""


def trace_processor() -> str | None:
    """Return the path of Perfetto's trace processor, if it is there."""
    return os.environ.get("TRACE_PROCESSOR") or shutil.which("trace_processor_shell")


def ask(profile: Path, query: str) -> dict[str, int]:
    """Return the one row with which the trace processor answers a query."""
    program = trace_processor()
    assert program is not None, "no trace processor here"
    with tempfile.NamedTemporaryFile("w", suffix=".sql") as file:
        file.write(query + ";")
        file.flush()
        command = [program, "--query-file", file.name, profile / TIMELINE]
        done = subprocess.run(command, capture_output=True, text=True, check=True)
    [row] = csv.DictReader(done.stdout.strip().splitlines())
    return {name: int(value) for name, value in row.items()}


def ask_sqlite(profile: Path, query: str) -> dict[str, int]:
    """Return the row with which SQLite answers."""
    events = json.loads((profile / TIMELINE).read_text("utf-8"))["traceEvents"]
    found = sqlite3.connect(":memory:")
    found.create_function("extract_arg", 2, _extract_arg)
    found.execute("create table slice(name, category, ts, dur, track_id, arg_set_id)")
    found.executemany(
        "insert into slice values (?, ?, ?, ?, ?, ?)",
        [
            (
                event["name"],
                event.get("cat"),
                round(event["ts"] * 1e3),  # nanoseconds, as Perfetto has them
                round(event["dur"] * 1e3),
                event["pid"] * 10_000 + event["tid"],
                json.dumps(event["args"]),
            )
            for event in events
            if event["ph"] == "X"
        ],
    )
    answer = found.execute(query)
    names = [column[0] for column in answer.description]
    return dict(zip(names, answer.fetchone(), strict=True))


def _extract_arg(args: str, key: str) -> object:
    return json.loads(args).get(key.removeprefix("args."))
