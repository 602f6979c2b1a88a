# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest

from tbp.monty.frameworks.models.whole_overrides import (
    WholeOverridden,
    refuse_whole_overrides,
    whole_overrides,
)


class Split:
    def matching_step(self, ctx, percepts): ...
    def dispatch_matching_step(self, ctx, percepts): ...
    def process_matching_step(self, pending): ...
    def exploratory_step(self, ctx, percepts): ...
    def _dispatch_update_possible_matches(self, ctx, query): ...
    def _process_update_possible_matches(self, work): ...


class Whole(Split):
    def matching_step(self, ctx, percepts): ...


class Halves(Split):
    def dispatch_matching_step(self, ctx, percepts): ...


class Both(Split):
    def matching_step(self, ctx, percepts): ...
    def process_matching_step(self, pending): ...


class Mixin:
    def _update_possible_matches(self, ctx, query): ...


class MixedIn(Mixin, Split):
    pass


class Explores(Split):
    def exploratory_step(self, ctx, percepts): ...


class WholeOverridesTest(unittest.TestCase):
    def test_only_overrides_without_halves_are_found(self) -> None:
        for lm_class, expected in (
            (Split, []),
            (Whole, [(Whole, "matching_step")]),
            (Halves, []),
            (Both, []),
            (MixedIn, [(Mixin, "_update_possible_matches")]),
        ):
            with self.subTest(lm_class.__name__):
                self.assertEqual(whole_overrides(lm_class, Split), expected)

    def test_a_step_that_is_not_split_may_be_overridden(self) -> None:
        self.assertEqual(whole_overrides(Explores, Split), [])

    def test_an_override_in_a_base_class_is_found(self) -> None:
        between = type("Between", (Whole,), {})
        self.assertEqual(whole_overrides(between, Split), [(Whole, "matching_step")])

    def test_refusing_names_the_class_and_the_remedy(self) -> None:
        with self.assertRaisesRegex(
            WholeOverridden,
            "Whole overrides matching_step.*dispatch_matching_step and "
            "process_matching_step",
        ):
            refuse_whole_overrides(Whole, Split)
        refuse_whole_overrides(Both, Split)

    def test_an_update_of_its_own_is_refused(self) -> None:
        class Own(Split):
            def _update_evidence(self, features, displacement, graph_id): ...

        with self.assertRaisesRegex(WholeOverridden, "Own has _update_evidence"):
            refuse_whole_overrides(Own, Split)
