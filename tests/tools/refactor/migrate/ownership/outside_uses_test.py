# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What learning modules use of others."""

from __future__ import annotations

import unittest
from pathlib import Path

from monty_tools.refactor.migrate.class_index import ClassIndex
from monty_tools.refactor.migrate.ownership.outside_uses import outside_uses

LM = """\
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)


class WatchingLM(EvidenceGraphLM):
    def matching_step(self, ctx, percepts):
        self.neighbor.rest()
        self.ahead = gap(self) + getattr(self.neighbor, "lag")

    def rest(self):
        self.tired = False

    def process_matching_step(self, pending):
        super().process_matching_step(pending.matching_step)
        self.neighbor.wake(pending.before)


def gap(one):
    return one.steps - np.mean(one.mean_steps)


def unrelated(one):
    return one.unrelated
"""
USED = {"wake", "rest", "tired", "lag", "steps", "mean_steps"}


class OutsideUsesTest(unittest.TestCase):
    def uses(self, *, of_monty: bool = False) -> dict[str, str]:
        file, text = Path("/project/lm.py"), f"import numpy as np\n{LM}"
        return outside_uses(ClassIndex({file: text}, [file] if of_monty else ()))

    def test_methods_and_functions_are_followed(self) -> None:
        uses = self.uses()
        self.assertEqual(uses, dict.fromkeys(USED, "WatchingLM"))

    def test_a_copy_of_monty_does_not_count(self) -> None:
        self.assertEqual(self.uses(of_monty=True), {})
