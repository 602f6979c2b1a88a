# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Learning modules that have learned two small objects, and percepts of one."""

from __future__ import annotations

from typing import Any

import numpy as np

from tbp.monty import geometry
from tbp.monty.cmp import Message
from tbp.monty.context import RuntimeContext
from tbp.monty.frameworks.experiments.mode import ExperimentMode
from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)

__all__ = ["CONTEXT", "learned_lm", "percepts_of"]

RNG: Any = np.random.default_rng(0)
CONTEXT = RuntimeContext(rng=RNG)

# Earlier releases take the array itself.
pose_vectors_of: Any = getattr(geometry, "SurfacePoseVectors", np.asarray)


def percepts_of(shape: int, count: int = 12) -> list[Message]:
    """Return the percepts of a sensor that moves over an ellipsoid.

    Args:
        shape: Which ellipsoid.
        count: How many percepts.
    """
    rng = np.random.default_rng(shape)
    axes = np.array([0.04, 0.05, 0.06]) + 0.01 * rng.random(3)
    percepts = []
    for _ in range(count):
        direction = rng.normal(size=3)
        direction /= np.linalg.norm(direction)
        location = axes * direction
        normal = location / axes**2
        normal /= np.linalg.norm(normal)
        tangent = np.cross(normal, rng.normal(size=3))
        tangent /= np.linalg.norm(tangent)
        pose = np.stack([normal, tangent, np.cross(normal, tangent)])
        percepts.append(
            Message(
                location=location,
                morphological_features={
                    "pose_vectors": pose_vectors_of(pose),
                    "pose_fully_defined": True,
                },
                non_morphological_features={"hsv": rng.random(3)},
                confidence=1.0,
                pass_message=True,
                sender_id="patch",
                sender_type="SM",
                process_features_in_lm=True,
            )
        )
    return percepts


def learned_lm(
    lm_class: type[EvidenceGraphLM] = EvidenceGraphLM,
    lm_id: str = "LM_0",
    objects: int = 2,
    **settings,
) -> EvidenceGraphLM:
    """Return a learning module that knows some ellipsoids, ready to match."""
    lm: Any = lm_class(
        max_match_distance=0.02,
        tolerances={"patch": {"hsv": np.array([0.2, 0.2, 0.2])}},
        feature_weights={"patch": {"hsv": np.array([1.0, 1.0, 1.0])}},
        **settings,
    )
    lm.learning_module_id = lm_id
    lm.set_experiment_mode(ExperimentMode.TRAIN)
    for shape in range(objects):
        lm.reset_stm()
        lm.fixme_reset_ground_truth()
        for percept in percepts_of(shape):
            lm.exploratory_step(CONTEXT, [percept])
        lm.detected_object = f"new_object{shape}"
        lm.update_ltm_from_stm()
    lm.set_experiment_mode(ExperimentMode.EVAL)
    lm.reset_stm()
    lm.fixme_reset_ground_truth()
    return lm
