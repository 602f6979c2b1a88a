# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Votes are added to evidence as upstream adds them, bit for bit."""

from __future__ import annotations

import copy
import unittest
from typing import Any

import numpy as np
import numpy.testing as npt
import pytest

from tbp.monty.backends import numba
from tbp.monty.backends.described_work import HypothesisRows
from tbp.monty.backends.hypotheses import ResidentHypotheses
from tbp.monty.backends.tables.host_engine import HostEngine
from tbp.monty.backends.tables.segments import SegmentKey, Segments
from tbp.monty.cmp import Message
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.geometry import OrientationMatrix
from tests.fork.upstream_module import upstream_module

_MODULE = "frameworks.models.evidence_matching.learning_module"


def message(location: np.ndarray, confidence: float) -> Message:
    return Message(
        location=location,
        morphological_features={
            "pose_vectors": OrientationMatrix(np.eye(3)),
            "pose_fully_defined": True,
        },
        non_morphological_features=None,  # type: ignore[arg-type]
        confidence=confidence,
        pass_message=True,
        process_features_in_lm=True,
        sender_id="LM_1",
        sender_type="LM",
    )


def scene(rng: np.random.Generator) -> tuple[Hypotheses, list[Message], dict]:
    """Return hypotheses, votes and settings; on a grid, distances are often equal."""
    hypothesis_count = int(rng.choice([0, 1, 3, 40]))
    vote_count = int(rng.choice([1, 2, 3, 4, 5, 60]))
    on_grid = rng.random() < 0.5
    far = rng.random() < 0.1

    def locations(count: int) -> np.ndarray:
        if on_grid:
            return rng.integers(0, 3, size=(count, 3)) * 0.01
        return rng.random((count, 3)) * 0.06

    votes = [
        message(location + far, float(rng.choice([0.25, 0.5, rng.random()])))
        for location in locations(vote_count)
    ]
    hypotheses = Hypotheses(
        evidence=rng.normal(size=hypothesis_count),
        locations=locations(hypothesis_count),
        poses=np.tile(np.eye(3), (hypothesis_count, 1, 1)),
        possible=np.ones(hypothesis_count, dtype=bool),
    )
    past, present = [(1, 1), (0.7, 0.3), (0.5, 0.5)][int(rng.integers(3))]
    settings = dict(
        past_weight=past,
        present_weight=present,
        vote_weight=float(rng.choice([1.0, rng.random()])),
        max_match_distance=float(rng.choice([0.01, 0.02, rng.random() * 0.03])),
    )
    return hypotheses, votes, settings


class Owner:
    """Owns a table, in which no step runs."""

    def __init__(self) -> None:
        self.engine = HostEngine(numba)
        self.table = self.engine.make_table(0)

    def settle(self) -> Segments:
        return self.table

    def leave(self, failure: BaseException) -> None:
        raise failure


def in_table(hypotheses: Hypotheses) -> ResidentHypotheses:
    """Return hypotheses that a backend has, which searches votes itself."""
    owner = Owner()
    segment = owner.table.index(SegmentKey("LM_0", "mug"))
    owner.table.append(segment, HypothesisRows(**vars(hypotheses)))
    return ResidentHypotheses(owner, segment)


def after_votes(
    lm_class: Any, hypotheses: Hypotheses, votes: list[Message], settings: dict
) -> np.ndarray:
    """Return the evidence after a learning module of a class has received votes."""

    class Receiver(lm_class):  # without its constructor
        def __init__(self) -> None:
            self.__dict__.update(settings)

        learning_module_id = "LM_0"

    receiver: Any = Receiver()
    is_held = isinstance(hypotheses, ResidentHypotheses)
    receiver._hypotheses = {"mug": hypotheses if is_held else copy.copy(hypotheses)}
    receiver._update_evidence_with_vote(votes, "mug")
    return receiver._hypotheses["mug"].evidence


class VoteEvidenceTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.upstream: Any = upstream_module(_MODULE).EvidenceGraphLM

    def check_rounds(self, seed: int, count: int) -> None:
        rng = np.random.default_rng(seed)
        with_votes = 0
        for _ in range(count):
            hypotheses, votes, settings = scene(rng)
            expected = after_votes(self.upstream, hypotheses, votes, settings)
            actual = after_votes(EvidenceGraphLM, hypotheses, votes, settings)
            self.assertFalse(np.ma.getmaskarray(expected).any())
            npt.assert_array_equal(actual, np.ma.getdata(expected))
            held = after_votes(EvidenceGraphLM, in_table(hypotheses), votes, settings)
            npt.assert_array_equal(held, actual)
            with_votes += bool(np.any(actual != hypotheses.evidence))
        self.assertGreater(with_votes, count // 4)

    def test_evidence_is_that_of_upstream(self) -> None:
        self.check_rounds(seed=1, count=1_000)

    @pytest.mark.thorough
    def test_evidence_is_that_of_upstream_over_20_000_rounds(self) -> None:
        self.check_rounds(seed=2, count=20_000)

    def test_votes_at_the_edge_of_the_distance_that_counts(self) -> None:
        lattice = np.stack(np.meshgrid(*[np.arange(8)] * 3), axis=-1).reshape(-1, 3)
        rng = np.random.default_rng(6)
        for reach in (0.006, 0.010, 0.014, 0.018):
            hypotheses = Hypotheses(
                evidence=np.zeros(len(lattice)),
                locations=lattice * 0.002,
                poses=np.tile(np.eye(3), (len(lattice), 1, 1)),
                possible=np.ones(len(lattice), dtype=bool),
            )
            settings = dict(
                past_weight=1, present_weight=1, vote_weight=1, max_match_distance=reach
            )
            for _ in range(20):
                chosen = rng.choice(len(lattice), size=3, replace=False)
                votes = [message(lattice[i] * 0.002, rng.random()) for i in chosen]
                drawn = votes, settings
                expected = np.ma.getdata(after_votes(self.upstream, hypotheses, *drawn))
                for own in (hypotheses, in_table(hypotheses)):
                    actual = after_votes(EvidenceGraphLM, own, *drawn)
                    npt.assert_array_equal(actual, expected)

    def test_an_override_of_the_distance_weights_is_honoured(self) -> None:
        def weights(self, distances: np.ndarray) -> np.ndarray:
            # A positive weight beyond the distance for matches.
            return 3 * self.max_match_distance - distances

        rng = np.random.default_rng(5)
        classes = [
            type("Wide", (one,), {"_get_node_distance_weights": weights})
            for one in (self.upstream, EvidenceGraphLM)
        ]
        for _ in range(200):
            drawn = scene(rng)
            expected, actual = (after_votes(one, *drawn) for one in classes)
            npt.assert_array_equal(actual, np.ma.getdata(expected))

    def test_no_votes_change_nothing(self) -> None:
        hypotheses, _, settings = scene(np.random.default_rng(0))
        evidence = after_votes(EvidenceGraphLM, hypotheses, [], settings)
        npt.assert_array_equal(evidence, hypotheses.evidence)
