# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The commands ``monty parity`` and ``monty record``."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from .cache import SUFFIX, cache_key, cached_recording
from .compare import compare
from .ending import Ending
from .recording import Recording, UnreadableRecording
from .report import progress_bars, show
from .sides import (
    CouldNotRun,
    Job,
    Paths,
    Run,
    Side,
    describe,
    fork_side,
    run_jobs,
    upstream_side,
)

__all__ = ["DIFFERENT", "EQUAL", "parity_main", "record_main"]

EQUAL = 0
DIFFERENT = 1
UNABLE = 2
INTERRUPTED = 130

_DESCRIPTIONS: dict[Any, Mapping[str, Any]] = {}

PARITY_EPILOG = """\
examples:
  monty parity experiment=test/eval_lt_mujoco
  monty parity experiment=test/eval_lt_mujoco --backend numba --episodes 1
  monty parity experiment=NAME experiment.config.seed=7 --against reference --live
  monty parity --recording run.rec.zip --backend numba --tolerance 1e-5

exit status: 0 equal, 1 different, 2 could not run, 130 interrupted
"""

RECORD_EPILOG = """\
examples:
  monty record experiment=test/eval_lt_mujoco --out run.rec.zip
  monty record experiment=NAME --side fork --episodes 3 --out fork.rec.zip --force

exit status: 0 recorded, 2 could not run, 130 interrupted
"""


class Misused(Exception):
    """The arguments do not fit together."""


def parity_main(argv: Sequence[str], *, paths: Paths) -> int:
    """Runs an experiment on two sides and compares them.

    Args:
        argv: The arguments after ``monty parity``.
        paths: Where the two sides and the cache are.

    Returns:
        The exit status.
    """
    args = _parity_parser().parse_intermixed_args(argv)
    return _guarded("parity", lambda: _parity(args, paths))


def record_main(argv: Sequence[str], *, paths: Paths) -> int:
    """Records an experiment on one side.

    Args:
        argv: The arguments after ``monty record``.
        paths: Where the two sides are.

    Returns:
        The exit status.
    """
    args = _record_parser().parse_intermixed_args(argv)
    return _guarded("record", lambda: _record(args, paths))


def _guarded(name: str, command) -> int:
    try:
        return command()
    except (CouldNotRun, Misused, UnreadableRecording, OSError) as error:
        print(f"monty {name}: {error}", file=sys.stderr)
        return UNABLE
    except KeyboardInterrupt:
        print(f"monty {name}: interrupted", file=sys.stderr)
        return INTERRUPTED


def _parity_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="monty parity",
        description="Runs an experiment on upstream and on the fork, in separate "
        "processes, and compares every step bit for bit. Upstream's environment is "
        "rendered once; the fork gets the recorded answers.",
        epilog=PARITY_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_run(parser)
    parser.add_argument("--backend", help="the fork's backend")
    parser.add_argument(
        "--against",
        choices=("upstream", "reference"),
        default="upstream",
        help="compare with upstream, or with the fork's reference backend",
    )
    parser.add_argument(
        "--tolerance",
        type=_tolerance,
        default=0.0,
        metavar="T",
        help="let floats differ by this much (default: not by a bit)",
    )
    parser.add_argument(
        "--fork-override",
        action="append",
        default=[],
        metavar="OVERRIDE",
        help="a Hydra override for the fork's side only; may be repeated",
    )
    parser.add_argument(
        "--live", action="store_true", help="render on both sides, at the same time"
    )
    parser.add_argument(
        "--recording", type=Path, metavar="FILE", help="compare with this recording"
    )
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write the result to this file too"
    )
    return parser


def _record_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="monty record",
        description="Runs an experiment and records every answer of the environment "
        "and every step of Monty.",
        epilog=RECORD_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    _add_run(parser)
    parser.add_argument(
        "--out",
        type=Path,
        required=True,
        metavar="FILE",
        help=f"the recording, by custom named *{SUFFIX}",
    )
    parser.add_argument(
        "--side", choices=("upstream", "fork"), default="upstream", help="what to run"
    )
    parser.add_argument(
        "--force", action="store_true", help="replace the file if it is there"
    )
    return parser


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "overrides",
        nargs="*",
        metavar="experiment=NAME [OVERRIDE ...]",
        help="the experiment, and Hydra overrides",
    )
    parser.add_argument(
        "--steps", type=_positive, metavar="N", help="end after N Monty steps"
    )
    parser.add_argument(
        "--episodes", type=_positive, metavar="N", help="end after N episodes"
    )
    parser.add_argument(
        "--no-shadows",
        dest="shadows",
        action="store_false",
        help="render without shadows: other images, many times faster in software",
    )


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text} is not 1 or more")
    return number


def _tolerance(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise argparse.ArgumentTypeError(f"{text} is not 0 or more")
    return number


def _run(args: argparse.Namespace) -> Run:
    names = [o for o in args.overrides if o.startswith("experiment=")]
    if len(names) != 1:
        raise Misused(f"expected one experiment=NAME, found {len(names)}")
    overrides = tuple(o for o in args.overrides if o not in names)
    experiment = names[0].partition("=")[2]
    return Run(experiment, overrides, args.steps, args.episodes, args.shadows)


def _parity(args: argparse.Namespace, paths: Paths) -> int:
    fork = fork_side(paths, args.backend)
    with tempfile.TemporaryDirectory(prefix="parity-") as folder:
        ours = Path(folder) / f"fork{SUFFIX}"
        if args.recording:
            if args.live or args.against != "upstream":
                raise Misused("--recording excludes --live and --against")
            theirs, run = args.recording, _recorded_run(args)
            _feed(fork, _fork_run(args, run), theirs, ours, args.tolerance)
        elif args.live:
            run, against = _run(args), _against(args, paths)
            theirs = Path(folder) / f"against{SUFFIX}"
            jobs = [
                Job(against, run, theirs, observations=False),
                Job(fork, _fork_run(args, run), ours, observations=False),
            ]
            _go(jobs, "running")
        else:
            run, against = _run(args), _against(args, paths)
            theirs = _recording_of(against, run, paths, Path(folder))
            _feed(fork, _fork_run(args, run), theirs, ours, args.tolerance)
        return _report(args, theirs, ours)


def _fork_run(args: argparse.Namespace, run: Run) -> Run:
    return replace(run, overrides=(*run.overrides, *args.fork_override))


def _against(args: argparse.Namespace, paths: Paths) -> Side:
    if args.against == "reference":
        return fork_side(paths, "reference")
    return upstream_side(paths)


def _recorded_run(args: argparse.Namespace) -> Run:
    with Recording(args.recording) as recording:
        manifest = recording.manifest
    limits = manifest["limits"]
    run = Run(manifest["experiment"], tuple(manifest["overrides"]), **limits)
    asked = {"steps": args.steps, "episodes": args.episodes}
    for name, number in asked.items():
        if number not in (None, limits[name]):
            raise Misused(
                f"{args.recording} was recorded with --{name} {limits[name]}, "
                f"not {number}: leave --{name} out"
            )
    if args.overrides and set(args.overrides) != {
        f"experiment={run.experiment}",
        *run.overrides,
    }:
        raise Misused(
            f"{args.recording} is of experiment={run.experiment} "
            f"{' '.join(run.overrides)}: leave the experiment out"
        )
    return run


def _recording_of(against: Side, run: Run, paths: Paths, folder: Path) -> Path:
    """Returns the recording to compare with, from the cache where possible."""

    def record(path: Path) -> None:
        _go([Job(against, run, path)], "recording")

    if against.import_root != paths.upstream_root:
        # The fork changes from one day to the next, so its recordings are not kept.
        path = folder / f"against{SUFFIX}"
        record(path)
        return path
    key = cache_key(against, run, _described(against, run))
    return cached_recording(paths.cache, key, record, _say_waiting)


def _described(side: Side, run: Run) -> Mapping[str, Any]:
    # Asking takes a process and seconds, and one process may compare a run many times.
    asked = (side.import_root, run, tuple(sorted(side.env.items())))
    if asked not in _DESCRIPTIONS:
        _DESCRIPTIONS[asked] = describe(side, run)
    return _DESCRIPTIONS[asked]


def _say_waiting() -> None:
    print("waiting for another process that records the same run", file=sys.stderr)


def _feed(fork: Side, run: Run, feed: Path, write: Path, tolerance: float) -> None:
    job = Job(fork, run, write, feed=feed, observations=False, tolerance=tolerance)
    _go([job], "feeding")


def _go(jobs: Sequence[Job], doing: str) -> list[Ending]:
    with progress_bars(jobs, doing) as on_progress:
        return run_jobs(jobs, on_progress)


def _report(args: argparse.Namespace, theirs: Path, ours: Path) -> int:
    with Recording(theirs) as left, Recording(ours) as right:
        comparison = compare(left, right, args.tolerance)
        names = [r.manifest["side"] for r in (left, right)]
        print(show(comparison, *names))
        if args.json:
            result = {
                "sides": [
                    {k: v for k, v in r.manifest.items() if k != "format"}
                    for r in (left, right)
                ],
                "tolerance": args.tolerance,
                **comparison.as_dict(),
            }
            args.json.write_text(json.dumps(result, indent=2) + "\n", encoding="utf-8")
    return EQUAL if comparison.equal else DIFFERENT


def _record(args: argparse.Namespace, paths: Paths) -> int:
    if args.out.exists() and not args.force:
        raise Misused(f"{args.out} is there already: --force replaces it")
    upstream = args.side == "upstream"
    side = upstream_side(paths) if upstream else fork_side(paths, None)
    [ending] = _go([Job(side, _run(args), args.out)], "recording")
    with Recording(args.out) as recording:
        counts = recording.manifest["counts"]
    print(
        f"{args.out}: {side.name}, {counts.get('episode', 0)} episodes, "
        f"{counts.get('step', 0)} steps, {ending.words}"
    )
    return EQUAL
