# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty run-parallel` on a Monty of a few lines, with a real Ray."""

from __future__ import annotations

from tests.tools.parallel.small_parallel import SmallParallel, objects


class RunParallelTest(SmallParallel):
    def test_writes_the_files_of_all_episodes_in_order_and_says_which_failed(self):
        ended = self.run_small(
            objects(["ball", "raises", "dies_once", "cone", "cup", "box"]),
            "--workers=2",
        )

        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertEqual(self.numbers_in(), [0, 2, 3, 4, 5])
        self.assertEqual(self.numbers_in("detailed_run_stats.json"), [0, 2, 3, 4, 5])
        log = (self.results / "log.txt").read_text()
        self.assertIn(f"begins in {self.results}/small-eval-0-ball\n", log)
        self.assertIn("small-eval-1-raises: LookupError: raises is", ended.stderr)
        self.assertIn("Traceback (most recent call last):", ended.stderr)
        self.assertNotIn("dies_once", ended.stderr)
        numbers = [run["number"] for run in self.runs()]
        self.assertEqual(sorted(numbers), [0, 1, 2, 2, 3, 4, 5])
        self.assertGreater(len({run["pid"] for run in self.runs()}), 1)
        self.assertFalse((self.results / "parallel_log.txt").exists())
