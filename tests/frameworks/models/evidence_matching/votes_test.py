# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import unittest
from types import SimpleNamespace
from typing import Any
from unittest.mock import patch

import numpy as np
import numpy.testing as npt
from scipy.spatial.transform import Rotation

from tbp.monty.backends.tables.likely_rows import LikelyRows
from tbp.monty.cmp import Message
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.model import (
    MontyForEvidenceGraphMatching,
)
from tbp.monty.frameworks.models.evidence_matching.votes import (
    Votes,
    are_arrays,
    combine_votes,
    vote_arrays,
    votes_to_send,
)

OBJECTS = ("mug", "bowl", "spoon")
ALL_OTHERS = [[1, 2], [0, 2], [1, 0]]


def hypotheses_of(rng: np.random.Generator, count: int) -> Hypotheses:
    return Hypotheses(
        evidence=rng.normal(scale=2, size=count),
        locations=rng.normal(size=(count, 3)),
        poses=Rotation.random(count, random_state=int(rng.integers(1000))).as_matrix()
        if count
        else np.zeros((0, 3, 3)),
        possible=np.ones(count, dtype=bool),
    )


def sent_by(rng: np.random.Generator, lm_id: str) -> dict[str, Any]:
    """Return what a learning module sends; each knows other objects best."""
    known = [name for name in OBJECTS if rng.random() < 0.8]
    hypotheses = {name: hypotheses_of(rng, int(rng.integers(20))) for name in known}
    pose = Rotation.random(random_state=int(rng.integers(1000))).as_matrix()
    return {
        "possible_states": votes_to_send(hypotheses, 0.1, lm_id),
        "sensed_pose_rel_body": np.vstack([rng.normal(size=3), pose]),
    }


def as_messages(votes: list[dict[str, Any] | None]) -> list[dict[str, Any] | None]:
    """Return the same votes as lists of messages."""
    return [
        one
        and {
            **one,
            "possible_states": {
                name: list(copy.deepcopy(votes))
                for name, votes in one["possible_states"].items()
            },
        }
        for one in votes
    ]


def contents(message: Message) -> tuple[Any, ...]:
    features = message.morphological_features
    return (
        message.sender_id,
        message.sender_type,
        message.location.tobytes(),
        features["pose_vectors"].value.tobytes("C"),
        features["pose_fully_defined"],
        float(message.confidence),
    )


class CombineVotesTest(unittest.TestCase):
    def setUp(self) -> None:
        self.rng = np.random.default_rng(7)
        self.monty: Any = SimpleNamespace(
            learning_modules=[None] * 3, lm_to_lm_vote_matrix=ALL_OTHERS
        )

    def combined(self, votes: list[Any]) -> list[dict[str, Any]]:
        return MontyForEvidenceGraphMatching._combine_votes(self.monty, votes)

    def test_arrays_are_the_bits_of_the_messages(self) -> None:
        exchanged = 0
        for _ in range(60):
            votes = [sent_by(self.rng, f"LM_{i}") for i in range(3)]
            if self.rng.random() < 0.3:
                votes[int(self.rng.integers(3))] = None
            expected = self.combined(as_messages(votes))
            self.assertTrue(are_arrays(votes))
            actual = self.combined(votes)
            self.assertEqual(list(map(list, actual)), list(map(list, expected)))
            for i, by_object in enumerate(expected):
                for name, messages in by_object.items():
                    locations, confidences = vote_arrays(actual[i][name])
                    for_messages = vote_arrays(messages)
                    npt.assert_array_equal(locations, for_messages[0])
                    npt.assert_array_equal(confidences, for_messages[1])
                    self.assertEqual(
                        list(map(contents, actual[i][name])),
                        list(map(contents, messages)),
                    )
                    exchanged += len(messages)
        self.assertGreater(exchanged, 1000)

    def test_what_somebody_read_as_messages_is_combined_as_messages(self) -> None:
        votes = [sent_by(self.rng, f"LM_{i}") for i in range(3)]
        name, of_object = next(iter(votes[0]["possible_states"].items()))
        of_object[0].location = np.array([1.0, 2.0, 3.0])
        self.assertFalse(are_arrays(votes))
        expected = self.combined(as_messages(votes))
        actual = self.combined(votes)
        self.assertEqual(
            list(map(contents, actual[1][name])),
            list(map(contents, expected[1][name])),
        )

    def test_votes_that_were_added_or_removed_count(self) -> None:
        for change in (
            lambda states: states.pop("mug"),
            lambda states: states.update(mug=[]),
            lambda states: states["mug"].pop(),
        ):
            votes = [sent_by(self.rng, f"LM_{i}") for i in range(3)]
            hypotheses = {name: hypotheses_of(self.rng, 30) for name in OBJECTS}
            states = votes_to_send(hypotheses, 0.1, "LM_0")
            votes[0]["possible_states"] = states
            change(states)
            expected = self.combined(as_messages(votes))
            actual = self.combined(votes)
            self.assertEqual(list(map(list, actual)), list(map(list, expected)))
            for name, messages in expected[1].items():
                self.assertEqual(
                    list(map(contents, actual[1][name])), list(map(contents, messages))
                )

    def test_lists_of_messages_are_not_arrays(self) -> None:
        for change in (
            lambda states: states["mug"].pop(),
            lambda states: states.update(mug=[]),
        ):
            states = votes_to_send({"mug": hypotheses_of(self.rng, 30)}, 0.1, "LM_0")
            self.assertTrue(are_arrays([None, {"possible_states": states}]))
            change(states)
            self.assertFalse(are_arrays([None, {"possible_states": states}]))

    def test_who_did_not_vote_neither_gives_nor_gets_votes(self) -> None:
        votes = [None, sent_by(self.rng, "LM_1"), None]
        self.assertEqual(combine_votes(votes, ALL_OTHERS), [{}, {}, {}])


class VotesTest(unittest.TestCase):
    def setUp(self) -> None:
        rng = np.random.default_rng(3)
        self.hypotheses = {name: hypotheses_of(rng, 30) for name in OBJECTS}

    def votes(self, threshold: float = 0.1) -> dict[str, Votes]:
        return votes_to_send(self.hypotheses, threshold, "LM_0")

    def test_it_is_a_list_of_messages(self) -> None:
        votes = self.votes()["bowl"]
        self.assertIsInstance(votes, Votes)
        count = len(votes)
        self.assertIsNotNone(votes.arrays)
        first = votes[0]
        self.assertIsInstance(first, Message)
        self.assertIs(first, next(iter(votes)))
        votes.append(first)
        self.assertEqual(len(votes), count + 1)
        del votes[0]
        self.assertEqual(len(vote_arrays(votes)[0]), count)

    def test_it_grows_copies_and_is_divided_like_a_list(self) -> None:
        first, second = self.votes()["bowl"], self.votes()["mug"]
        copied = copy.copy(first)
        first += second
        self.assertEqual(len(first), len(copied) + len(second))
        self.assertEqual(copied, first[: len(copied)])
        self.assertEqual(list(first)[len(copied) :], list(second))

    def test_it_votes_for_what_is_above_the_threshold(self) -> None:
        low = min(one.evidence.min() for one in self.hypotheses.values())
        high = max(one.evidence.max() for one in self.hypotheses.values())
        for name, votes in self.votes().items():
            evidence = self.hypotheses[name].evidence
            scaled = 2 * ((evidence - low) / (high - low) - 0.5)
            chosen = scaled > 0.1
            npt.assert_array_equal(
                vote_arrays(votes)[0], self.hypotheses[name].locations[chosen]
            )
            npt.assert_allclose(vote_arrays(votes)[1], scaled[chosen], atol=1e-15)

    def test_exactly_the_threshold_is_not_enough(self) -> None:
        one = hypotheses_of(np.random.default_rng(0), 4)
        one.evidence[:] = [-1.0, 1.0, 1.5, 3.0]
        self.hypotheses = {"mug": one}
        found = LikelyRows(
            -1.0, 3.0, np.array([4]), one.evidence, one.locations, one.poses
        )
        for in_table in (None, found):
            with patch(
                f"{votes_to_send.__module__}.likely_hypotheses", return_value=in_table
            ):
                locations, confidences = vote_arrays(self.votes(0.0)["mug"])
            npt.assert_array_equal(locations, one.locations[2:])
            npt.assert_array_equal(confidences, [0.25, 1.0])

    def test_without_hypotheses_there_are_no_votes(self) -> None:
        self.hypotheses = {"mug": hypotheses_of(np.random.default_rng(0), 0)}
        self.assertEqual(self.votes(), {})

    def test_a_negative_confidence_is_refused_as_before(self) -> None:
        with self.assertRaisesRegex(AssertionError, "Confidence"):
            self.votes(threshold=-0.9)
