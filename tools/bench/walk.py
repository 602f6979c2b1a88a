# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What sensors report while they walk over an object."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.spatial.transform import Rotation

from .observed import Observed
from .synthetic_object import SyntheticObject

__all__ = ["sense", "walk"]

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
    thing: SyntheticObject, steps: int, sensors: int, rng: np.random.Generator
) -> list[Array]:
    """Return the places of sensors that walk over an object side by side.

    Args:
        thing: The object.
        steps: The number of places that each sensor visits.
        sensors: The number of sensors.
        rng: Decides where the walk begins and how it turns.

    Returns:
        For each sensor its places on the surface. Shape (steps, 3).
    """
    surface = thing.surface
    place, heading = _beginning(thing, sensors, rng)
    places = []
    for _ in range(steps):
        ahead, aside = _directions(thing, place, heading)
        places.append(_side_by_side(thing, place, (ahead, aside), sensors))
        turn = rng.normal(0, TURN)
        heading = np.cos(turn) * ahead + np.sin(turn) * aside
        place = surface.project(place + rng.uniform(*STEP_LENGTH) * heading)
    return list(np.stack(places, axis=1))


def sense(
    thing: SyntheticObject, places: list[Array], rng: np.random.Generator
) -> list[Observed]:
    """Return what sensors report at places on an object in a random orientation.

    Args:
        thing: The object.
        places: For each sensor the places it visits.
        rng: Decides the orientation of the object, and the noise.

    Returns:
        For each sensor its percepts, seen from the body.
    """
    lies = Rotation.random(random_state=rng)
    away = rng.normal(size=3)
    away *= DISTANCE_TO_BODY / np.linalg.norm(away)
    return [_seen(thing.observe(points), lies, away, rng) for points in places]


def _beginning(
    thing: SyntheticObject, sensors: int, rng: np.random.Generator
) -> tuple[Array, Array]:
    """Return a start and a heading at which the most sensors have a defined pose.

    A sensor without one starts with four times as many hypotheses: the size of the
    work would depend more on the seed than on the settings.
    """
    best: tuple[int, Array, Array] | None = None
    for _ in range(BEGINNINGS):
        place = thing.surface.project(rng.normal(size=(1, 3)))
        heading = rng.normal(size=3)
        directions = _directions(thing, place, heading)
        there = thing.observe(_side_by_side(thing, place, directions, sensors))
        defined = int(there.pose_fully_defined.sum())
        if best is None or defined > best[0]:
            best = defined, place, heading
        if defined == sensors:
            break
    assert best is not None
    return best[1:]


def _directions(
    thing: SyntheticObject, place: Array, heading: Array
) -> tuple[Array, Array]:
    """Return the unit vectors along the surface that point ahead and sideways."""
    normal = thing.surface.frames(place).pose_vectors[0, 0]
    ahead = heading - normal * (heading @ normal)
    ahead /= np.linalg.norm(ahead)
    return ahead, np.cross(normal, ahead)


def _side_by_side(
    thing: SyntheticObject,
    place: Array,
    directions: tuple[Array, Array],
    sensors: int,
) -> Array:
    """Return where the sensors are, the first one at the place itself."""
    # Arranged like sunflower seeds: evenly spread for any number.
    index = np.arange(sensors)
    reach = SPREAD * np.sqrt(index / sensors)
    angle = index * np.pi * (3 - np.sqrt(5))
    ahead, aside = directions
    offsets = np.outer(np.cos(angle), ahead) + np.outer(np.sin(angle), aside)
    return thing.surface.project(place + reach[:, None] * offsets)


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
