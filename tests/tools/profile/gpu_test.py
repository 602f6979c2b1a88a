# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The rows and the memory of a real GPU: `make test-gpu`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from monty_tools.profile.device_rows import process_of
from monty_tools.profile.schema import Profile
from tbp.monty.backends.cuda.availability import reason_against
from tests.synthetic_monty import SyntheticRun
from tests.tools.profile.recorder_test import RecorderTestCase

pytestmark = [
    pytest.mark.gpu,
    pytest.mark.skipif(reason_against() is not None, reason=str(reason_against())),
]

LONG_KERNELS = SyntheticRun(
    lms=2, objects=1, steps=4, nodes=(60_000, 60_000), groups=((0,), (1,))
)
"""One object, so that the host needs little time; and nodes so close to each other
that an update takes longer on the GPU than to launch the next one on the host."""

SLACK_US = 500.0
"""How far the clocks of host and GPU may be apart."""


def kernels(profile: Profile) -> list[Any]:
    return [event for event in profile.events if event.get("cat") == "gpu"]


class GpuTest(RecorderTestCase):
    def test_kernels_of_different_groups_overlap(self) -> None:
        profile = self.profile(LONG_KERNELS, "cuda", episodes=1)
        self.assertEqual(len(profile.summary["groups"]), 2)
        found = [one for one in kernels(profile) if one["name"] == "update"]
        self.assertEqual({one["args"]["group"] for one in found}, {0, 1})
        self.assertEqual(len({one["tid"] for one in found}), 2)
        overlapping = [
            (one, other)
            for one in found
            for other in found
            if one["args"]["group"] < other["args"]["group"]
            and one["ts"] < other["ts"] + other["dur"]
            and other["ts"] < one["ts"] + one["dur"]
        ]
        self.assertTrue(overlapping, found)

    def test_work_of_a_stream_does_not_overlap_and_is_within_its_step(self) -> None:
        run = SyntheticRun("burst_sampling", lms=2)
        profile = self.profile(run, "cuda", episodes=2)
        steps = {
            (event["args"]["episode"], event["args"]["step"]): event
            for event in profile.events
            if event["name"] == "step"
        }
        events = sorted(kernels(profile), key=lambda one: one["ts"])
        self.assertEqual({one["pid"] for one in events}, {process_of(0)})
        self.assertLessEqual(
            {"update", "score_nodes", "copy to device", "copy to host"},
            {one["name"] for one in events},
        )
        for before, after in pairwise(events):
            self.assertLessEqual(before["ts"] + before["dur"], after["ts"] + 1.0)
        for event in events:
            step = steps[event["args"]["episode"], event["args"]["step"]]
            self.assertGreaterEqual(event["ts"], step["ts"] - SLACK_US)
            self.assertLessEqual(
                event["ts"] + event["dur"], step["ts"] + step["dur"] + SLACK_US
            )

    def test_memory_is_all_that_the_pool_has(self) -> None:
        run = SyntheticRun("burst_sampling", lms=2)
        profile = self.profile(run, "cuda", episodes=1)
        [stream] = self.experiment.model.backend.backend._streams
        pool = stream.counted._pool.total_bytes()
        self.assertAlmostEqual(
            profile.steps[-1]["device_bytes"], pool, delta=0.05 * pool
        )
