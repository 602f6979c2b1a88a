# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import unittest
from dataclasses import replace
from typing import Any

from monty_tools.bench.agreement import Disagreement, End, check_agreement

BELIEF = {"hypotheses": 7, "object": "cup", "hypothesis": 3, "evidence": 2.5}
STATE = {
    "beliefs": [BELIEF],
    "most": [{"cup": 2.5, "jug": None}],
    "digest": "abc",
}


def end(side: str, **changes: Any) -> End:
    state = {**copy.deepcopy(STATE), **changes}
    return End(side, "round 1", state, trace=[[BELIEF], [BELIEF]])


class AgreementTest(unittest.TestCase):
    def assert_differ(self, one: End, other: End, *words: str) -> None:
        with self.assertRaises(Disagreement) as raised:
            check_agreement(one, other)
        for word in words:
            self.assertIn(word, str(raised.exception))

    def test_equal_ends_agree(self) -> None:
        check_agreement(end("upstream"), end("reference"))

    def test_reference_must_equal_upstream_to_the_last_bit(self) -> None:
        self.assert_differ(
            end("upstream"), end("reference", digest="abd"), "reference", "last bits"
        )

    def test_a_later_round_of_upstream_must_equal_the_first(self) -> None:
        self.assert_differ(
            end("upstream"), end("upstream", digest="abd"), "upstream (round 1)"
        )

    def test_another_backend_may_differ_in_the_last_bits(self) -> None:
        nearly = [{"cup": 2.5 + 1e-12, "jug": None}]
        check_agreement(end("upstream"), end("numba", digest="abd", most=nearly))

    def test_another_backend_may_not_differ_by_more(self) -> None:
        for most in ([{"cup": 2.5 + 1e-6, "jug": None}], [{"cup": 2.5, "jug": 0.0}]):
            self.assert_differ(end("upstream"), end("numba", most=most), "numba")

    def test_all_must_agree_on_the_best_hypothesis_and_their_number(self) -> None:
        for change in ({"hypothesis": 4}, {"object": "jug"}, {"hypotheses": 6}):
            found = end("numba", beliefs=[{**BELIEF, **change}])
            self.assert_differ(
                end("upstream"), found, "at the end", "learning module 0"
            )

    def test_all_must_agree_after_every_traced_step(self) -> None:
        found = end("numba")
        other = replace(found, trace=[[BELIEF], [{**BELIEF, "hypothesis": 4}]])
        self.assert_differ(end("upstream"), other, "after step 2")
        check_agreement(end("upstream"), replace(found, trace=None))
