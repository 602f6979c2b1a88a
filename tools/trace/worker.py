# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Replays a trace on the tbp.monty of this process.

``python -m monty_tools.trace.worker TRACE --write FILE ...``

The exit status says how it ended, see `ending.Ending`.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from .absent import stand_in_for_absent

stand_in_for_absent()
# After the line above, because these import what may be absent.
from ..ending import Ending
from ..recording.file import Recording, RecordingWriter
from ..recording.kinds import trusting
from ..workers.process import Progress, imported_monty, worked
from ..workers.turns import in_turn
from .replay import Replayed, replay
from .results import TRACE, Results

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Replays a trace, and returns the exit status."""
    args = _parser().parse_args(argv)
    return worked(lambda: _work(args))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m monty_tools.trace.worker", description=__doc__.splitlines()[0]
    )
    parser.add_argument("trace", type=Path, help="the trace")
    parser.add_argument("--expect-root", type=Path, required=True)
    parser.add_argument("--write", type=Path, required=True)
    parser.add_argument("--look", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--place", type=int, action="append")
    parser.add_argument("--trust", action="append", default=[])
    parser.add_argument("--progress-fd", type=int)
    return parser


def _work(args: argparse.Namespace) -> Ending:
    version = imported_monty(args.expect_root)
    with (
        Recording(args.trace, TRACE) as trace,
        trusting(*args.trust),
        RecordingWriter(args.write, {"tbp.monty": version}) as writer,
    ):
        progress = Progress(args.progress_fd, trace.manifest["counts"].get("episode"))
        results = Results(writer) if args.look else None
        for i in in_turn(args.place, range(args.rounds + 1)):
            _note_times(writer, i, replay(trace, None if i else results, progress))
    return Ending.FINISHED


def _note_times(writer: RecordingWriter, number: int, replayed: Replayed) -> None:
    for episode, seconds in enumerate(replayed.seconds):
        writer.add(
            {"event": "time", "round": number, "episode": episode, "seconds": seconds}
        )
    if replayed.ran_where is not None:
        writer.add({"event": "ran", "round": number, "where": replayed.ran_where})


if __name__ == "__main__":
    sys.exit(main())
