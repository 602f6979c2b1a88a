# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses of one run are compared with those that another one sends."""

from __future__ import annotations

import math
import os
import unittest
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np

from monty_tools.recording.hypotheses import CheckedHypotheses, SentHypotheses
from monty_tools.recording.look import lm_after_step, per_lm

COUNTS = {"mug": 5, "bowl": 0}


def monty() -> SimpleNamespace:
    def of(count: int) -> SimpleNamespace:
        rng = np.random.default_rng(count)
        return SimpleNamespace(
            evidence=rng.normal(size=count),
            locations=rng.normal(size=(count, 3)),
            poses=rng.normal(size=(count, 3, 3)),
            possible=np.ones(count, bool),
        )

    hypotheses = {name: of(count) for name, count in COUNTS.items()}
    lm = SimpleNamespace(learning_module_id="LM", _hypotheses=hypotheses)
    return SimpleNamespace(learning_modules=[lm])


class HypothesesTest(unittest.TestCase):
    def checked(
        self,
        *changes: Callable[[Any], None],
        tolerance: float = 1e-9,
    ) -> list[dict[str, dict]]:
        """Returns for each change what is found after a step with it."""
        reading, writing = os.pipe()
        sender, checker = SentHypotheses(writing), CheckedHypotheses(reading, tolerance)
        found = []
        for change in changes:
            sender.after_step(monty(), {})
            ours = monty()
            change(ours.learning_modules[0]._hypotheses)
            lms = per_lm(ours, lm_after_step)
            checker.after_step(ours, lms)
            found.append(
                {k: v.get("apart") for k, v in lms["LM"]["hypotheses"].items()}
            )
        sender._pipe.close()
        checker._pipe.close()
        return found

    def test_every_element_of_every_array_is_compared(self) -> None:
        def put(name: str, index: Any, value: Any) -> Callable[[Any], None]:
            return lambda lm: getattr(lm["mug"], name).__setitem__(index, value)

        cases = [
            ("evidence", (1,), math.nan),
            ("locations", (4, 2), 0.5),
            ("poses", (0, 1, 2), math.inf),
            ("possible", (3,), False),
        ]
        changes = [put(*case) for case in cases]
        for found, (name, index, value) in zip(
            self.checked(*changes), cases, strict=True
        ):
            self.assertEqual(found["bowl"], {})
            [(which, apart)] = found["mug"].items()
            self.assertEqual(which, name)
            self.assertFalse(apart["equal"])
            self.assertEqual(apart["place"], "".join(f"[{i}]" for i in index))
            np.testing.assert_equal(apart["right"], value)

    def test_the_tolerance_bounds_every_difference(self) -> None:
        def shift(by: float) -> Callable[[Any], None]:
            def change(lm: Any) -> None:
                lm["mug"].locations[2:] += by

            return change

        near, far = self.checked(shift(5e-10), shift(2e-9))
        self.assertTrue(near["mug"]["locations"]["equal"])
        self.assertAlmostEqual(near["mug"]["locations"]["largest"], 5e-10)
        self.assertFalse(far["mug"]["locations"]["equal"])
        self.assertEqual(far["mug"]["locations"]["place"], "[2][0]")

    def test_more_hypotheses_and_other_objects(self) -> None:
        def more(lm: Any) -> None:
            lm["bowl"].evidence = np.zeros(1)

        def others(lm: Any) -> None:
            lm["cup"] = lm.pop("mug")

        more_found, others_found, same = self.checked(more, others, lambda _: None)
        apart = more_found["bowl"]["evidence"]
        self.assertEqual((apart["place"], apart["right"]), ("shape", [1]))
        self.assertEqual(others_found, {"bowl": {}, "cup": None})
        self.assertEqual(same, {"mug": {}, "bowl": {}})

    def test_an_array_that_is_missing_differs(self) -> None:
        def without(lm: Any) -> None:
            del lm["mug"].possible

        [found] = self.checked(without)
        apart = found["mug"]["possible"]
        self.assertFalse(apart["equal"])
        self.assertEqual((apart["left"], apart["right"]), ([5], None))

    def test_without_the_other_run_nothing_is_checked(self) -> None:
        reading, writing = os.pipe()
        sender, checker = SentHypotheses(writing), CheckedHypotheses(reading, 1e-9)
        sender._pipe.close()
        lms = per_lm(monty(), lm_after_step)
        checker.after_step(monty(), lms)
        self.assertNotIn("apart", lms["LM"]["hypotheses"]["mug"])
        checker._pipe.close()

    def test_a_run_goes_on_after_the_one_that_checks_it(self) -> None:
        reading, writing = os.pipe()
        os.close(reading)
        sender = SentHypotheses(writing)
        for _ in range(2):
            sender.after_step(monty(), {})
        self.assertTrue(sender._pipe.closed)
