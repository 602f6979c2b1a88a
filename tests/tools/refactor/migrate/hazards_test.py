# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides whose effect depends on the order in which learning modules are stepped."""

from __future__ import annotations

import textwrap
import unittest

from tests.tools.refactor.migrate.lab_module import LAB
from tests.tools.refactor.migrate.model_runs import (
    migrate,
    models,
    namespace,
    run_in_order,
    run_in_phases,
)

HEAD = """\
import contextlib

import numpy as np
from lab import LOCK, REENTRANT, TOTALS, LabLM

DECAY = 0.5


class OwnLM(LabLM):
    def matching_step(self, ctx, percepts):
"""
STEP = "super().matching_step(ctx, percepts)"
MATCH = {
    "changes the percepts": f"percepts.append(len(percepts))\n{STEP}",
    "changes the percepts by another name": (
        f"them = percepts\nthem += [len(them)]\n{STEP}"
    ),
    "changes the percepts in a list": (
        f"lists = []\nlists.append(percepts)\nlists[0].append(1)\n{STEP}"
    ),
    "changes the percepts afterwards": f"{STEP}\npercepts.append(1)",
    "shared lock": f"with LOCK:\n    {STEP}",
    "shared lock of the class": f"with self.shared_lock:\n    {STEP}",
    "lock that was given": f"with self.given_lock:\n    {STEP}",
    "lock of another learning module": f"with self.peers[0].lock:\n    {STEP}",
    "shared reentrant lock": (
        f"with REENTRANT as depth:\n    self.step(1, depth)\n    {STEP}"
    ),
    "errstate": f"with np.errstate(divide='ignore'):\n    {STEP}",
    "errstate in a method": f"with self.quiet():\n    {STEP}",
    "errstate beside an own lock": (
        f"with self.lock, np.errstate(divide='ignore'):\n    {STEP}"
    ),
    "reads hypotheses of others": (
        f"self.step(1, sum(self.peers[0]._hypotheses.values()))\n{STEP}"
    ),
    "reads hypotheses of others afterwards": (
        f"{STEP}\nself.step(1, sum(self.peers[-1]._hypotheses.values()))"
    ),
    "reads what others count": (
        f"self.steps += 1\n{STEP}\nself.step(self.peers[-1].steps)"
    ),
    "reads by an attribute that is set from outside": (
        f"self.step(1, len(self.neighbors[0].buffer))\n{STEP}"
    ),
    "reads by a property": f"self.step(1, len(self.first_peer.buffer))\n{STEP}",
    "reads by a lambda": (
        f"self.step(1, max(self.peers, key=lambda one: len(one.buffer)).plan)\n{STEP}"
        "\nself.kept = max(map(lambda one: len(one.buffer), self.peers))"
    ),
    "changes others": (
        f"{STEP}\nfor one in self.peers:\n    one.kept = len(self.buffer)"
    ),
    "list of the class": (
        f"self.shared.append(len(self.shared))\n{STEP}\nself.shared.append(0)"
    ),
    "number of the class": (f"OwnLM.steps += 1\n{STEP}\nself.kept = OwnLM.steps"),
    "list of the module": f"TOTALS.append(1)\n{STEP}\nself.kept = len(TOTALS)",
    "list of the module by a method": (
        f"self.count_for_all()\n{STEP}\nself.kept = len(self.totals)"
    ),
    "variable of the module": (f"global DECAY\nDECAY += 1\n{STEP}\nself.kept = DECAY"),
    "order of random numbers": f"self.step(1, ctx)\n{STEP}\nself.step(2, ctx)",
}
OWN = {
    "number": f"self.steps += 2\n{STEP}\nself.width = self.steps * 2",
    "what is sensed": f"many = len(percepts)\nself.width = many\n{STEP}",
    "branch": f"if self.width > 1 and not self.steps:\n    self.steps = 3\n{STEP}",
    "reference": f"self.first = percepts\n{STEP}\nself.current = self.buffer",
    "what is matched": f"{STEP}\nself.width = len(self.get_all_known_object_ids())",
    "only the call": f"return {STEP}",
}
FILLED = {
    "own total, twice": (
        f"now = self.total()\nnow += self.total()\n{STEP}\nself.kept = now"
    ),
    "own list": f"self.note_size(percepts)\n{STEP}\nself.notes.append(DECAY)",
    "own number": f"self.steps += self.scale\n{STEP}\nself.kept = self.steps",
    "own hypotheses": f"self.kept = sum(self._hypotheses.values())\n{STEP}",
    "known": (
        f"known = [one for one in percepts if one]\n{STEP}\nself.kept = len(known)"
    ),
    "early return": (
        f"if not percepts:\n    return\nself.steps += 1\n{STEP}\nself.kept = 1"
    ),
    "maybe assigned": (
        f"if percepts:\n    now = 1\n{STEP}\nself.kept = percepts and now"
    ),
    "comment": f"now = 1\n        # old\nnow += 1\n{STEP}\n# new\nself.kept = now",
    "result": f"self.kept = {STEP}\nself.steps += len(percepts)",
}
"""Their templates have no gaps."""
BEFORE = "...  # what comes before the call of super(), whenever others are stepped\n"
AFTER = "...  # what comes after it\n"
DISPATCH = "super().dispatch_matching_step(ctx, percepts)"
PROCESS = "super().process_matching_step(pending)"
GAPS = {
    "own context": (
        f"with self.context(1):\n    {STEP}\nself.kept = 1",
        {
            f"{BEFORE}    return {DISPATCH}": (
                "with contextlib.ExitStack() as stack:\n"
                "        stack.enter_context(self.context(1))\n"
                f"        return {DISPATCH}, stack.pop_all()"
            ),
            f"{PROCESS}\n    {AFTER}": (
                f"pending, stack = pending\n    with stack:\n        {PROCESS}\n"
                "    self.kept = 1\n"
            ),
        },
    ),
    "own locks": (
        f"with self.lock, self.reentrant as depth:\n    {STEP}\nself.width = depth",
        {
            f"{BEFORE}    return {DISPATCH}": (
                "with self.lock, self.reentrant as depth:\n"
                f"        return {DISPATCH}, depth"
            ),
            f"{PROCESS}\n    {AFTER}": (
                "pending, depth = pending\n    with self.lock, self.reentrant:\n"
                f"        {PROCESS}\n    self.width = depth\n"
            ),
        },
    ),
    "branch": (
        f"if percepts:\n    {STEP}\nelse:\n    self.steps += 1\nself.kept = 1",
        {
            f"{BEFORE}    return {DISPATCH}": (
                f"if percepts:\n        return {DISPATCH}\n    self.steps += 1\n"
                "    return None"
            ),
            f"{PROCESS}\n    {AFTER}": (
                f"if pending is not None:\n        {PROCESS}\n    self.kept = 1\n"
            ),
        },
    ),
    "try": (
        f"try:\n    {STEP}\nfinally:\n    self.kept = 1",
        {
            f"{BEFORE}    return {DISPATCH}": (
                f"try:\n        return {DISPATCH}\n"
                "    except Exception:\n        self.kept = 1\n        raise"
            ),
            f"{PROCESS}\n    {AFTER}": (
                f"try:\n        {PROCESS}\n    finally:\n        self.kept = 1\n"
            ),
        },
    ),
}
"""Their templates have gaps: what a person could put there."""
PLANS = (5, 8, 32, 1240)


def _module(head: str, body: str) -> str:
    return head + textwrap.indent(body, " " * 8) + "\n"


class HazardsTest(unittest.TestCase):
    """Three learning modules of a class, before and after migration."""

    def test_what_may_be_seen_by_others_stays_whole(self) -> None:
        for name, body in MATCH.items():
            with self.subTest(name):
                self.assert_same_state(_module(HEAD, body), changes=0)

    def test_what_belongs_to_the_learning_module_is_split(self) -> None:
        for name, body in OWN.items():
            with self.subTest(name):
                self.assert_same_state(_module(HEAD, body), changes=1)

    def test_templates_do_what_overrides_did(self) -> None:
        for name, body in FILLED.items():
            with self.subTest(name):
                source = _module(HEAD, body)
                done = migrate(source, lab=LAB)
                self.assertEqual(done.text, source)
                assert done.filled is not None
                self.assert_same_runs(source, done.filled)

    def test_templates_with_gaps_do_when_these_are_filled(self) -> None:
        for name, (body, gaps) in GAPS.items():
            with self.subTest(name):
                source = _module(HEAD, body)
                done = migrate(source, lab=LAB)
                self.assertEqual((done.text, done.filled), (source, None))
                (left,) = done.left
                template = left.advice.partition("\n\n")[2]
                for gap, code in gaps.items():
                    self.assertIn(gap, template)
                    template = template.replace(gap, code)
                head, _, _ = HEAD.rpartition("    def ")
                self.assert_same_runs(source, head + textwrap.indent(template, "    "))

    def assert_same_state(self, source: str, changes: int) -> None:
        done = migrate(source, lab=LAB)
        self.assert_same_runs(source, done.text)
        self.assertEqual(done.changes, changes, done.text)

    def assert_same_runs(self, source: str, migrated: str) -> None:
        for base in models():
            for plan in PLANS:
                before = namespace(source, lab=LAB)["OwnLM"]
                after = namespace(migrated, base, lab=LAB)["OwnLM"]
                expected = run_in_order([before] * 3, plan)
                actual = run_in_phases([after] * 3, plan)
                self.assertTrue(
                    expected.agrees_with(actual), f"{migrated}\n{expected}\n{actual}"
                )
