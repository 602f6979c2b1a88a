# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes a branch from the series: one commit per step."""

from __future__ import annotations

import os
import subprocess
import textwrap
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Callable, Sequence

from .failures import GitFailed, NotMonty, UncommittedChanges, VerifyFailed
from .gates import Gates
from .git import git, temporary_worktree
from .plan import make_plan
from .series import SERIES
from .step import Step
from .step_tests import tests_for_upstream
from .transaction import whole_folder, write_all
from .tree import Tree

__all__ = ["Commit", "make_branch"]

_SHOWN_LINES = 40
_COLUMNS = 72


@dataclass(frozen=True)
class Commit:
    """A commit of the series, and how large it is to review.

    Attributes:
        title: Its title.
        changed: Lines added to and removed from files that upstream has.
        changed_files: How many of these it touches.
        added: Lines of new files, without tests.
        added_files: How many of these it adds.
        tests: Lines of tests, new or changed.
        verified_s: How long its verification took; None without one.
    """

    title: str
    changed: int
    changed_files: int
    added: int
    added_files: int
    tests: int
    verified_s: float | None = None


def make_branch(
    repository: Path,
    branch: str | None = None,
    patches: Path | None = None,
    verify: str | None = None,
    series: Sequence[Step] = SERIES,
    gated: Sequence[Step] = (),
    progress: Callable[[int, Commit], None] = lambda _number, _commit: None,
) -> list[Commit]:
    """Commit the steps of the series one by one, on top of a checkout's last commit.

    The commits are made in a temporary checkout. The branch and the patches appear
    only when all commits are made and verified; if anything goes wrong, the repository
    has neither.

    Args:
        repository: A clean git checkout of tbp.monty.
        branch: The branch to make.
        patches: The folder to write `git am` files to.
        verify: A shell command to run after each commit.
        series: The steps.
        gated: The steps whose commits must pass upstream's gates.
        progress: Called with each commit and its number.

    Returns:
        The commits; none if the checkout has every step.

    Raises:
        GitFailed: If git refuses, or the branch is there already.
    """
    _check_checkout(repository)
    if branch is not None and git(repository, "branch", "--list", branch):
        raise GitFailed(f"{repository} has a branch {branch} already, nothing was made")
    if patches is not None and patches.exists() and any(patches.iterdir()):
        raise GitFailed(f"{patches} exists and is not empty, nothing was made")
    commits: list[Commit] = []
    with temporary_worktree(repository) as worktree:
        base = git(worktree, "rev-parse", "HEAD")
        gates = Gates(worktree) if gated else None
        for number, step in enumerate(series, 1):
            if not _commit(worktree, step):
                continue
            commit = _measured(worktree, step)
            if gates is not None and step in gated:
                _pass_gates(worktree, commit, gates)
            if verify is not None:
                commit = _verified(worktree, commit, verify)
            commits.append(commit)
            progress(number, commit)
        if commits and patches is not None:
            with whole_folder(patches) as made:
                out = ("--output-directory", made)
                git(worktree, "format-patch", "--quiet", *out, base)
        if commits and branch is not None:
            git(repository, "branch", branch, git(worktree, "rev-parse", "HEAD"))
    return commits


def _check_checkout(repository: Path) -> None:
    Tree.at(repository)
    top = Path(git(repository, "rev-parse", "--show-toplevel"))
    if top.resolve() != repository.resolve():
        raise NotMonty(f"{repository} is inside the git checkout {top}; name that")
    dirty = git(repository, "status", "--porcelain", "--untracked-files=no")
    if dirty:
        raise UncommittedChanges(
            f"{repository} has uncommitted changes, nothing was made:\n"
            f"{textwrap.indent(dirty, '  ')}\nCommit or stash them."
        )


def _commit(worktree: Path, step: Step) -> bool:
    """Commit a step, unless it is already done."""
    tree = Tree.at(worktree)
    prefix = tree.import_root.relative_to(worktree)
    texts = {
        str(prefix / file): text
        for file, text in make_plan(tree, (step,)).changes.items()
    }
    for file, text in tests_for_upstream(step, worktree).items():
        present = worktree / file
        if not present.exists() or present.read_text("utf-8") != text:
            texts[file] = text
    if not texts:
        return False
    write_all(worktree, texts)
    git(worktree, "add", "--force", "--", *sorted(texts))
    # The checkout's hooks are meant for its owner's commits.
    quiet = ("-c", "core.hooksPath=/dev/null")
    git(worktree, *quiet, "commit", "--quiet", "--message", _message(step))
    return True


def _message(step: Step) -> str:
    codemods = sorted({type(rewrite.codemod).__name__ for rewrite in step.rewrites})
    made_by = f"Existing files are rewritten by codemods: {', '.join(codemods)}."
    paragraphs = [*step.body.split("\n\n"), made_by]
    body = "\n\n".join(textwrap.fill(one, _COLUMNS) for one in paragraphs)
    return f"{step.title}\n\n{body}\n"


def _measured(worktree: Path, step: Step) -> Commit:
    changed, added = (_lines_by_file(worktree, kind) for kind in ("M", "A"))
    tests = [
        lines.pop(file)
        for lines in (changed, added)
        for file in list(lines)
        if file.startswith("tests/")
    ]
    return Commit(
        step.title,
        sum(changed.values()),
        len(changed),
        sum(added.values()),
        len(added),
        sum(tests),
    )


def _lines_by_file(worktree: Path, kind: str) -> dict[str, int]:
    """Return how many lines the last commit adds and removes."""
    diff = ("diff", "--numstat", "--no-renames", f"--diff-filter={kind}")
    rows = git(worktree, *diff, "HEAD~", "HEAD").splitlines()
    return {
        file: int(plus) + int(minus)
        for plus, minus, file in (row.split("\t") for row in rows)
    }


def _pass_gates(worktree: Path, commit: Commit, gates: Gates) -> None:
    files = git(worktree, "diff", "--name-only", "--diff-filter=AM", "HEAD~", "HEAD")
    findings = gates.findings(worktree, files.splitlines())
    if findings:
        rows = "\n".join(f"  {finding}" for finding in findings)
        raise VerifyFailed(
            f"the commit {commit.title!r} does not pass upstream's gates, no branch "
            f"was made\n{rows}"
        )


def _verified(worktree: Path, commit: Commit, command: str) -> Commit:
    start = time.monotonic()
    # This tree takes precedence over an installed one.
    paths = [str(Tree.at(worktree).import_root), os.environ.get("PYTHONPATH", "")]
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, paths)),
        # Bytecode of one commit must not be used for the next one.
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(  # noqa: S602 the user's own command line
        command,
        shell=True,
        cwd=worktree,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
    )
    if done.returncode:
        tail = "\n".join(done.stdout.splitlines()[-_SHOWN_LINES:])
        raise VerifyFailed(
            f"the commit {commit.title!r} does not pass, no branch was made\n"
            f"  command: {command}\n  exit status: {done.returncode}\n"
            f"  the end of its output:\n{textwrap.indent(tail, '    ')}"
        )
    left = git(worktree, "status", "--porcelain", "--untracked-files=no")
    if left:
        raise VerifyFailed(
            f"the command changes files of the tree, no branch was made:\n{left}"
        )
    taken = time.monotonic() - start
    return replace(commit, verified_s=taken)
