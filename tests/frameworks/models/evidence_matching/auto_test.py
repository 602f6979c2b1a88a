# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Learning modules move to another backend and keep their hypotheses."""

from __future__ import annotations

from tbp.monty.backends import numba as numba_kernels
from tbp.monty.backends.builtin.auto import AutoBackend
from tbp.monty.backends.builtin.numba import NumbaBackend
from tbp.monty.backends.builtin.reference import ReferenceBackend
from tbp.monty.backends.failures import OutOfDeviceMemory
from tbp.monty.backends.resident_backend import ResidentBackend
from tbp.monty.backends.stacked.backend import StackedBackend
from tbp.monty.backends.tables.host_engine import HostEngine
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tests.frameworks.models.evidence_matching.learned import learned_lm, percepts_of
from tests.frameworks.models.evidence_matching.numba_test import NumbaTestCase
from tests.frameworks.models.evidence_matching.two_phase_test import (
    monty_of,
    step,
)

UPDATERS = (DefaultHypothesesUpdater, BurstSamplingHypothesesUpdater)


class FullEngine(HostEngine):
    """Runs out of memory on its seventh step, before it changes anything."""

    def __init__(self) -> None:
        super().__init__(numba_kernels)
        self._steps_left = 6

    def begin(self, *arguments):
        if self._steps_left == 0:
            raise OutOfDeviceMemory("4 bytes are left")
        self._steps_left -= 1
        return super().begin(*arguments)


class Device(StackedBackend):
    name = "device"

    def __init__(self) -> None:
        super().__init__(FullEngine)


class FullAtOnce(NumbaBackend):
    name = "full"

    def dispatch(self, work):
        raise OutOfDeviceMemory(f"no room for {work.lm_id}")


class AutoTestCase(NumbaTestCase):
    def montys(self, *backends: type, **settings) -> list:
        auto = AutoBackend(backends)
        found = [
            monty_of(
                *(learned_lm(lm_id=f"LM_{i}", **settings) for i in range(2)),
                backend=backend,
            )
            for backend in ("reference", auto)
        ]
        for monty in found:
            self.addCleanup(monty.close)
        return found

    def assert_same_runs(self, *backends: type, **settings) -> str:
        reference, auto = self.montys(*backends, **settings)
        for percept in percepts_of(1) + percepts_of(0):
            for monty in (reference, auto):
                step(monty, [percept, percept])
            self.assert_same(reference, auto)
        self.assertEqual(auto.backend.ran, reference.backend.ran)
        return auto.backend.summary()


class AutoTest(AutoTestCase):
    def test_work_moves_from_a_full_device_to_the_next_backend(self) -> None:
        for updater in UPDATERS:
            for others, after in (((NumbaBackend,), "numba"), ((), "reference")):
                with self.subTest(updater=updater.__name__, after=after):
                    summary = self.assert_same_runs(
                        Device, *others, hypotheses_updater_class=updater
                    )
                    moved = f"moved from device to {after}: 4 bytes are left"
                    for lm in ("LM_0", "LM_1"):
                        self.assertIn(f"{lm} {moved}", summary)
                    self.assertIn(
                        "device: LM_0 6, LM_1 6 (1 group, 7 launches)", summary
                    )
                    self.assertIn(f"{after}: LM_0 ", summary)

    def test_work_moves_on_at_once_if_it_cannot_be_dispatched(self) -> None:
        summary = self.assert_same_runs(FullAtOnce, NumbaBackend)
        self.assertIn("LM_1 moved from full to numba: no room for LM_1", summary)
        self.assertNotIn("full: ", summary)

    def test_work_numba_cannot_run_goes_to_reference_with_one_warning(self) -> None:
        auto = AutoBackend([NumbaBackend])
        lms = [
            learned_lm(lm_id="LM_0"),
            learned_lm(lm_id="LM_1", hypotheses_updater_args=dict(max_nneighbors=65)),
        ]
        monty = monty_of(*lms, backend=auto)
        self.addCleanup(monty.close)
        with self.assertLogs("tbp.monty.backends.builtin.auto", "WARNING") as logged:
            for percept in percepts_of(1)[:4]:
                step(monty, [percept, percept])
        [warning] = logged.output
        self.assertIn("LM_1 moved from numba to reference: max_nneighbors", warning)
        summary = monty.backend.summary()
        self.assertIn("numba: LM_0 4", summary)
        self.assertIn("reference: LM_1 4", summary)
        self.assertIn("LM_1 moved from numba to reference", summary)

    def test_other_errors_are_raised_without_trying_another_backend(self) -> None:
        class Broken(NumbaBackend):
            name = "broken"

            def result(self, _work):
                raise MemoryError("on the host")

        _, auto = self.montys(Broken)
        percept = percepts_of(1)[0]
        with self.assertRaisesRegex(MemoryError, "on the host"):
            step(auto, [percept, percept])


class Relay:
    """Changes its backend after every five pieces of work."""

    name = "relay"

    def __init__(self) -> None:
        self._backends = [
            ReferenceBackend(),
            NumbaBackend(),
            NumbaBackend(),
            ReferenceBackend(),
            NumbaBackend(),
        ]
        self._dispatched = 0

    def dispatch(self, work):
        if self._dispatched and self._dispatched % 5 == 0:
            before = self._backends.pop(0)
            if isinstance(before, ResidentBackend):
                before.release(work.lm_id)
        self._dispatched += 1
        self._backends[0].dispatch(work)

    def launch(self, group):
        self._backends[0].launch(group)

    def result(self, work):
        return self._backends[0].result(work)

    def discard(self):
        self._backends[0].discard()

    def note(self):
        return ""

    def close(self) -> None:
        for backend in self._backends:
            backend.close()


class HandOverTest(AutoTestCase):
    def test_an_episode_may_change_its_backend_several_times(self) -> None:
        for updater in UPDATERS:
            with self.subTest(updater.__name__):
                reference, relay = (
                    monty_of(
                        learned_lm(hypotheses_updater_class=updater), backend=backend
                    )
                    for backend in ("reference", Relay())
                )
                for percept in percepts_of(1) + percepts_of(0):
                    for monty in (reference, relay):
                        step(monty, [percept])
                    self.assert_same(reference, relay)
                relay.close()
