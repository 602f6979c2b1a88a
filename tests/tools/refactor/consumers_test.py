# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""No part of the series adds something that nothing uses by the end of the part."""

from __future__ import annotations

import unittest

from monty_tools.refactor.layout import overlay_root
from monty_tools.refactor.series import PARTS
from monty_tools.refactor.upstream import obtain
from tests.tools.refactor.unused_names import unused_names
from tests.tools.refactor.upstream_copy import planned

_BACKENDS = "tbp/monty/backends"
_BUILTIN = f"{_BACKENDS}/builtin"
_EVIDENCE = "tbp/monty/frameworks/models/evidence_matching"
_ASKED_LATER = "the protocol is complete in core; the part backends asks this"
ALLOWED: dict[tuple[str, str], str] = {
    (f"{_BACKENDS}/protocol.py", "Backend.unavailable"): _ASKED_LATER,
    (f"{_BUILTIN}/reference.py", "ReferenceBackend.unavailable"): _ASKED_LATER,
    (f"{_BUILTIN}/numpy.py", "NumpyBackend"): "the registry finds it by its file",
    (f"{_BACKENDS}/tables/hypotheses.py", "HypothesisTable.retain"): (
        "engines written in Python delete with it, such as the example of the tests"
    ),
    (f"{_EVIDENCE}/votes.py", "Votes.insert"): "append, extend, ... call it",
}
"""File and name of what may stay unused, with the reason."""


class ConsumersTest(unittest.TestCase):
    def test_every_new_name_is_used_by_the_end_of_its_part(self) -> None:
        upstream = {
            str(path): path.read_text("utf-8")
            for path in (obtain().import_root / "tbp").rglob("*.py")
        }
        for part, steps in PARTS.items():
            plan = planned(part)
            brought = {f"tbp/monty/{file}" for step in steps for file in step.overlay}
            new = {file: plan.added[file] for file in brought if file.endswith(".py")}
            others = {**plan.changes, **(_own() if part in ("fork", "perf") else {})}
            unused = {*unused_names(new, others, upstream)} - {*ALLOWED}
            with self.subTest(part):
                rows = (f"{file}: {name}" for file, name in sorted(unused))
                self.assertFalse(unused, "\n".join(rows))


def _own() -> dict[str, str]:
    """Return all files of the fork, also those that no step of the series adds."""
    root = overlay_root()
    return {
        path.relative_to(root).as_posix(): path.read_text("utf-8")
        for path in root.rglob("*.py")
    }
