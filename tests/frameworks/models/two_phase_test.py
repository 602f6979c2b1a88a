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

from tbp.monty.frameworks.models.two_phase import TwoPhaseMethods


class Base(TwoPhaseMethods):
    """Split as the series splits: the whole calls the halves of its own class."""

    def __init__(self) -> None:
        self.did: list[str] = []

    def matching_step(self, ctx, percepts):
        pending = Base.dispatch_matching_step(self, ctx, percepts)
        return Base.process_matching_step(self, pending)

    def dispatch_matching_step(self, ctx, percepts):
        self.did.append(f"dispatch {percepts}")
        return self._dispatch_update_possible_matches(ctx, query=percepts)

    def process_matching_step(self, pending):
        self._process_update_possible_matches(pending)
        self.did.append("process")

    def _update_possible_matches(self, ctx, query):
        pending = Base._dispatch_update_possible_matches(self, ctx, query)
        Base._process_update_possible_matches(self, pending)

    def _dispatch_update_possible_matches(self, ctx, query):  # noqa: ARG002
        self.did.append(f"dispatch update {query}")
        return query

    def _process_update_possible_matches(self, pending):
        self.did.append(f"process update {pending}")


PLAIN = ["dispatch p", "dispatch update p", "process update p", "process"]


class WholeUpdate(Base):
    def _update_possible_matches(self, ctx, query):
        self.did.append("before")
        super()._update_possible_matches(ctx, query)
        self.did.append("after")


class HalfUpdate(WholeUpdate):
    def _process_update_possible_matches(self, pending):
        super()._process_update_possible_matches(pending)
        self.did.append("half")


class WholeStepMixin:
    def matching_step(self, ctx, percepts):
        self.did.append("mixed in")
        super().matching_step(ctx, percepts)


class MixedIn(WholeStepMixin, HalfUpdate):
    pass


class OnlyHalves(Base):
    def dispatch_matching_step(self, ctx, percepts):
        self.did.append("mine")
        return super().dispatch_matching_step(ctx, percepts)


class TwoPhaseMethodsTest(unittest.TestCase):
    def assert_does(self, lm_class: type, expected: list[str]) -> None:
        """Step whole, then in halves, and expect the same."""
        whole = lm_class()
        whole.matching_step(None, "p")
        self.assertEqual(whole.did, expected)
        halves = lm_class()
        halves.process_matching_step(halves.dispatch_matching_step(None, "p"))
        self.assertEqual(halves.did, expected)

    def test_a_class_that_has_both_forms_is_left_alone(self) -> None:
        self.assert_does(Base, PLAIN)

    def test_a_whole_override_that_calls_super_runs_once_when_processed(self) -> None:
        whole = ["before", "dispatch update p", "process update p", "after"]
        self.assert_does(WholeUpdate, ["dispatch p", *whole, "process"])

    def test_a_half_on_top_of_a_whole_override(self) -> None:
        whole = ["before", "dispatch update p", "process update p", "after"]
        self.assert_does(HalfUpdate, ["dispatch p", *whole, "half", "process"])

    def test_a_whole_override_that_is_mixed_in(self) -> None:
        whole = ["before", "dispatch update p", "process update p", "after"]
        expected = ["mixed in", "dispatch p", *whole, "half", "process"]
        self.assert_does(MixedIn, expected)

    def test_a_whole_method_is_made_of_an_overridden_half(self) -> None:
        self.assert_does(OnlyHalves, ["mine", *PLAIN])

    def test_a_whole_override_without_super_replaces_both(self) -> None:
        class Replaced(Base):
            def matching_step(self, ctx, percepts):  # noqa: ARG002
                self.did.append("replaced")

        self.assert_does(Replaced, ["replaced"])

    def test_nothing_of_a_whole_override_happens_while_dispatching(self) -> None:
        lm = MixedIn()
        lm.dispatch_matching_step(None, "p")
        self.assertEqual(lm.did, [])

    def test_what_is_mixed_in_is_not_passed_over_by_either_form(self) -> None:
        class WholeMixin:
            def matching_step(self, ctx, percepts):
                self.did.append("mixed in")
                super().matching_step(ctx, percepts)

        class HalfMixin:
            def dispatch_matching_step(self, ctx, percepts):
                self.did.append("mixed in")
                return super().dispatch_matching_step(ctx, percepts)

        for mixin in (WholeMixin, HalfMixin):

            class Halves(mixin, Base):
                def dispatch_matching_step(self, ctx, percepts):
                    self.did.append("own")
                    return super().dispatch_matching_step(ctx, percepts)

            class Whole(mixin, Base):
                def matching_step(self, ctx, percepts):
                    self.did.append("own")
                    return super().matching_step(ctx, percepts)

            for kind in (Halves, Whole):
                with self.subTest(mixin=mixin.__name__, kind=kind.__name__):
                    lm = kind()
                    lm.matching_step("c", "p")
                    self.assertEqual(lm.did, ["own", "mixed in", *PLAIN])
                    lm = kind()
                    lm.process_matching_step(lm.dispatch_matching_step("c", "p"))
                    self.assertEqual(lm.did, ["own", "mixed in", *PLAIN])

    def test_a_step_without_halves_of_its_own_gets_them(self) -> None:
        class Exploring(Base):
            def exploratory_step(self, ctx, percepts):
                self.did.append(f"explore {ctx} {percepts}")

        class Counting(Exploring):
            def dispatch_exploratory_step(self, ctx, percepts):
                self.did.append("count")
                return super().dispatch_exploratory_step(ctx, percepts=percepts)

        lm = Counting()
        lm.exploratory_step("c", "p")
        self.assertEqual(lm.did, ["count", "explore c p"])
        lm = Counting()
        pending = lm.dispatch_exploratory_step("c", "p")
        self.assertEqual(lm.did, ["count"])
        lm.process_exploratory_step(pending)
        self.assertEqual(lm.did, ["count", "explore c p"])

    def test_what_the_whole_returns_comes_from_either_form(self) -> None:
        class Returns(Base):
            def matching_step(self, ctx, percepts):  # noqa: ARG002
                return percepts

        lm = Returns()
        pending = lm.dispatch_matching_step(None, percepts="p")
        self.assertEqual(lm.process_matching_step(pending), "p")
