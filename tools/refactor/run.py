# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Runs the series in memory, and keeps what fails."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Mapping

import libcst as cst

from .failures import (
    CodemodFailed,
    DoesNotCompile,
    DoesNotParse,
    MissingAnchor,
    OverlayConflict,
    RefactorFailed,
)
from .fingerprints import accepted, fingerprint, keys_of
from .layout import overlay_root
from .ruff import Ruff
from .spans import spans_between
from .step import Rewrite, Step
from .tree import Tree
from .trial import Trial

__all__ = ["Plan", "Run"]


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


class Run:
    """The series on a tree, in memory.

    What fails is kept, so that the rest can be tried: a rewrite that fails leaves its
    file as it is, and one that takes away something that nobody has accepted is done.

    Attributes:
        trials: What became of each rewrite.
        conflicts: Overlay files that upstream has, too.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._original: dict[str, str | None] = {}
        self._modules: dict[str, cst.Module] = {}
        self._laid_out: dict[str, str] = {}
        self._added: dict[str, str] = {}
        self._ruff = Ruff(tree)
        self.trials: list[Trial] = []
        self.conflicts: list[OverlayConflict] = []

    def apply(self, step: Step) -> None:
        """Try all rewrites of a step, and add its overlay files."""
        known = accepted(step)
        trials = [self._try(step, *named, known) for named in keys_of(step)]
        self.trials += trials
        changed = {trial.rewrite.file for trial in trials if trial.changes}
        for file in sorted(changed):
            self._lay_out(f"tbp/monty/{file}")
        for file in step.overlay:
            # If the tree has the step's rewrites, its file comes from an earlier state
            # of the series; otherwise the file belongs to somebody else.
            self._add(
                f"tbp/monty/{file}", may_replace=all(one.is_done for one in trials)
            )

    def refusals(self) -> list[Trial]:
        """Return the rewrites that failed, or need somebody who looks at them."""
        return [one for one in self.trials if one.failure or one.is_new]

    def _try(
        self,
        step: Step,
        key: str,
        rewrite: Rewrite,
        known: Mapping[str, Mapping[str, str]],
    ) -> Trial:
        trial = Trial(step, key, rewrite)
        file = f"tbp/monty/{rewrite.file}"
        try:
            before = self._module(file)
            after = rewrite.codemod.transform_module(before, self._of_package)
            if after is before:
                trial.is_done = True
                return trial
            trial.spans = spans_between(before, after)
        except RefactorFailed as failure:
            trial.failure = failure
            return trial
        except Exception as error:  # noqa: BLE001 whatever it is, it is named
            trial.failure = CodemodFailed(f"{type(error).__name__}: {error}")
            trial.failure.__cause__ = error
            return trial
        trial.changes = True
        fits = fingerprint(trial.spans) in known.get(key, {}).values()
        # A step that the series does not have was made for this tree only.
        trial.is_new = bool(trial.spans and step.name) and not fits
        self._modules[file] = after
        return trial

    def _lay_out(self, file: str) -> None:
        made = self._modules[file].code
        _check_compiles(file, made)
        self._laid_out[file] = self._ruff.laid_out(self._text(file), made)
        if self._laid_out[file] != made:
            del self._modules[file]  # parsed again when a step needs it

    def _add(self, file: str, *, may_replace: bool) -> None:
        text = (overlay_root() / file).read_text("utf-8")
        if self._read(file) not in (None, text) and not may_replace:
            self.conflicts.append(
                OverlayConflict(
                    f"{self._tree.import_root / file} is not ours: a step adds a file "
                    "of that name"
                )
            )
        self._added[file] = text

    def plan(self) -> Plan:
        """Return what is to be written.

        Raises:
            DoesNotCompile: If a result is not valid Python.
        """
        plan = Plan()
        results = {
            file: _with_line_ends_of(self._original[file], text)
            for file, text in self._laid_out.items()
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

    def _text(self, file: str) -> str:
        if file in self._laid_out:
            return self._laid_out[file]
        text = self._read(file)
        if text is None:
            raise MissingAnchor("the file itself")
        return _with_plain_line_ends(text)

    def _module(self, file: str) -> cst.Module:
        if file not in self._modules:
            text = self._text(file)
            try:
                self._modules[file] = cst.parse_module(text)
            except cst.ParserSyntaxError as error:
                raise DoesNotParse(
                    f"{self._tree.import_root / file} is not valid Python: {error}"
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
