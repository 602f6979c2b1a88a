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
from typing import Any

import numpy as np

from tbp.monty.backends.builtin.cuda import CudaBackend
from tests.backends.cuda.host_device import HostStream
from tests.synthetic_monty import SyntheticRun
from tests.tools.profile.recorder_test import TINY, RecorderTestCase


def total(lines: Any, **values: Any) -> int:
    return sum(
        line["bytes"]
        for line in lines
        if all(line[key] == value for key, value in values.items())
    )


class MemoryTest(RecorderTestCase):
    def last_sample(self, *arguments: Any) -> list[Any]:
        profile = self.profile(*arguments, episodes=1)
        last = profile.memory[-1]
        self.lines = profile.memory
        self.end = profile.steps[-1]
        return [line for line in self.lines if line["step"] == last["step"]]

    def assert_every_holder_is_explained(self, sample: list[Any]) -> None:
        self.assertTrue(all(line["reason"] and line["bytes"] > 0 for line in sample))
        for line in sample:
            self.assertRegex(line["made_by"], r"^[\w/]+\.py:\w+")

    def test_tables_and_graphs_of_a_backend(self) -> None:
        for updater in ("default", "burst_sampling"):
            with self.subTest(updater):
                self.folder = self.folder / updater
                sample = self.last_sample(SyntheticRun(updater, lms=2), "numba")
                hypotheses = {
                    (lm.learning_module_id, graph): len(one.evidence)
                    for lm in self.experiment.model.learning_modules
                    for graph, one in lm._hypotheses.items()
                }
                for (lm, graph), count in hypotheses.items():
                    of_object = {"kind": "table", "lm": lm, "object": graph}
                    # At least evidence, location and pose of each, as float64.
                    self.assertGreaterEqual(total(sample, **of_object), count * 8 * 13)
                has_window = bool(total(sample, kind="window"))
                self.assertEqual(has_window, updater == "burst_sampling")
                self.assertGreater(total(sample, kind="graphs"), 0)
                self.assert_every_holder_is_explained(sample)
                self.assertEqual(total(sample), self.end["host_bytes"])
                self.assertEqual(self.end["device_bytes"], 0)

    def test_what_learning_modules_hold_themselves(self) -> None:
        sample = self.last_sample(SyntheticRun("burst_sampling", lms=2), "reference")
        held = 0
        for lm in self.experiment.model.learning_modules:
            for one in lm._hypotheses.values():
                arrays = (one.evidence, one.locations, one.poses, one.possible)
                held += sum(np.asarray(array).nbytes for array in arrays)
        self.assertEqual(total(sample, kind="table", backend="reference"), held)
        self.assertGreater(total(sample, kind="window"), 0)
        self.assert_every_holder_is_explained(sample)

    def test_models_by_learning_module_and_object(self) -> None:
        sample = self.last_sample(SyntheticRun(lms=2), "numba")
        models = [line for line in sample if line["kind"] == "model"]
        self.assertEqual(len(models), 2 * 3)
        memory = self.experiment.model.learning_modules[0].graph_memory
        [model] = memory.models_in_memory["object_1"].values()
        at_least = model._graph.x.nbytes + model._graph.pos.nbytes
        of_object = {"lm": "learning_module_0", "object": "object_1"}
        self.assertGreaterEqual(total(models, **of_object), at_least)

    def test_a_device_has_its_own_memory(self) -> None:
        backend = CudaBackend(lambda _: HostStream())
        sample = self.last_sample(TINY, backend)
        on_device = [line for line in sample if line["where"] == "device 0"]
        self.assertEqual(
            {line["kind"] for line in on_device},
            {"table", "window", "graphs", "pool"},
        )
        self.assertEqual(self.end["device_bytes"], total(on_device))
        self.assert_every_holder_is_explained(sample)

    def test_is_sampled_only_when_it_has_changed(self) -> None:
        self.last_sample(SyntheticRun(lms=2), "numba")
        self.assertEqual({line["step"] for line in self.lines}, {0})


if __name__ == "__main__":
    unittest.main()
