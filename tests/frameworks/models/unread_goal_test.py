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
import gc
import json
import pickle
import unittest
import weakref
from functools import wraps
from types import SimpleNamespace
from typing import Any, Callable
from unittest.mock import patch

import numpy as np

from tbp.monty.cmp import Goal, Message, encode_goal
from tbp.monty.frameworks.models import goal_generation
from tbp.monty.frameworks.models.buffer import (
    BufferEncoder,
    FeatureAtLocationBuffer,
)
from tbp.monty.frameworks.models.copied_stats import copied
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)
from tbp.monty.frameworks.models.goal_generation import EvidenceGoalGenerator
from tbp.monty.frameworks.models.goals import highest_confidence
from tbp.monty.frameworks.models.object_model import GridObjectModel
from tbp.monty.frameworks.models.unread_goal import UnreadGoal, add_outcome
from tbp.monty.frameworks.utils.object_model_utils import NumpyGraph
from tbp.monty.geometry import Rotation


def _graph(rng: np.random.Generator) -> NumpyGraph:
    return NumpyGraph(
        {
            "pos": rng.normal(size=(40, 3)),
            "x": rng.normal(size=(40, 12)),
            "feature_mapping": {"pose_vectors": [1, 10]},
        }
    )


def _hypothesis(name: str, rng: np.random.Generator) -> dict[str, Any]:
    return dict(
        graph_id=name,
        mlh_id=0,
        location=rng.normal(size=3),
        rotation=Rotation.from_rotvec(rng.normal(size=3)),
        scale=1,
        evidence=rng.random(),
    )


class _LearningModule:
    """A learning module with two objects and two hypotheses about each."""

    learning_module_id = "learning_module_0"

    def __init__(self, model_class: type[GridObjectModel] = GridObjectModel) -> None:
        rng = np.random.default_rng(3)
        self.buffer = FeatureAtLocationBuffer()
        self.buffer.channel_sender_types = {"patch": "SM"}
        self.models, self.hypotheses = {}, {}
        for name in ("first", "second"):
            model = model_class(name, max_nodes=9, max_size=1, num_voxels_per_dim=4)
            model.use_original_graph = True
            model.set_graph(_graph(rng))
            self.models[name] = model
            self.hypotheses[name] = [_hypothesis(name, rng) for _ in range(2)]
        self.current_mlh = copied(self.hypotheses["first"][0])

    def _get_current_mlh(self) -> dict[str, Any]:
        return self.current_mlh

    def get_graph(self, name: str, input_channel: str | None = None) -> Any:
        model = self.models[name]
        return {"patch": model} if input_channel is None else model

    def get_mlh_for_object(self, name: str) -> dict[str, Any]:
        return self.hypotheses[name][0]

    def get_output(self) -> Any:
        return SimpleNamespace(confidence=self.current_mlh["evidence"])

    def get_top_two_mlh_ids(self) -> tuple[str, str]:
        return "first", "second"

    def get_top_two_pose_hypotheses_for_graph_id(
        self, name: str
    ) -> list[dict[str, Any]]:
        return self.hypotheses[name]

    def go_on(self) -> None:
        """Sense, learn and begin another episode."""
        rng = np.random.default_rng(4)
        for name, hypotheses in self.hypotheses.items():
            self.models[name].set_graph(_graph(rng))
            for one in hypotheses:
                one["location"] += 1
        self.hypotheses = {}
        self.current_mlh = {"graph_id": "no_observations_yet"}
        self.learning_module_id = "renamed"
        self.buffer.reset()


def _percepts() -> list[Message]:
    return [
        Message(
            location=np.array([1.0, 2.0, 3.0]),
            morphological_features={},
            non_morphological_features={},
            confidence=1.0,
            pass_message=True,
            sender_id="patch",
            sender_type="SM",
            process_features_in_lm=False,
        )
    ]


def _generator(
    lm: Any,
    focus_on_pose: bool = False,
    generator_class: type[EvidenceGoalGenerator] = EvidenceGoalGenerator,
) -> EvidenceGoalGenerator:
    generator = generator_class(desired_object_distance=0.05)
    generator.parent_lm = lm
    generator.focus_on_pose = focus_on_pose
    return generator


def _computed_at_once(generator: EvidenceGoalGenerator) -> Goal:
    with patch.object(goal_generation, "unread_goal", return_value=None):
        return generator._generate_goal(_percepts())


def _written(goal: Goal) -> str:
    return json.dumps(encode_goal(goal), cls=BufferEncoder)


class UnreadGoalTest(unittest.TestCase):
    def setUp(self) -> None:
        self.lm = _LearningModule()
        self.generator = _generator(self.lm)
        self.goal = self.generator._generate_goal(_percepts())
        self.expected = _computed_at_once(_generator(_LearningModule()))

    def test_it_is_the_goal_of_when_it_was_set(self) -> None:
        for focus_on_pose in (False, True):
            with self.subTest(focus_on_pose=focus_on_pose):
                expected = _computed_at_once(
                    _generator(_LearningModule(), focus_on_pose)
                )
                lm = _LearningModule()
                generator = _generator(lm, focus_on_pose)
                goal = generator._generate_goal(_percepts())
                self.assertIsInstance(goal, UnreadGoal)
                lm.go_on()
                generator.desired_object_distance = 7.0
                generator.focus_on_pose = not focus_on_pose
                self.assertEqual(_written(goal), _written(expected))
                self.assertIs(type(goal), Goal)
                self.assertEqual([*vars(goal)], [*vars(expected)])

    def test_a_percept_may_be_changed_afterwards(self) -> None:
        percepts = _percepts()
        goal = _generator(_LearningModule())._generate_goal(percepts)
        percepts[0].location += 1
        percepts.clear()
        self.assertEqual(_written(goal), _written(self.expected))

    def test_a_learning_module_may_have_hypotheses_of_one_object_only(self) -> None:
        goals = []
        for generate in (
            lambda one: one._generate_goal(_percepts()),
            _computed_at_once,
        ):
            lm = _LearningModule()
            lm.hypotheses[None] = lm.hypotheses.pop("second")
            del lm.models["second"]
            with patch.object(lm, "get_top_two_mlh_ids", lambda: ("first", None)):
                goals.append(generate(_generator(lm, focus_on_pose=True)))
        self.assertIsInstance(goals[0], UnreadGoal)
        self.assertEqual(_written(goals[0]), _written(goals[1]))

    def test_it_does_not_keep_the_goals_before(self) -> None:
        self.generator._set_output_goal(self.goal)
        former = weakref.ref(self.goal)
        self.generator._set_output_goal(self.generator._generate_goal(_percepts()))
        del self.goal
        gc.collect()
        self.assertIsNone(former())

    def test_a_copy_of_a_learning_module_has_one_hypothesis(self) -> None:
        lm, goal = copy.deepcopy([self.lm, self.goal])
        self.assertIs(goal.info["hypothesis_to_test"], lm.current_mlh)

    def test_both_focuses_lead_elsewhere(self) -> None:
        other = _computed_at_once(_generator(_LearningModule(), focus_on_pose=True))
        self.assertNotEqual(_written(self.expected), _written(other))

    def test_choosing_a_goal_does_not_read_it(self) -> None:
        others = [_generator(_LearningModule())._generate_goal(_percepts())] * 3
        for goal in others:
            goal.confidence = 0.0
        self.assertIs(highest_confidence([*others, self.goal]), self.goal)
        self.assertEqual(self.goal.sender_type, "GSG")
        self.assertIsInstance(self.goal, UnreadGoal)
        self.assertEqual(others[0].sender_id, self.lm.learning_module_id)
        self.assertEqual(others[0].confidence, 0.0)

    def test_it_remembers_the_most_likely_hypotheses(self) -> None:
        hypotheses = [self.lm.get_mlh_for_object(one) for one in ("first", "second")]
        self.assertEqual(
            json.dumps(self.generator.prev_top_mlhs, cls=BufferEncoder),
            json.dumps(hypotheses, cls=BufferEncoder),
        )

    def test_it_tests_the_hypothesis_that_its_learning_module_has(self) -> None:
        mlh = self.lm.current_mlh
        mlh["location"] = np.full(3, 9.0)
        np.testing.assert_array_equal(self.goal.location, self.expected.location)
        self.assertIs(self.goal.info["hypothesis_to_test"], mlh)

    def test_information_is_added_without_reading_it(self) -> None:
        for goal in (self.goal, self.expected):
            add_outcome(goal, True, 3)
        self.assertIsInstance(self.goal, UnreadGoal)
        self.assertEqual(_written(self.goal), _written(self.expected))
        self.assertEqual([*self.goal.info], [*self.expected.info])
        self.assertTrue(self.goal.info["achieved"])

    def test_information_is_added_to_what_somebody_has_set(self) -> None:
        self.goal.info = {"why": "a test"}
        self.assertIs(type(copy.copy(copy.deepcopy(self.goal))), Goal)
        add_outcome(self.goal, True, 3)
        expected = dict(
            why="a test", achieved=True, matching_step_when_output_goal_set=3
        )
        self.assertEqual(self.goal.info, expected)
        self.assertIsInstance(self.goal, UnreadGoal)
        np.testing.assert_array_equal(self.goal.location, self.expected.location)
        self.assertEqual(self.goal.info, expected)

    def test_what_is_kept_as_a_statistic_stays_as_it_is(self) -> None:
        for deep_copied in (copied, copy.deepcopy):
            with self.subTest(deep_copied.__name__):
                goal = _generator(_LearningModule())._generate_goal(_percepts())
                add_outcome(goal, False, 3)
                goal.confidence = self.expected.confidence = 0.5
                kept = deep_copied(goal)
                self.assertIsInstance(kept, UnreadGoal)
                self.assertIsInstance(goal, UnreadGoal)
                add_outcome(goal, True, 3)
                goal.info["hypothesis_to_test"]["location"] = np.zeros(3)
                goal.location += 1
                add_outcome(self.expected, False, 3)
                self.assertEqual(_written(kept), _written(self.expected))

    def test_copies_and_pickles_are_plain_goals(self) -> None:
        lm = _LearningModule()
        for copying in (
            copy.copy,
            lambda goal: pickle.loads(pickle.dumps(goal)),  # noqa: S301
        ):
            goal = _generator(lm)._generate_goal(_percepts())
            self.assertIsInstance(goal, UnreadGoal)
            goal.location = self.expected.location
            made = copying(goal)
            self.assertIs(type(made), Goal)
            self.assertEqual(_written(made), _written(self.expected))

    def test_it_lacks_what_a_goal_lacks(self) -> None:
        with self.assertRaisesRegex(AttributeError, "'Goal' .* 'colour'"):
            self.goal.colour  # noqa: B018
        self.assertIs(type(self.goal), Goal)

    def test_a_goal_that_cannot_be_computed_says_so_each_time(self) -> None:
        for model in self.lm.models.values():
            model._graph.x = None
        for _ in range(2):
            with self.assertRaises(TypeError):
                self.goal.location  # noqa: B018
        self.assertIsInstance(self.goal, UnreadGoal)


class PartsOfAnswersTest(unittest.TestCase):
    def learning_module(self, lm_class: type[EvidenceGraphLM]) -> EvidenceGraphLM:
        """Return a learning module that answers as the one above does."""
        settings: dict[str, Any] = {"tolerances": {"patch": {}}}
        lm = lm_class(0.01, feature_weights={"patch": {}}, **settings)
        answers = _LearningModule()
        lm.buffer = answers.buffer
        lm.buffer.locations, lm.buffer.on_object = np.zeros((4, 3)), [True] * 4
        lm.learning_module_id = answers.learning_module_id
        for name in (
            "_get_current_mlh",
            "get_graph",
            "get_mlh_for_object",
            "get_top_two_mlh_ids",
        ):
            setattr(lm, name, getattr(answers, name))
        return lm

    def test_it_is_that_of_the_output(self) -> None:
        lm = self.learning_module(EvidenceGraphLM)
        expected = lm.get_output().confidence
        self.assertTrue(0 < expected < 1)
        with patch.object(EvidenceGraphLM, "_object_pose_to_features") as features:
            goal = _generator(lm)._generate_goal(_percepts())
        self.assertIsInstance(goal, UnreadGoal)
        self.assertEqual(goal.confidence, expected)
        features.assert_not_called()
        self.assertEqual(goal.sender_id, lm.learning_module_id)
        self.assertEqual(goal.confidence, expected)

    def test_a_learning_module_may_have_an_output_of_its_own(self) -> None:
        class OwnLM(EvidenceGraphLM):
            def get_output(self) -> Any:
                return SimpleNamespace(confidence=0.75)

        goal = _generator(self.learning_module(OwnLM))._generate_goal(_percepts())
        self.assertIsInstance(goal, UnreadGoal)
        self.assertEqual(goal.confidence, 0.75)

    def focusing_on_pose(self, lm_class: type[EvidenceGraphLM]) -> Any:
        """Return the generator of one that has many hypotheses about an object."""
        lm = self.learning_module(lm_class)
        rng = np.random.default_rng(5)
        del lm.get_mlh_for_object
        lm._hypotheses = {
            name: Hypotheses(
                evidence=rng.random(9),
                locations=rng.normal(size=(9, 3)),
                poses=Rotation.from_rotvec(rng.normal(size=(9, 3))).as_matrix(),
                possible=np.ones(9, dtype=bool),
            )
            for name in ("first", "second")
        }
        return _generator(lm, focus_on_pose=True)

    def test_the_second_pose_is_that_of_when_the_goal_was_set(self) -> None:
        expected = _computed_at_once(self.focusing_on_pose(EvidenceGraphLM))
        generator = self.focusing_on_pose(EvidenceGraphLM)
        rotations = generator.parent_lm._mlh_rotations
        with patch.object(rotations, "of", wraps=rotations.of) as made:
            goal = generator._generate_goal(_percepts())
            self.assertEqual(made.call_count, 2)  # one for each graph
            for one in generator.parent_lm._hypotheses.values():
                one.locations += 1
                one.poses[:] = np.eye(3)
                one.evidence[:] = 0
            self.assertIsInstance(goal, UnreadGoal)
            self.assertEqual(_written(goal), _written(expected))
            self.assertEqual(made.call_count, 3)

    def test_hypotheses_may_have_changed_since_that_of_the_step_was_found(self) -> None:
        generator = self.focusing_on_pose(EvidenceGraphLM)
        lm = generator.parent_lm
        top, _ = lm.get_top_two_mlh_ids()
        now = lm.get_mlh_for_object(top)["mlh_id"]
        lm.current_mlh = lm._get_mlh_dict_from_id(top, (now + 1) % 9)
        del lm._get_current_mlh
        self.assertNotEqual(lm._get_current_mlh()["mlh_id"], now)
        self.assertIsInstance(generator._generate_goal(_percepts()), UnreadGoal)
        self.assertEqual(generator.prev_top_mlhs[0]["mlh_id"], now)

    def test_a_learning_module_may_have_poses_of_its_own(self) -> None:
        def poses(lm: Any, name: str) -> Any:
            return None, lm._get_mlh_dict_from_id(name, 7)

        def hypothesis(lm: Any, name: str, place: int) -> dict[str, Any]:
            mlh = EvidenceGraphLM._get_mlh_dict_from_id(lm, name, place)
            return {**mlh, "location": mlh["location"] + 3 * (place - 1)}

        plain = _computed_at_once(self.focusing_on_pose(EvidenceGraphLM))
        for name, override in (
            ("get_top_two_pose_hypotheses_for_graph_id", poses),
            ("_get_mlh_dict_from_id", hypothesis),
        ):
            with self.subTest(name):
                own: Any = type("OwnLM", (EvidenceGraphLM,), {name: override})
                expected = _computed_at_once(self.focusing_on_pose(own))
                goal = self.focusing_on_pose(own)._generate_goal(_percepts())
                self.assertIsInstance(goal, UnreadGoal)
                self.assertEqual(_written(goal), _written(expected))
                self.assertNotEqual(_written(goal), _written(plain))


class ComputedAtOnceTest(unittest.TestCase):
    def assert_computed_at_once(self, generator: EvidenceGoalGenerator) -> Goal:
        goal = generator._generate_goal(_percepts())
        self.assertIs(type(goal), Goal)
        return goal

    def test_overrides_are_called_at_once(self) -> None:
        for name in (
            "_generate_goal",
            "_compute_graph_mismatch",
            "_search_farthest_node",
            "_get_target_loc_info",
            "_compute_goal_for_target_loc",
        ):
            whole = getattr(EvidenceGoalGenerator, name)

            def override(
                *args: Any, whole: Callable[..., Any] = whole, **kwargs: Any
            ) -> Any:
                return whole(*args, **kwargs)

            for kind, function in (
                ("override", override),
                ("wrapper", wraps(whole)(override)),
            ):
                with self.subTest(name, kind=kind):
                    subclass = type("Own", (EvidenceGoalGenerator,), {name: function})
                    self.assert_computed_at_once(
                        _generator(_LearningModule(), generator_class=subclass)
                    )

    def test_a_method_of_one_generator_is_called_at_once(self) -> None:
        generator = _generator(_LearningModule())
        with patch.object(generator, "_get_target_loc_info") as target:
            target.return_value = {
                "hypothesis_to_test": generator.parent_lm._get_current_mlh(),
                "target_loc": np.zeros(3),
                "target_surface_normal": np.ones(3),
            }
            self.assert_computed_at_once(generator)
        target.assert_called_once()

    def test_a_generator_may_find_its_learning_module_in_its_own_way(self) -> None:
        class OwnGenerator(EvidenceGoalGenerator):
            @property
            def parent_lm(self) -> Any:
                return self.mine

            @parent_lm.setter
            def parent_lm(self, lm: Any) -> None:
                self.mine = lm
                self.reset()

        self.assert_computed_at_once(
            _generator(_LearningModule(), generator_class=OwnGenerator)
        )

    def test_other_models_may_change(self) -> None:
        class OwnModel(GridObjectModel):
            pass

        lm = _LearningModule(OwnModel)
        with patch.object(lm, "get_output", wraps=lm.get_output) as output:
            goal = self.assert_computed_at_once(_generator(lm))
        output.assert_called_once()  # Its answer may be random.
        expected = _computed_at_once(_generator(_LearningModule()))
        self.assertEqual(_written(goal), _written(expected))
