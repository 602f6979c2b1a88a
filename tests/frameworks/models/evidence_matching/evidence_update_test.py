# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from __future__ import annotations

import threading
import unittest
from typing import Any

import numpy as np

from tbp.monty.backends import EvidenceOutcome
from tbp.monty.frameworks.models.evidence_matching.burst_sampling import (
    BurstSamplingHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.evidence_update import (
    EvidenceQuery,
    EvidenceThreshold,
    dispatch_update,
    process_update,
    update_each_graph,
    update_graphs,
)
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.hypotheses_updater import (
    DefaultHypothesesUpdater,
)
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)

GRAPHS = ("mug", "bowl")
UPDATERS: tuple[type, ...] = (DefaultHypothesesUpdater, BurstSamplingHypothesesUpdater)


def query(in_threads: bool = False, **changes: Any) -> EvidenceQuery:
    threshold = EvidenceThreshold(lambda *given: float(given[2]), "all", 10, 3.0)
    arguments: dict = {
        "lm_id": "LM_0",
        "graph_ids": GRAPHS,
        "hypotheses": {"mug": hypotheses(1.0)},
        "features": {},
        "displacement": np.ones(3),
        "threshold": threshold,
        "in_threads": in_threads,
        **changes,
    }
    return EvidenceQuery(**arguments)


def hypotheses(evidence: float) -> Hypotheses:
    return Hypotheses(
        evidence=np.array([evidence]),
        locations=np.zeros((1, 3)),
        poses=np.eye(3)[np.newaxis],
        possible=np.zeros(1, dtype=np.bool_),
    )


class Plain:
    """An updater without halves."""

    def __init__(self) -> None:
        self.open = 0
        self.told: list = []
        self.returns: dict[str, Any] = {
            graph_id: (hypotheses(i), {"of": graph_id})
            for i, graph_id in enumerate(GRAPHS)
        }

    def __enter__(self):
        self.open += 1
        return self

    def __exit__(self, *_):
        self.open -= 1

    def displace_hypotheses(self, hypotheses, _displacement, graph_id):
        self.told.append(("displace", graph_id, hypotheses.count, self.open))
        return hypotheses

    def update_evidence(
        self,
        hypotheses,  # noqa: ARG002
        features,  # noqa: ARG002
        graph_id,
        evidence_update_threshold,
    ):
        self.told.append(("update", graph_id, evidence_update_threshold, self.open))
        return self.returns[graph_id]


class UpdateGraphsTest(unittest.TestCase):
    def setUp(self) -> None:
        self.updater: Any = Plain()

    def test_each_graph_is_displaced_and_updated_in_the_updaters_context(self) -> None:
        update_graphs(self.updater, query())
        expected = [
            ("displace", "mug", 1, 1),
            ("update", "mug", 3.0, 1),
            ("displace", "bowl", 0, 1),
            ("update", "bowl", 3.0, 1),
        ]
        self.assertEqual(self.updater.told, expected)
        self.assertEqual(self.updater.open, 0)

    def test_the_outcome_has_what_the_updater_returns(self) -> None:
        for in_threads in (True, False):
            with self.subTest(in_threads=in_threads):
                outcome = update_graphs(self.updater, query(in_threads))
                self.assertEqual(list(outcome.hypotheses), list(GRAPHS))
                for graph_id in GRAPHS:
                    updated, telemetry = self.updater.returns[graph_id]
                    self.assertIs(outcome.hypotheses[graph_id], updated)
                    self.assertEqual(outcome.telemetry[graph_id], telemetry)

    def test_a_graph_that_is_not_updated_stays_as_it_was(self) -> None:
        self.updater.returns = {"mug": (None, {}), "bowl": (None, None)}
        asked = query()
        outcome = update_graphs(self.updater, asked)
        self.assertIs(outcome.hypotheses["mug"], asked.hypotheses["mug"])
        self.assertEqual(outcome.hypotheses["bowl"].count, 0)
        self.assertEqual(outcome.telemetry, {"mug": {}})

    def test_evidence_that_is_not_a_number_is_an_error(self) -> None:
        self.updater.returns["bowl"] = hypotheses(np.nan), {}
        with self.assertRaisesRegex(AssertionError, "NaN"):
            update_graphs(self.updater, query())

    def test_a_memory_without_graphs(self) -> None:
        for in_threads in (True, False):
            outcome = update_graphs(self.updater, query(in_threads, graph_ids=[]))
            self.assertEqual(outcome, EvidenceOutcome())


class ThreadsTest(unittest.TestCase):
    def update(self, update: Any, *, in_threads: bool) -> dict[str, Any]:
        updater: Any = Plain()
        return update_each_graph(updater, query(in_threads), update)

    def test_graphs_are_updated_at_the_same_time_in_threads(self) -> None:
        both = threading.Barrier(2, timeout=10)
        self.assertEqual(
            set(self.update(lambda _: both.wait(), in_threads=True)), set(GRAPHS)
        )

    def test_graphs_are_updated_in_order_by_the_caller_without_threads(self) -> None:
        found = self.update(lambda _: threading.current_thread(), in_threads=False)
        caller = threading.current_thread()
        self.assertEqual(found, dict.fromkeys(GRAPHS, caller))

    def test_an_error_of_a_graph_is_raised_when_no_thread_runs_any_more(self) -> None:
        def fail(graph_id: str) -> None:
            raise ValueError(graph_id)

        for in_threads in (True, False):
            with self.subTest(in_threads=in_threads):
                before = threading.active_count()
                with self.assertRaisesRegex(ValueError, "mug"):
                    self.update(fail, in_threads=in_threads)
                self.assertEqual(threading.active_count(), before)


class HalvesTest(unittest.TestCase):
    def test_an_updater_without_halves_runs_when_it_is_dispatched(self) -> None:
        updater: Any = Plain()
        pending = dispatch_update(updater, query())
        self.assertEqual(len(updater.told), 4)
        self.assertEqual(set(process_update(updater, pending).hypotheses), set(GRAPHS))

    def test_updaters_have_a_backend_and_learning_modules_do_not(self) -> None:
        class Noting:
            def __init__(self) -> None:
                self.told: list = []

            def dispatch(self, work) -> None:
                self.told.append(("dispatch", work.lm_id))

            def result(self, work) -> EvidenceOutcome:
                self.told.append(("result", work.lm_id))
                return EvidenceOutcome(hypotheses={"mug": "of the backend"})

        for updater_class in UPDATERS:
            with self.subTest(updater_class.__name__):
                lm = EvidenceGraphLM(
                    max_match_distance=0.01,
                    tolerances={},
                    feature_weights={},
                    hypotheses_updater_class=updater_class,
                )
                updater: Any = lm.hypotheses_updater
                self.assertEqual(updater.backend.name, "reference")
                self.assertFalse([name for name in dir(lm) if "backend" in name])
                updater.backend = Noting()
                pending = dispatch_update(updater, query())
                self.assertEqual(updater.backend.told, [("dispatch", "LM_0")])
                outcome = process_update(updater, pending)
                self.assertEqual(outcome.hypotheses, {"mug": "of the backend"})
