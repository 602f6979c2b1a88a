# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Learning modules of any number that know synthetic objects."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tbp.monty.backends.described_work import Nodes, UpdaterDescription
from tbp.monty.backends.protocol import LMGroup

from ..bench.ellipsoid import random_ellipsoid
from .lms import PlannedLM
from .planned import Planned

__all__ = ["synthetic"]

CHANNEL = "patch"
FEATURES = {"hsv": 3, "principal_curvatures_log": 2}
BURST_STEPS = 5
"""The default of `sampling_burst_duration`."""


def synthetic(
    lms: int, objects: int, nodes: int, updater: str, *, shares_objects: bool
) -> Planned:
    """Return learning modules in one group, as `monty bench lm-phase` has them.

    Args:
        lms: How many.
        objects: How many objects each of them knows.
        nodes: How many nodes an object has.
        updater: The kind of their updaters.
        shares_objects: Whether all have the same nodes of an object.
    """
    names = [f"object_{i}" for i in range(objects)]
    memory = _OneObject(nodes)
    described = UpdaterDescription(updater, _settings(updater))
    sensed = {CHANNEL: {name: np.zeros(size) for name, size in FEATURES.items()}}
    made = [
        PlannedLM(
            lm_id=f"learning_module_{i}",
            kind=f"synthetic, {updater} updater",
            graph_ids=names,
            memory=memory,
            updater=described,
            sensed=sensed,
            burst_steps=BURST_STEPS if updater == "burst_sampling" else 0,
        )
        for i in range(lms)
    ]
    group: LMGroup = tuple(range(lms))
    shared = ", which all share" if shares_objects else ""
    return Planned(
        title=f"{lms} learning modules x {objects} synthetic objects of {nodes} nodes"
        f"{shared}, {updater} updater",
        lms=made,
        groups=[group],
        why=["all have the same settings"],
        # One object is made, and stands for all.
        copies=objects if shares_objects else objects * lms,
    )


class _OneObject:
    """The nodes of one synthetic object, under any name."""

    def __init__(self, nodes: int) -> None:
        made = random_ellipsoid(np.random.default_rng(0))
        found = made.nodes(nodes, np.random.default_rng(0))
        single = found.locations.astype(np.float32)  # as in models that were saved
        self._nodes = Nodes(
            locations=single.astype(np.float64),
            pose_vectors=found.pose_vectors.astype(np.float32).astype(np.float64),
            pose_fully_defined=found.pose_fully_defined,
            features=np.hstack([found.hsv, found.principal_curvatures_log]),
            feature_order=list(FEATURES),
        )
        self._version = [self]

    def channels(self, graph_id: str) -> Sequence[str]:  # noqa: ARG002
        return [CHANNEL]

    def version(self, graph_id: str, channel: str) -> Sequence[object]:  # noqa: ARG002
        return self._version

    def nodes(self, graph_id: str, channel: str) -> Nodes:  # noqa: ARG002
        return self._nodes


def _settings(updater: str) -> dict[str, object]:
    """Return the defaults of an updater, and those of upstream's benchmark configs."""
    burst_sampling = dict(
        sampling_multiplier=0.4, deletion_trigger_slope=0.5, include_telemetry=False
    )
    return dict(
        burst_sampling if updater == "burst_sampling" else {},
        initial_possible_poses=None,
        umbilical_num_poses=8,
        max_match_distance=0.01,
        max_nneighbors=10,
        past_weight=1.0,
        present_weight=1.0,
        feature_weights={
            CHANNEL: dict(dict.fromkeys(FEATURES, 1.0), pose_vectors=[1, 1, 0])
        },
        tolerances={CHANNEL: dict.fromkeys(FEATURES, 1.0)},
        feature_evidence_increment=1,
        use_features_for_matching={CHANNEL: True},
    )
