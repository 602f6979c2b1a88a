# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Times are estimated from measurements, which a file holds."""

from __future__ import annotations

import json
import tempfile
import unittest
from pathlib import Path

from monty_tools.guard import Failed
from monty_tools.plan import calibration
from monty_tools.plan.calibration import BUILT_IN, Measured, estimates, read, write

PER_STEP, PER_LM, PER_OBJECT, PER_HYPOTHESIS = 2e-4, 3e-4, 1e-5, 1e-9


def measured(lms: int, objects: int, hypotheses: int, factor: float = 1.0) -> Measured:
    seconds = (
        PER_STEP
        + PER_LM * lms
        + PER_OBJECT * lms * objects
        + PER_HYPOTHESIS * hypotheses
    ) * factor
    return Measured(
        *("a machine", f"2026-01-{lms:02d}", "1", "cuda", "default"),
        *(lms, objects, hypotheses, seconds),
    )


FIVE = [
    measured(1, 1, 4_000),
    measured(5, 77, 1_500_000),
    measured(20, 10, 800_000),
    measured(2, 40, 30_000_000),
    measured(12, 2, 60_000),
]


class EstimatesTest(unittest.TestCase):
    def test_costs_are_found(self) -> None:
        (found,) = estimates(FIVE, "cuda", "default", (10, 100, 1_000_000))
        self.assertAlmostEqual(
            found.seconds, PER_STEP + 10 * PER_LM + 100 * PER_OBJECT + 1e-3
        )
        self.assertAlmostEqual(found.error, 0)
        self.assertEqual(found.dates, ("2026-01-01", "2026-01-20"))

    def test_the_error_is_that_of_the_worst_measurement(self) -> None:
        off = [*FIVE, measured(5, 77, 1_500_000, factor=1.5)]
        (found,) = estimates(off, "cuda", "default", (5, 385, 1_500_000))
        self.assertGreater(found.error, 0.1)
        self.assertLess(found.error, 0.5)

    def test_too_few_measurements_tell_no_error(self) -> None:
        (found,) = estimates(FIVE[:1], "cuda", "default", (1, 1, 4_000))
        self.assertAlmostEqual(found.seconds, FIVE[0].seconds)
        self.assertIsNone(found.error)

    def test_others_say_nothing(self) -> None:
        self.assertEqual(estimates(FIVE, "numba", "default", (1, 1, 1)), [])
        self.assertEqual(estimates(FIVE, "cuda", "burst_sampling", (1, 1, 1)), [])


class FilesTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = self.enterContext(tempfile.TemporaryDirectory())
        self.path = Path(folder) / "calibration.json"

    def test_the_built_in_one_has_gpus_and_both_updaters(self) -> None:
        found = {(one.backend, one.updater) for one in read(BUILT_IN)}
        self.assertLessEqual({("cuda", "default"), ("cuda", "burst_sampling")}, found)

    def test_are_read_as_written(self) -> None:
        write(self.path, FIVE)
        self.assertEqual(read(self.path), FIVE)

    def test_others_are_refused_in_a_line(self) -> None:
        good = {**vars(FIVE[0])}
        for content in (
            "not JSON",
            [],
            {"format": "monty-plan", "format_version": 1, "measured": []},
            {"format": calibration.FORMAT, "format_version": 1, "measured": [{}]},
            *(
                {
                    "format": calibration.FORMAT,
                    "format_version": 1,
                    "measured": [{**good, **bad}],
                }
                for bad in ({"seconds": 0}, {"lms": "5"}, {"date": 5}, {"more": 1})
            ),
        ):
            with self.subTest(content):
                is_text = isinstance(content, str)
                self.path.write_text(content if is_text else json.dumps(content))
                with self.assertRaises(Failed) as raised:
                    read(self.path)
                self.assertNotIn("\n", str(raised.exception))


if __name__ == "__main__":
    unittest.main()
