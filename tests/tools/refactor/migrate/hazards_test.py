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

from monty_tools.refactor.migrate.marks import marks_in
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
    "own total, twice": (
        f"now = self.total()\nnow += self.total()\n{STEP}\nself.kept = now"
    ),
    "own lock": f"with self.lock:\n    {STEP}",
    "own reentrant lock, twice": (
        f"with self.reentrant, self.reentrant as depth:\n    {STEP}\nself.step(1)"
    ),
    "own context": f"with self.context(1):\n    {STEP}",
    "nothing suppressed": f"with contextlib.suppress(KeyError):\n    {STEP}",
    "own list": f"self.note_size(percepts)\n{STEP}\nself.notes.append(DECAY)",
    "own number": f"self.steps += self.scale\n{STEP}\nself.kept = self.steps",
    "own hypotheses": f"self.kept = sum(self._hypotheses.values())\n{STEP}",
    "what is sensed": (
        f"known = [one for one in percepts if one]\n{STEP}\nself.kept = len(known)"
    ),
}
UPDATE = "super()._update_evidence(features, displacement, graph_id)"
UPDATES = {
    "changes the features": f"features.append(len(features))\n{UPDATE}",
    "changes the features by another name": f"them = features\nthem += [1]\n{UPDATE}",
    "reads hypotheses": (
        f"self.notes.append(sum(self._hypotheses.values()))\n{UPDATE}"
    ),
    "reads hypotheses by a method": f"self.notes.append(self.total())\n{UPDATE}",
    "changes hypotheses": f"self._hypotheses['cup'] *= 2\n{UPDATE}",
    "changes what the update reads": f"self.max_match_distance = 1\n{UPDATE}",
    "reads hypotheses of others": (
        f"self.notes.append(self.peers[-1]._hypotheses[graph_id])\n{UPDATE}"
    ),
}
OWN_UPDATES = {
    "own list": f"self.notes.append(graph_id)\n{UPDATE}",
    "features by graph": (
        f"if displacement is not None:\n"
        f"    self.seen_graphs[graph_id] = len(features)\n{UPDATE}"
    ),
}
UPDATE_HEAD = """\
        super().matching_step(ctx, percepts)
        self.kept = 1

    fails_in_update = False

    def _update_evidence(self, features, displacement, graph_id):
"""
PLANS = (5, 8, 32, 1240)


def _module(head: str, body: str) -> str:
    return head + textwrap.indent(body, " " * 8) + "\n"


class HazardsTest(unittest.TestCase):
    """Three learning modules of a class, before and after migration."""

    def test_what_may_be_seen_by_others_is_marked(self) -> None:
        for name, body in MATCH.items():
            with self.subTest(name):
                self.assert_same_state(_module(HEAD, body), marked=True)

    def test_what_belongs_to_the_learning_module_is_split(self) -> None:
        for name, body in OWN.items():
            with self.subTest(name):
                self.assert_same_state(_module(HEAD, body), marked=False)

    def test_what_updates_of_graphs_use_is_marked(self) -> None:
        for name, body in UPDATES.items():
            with self.subTest(name):
                self.assert_same_state(_module(HEAD + UPDATE_HEAD, body), marked=True)

    def test_what_updates_of_graphs_do_not_use_is_moved(self) -> None:
        for name, body in OWN_UPDATES.items():
            with self.subTest(name):
                self.assert_same_state(_module(HEAD + UPDATE_HEAD, body), marked=False)

    def assert_same_state(self, source: str, marked: bool) -> None:
        migrated, _ = migrate(source, lab=LAB)
        for base in models():
            for plan in PLANS:
                before = namespace(source, lab=LAB)["OwnLM"]
                after = namespace(migrated, base, lab=LAB)["OwnLM"]
                expected = run_in_order([before] * 3, plan)
                actual = run_in_phases([after] * 3, plan)
                self.assertTrue(
                    expected.agrees_with(actual), f"{migrated}\n{expected}\n{actual}"
                )
        self.assertEqual(bool(marks_in(migrated)), marked, migrated)
