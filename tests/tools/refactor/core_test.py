# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""How upstream with only the part core differs from the fork."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap

from monty_tools.refactor.plan import make_plan
from monty_tools.refactor.series import steps_through
from monty_tools.refactor.transaction import write_all
from monty_tools.refactor.tree import Tree
from tests.tools.refactor.upstream_copy import UpstreamCopyTestCase

OVERRIDING = """
    from tbp.monty.frameworks.models.evidence_matching.learning_module import (
        EvidenceGraphLM,
    )
    from tbp.monty.frameworks.models.whole_overrides import WholeOverridden

    class Halves(EvidenceGraphLM):
        def process_matching_step(self, pending):
            super().process_matching_step(pending)

    class Whole(EvidenceGraphLM):
        def _update_possible_matches(self, ctx, query):
            super()._update_possible_matches(ctx, query)

    settings = dict(max_match_distance=1, tolerances={}, feature_weights={})
    Halves(**settings)
    try:
        Whole(**settings)
    except WholeOverridden as refused:
        print(refused)
"""


class CoreTest(UpstreamCopyTestCase):
    def test_an_override_of_a_whole_method_is_refused_with_the_remedy(self) -> None:
        tree = Tree.at(self.tree)
        write_all(tree.import_root, make_plan(tree, steps_through("core")).changes)
        done = subprocess.run(
            [sys.executable, "-c", textwrap.dedent(OVERRIDING)],
            env={**os.environ, "PYTHONPATH": str(tree.import_root)},
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("Whole overrides _update_possible_matches", done.stdout)
        self.assertIn("override _dispatch_update_possible_matches and", done.stdout)
