# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs the series in memory: what would change, without touching a file."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Callable, Mapping, Sequence

import libcst as cst

from .failures import DoesNotCompile, DoesNotParse, MissingAnchor, OverlayConflict
from .layout import overlay_root
from .series import SERIES
from .step import Rewrite, Step
from .tree import Tree

__all__ = ["Plan", "make_plan"]


@dataclass
class Plan:
    """The changes that the series makes to a tree.

    Attributes:
        rewritten: New text of upstream's files that change, by path.
        added: Text of the overlay files that are missing or differ, by path.
        original: Present text of these files; None where there is no file.
    """

    rewritten: dict[str, str] = field(default_factory=dict)
    added: dict[str, str] = field(default_factory=dict)
    original: dict[str, str | None] = field(default_factory=dict)

    @property
    def changes(self) -> Mapping[str, str]:
        return {**self.rewritten, **self.added}

    def __bool__(self) -> bool:
        return bool(self.rewritten or self.added)


def make_plan(
    tree: Tree,
    series: Sequence[Step] = SERIES,
    progress: Callable[[Step], None] = lambda _: None,
) -> Plan:
    """Run every step of the series on a tree, in memory.

    Args:
        tree: The tree. It is only read.
        series: The steps.
        progress: Called with each step before it runs.

    Returns:
        The plan, empty if every step is already done.

    Raises:
        MissingAnchor: If a step does not find what it changes.
        DoesNotParse: If a file that a step changes is not valid Python.
        DoesNotCompile: If a result is not valid Python.
        OverlayConflict: If the tree has a file of its own where an overlay file goes.
    """
    run = _Run(tree)
    for step in series:
        progress(step)
        changed = [run.rewrite(step, rewrite) for rewrite in step.rewrites]
        for file in step.overlay:
            run.add(f"tbp/monty/{file}", may_replace=not any(changed))
    return run.plan()


class _Run:
    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._original: dict[str, str | None] = {}
        self._modules: dict[str, cst.Module] = {}
        self._added: dict[str, str] = {}

    def rewrite(self, step: Step, rewrite: Rewrite) -> bool:
        file = f"tbp/monty/{rewrite.file}"
        try:
            before = self._module(file)
            after = rewrite.codemod.transform_module(before, self._of_package)
        except MissingAnchor as missing:
            missing.step, missing.file = step.title, file
            raise
        self._modules[file] = after
        return after is not before

    def add(self, file: str, *, may_replace: bool) -> None:
        # If the tree has the step's rewrites, its file comes from an earlier state
        # of the series; otherwise the file belongs to somebody else.
        text = (overlay_root() / file).read_text("utf-8")
        if self._read(file) not in (None, text) and not may_replace:
            raise OverlayConflict(
                f"{self._tree.import_root / file} is not ours, nothing was written: "
                "a step adds a file of that name"
            )
        self._added[file] = text

    def plan(self) -> Plan:
        plan = Plan()
        results = {
            file: _with_line_ends_of(self._original[file], module.code)
            for file, module in self._modules.items()
        }
        for target, texts in ((plan.rewritten, results), (plan.added, self._added)):
            for file, text in texts.items():
                if text == self._original[file]:
                    continue
                _check_compiles(file, text)
                target[file] = text
                plan.original[file] = self._original[file]
        return plan

    def _read(self, file: str) -> str | None:
        if file not in self._original:
            self._original[file] = self._tree.read(file)
        return self._original[file]

    def _of_package(self, file: str) -> cst.Module:
        return self._module(f"tbp/monty/{file}")

    def _module(self, file: str) -> cst.Module:
        if file not in self._modules:
            text = self._read(file)
            if text is None:
                raise MissingAnchor("the file itself")
            try:
                self._modules[file] = cst.parse_module(_with_plain_line_ends(text))
            except cst.ParserSyntaxError as error:
                raise DoesNotParse(
                    f"{self._tree.import_root / file} is not valid Python, nothing was "
                    f"written: {error}"
                ) from error
        return self._modules[file]


def _has_crlf(text: str) -> bool:
    return "\r\n" in text and text.count("\n") == text.count("\r\n")


def _with_plain_line_ends(text: str) -> str:
    return text.replace("\r\n", "\n") if _has_crlf(text) else text


def _with_line_ends_of(original: str | None, text: str) -> str:
    return text.replace("\n", "\r\n") if original and _has_crlf(original) else text


def _check_compiles(file: str, text: str) -> None:
    try:
        compile(text, file, "exec", dont_inherit=True)
    except SyntaxError as error:
        raise DoesNotCompile(f"the series made {file} invalid: {error}") from error
