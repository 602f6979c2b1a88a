# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Many random updates of hypotheses: kernels, numpy and upstream agree."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from tbp.monty.backends import numba as numba_kernels
from tbp.monty.backends.numpy.numbers import UnusableNumbers
from tests.backends import stacked_numpy
from tests.backends.numpy.upstream import displacer_of, hypotheses_of, sensed_features
from tests.backends.scenes import Scene, build, scenes

WITHIN = 1e-12
RESULTS = ("highest", "most_likely", "prediction_error", "tested")
COLUMNS = ("evidence", "locations", "poses")
FEW, PARTS, OF_A_PART = 4_000, 10, 10_000
"""A few updates every time, and a hundred thousand in `make test-all`."""


def stacks() -> st.SearchStrategy[list[Scene]]:
    """Return a strategy for stacks of learning modules.

    Some graphs have one node, fewer nodes than requested neighbours, or the same node
    many times. Some segments are empty, or have hypotheses far from every node.
    """
    lms = scenes(
        nodes=st.sampled_from([1, 2, 5, 40]),
        hypotheses=st.sampled_from([0, 1, 20, 60]),
        far_away=st.sampled_from([0.0, 0.2, 1.0]),
        repeated_whole=True,
    )
    return st.lists(lms, min_size=12, max_size=12).map(_named)


def _named(lms: list[Scene]) -> list[Scene]:
    for i, scene in enumerate(lms):
        scene.name = f"lm_{i}"
    return lms


def run_until(updates: int, number: int, check: Callable[[list[Scene]], int]) -> None:
    """Check random stacks until this many updates were checked."""
    done = 0

    # One example has a few hundred updates.
    @settings(
        max_examples=updates // 500,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(lms=stacks())
    def checked(lms: list[Scene]) -> None:
        nonlocal done
        done += check(lms)

    again = 0
    while done < updates:
        seed(f"{number}, {again}")(checked)()
        again += 1


def test_a_few_updates() -> None:
    run_until(FEW, 0, assert_all_agree)


@pytest.mark.thorough
@pytest.mark.parametrize("part", range(PARTS))
def test_a_hundred_thousand_updates(part: int) -> None:
    run_until(OF_A_PART, part, assert_all_agree)


def test_infinite_curvatures_are_computed_as_upstream_does() -> None:
    def check(lms: list[Scene]) -> int:
        for scene in lms:
            for sensed in scene.sensed.values():
                if "principal_curvatures_log" in sensed:
                    sensed["principal_curvatures_log"][0] = -np.inf
                    sensed["curvature"] = np.inf
        table, _, work = build(lms)
        work.check(table)
        return assert_all_agree(lms)

    run_until(FEW, 1, check)


# Without shrinking, which takes minutes on large inputs; the seed is printed.
@settings(
    max_examples=40,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
)
@given(
    lms=stacks(),
    what=st.sampled_from(["evidence", "locations", "poses", "displacement", "pose"]),
    value=st.sampled_from([np.nan, np.inf, -np.inf]),
    place=st.integers(0, 10**6),
)
def test_unusable_numbers_are_named_and_change_nothing(
    lms: list[Scene], what: str, value: float, place: int
) -> None:
    known = [scene for scene in lms if any(map(len, scene.hypotheses.values()))]
    if not known:
        return
    scene = known[place % len(known)]
    # Without thresholds, as hypotheses that are not tested are not read.
    scene.thresholds.clear()
    graph = spoil(scene, what, value, place)
    table, graphs, work = build(lms)
    before = copy.deepcopy(table)
    for side in (stacked_numpy, numba_kernels):
        with pytest.raises(UnusableNumbers) as caught:
            work.check(table)
            side.update(table, graphs, work)
        assert f"learning module '{scene.name}', graph '{graph}'" in str(caught.value)
        for name in COLUMNS:
            np.testing.assert_array_equal(getattr(before, name), getattr(table, name))


def spoil(scene: Scene, what: str, value: float, place: int) -> str:
    """Put an unusable number into a scene.

    Returns:
        The first graph whose update reads it.
    """
    filled = [graph for graph, rows in scene.hypotheses.items() if len(rows)]
    if what in COLUMNS:
        graph = filled[place % len(filled)]
        array = getattr(scene.hypotheses[graph], what)
        array[place % len(array)] = value
        return graph
    if what == "displacement":
        scene.displacement = np.array([0.0, value, 0.0])
    else:
        # The third pose vector is not used.
        scene.sensed["patch_0"]["pose_vectors"][place % 2, place % 3] = value
    return next(iter(scene.hypotheses))


def assert_all_agree(lms: list[Scene]) -> int:
    """Check that all three do the same.

    Returns:
        The number of updates.
    """
    table, graphs, work = build(lms)
    statement = copy.deepcopy(table)
    result = numba_kernels.update(table, graphs, work)
    expected = stacked_numpy.update(statement, graphs, work)
    for name in COLUMNS:
        np.testing.assert_array_equal(
            _bits(getattr(table, name)), _bits(getattr(statement, name)), name
        )
    for name in RESULTS:
        np.testing.assert_array_equal(
            _bits(getattr(result, name)), _bits(getattr(expected, name)), name
        )
    position = {segment: i for i, segment in enumerate(work.segments.tolist())}
    for scene in lms:
        assert_agrees_with_upstream(scene, statement, expected, position)
    return int(table.counts.sum())


def assert_agrees_with_upstream(scene: Scene, table, result, position) -> None:
    displacer, features = displacer_of(scene), sensed_features(scene)
    for segment, key in enumerate(table.keys):
        if key.learning_module != scene.name:
            continue
        before = scene.hypotheses[key.graph]
        i = position[segment]
        if not len(before):
            assert result.most_likely[i] == -1
            continue
        hypotheses = hypotheses_of(before)
        if scene.displacement is not None:
            hypotheses = displacer.displace_hypotheses(scene.displacement, hypotheses)
        threshold = scene.thresholds.get(key.graph, -np.inf)
        hypotheses, telemetry = displacer.compute_evidence(
            features, threshold, key.graph, hypotheses
        )
        rows = table.rows(segment)
        np.testing.assert_array_equal(rows.locations, hypotheses.locations)
        np.testing.assert_allclose(
            rows.evidence, hypotheses.evidence, rtol=WITHIN, atol=WITHIN
        )
        np.testing.assert_allclose(
            result.prediction_error[i],
            telemetry.mlh_prediction_error,
            rtol=WITHIN,
            atol=WITHIN,
        )


def _bits(array: np.ndarray) -> np.ndarray:
    # Only the sign of a zero may differ.
    return (np.asarray(array, dtype=np.float64) + 0.0).view(np.int64)
