# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What can go wrong, each with a message that says what to do about it."""

from __future__ import annotations

from typing import Sequence

from ..guard import Failed

__all__ = [
    "CannotDivide",
    "CannotWrite",
    "CodemodFailed",
    "DoesNotCompile",
    "DoesNotParse",
    "GateUnavailable",
    "GitFailed",
    "MissingAnchor",
    "NotMonty",
    "OverlayConflict",
    "RefactorFailed",
    "RuffUnavailable",
    "SeriesRefused",
    "UncommittedChanges",
    "UnreadableFile",
    "UpstreamUnavailable",
    "VerifyFailed",
]


class RefactorFailed(Failed):
    """The tree was left as it was; the message says why."""


class NotMonty(RefactorFailed):
    """A folder does not hold tbp.monty."""


class UpstreamUnavailable(RefactorFailed):
    """The pinned release could not be obtained, or is not what was pinned."""


class UnreadableFile(RefactorFailed):
    """A file that a step must change could not be read."""


class DoesNotParse(RefactorFailed):
    """A file that a step must change is not valid Python."""


class DoesNotCompile(RefactorFailed):
    """A step produced a file that is not valid Python."""


class CannotDivide(RefactorFailed):
    """Statements cannot be assigned to one concern each."""


class OverlayConflict(RefactorFailed):
    """An overlay file has the path of a file of upstream."""


class UncommittedChanges(RefactorFailed):
    """Files that would be written have uncommitted changes."""


class GitFailed(RefactorFailed):
    """A git command failed."""


class GateUnavailable(RefactorFailed):
    """A gate could not be installed or could not run."""


class RuffUnavailable(RefactorFailed):
    """Without ruff, nothing lays out what the codemods write."""


class VerifyFailed(RefactorFailed):
    """A commit of the series does not pass a gate or the command that verifies it."""


class CannotWrite(RefactorFailed):
    """The result could not be written; files written so far were restored."""


class CodemodFailed(RefactorFailed):
    """A codemod raised what it should not."""


class SeriesRefused(RefactorFailed):
    """Rewrites of the series do not fit a tree."""

    def __init__(self, message: str, steps: Sequence[str]) -> None:
        super().__init__(message)
        self.steps = steps
        """Their titles."""


class MissingAnchor(RefactorFailed):
    """A codemod did not find the code it changes."""

    def __init__(self, looked_for: str, class_name: str = "", method: str = "") -> None:
        where = f"{class_name}.{method}".strip(".")
        super().__init__(f"looked for {looked_for}" + (f" in {where}" if where else ""))
        self.looked_for = looked_for
        self.class_name = class_name
        self.method = method
