# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The input of every side: the memories of its learning modules, and their percepts.

It is made once and passed on as a file, so that all sides read the same bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from .ellipsoid import Observed, random_ellipsoid
from .settings import Settings
from .walk import walk

__all__ = ["FEATURES", "Graph", "Scenario", "make_scenario"]

FEATURES = {
    "node_ids": (0, 1),
    "pose_vectors": (1, 10),
    "pose_fully_defined": (10, 11),
    "on_object": (11, 12),
    "hsv": (12, 15),
    "principal_curvatures_log": (15, 17),
}
"""The columns of each feature in a stored graph: those that upstream's sensors report,
in the order of its models."""

_OBJECTS, _GRAPHS, _WALK = range(3)
"""One random sequence per purpose, so that none depends on the length of another."""


@dataclass(frozen=True)
class Graph:
    """A stored object.

    Attributes:
        pos: The locations of the nodes. Shape (n, 3).
        x: Their features, with the columns of `FEATURES`. Shape (n, 17).
    """

    pos: npt.NDArray[np.float32]
    x: npt.NDArray[np.float32]


@dataclass(frozen=True)
class Scenario:
    """Memories and percepts.

    Attributes:
        graphs: For each learning module the objects it knows, by name.
        percepts: For each learning module what its sensor reports, one row per step.
        target: The name of the object that the sensors are on.
    """

    graphs: list[dict[str, Graph]]
    percepts: list[Observed]
    target: str

    def save(self, path: Path) -> None:
        arrays: dict[str, npt.ArrayLike] = {"target": self.target}
        for lm, percepts in enumerate(self.percepts):
            is_shared = lm > 0 and self.graphs[lm] is self.graphs[0]
            for name, graph in {} if is_shared else self.graphs[lm].items():
                arrays[f"graphs/{lm}/{name}/pos"] = graph.pos
                arrays[f"graphs/{lm}/{name}/x"] = graph.x
            for name, array in percepts.arrays().items():
                arrays[f"percepts/{lm}/{name}"] = array
        # The keywords might include NumPy's own parameter, which has another type.
        np.savez(path, **arrays)  # type: ignore[arg-type]

    @classmethod
    def load(cls, path: Path) -> Scenario:
        graphs: dict[int, dict[str, dict[str, npt.NDArray[np.float32]]]] = {}
        percepts: dict[int, dict[str, npt.NDArray[Any]]] = {}
        with np.load(path) as arrays:
            for key in arrays:
                kind, *where = key.split("/")
                if kind == "graphs":
                    lm, name, part = where
                    known = graphs.setdefault(int(lm), {})
                    known.setdefault(name, {})[part] = arrays[key]
                elif kind == "percepts":
                    lm, name = where
                    percepts.setdefault(int(lm), {})[name] = arrays[key]
            target = str(arrays["target"])
        own = {
            lm: {name: Graph(**parts) for name, parts in known.items()}
            for lm, known in graphs.items()
        }
        return cls(
            graphs=[own.get(lm, own[0]) for lm in range(len(percepts))],
            percepts=[Observed(**percepts[lm]) for lm in range(len(percepts))],
            target=target,
        )


def make_scenario(settings: Settings) -> Scenario:
    """Make the scenario that the settings ask for.

    An object depends only on the seed and its number: a larger Monty knows the same
    objects, and more. Each learning module has its own nodes of an object, as if it
    had learned the object through its own sensor, unless all are to share them.
    """
    seed = settings.seed
    objects = [
        random_ellipsoid(np.random.default_rng([seed, _OBJECTS, i]))
        for i in range(settings.objects)
    ]
    names = [f"object_{i}" for i in range(settings.objects)]
    graphs = []
    for lm in range(1 if settings.shares_objects else settings.lms):
        known = {}
        for i, thing in enumerate(objects):
            rng = np.random.default_rng([seed, _GRAPHS, lm, i])
            count = int(rng.integers(*settings.nodes, endpoint=True))
            known[names[i]] = _as_graph(thing.nodes(count, rng))
        graphs.append(known)
    if settings.shares_objects:
        graphs *= settings.lms
    rng = np.random.default_rng([seed, _WALK])
    target = int(rng.integers(settings.objects))
    percepts = walk(objects[target], settings.steps, settings.lms, rng)
    return Scenario(graphs, percepts, names[target])


def _as_graph(nodes: Observed) -> Graph:
    count = len(nodes)
    x = np.column_stack(
        [
            np.arange(count),
            nodes.pose_vectors.reshape(count, 9),
            nodes.pose_fully_defined,
            np.ones(count),
            nodes.hsv,
            nodes.principal_curvatures_log,
        ]
    )
    # Single precision, as in models that were saved and loaded.
    return Graph(nodes.locations.astype(np.float32), x.astype(np.float32))
