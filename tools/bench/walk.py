# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What sensors report while they walk over an object, side by side."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from .ellipsoid import Ellipsoid, Observed

__all__ = ["walk"]

Array = npt.NDArray[np.float64]

STEP_LENGTH = (0.010, 0.015)
"""Metres between two percepts. Upstream's sensors report again after a centimetre."""

TURN = 0.4
"""The standard deviation of the walk's turn per step, in radians."""

SPREAD = 0.02
"""How far the outermost sensor is from the middle one, in metres."""

BEGINNINGS = 64
"""How many starting places are tried."""

DISTANCE_TO_BODY = 0.1

# Upstream's benchmark noise: standard deviations, and a probability for the flag.
LOCATION_NOISE = 0.002
POSE_NOISE_DEGREES = 2.0
CURVATURE_NOISE = 0.1
HSV_NOISE = 0.1
FLIPPED = 0.01


def walk(
    thing: Ellipsoid, steps: int, sensors: int, rng: np.random.Generator
) -> list[Observed]:
    """Return the percepts of sensors that walk over an object.

    Args:
        thing: The object; it lies in a random orientation.
        steps: The number of percepts of each sensor.
        sensors: The number of sensors.
        rng: Decides where the walk begins, how it turns, and the noise.

    Returns:
        For each sensor its percepts, seen from the body.
    """
    # Arranged like sunflower seeds: evenly spread for any number.
    index = np.arange(sensors)
    angle = index * np.pi * (3 - np.sqrt(5))
    seeds = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    offsets = SPREAD * np.sqrt(index / sensors)[:, None] * seeds
    place, heading = _beginning(thing, rng), rng.normal(size=3)
    places = []
    for _ in range(steps):
        normal = thing.normals(place)[0]
        ahead = heading - normal * (heading @ normal)
        ahead /= np.linalg.norm(ahead)
        aside = np.cross(normal, ahead)
        places.append(thing.project(place + offsets @ np.stack([ahead, aside])))
        turn = rng.normal(0, TURN)
        heading = np.cos(turn) * ahead + np.sin(turn) * aside
        place = thing.project(place + rng.uniform(*STEP_LENGTH) * heading)
    lies = Rotation.random(random_state=rng)
    away = rng.normal(size=3)
    away *= DISTANCE_TO_BODY / np.linalg.norm(away)
    return [
        _seen(thing.observe(points), lies, away, rng)
        for points in np.stack(places, axis=1)
    ]


def _beginning(thing: Ellipsoid, rng: np.random.Generator) -> Array:
    """Return a place where principal directions are defined, and so they are near it.

    A sensor that senses none starts with four times as many hypotheses: the size of the
    work would depend more on the seed than on the settings.
    """
    places = thing.project(rng.normal(size=(BEGINNINGS, 3)))
    differences = np.ptp(thing.observe(places).principal_curvatures_log, axis=1)
    return places[[np.argmax(differences)]]


def _seen(
    ideal: Observed, lies: Rotation, away: Array, rng: np.random.Generator
) -> Observed:
    count = len(ideal)
    locations = lies.apply(ideal.locations) + away
    tilt = rng.normal(0, POSE_NOISE_DEGREES, (count, 3))
    seen = Rotation.from_euler("xyz", tilt, degrees=True) * lies
    # A principal direction and its opposite are the same to a sensor.
    flip = np.where(rng.random(count) < 0.5, -1.0, 1.0)
    signs = np.stack([np.ones(count), flip, flip], axis=1)
    vectors = np.einsum("nij,nvj->nvi", seen.as_matrix(), ideal.pose_vectors)
    hsv = ideal.hsv + rng.normal(0, HSV_NOISE, (count, 3))
    hsv[:, 0] %= 1
    hsv[:, 1:] = hsv[:, 1:].clip(0, 1)
    curvatures = ideal.principal_curvatures_log
    flipped = rng.random(count) < FLIPPED
    flipped[0] = False  # see _beginning
    return replace(
        ideal,
        locations=locations + rng.normal(0, LOCATION_NOISE, (count, 3)),
        pose_vectors=vectors * signs[:, :, None],
        pose_fully_defined=ideal.pose_fully_defined ^ flipped,
        principal_curvatures_log=(
            curvatures + rng.normal(0, CURVATURE_NOISE, curvatures.shape)
        ),
        hsv=hsv,
    )
