# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import itertools
import unittest
from typing import Any
from unittest.mock import Mock

import numpy as np

from tbp.monty import cmp, runtime
from tbp.monty.cmp import Message
from tbp.monty.frameworks.models import buffer
from tbp.monty.geometry import SurfacePoseVectors
from tests.fork.sensed_patch_test import same_bits
from tests.fork.upstream_module import upstream_module


def location(rng: np.random.Generator) -> np.ndarray | None:
    if rng.random() < 0.1:
        return None
    values = rng.normal(size=3) * rng.choice([-0.0, 1e-3, 1e30], size=3)
    return values.astype(rng.choice([np.float64, np.float32]))


def percept(rng: np.random.Generator, channel: str) -> Message:
    others: dict[str, Any] = {"hsv": rng.random(3), "distance": rng.random()}
    if rng.random() < 0.3:
        del others["distance"]
    if rng.random() < 0.3:
        others["object_id"] = int(rng.integers(5))
    if rng.random() < 0.2:
        others["unusual"] = [1.0, rng.random()]
    made = Message(
        location=rng.normal(size=3),
        morphological_features={
            "pose_vectors": SurfacePoseVectors(np.eye(3)[rng.permutation(3)]),
            "pose_fully_defined": bool(rng.random() < 0.5),
            "on_object": float(rng.random() < 0.8),
        },
        non_morphological_features=others,
        confidence=1.0,
        pass_message=True,
        process_features_in_lm=bool(rng.random() < 0.8),
        sender_id=channel,
        sender_type="SM",
    )
    if rng.random() < 0.9:
        ppf = rng.normal(size=4) if rng.random() < 0.2 else None
        made.set_displacement(rng.normal(size=3), ppf)
    return made


def contents(one: Any) -> list:
    features = [
        (channel, list(of_channel.items()))
        for channel, of_channel in one.features.items()
    ]
    displacements = list(one.displacements.items())
    locations = [one.locations, one.last_location]
    return [*locations, features, displacements, one.on_object]


def arrays(one: Any) -> list[np.ndarray]:
    of_channels = [array for of in one.features.values() for array in of.values()]
    return [*of_channels, *one.displacements.values()]


class BufferTest(unittest.TestCase):
    def test_the_mean_location_has_the_bits_of_upstreams(self) -> None:
        mean = upstream_module("cmp").location_mean
        rng = np.random.default_rng(0)
        for _ in range(500):
            messages: list[Any] = [percept(rng, "a") for _ in range(rng.integers(4))]
            for one in messages:
                one.location = location(rng)
            before = [np.copy(one.location) for one in messages]
            expected, found = mean(messages), cmp.location_mean(messages)
            self.assertIs(type(found), type(expected))
            if found is None:
                continue
            self.assertEqual(found.dtype, expected.dtype)
            self.assertEqual(found.tobytes(), expected.tobytes())
            found += 1  # nobody else's
            for one, as_before in zip(messages, before, strict=True):
                np.testing.assert_array_equal(one.location, as_before)

    def test_a_step_is_location_only_as_upstreams(self) -> None:
        theirs = upstream_module("runtime").is_location_only_step
        kinds = [
            Mock(process_features_in_lm=carries, **{"is_from_sm.return_value": is_sm})
            for carries, is_sm in itertools.product((False, True), repeat=2)
        ]
        # Only of percepts of sensor modules it is asked whether they carry features.
        kinds.append(Mock(spec=["is_from_sm"], **{"is_from_sm.return_value": False}))
        for count in range(3):
            for percepts in itertools.product(kinds, repeat=count):
                found = runtime.is_location_only_step(percepts)
                self.assertIs(found, theirs(percepts))

    def test_what_is_appended_has_the_bits_of_upstreams(self) -> None:
        rng = np.random.default_rng(0)
        for _ in range(20):
            theirs = upstream_module("frameworks.models.buffer")
            sides = (
                theirs.FeatureAtLocationBuffer(),
                buffer.FeatureAtLocationBuffer(),
            )
            kept: list[tuple[np.ndarray, np.ndarray]] = []
            for _ in range(int(rng.integers(1, 50))):
                channels = ["patch"] if rng.random() < 0.7 else ["patch", "other"]
                percepts = [percept(rng, channel) for channel in channels]
                is_processed = bool(rng.random() < 0.5)
                for side in sides:
                    self.assert_same_count(*sides)
                    side.append(percepts)
                for side in sides:
                    side.update_stats(
                        dict(lm_processed_steps=is_processed), update_time=False
                    )
                self.assert_same_count(*sides)
                if rng.random() < 0.5:
                    continue
                kept += [(one, one.copy()) for one in arrays(sides[1])]
                expected, found = map(contents, sides)
                self.assertTrue(same_bits(found, expected))
            self.assertTrue(same_bits(*map(contents, sides)))
            for one, as_before in kept:
                np.testing.assert_array_equal(one, as_before)

    def test_overrides_of_how_rows_are_added_are_honoured(self) -> None:
        class OwnBuffer(buffer.FeatureAtLocationBuffer):
            def _add_attr_to_feature_buffer(self, *arguments: Any) -> None:
                features.append(arguments)

            def _store_displacement_and_location(self, percepts: Any) -> None:
                stored.append(percepts)

        rng = np.random.default_rng(0)
        percepts = [[percept(rng, "patch")] for _ in range(5)]
        own, features, stored = OwnBuffer(), [], []  # type: ignore[var-annotated]
        for one in percepts:
            own.append(one)
        self.assertEqual(stored, percepts)
        self.assertGreater(len(features), 0)

    def test_an_override_of_the_length_is_honoured(self) -> None:
        rng = np.random.default_rng(0)
        percepts = [percept(rng, "patch") for _ in range(5)]
        found = []
        for module in (upstream_module("frameworks.models.buffer"), buffer):

            class Longer(module.FeatureAtLocationBuffer):  # type: ignore[name-defined]
                def __len__(self) -> int:
                    return super().__len__() + 2

            own = Longer()
            for one in percepts:
                own.append([one])
            found.append(contents(own))
        np.testing.assert_equal(found[1], found[0])

    def assert_same_count(self, theirs: Any, ours: Any) -> None:
        expected, found = theirs.get_num_matching_steps(), ours.get_num_matching_steps()
        self.assertEqual((type(found), found), (type(expected), expected))


if __name__ == "__main__":
    unittest.main()
