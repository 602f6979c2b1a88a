# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty-refactor port`: tries the series on a release, and says what is to be done."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any, Sequence

from ..failures import NotMonty
from ..fingerprints import accept
from ..pin import KNOWN_RELEASES, PINNED, Release
from ..run import Run
from ..series import SERIES
from ..step import Step
from ..tree import Tree
from ..upstream import fetched, obtain
from .findings import Finding, find_all
from .places import Places
from .report import as_json, lines_of

__all__ = ["add_port_command"]

_EVERY = "all"
_TO_DO = 1

_EPILOG = """\
examples:
  monty-refactor port 0.56.0                a release of PyPI, pinned or not
  monty-refactor port ~/tbp.monty --step 7
  monty-refactor port 0.56.0 --accept lazy_logging
  monty-refactor port --accept all          after a change of the steps or codemods

ok: it applies. already there: the tree has its result. changed: upstream changed what
it takes away. moved: what it looks for is elsewhere, with the likeness. gone: nothing
is like it. waits: it changes what an earlier step makes, which does not apply.

exit status: 0 nothing to do, 1 something is to be done, 2 failed
"""


def add_port_command(commands: Any) -> None:
    """Add the command to those of the parser."""
    parser = commands.add_parser(
        "port",
        help="try every rewrite on a release, and show what is to be done for it",
        description="Tries every rewrite on a release, and shows what is to be done.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "release",
        nargs="?",
        metavar="RELEASE|PATH",
        help="a version, or a folder that holds tbp/monty; by default the known "
        "releases",
    )
    parser.add_argument("--step", metavar="STEP", help="show only this one, by number")
    parser.add_argument(
        "--json", type=Path, metavar="FILE", help="write what was found to a file, too"
    )
    parser.add_argument(
        "--accept",
        metavar="STEP",
        help="note that what this step takes away is right, by name or number, or all",
    )
    parser.set_defaults(run=_port)


def _port(options: argparse.Namespace) -> int:
    only = _chosen(options.step) if options.step else SERIES
    trees = [_tree(options.release)] if options.release else _known()
    if options.accept:
        for tree in trees:
            _accept(tree, _chosen(options.accept))
        return 0
    pinned = Places(obtain())
    findings = []
    for tree in trees if options.release else trees[:1]:
        findings += [
            finding
            for finding in find_all(_tried(tree), pinned, Places(tree))
            if finding.trial.step in only
        ]
    _show(findings, options.json)
    to_do = any(finding.is_to_do for finding in findings)
    print(_what_next(options.release, trees[0], to_do=to_do))
    return _TO_DO if to_do else 0


def _known() -> list[Tree]:
    return [obtain(release) for release in KNOWN_RELEASES.values()]


def _tree(named: str) -> Tree:
    if named in KNOWN_RELEASES:
        return obtain(KNOWN_RELEASES[named])
    if Path(named).exists():
        return Tree.at(Path(named))
    return obtain(fetched(named))


def _chosen(named: str) -> Sequence[Step]:
    if named == _EVERY:
        return SERIES
    for number, step in enumerate(SERIES, 1):
        if named in (step.name, str(number)):
            return [step]
    raise NotMonty(f"the series has no step {named}: see monty-refactor list --verbose")


def _tried(tree: Tree) -> Run:
    run = Run(tree)
    for step in SERIES:
        run.apply(step)
    return run


def _accept(tree: Tree, chosen: Sequence[Step]) -> None:
    trials = _tried(tree).trials
    for step in chosen:
        own = [trial for trial in trials if trial.step is step]
        accept(step, tree.version, own)
        for trial in own:
            if trial.failure:
                print(f"{tree.version}: {step.name} still fails: {trial.failure}")
    print(f"{tree.version}: fingerprints of {len(chosen)} steps noted")


def _show(findings: Sequence[Finding], file: Path | None) -> None:
    numbers = {step.name: number for number, step in enumerate(SERIES, 1)}
    if file is not None:
        rows = [as_json(finding, numbers) for finding in findings]
        file.write_text(json.dumps(rows, indent=2) + "\n", "utf-8")
    for line in lines_of(findings, numbers):
        print(line)


def _what_next(named: str | None, tree: Tree, *, to_do: bool) -> str:
    if to_do:
        again = f"monty-refactor port {named or ''}".strip()
        return f"\nEdit the lines named above, then run `{again}` again."
    lines = ["\nEvery rewrite fits. Next:"]
    if named and tree.version not in KNOWN_RELEASES and not Path(named).exists():
        lines += [f"  pin it in tools/refactor/pin.py:\n{_pin(fetched(tree.version))}"]
    elif tree.version != PINNED.version:
        lines += ["  pin it in tools/refactor/pin.py"]
    lines += [
        "  monty-refactor port --accept all",
        "  make fork && make test",
        "  monty parity experiment=test/evidence_lm/evidence_mujoco",
    ]
    return "\n".join(lines)


def _pin(release: Release) -> str:
    return (
        f'    Release(\n        version="{release.version}",\n'
        f'        sha256="{release.sha256}",\n'
        f'        sdist_sha256="{release.sdist_sha256}",\n    )'
    )
