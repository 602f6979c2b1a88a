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

The exit status says how it ended, see `parity.ending.Ending`.
"""

from __future__ import annotations

import argparse
import signal
import sys
import traceback
from collections.abc import Sequence
from pathlib import Path

from .absent import stand_in_for_absent

stand_in_for_absent()
# After the line above, because these import what may be absent.
from ..parity.ending import Ending
from ..parity.imported import WrongMonty, imported_monty
from ..parity.kinds import NotTrusted, trusting
from ..parity.progress import Progress
from ..parity.recording import Recording, RecordingWriter, UnreadableRecording
from .file import TRACE
from .replay import Replayed, replay
from .results import Results

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Replays a trace.

    Args:
        argv: The arguments, without the name of the program.

    Returns:
        The exit status.
    """
    args = _parser().parse_args(argv)
    # Set here, because a parent may have ignored interrupts.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        version = imported_monty(args.expect_root)
        with Recording(args.trace, TRACE) as trace, trusting(*args.trust):
            _replay(args, trace, version)
    except (WrongMonty, UnreadableRecording, NotTrusted) as error:
        print(error, file=sys.stderr)
        return Ending.UNABLE.status
    except KeyboardInterrupt:
        return Ending.INTERRUPTED.status
    except Exception:  # noqa: BLE001 whatever it is, the parent shows it
        traceback.print_exc()
        return Ending.UNABLE.status
    return Ending.FINISHED.status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m monty_tools.trace.worker", description=__doc__.splitlines()[0]
    )
    parser.add_argument("trace", type=Path, help="the trace")
    parser.add_argument("--expect-root", type=Path, required=True)
    parser.add_argument("--write", type=Path, required=True)
    parser.add_argument("--look", action=argparse.BooleanOptionalAction, default=True)
    parser.add_argument("--rounds", type=int, default=0)
    parser.add_argument("--trust", action="append", default=[])
    parser.add_argument("--progress-fd", type=int)
    return parser


def _replay(args: argparse.Namespace, trace: Recording, version: str) -> None:
    progress = Progress(args.progress_fd, trace.manifest["counts"].get("episode"))
    with RecordingWriter(args.write, {"tbp.monty": version}) as writer:
        results = Results(writer) if args.look else None
        _note_times(writer, 0, replay(trace, results, progress))
        for i in range(args.rounds):
            _note_times(writer, i + 1, replay(trace, None, progress))


def _note_times(writer: RecordingWriter, number: int, replayed: Replayed) -> None:
    for episode, seconds in enumerate(replayed.seconds):
        writer.add(
            {"event": "time", "round": number, "episode": episode, "seconds": seconds}
        )
    if replayed.ran_where is not None:
        writer.add({"event": "ran", "round": number, "where": replayed.ran_where})


if __name__ == "__main__":
    sys.exit(main())
