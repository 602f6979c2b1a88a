# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Says when a tree is not of a release that the series is tested on."""

from __future__ import annotations

import sys

from .pin import KNOWN_RELEASES
from .tree import Tree

__all__ = ["note_release"]


def note_release(tree: Tree) -> None:
    """Print the version of a tree whose release is not known, and those that are."""
    # The fork appends its own version to that of the release.
    if tree.version.partition("+")[0] not in KNOWN_RELEASES:
        known = ", ".join(sorted(KNOWN_RELEASES))
        print(
            f"monty-refactor: {tree.folder} is tbp.monty {tree.version}; the series is "
            f"known to work on {known}",
            file=sys.stderr,
        )
