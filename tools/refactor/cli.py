# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The `monty-refactor` command."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path
from typing import Sequence

from ..guard import UNABLE, guarded, without_debug
from .failures import NotMonty, UncommittedChanges, UpstreamUnavailable
from .pin import KNOWN_RELEASES, PINNED

try:
    from .diff import colored, unified_diff
    from .document_series import lines_of_series
    from .fork import make_fork
    from .git import uncommitted
    from .migrate.command import add_migrate_command
    from .part_option import add_part_option, in_words
    from .plan import Plan, make_plan
    from .port.command import add_port_command
    from .release_note import note_release
    from .series import ALL, SERIES, steps_through
    from .series_command import add_series_command
    from .step import Step
    from .transaction import whole_folder, write_all
    from .tree import Tree
    from .upstream import obtain
except ModuleNotFoundError as error:
    if error.name != "libcst":
        raise
    print(
        "monty-refactor needs libcst and ruff: pip install 'tbp.monty[refactor]'",
        file=sys.stderr,
    )
    sys.exit(UNABLE)

__all__ = ["main"]

EPILOG = """\
examples:
  monty-refactor list
  monty-refactor diff                        what core does to the pinned release
  monty-refactor diff ~/tbp.monty --part all    what the series does to a checkout
  monty-refactor apply ~/tbp.monty           rewrite a checkout in place
  monty-refactor apply --out refactored      the pinned release, rewritten, elsewhere
  monty-refactor series ~/tbp.monty --branch two-phase      core, one commit per step
  monty-refactor port 0.56.0                 what a new release asks for
  monty-refactor migrate ~/my_project        move code that builds on Monty

With --debug, a command that fails prints the traceback too.

exit status: 0 done or nothing to do, 1 `port` found something to do, 2 failed and
nothing was written, 130 interrupted, 143 terminated
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command, and return the exit status."""
    words, debug = without_debug(arguments)
    options = _parser().parse_args(words)
    return guarded("monty-refactor", lambda: options.run(options), debug=debug)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="monty-refactor",
        description="Turns tbp.monty into the fork, by a series of codemods.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    listing = commands.add_parser("list", help="print the series, by parts")
    listing.add_argument(
        "-v", "--verbose", action="store_true", help="with bodies, files and codemods"
    )
    listing.set_defaults(run=_list)

    apply = commands.add_parser("apply", help="apply the series, all of it or nothing")
    _add_source(apply)
    add_part_option(apply, default=ALL)
    apply.add_argument(
        "--out", type=Path, metavar="DIR", help="write a copy there, leave TREE alone"
    )
    apply.add_argument(
        "--force", action="store_true", help="overwrite uncommitted changes"
    )
    apply.set_defaults(run=_apply)

    diff = commands.add_parser("diff", help="show what apply would do, by default core")
    _add_source(diff)
    add_part_option(diff, default="core")
    diff.add_argument("--color", choices=["auto", "always", "never"], default="auto")
    diff.set_defaults(run=_diff)

    add_series_command(commands)
    add_port_command(commands)
    add_migrate_command(commands)

    fork = commands.add_parser("fork", help="make build/fork, if it is not up to date")
    _add_upstream(fork)
    fork.set_defaults(run=_fork)
    return parser


def _add_source(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "tree",
        type=Path,
        nargs="?",
        metavar="TREE",
        help="a copy of tbp.monty (see --upstream)",
    )
    _add_upstream(parser)


def _add_upstream(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--upstream",
        type=Path,
        metavar="PATH",
        help="start from this instead of the pinned release: a git checkout, an "
        "unpacked sdist, or any folder that holds tbp/monty",
    )
    parser.add_argument(
        "--release",
        choices=sorted(KNOWN_RELEASES),
        default=PINNED.version,
        help="start from this release (%(default)s is pinned)",
    )


def _list(options: argparse.Namespace) -> int:
    steps = {step.title: step for step in SERIES}
    for line in lines_of_series():
        print(line)
        if options.verbose and (step := steps.get(line[4:])):
            _print_details(step)
    return 0


def _print_details(step: Step) -> None:
    for line in step.body.splitlines():
        print(f"      {line}".rstrip())
    for rewrite in step.rewrites:
        place = getattr(rewrite.codemod, "class_name", "")
        name = type(rewrite.codemod).__name__
        print(f"      * {rewrite.file} {place}: {name}")
    for file in step.overlay:
        print(f"      + {file}")
    print()


def _upstream(options: argparse.Namespace) -> Tree:
    if options.upstream is not None:
        return Tree.at(options.upstream)
    try:
        return obtain(KNOWN_RELEASES[options.release])
    except UpstreamUnavailable as unavailable:
        raise UpstreamUnavailable(
            f"{unavailable}, or name a copy of upstream with --upstream PATH"
        ) from unavailable


def _source(options: argparse.Namespace) -> Tree:
    tree = Tree.at(options.tree) if options.tree else _upstream(options)
    note_release(tree)
    return tree


def _apply(options: argparse.Namespace) -> int:
    if options.tree is None and options.out is None:
        raise NotMonty("name the TREE to rewrite, or a folder to write to with --out")
    if options.tree is not None and options.upstream is not None:
        raise NotMonty("name TREE or --upstream, not both")
    tree = _source(options)
    plan = make_plan(tree, steps_through(options.part), progress=_announce)
    if options.out is not None:
        _write_copy(tree, plan, options.out)
        _report(plan, options.out, options.part)
        return 0
    if not plan:
        part = in_words(options.part)
        print(f"nothing to do: {tree.folder} has every step of {part}")
        return 0
    dirty = uncommitted(tree.import_root, plan.changes)
    if dirty and not options.force:
        raise UncommittedChanges(
            "uncommitted changes in files that would be rewritten, nothing was "
            "written:\n  " + "\n  ".join(dirty) + "\nCommit them, or use --force."
        )
    write_all(tree.import_root, plan.changes)
    _report(plan, tree.folder, options.part)
    return 0


def _write_copy(tree: Tree, plan: Plan, out: Path) -> None:
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise NotMonty(f"{out} exists and is not empty, nothing was written")
    with whole_folder(out) as copy:
        ignore = shutil.ignore_patterns(".git", "__pycache__")
        shutil.copytree(tree.folder, copy, ignore=ignore, symlinks=True)
        write_all(copy / tree.import_root.relative_to(tree.folder), plan.changes)


def _report(plan: Plan, where: Path, part: str) -> None:
    for file in sorted(plan.changes):
        print(f"  {'+' if plan.original[file] is None else '*'} {file}")
    print(
        f"{len(plan.rewritten)} files rewritten, {len(plan.added)} added in {where} "
        f"by the {len(steps_through(part))} steps of {in_words(part)}"
    )


def _diff(options: argparse.Namespace) -> int:
    plan = make_plan(_source(options), steps_through(options.part))
    color = options.color == "always" or (
        options.color == "auto" and sys.stdout.isatty() and "NO_COLOR" not in os.environ
    )
    try:
        for line in unified_diff(plan):
            sys.stdout.write(colored(line) if color else line)
        sys.stdout.flush()
    except BrokenPipeError:  # the reader, such as a pager, has quit
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    if not plan:
        print(f"nothing to do: every step of {in_words(options.part)} is applied")
    return 0


def _fork(options: argparse.Namespace) -> int:
    make_fork(_upstream(options), say=print)
    return 0


def _announce(step: Step) -> None:
    if sys.stderr.isatty():
        print(f"  {step.title}", file=sys.stderr)
