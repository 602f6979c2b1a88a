# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""When something fails, `monty run-parallel` loses nothing and doubles nothing."""

from __future__ import annotations

import os
import resource
import signal
import unittest
from pathlib import Path

import pytest

from tests.tools.parallel.small_parallel import SmallParallel, objects, wait_until

SIX = ["ball", "box", "cup", "cone", "bowl", "mug"]


def is_alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


class WorkerFaultsTest(SmallParallel):
    @pytest.mark.thorough
    def test_a_worker_that_is_killed_is_replaced(self):
        process = self.start(objects(SIX), "--workers=2", "experiment.config.pause=2")
        wait_until(self.runs)
        os.kill(self.runs()[0]["pid"], signal.SIGKILL)
        _, err = process.communicate(timeout=300)

        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.numbers_in(), list(range(6)))
        self.assertEqual(self.numbers_in("detailed_run_stats.json"), list(range(6)))
        self.assertEqual(len(self.runs()), 7)

    @pytest.mark.thorough
    def test_an_episode_that_always_kills_its_worker_is_reported(self):
        ended = self.run_small(objects(["ball", "dies", "cup"]), "--workers=2")

        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertEqual(self.numbers_in(), [0, 2])
        self.assertEqual([run["number"] for run in self.runs()].count(1), 3)
        self.assertIn("small-eval-1-dies: tried 3 times", ended.stderr)
        self.assertIn("    episode 1 was printed", ended.stderr)

    def test_an_episode_that_hangs_is_tried_again_and_then_reported(self):
        ended = self.run_small(
            objects(["hangs_once", "ball", "hangs"]),
            *("--workers=2", "--episode-timeout=3", "--retries=1"),
        )

        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertEqual(self.numbers_in(), [0, 1])
        self.assertIn("small-eval-2-hangs: tried 2 times; it took more", ended.stderr)
        for run in self.runs():
            wait_until(lambda pid=run["pid"]: not is_alive(pid), 30)


class DriverFaultsTest(SmallParallel):
    def test_a_driver_that_is_killed_can_be_resumed(self):
        self.start_and_stop_half_way(signal.SIGKILL)
        finished = self.kept()

        refused = self.run_small(objects(SIX), "--workers=2")
        self.assertEqual(refused.returncode, 2)
        self.assertIn("--resume goes on with it", refused.stderr)

        other = self.run_small(objects(SIX[:5]), "--workers=2", "--resume")
        self.assertEqual(other.returncode, 2)
        self.assertIn("holds another run", other.stderr)

        (self.notes / "runs").unlink()
        self.check_resumed(finished)

    @pytest.mark.thorough
    def test_an_interrupt_ends_everything_and_keeps_what_was_finished(self):
        process = self.start_and_stop_half_way(signal.SIGINT)
        finished = self.kept()
        _, err = process.communicate()

        self.assertEqual(process.returncode, 130, err)
        self.assertIn(f"{len(finished)} of 6 episodes have finished", err)
        for run in self.runs():
            wait_until(lambda pid=run["pid"]: not is_alive(pid), 30)
        self.assertEqual(self.numbers_in(), sorted(finished))
        (self.notes / "runs").unlink()
        self.check_resumed(finished)

    @pytest.mark.thorough
    def test_a_full_disk_ends_the_run_and_loses_nothing(self):
        names = ["ball", "box", "large", "cone", "bowl", "mug"]
        process = self.start(objects(names), "--workers=1", "experiment.config.pause=1")
        wait_until(self.runs)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (50_000, 50_000))
        _, err = process.communicate(timeout=300)

        self.assertEqual(process.returncode, 2, err)
        self.assertIn("File too large", err)
        self.assertIn("2 of 6 episodes have finished and are kept", err)
        self.assertEqual(self.numbers_in(), [0, 1])
        (self.notes / "runs").unlink()
        ended = self.run_small(
            objects(names), "--workers=1", "experiment.config.pause=1", "--resume"
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.numbers_in(), list(range(6)))
        self.assertEqual([run["number"] for run in self.runs()], [2, 3, 4, 5])

    def start_and_stop_half_way(self, number: int):
        process = self.start(objects(SIX), "--workers=2", "experiment.config.pause=1")
        wait_until(lambda: len(self.kept()) >= 2)
        process.send_signal(number)
        process.wait(60)
        return process

    def kept(self) -> list[int]:
        """Return the episodes that are on disk."""
        folders = self.results.glob(".episodes/eval/*")
        return [int(folder.name.split("-")[2]) for folder in folders]

    def check_resumed(self, finished: list[int]) -> None:
        ended = self.run_small(
            objects(SIX), "--workers=2", "experiment.config.pause=1", "--resume"
        )
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.numbers_in(), list(range(6)))
        self.assertEqual(self.numbers_in("detailed_run_stats.json"), list(range(6)))
        self.assertEqual((self.results / "log.txt").read_text().count("begins"), 6)
        run_again = {run["number"] for run in self.runs()}
        self.assertEqual(run_again, set(range(6)) - set(finished))
        self.assertFalse((self.results / ".episodes").exists())

        done = self.run_small(objects(SIX), "experiment.config.pause=1", "--resume")
        self.assertEqual(done.returncode, 0)
        self.assertIn("all episodes are there", done.stderr)

        other = self.run_small(objects(SIX[:5]), "--workers=2", "--resume")
        self.assertEqual(other.returncode, 2)
        self.assertIn("leave --resume out to run anew", other.stderr)
        self.assertFalse((self.results / ".episodes").exists())


class ClusterFaultsTest(SmallParallel):
    def setUp(self) -> None:
        super().setUp()
        from ray.cluster_utils import Cluster  # noqa: PLC0415 slow

        # Nodes get what workers may not get from the driver: the folders of data.
        self.cluster = Cluster(initialize_head=True, head_node_args=self.node())
        self.addCleanup(self.cluster.shutdown)

    def node(self, data: Path | None = None) -> dict:
        return {
            "num_cpus": 1,
            "object_store_memory": 80 * 2**20,
            "include_dashboard": False,
            "env_vars": {
                "MONTY_DATA": str(data or self.data),
                "MONTY_MODELS": str(self.folder / "models"),
            },
        }

    def add_node(self, **options):
        return self.cluster.add_node(**self.node(**options))

    @pytest.mark.thorough
    def test_episodes_of_a_node_that_is_removed_run_elsewhere(self):
        self.add_node()
        lost = self.add_node()
        process = self.start(
            objects(SIX),
            f"--ray={self.cluster.address}",
            *("--workers=3", "experiment.config.pause=5"),
        )
        wait_until(lambda: len(self.runs()) >= 3)
        self.cluster.remove_node(lost, allow_graceful=False)
        _, err = process.communicate(timeout=300)

        self.assertEqual(process.returncode, 0, err)
        self.assertEqual(self.numbers_in(), list(range(6)))
        self.assertEqual(len(self.runs()), 7)

    @pytest.mark.thorough
    def test_the_first_episode_with_a_result_tells_how_many_share_a_gpu(self):
        self.cluster.add_node(**{**self.node(), "num_cpus": 2, "num_gpus": 1})
        ended = self.run_small(
            objects(["raises", "ball", "box", "cup", "cone"]),
            f"--ray={self.cluster.address}",
            *("--workers=2", "--backend=auto", "experiment.config.pause=1"),
        )
        self.assertEqual(ended.returncode, 3, ended.stderr)
        self.assertIn("an episode takes 0% of a GPU's memory", ended.stderr)
        self.assertEqual(self.numbers_in(), [1, 2, 3, 4])
        first, second, *others = self.runs()
        self.assertEqual(first["pid"], second["pid"])
        self.assertEqual(len({run["pid"] for run in others}), 2)

    def test_a_node_without_data_is_named_before_any_episode_starts(self):
        empty = self.folder / "empty"
        node = self.add_node(data=empty)
        ended = self.run_small(f"--ray={self.cluster.address}", "--workers=2")

        self.assertEqual(ended.returncode, 2)
        self.assertIn(
            f"(node {node.node_id[:8]}): lacks the data {empty}", ended.stderr
        )
        self.assertEqual(self.runs(), [])
        self.assertFalse((self.results / "eval_stats.csv").exists())


if __name__ == "__main__":
    unittest.main()
