# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Further kinds of values of a file: the memory of learning modules.

Each is taken apart into values that the codec knows. An object is restored from its
attributes, without its constructor and without pickle. Only classes that are named
here can come out of a file.
"""

from __future__ import annotations

import dataclasses
import importlib
import sys
from collections.abc import Callable
from typing import Any

from scipy.spatial import KDTree

__all__ = ["KINDS", "Kind", "imported"]

OBJECTS = {
    "Message": "tbp.monty.cmp",
    "Goal": "tbp.monty.cmp",
    "GraphObjectModel": "tbp.monty.frameworks.models.object_model",
    "GridObjectModel": "tbp.monty.frameworks.models.object_model",
    "NumpyGraph": "tbp.monty.frameworks.utils.object_model_utils",
    "SurfacePoseVectors": "tbp.monty.geometry",
    "OrientationMatrix": "tbp.monty.geometry",
    "GazeDirection": "tbp.monty.geometry",
    "Hypotheses": "tbp.monty.frameworks.models.evidence_matching.hypotheses",
}
"""Monty's classes whose objects are defined by their attributes, with their modules."""


@dataclasses.dataclass(frozen=True)
class Kind:
    """A kind of value.

    Attributes:
        tag: Its tag in the JSON.
        is_one: Whether a value is of this kind.
        parts: Takes a value apart.
        whole: Restores it from its parts.
    """

    tag: str
    is_one: Callable[[Any], bool]
    parts: Callable[[Any], Any]
    whole: Callable[[Any], Any]


def imported(name: str) -> type[Any]:
    """Returns the class of that name.

    Raises:
        LookupError: If there is nothing of that name.
        TypeError: If it is not a class.
    """
    module, _, own = name.rpartition(".")
    try:
        found = getattr(importlib.import_module(module), own)
    except (ImportError, AttributeError) as error:
        raise LookupError(
            f"cannot find {name}, which the file names: {error}"
        ) from None
    if not isinstance(found, type):
        raise TypeError(f"{name}, which the file names, is not a class")
    return found


def _is_at_home(homes: dict[str, str]) -> Callable[[Any], bool]:
    def is_one(value: Any) -> bool:
        kind = type(value)
        return kind.__module__ == homes.get(kind.__qualname__)

    return is_one


def _attributes(value: Any) -> list:
    return [type(value).__qualname__, dict(vars(value))]


def _object(parts: list) -> Any:
    name, attributes = parts
    kind: Any = imported(f"{OBJECTS[name]}.{name}")
    made = kind.__new__(kind)
    vars(made).update(attributes)
    return made


def _is_from(module: str, *names: str) -> Callable[[Any], bool]:
    """Recognises objects of a library's class without importing the library."""

    def is_one(value: Any) -> bool:
        home = sys.modules.get(module)
        return home is not None and isinstance(
            value, tuple(getattr(home, name) for name in names)
        )

    return is_one


def _tensor_parts(tensor: Any) -> dict[str, Any]:
    if not tensor.is_sparse:
        return {"dense": tensor.detach().cpu().numpy()}
    tensor = tensor.detach().cpu().coalesce()
    return {
        "indices": tensor.indices().numpy(),
        "values": tensor.values().numpy(),
        "shape": list(tensor.shape),
    }


def _tensor(parts: dict[str, Any]) -> Any:
    torch = importlib.import_module("torch")
    if "dense" in parts:
        return torch.from_numpy(parts["dense"])
    indices, values = (torch.from_numpy(parts[k]) for k in ("indices", "values"))
    # Without its checks, torch would believe indices that lead anywhere in memory.
    return torch.sparse_coo_tensor(
        indices, values, parts["shape"], check_invariants=True
    ).coalesce()


def _graph(attributes: dict[str, Any]) -> Any:
    return importlib.import_module("torch_geometric.data").Data.from_dict(attributes)


KINDS = (
    Kind("$object", _is_at_home(OBJECTS), _attributes, _object),
    Kind("$tensor", _is_from("torch", "Tensor"), _tensor_parts, _tensor),
    Kind(
        "$graph",
        _is_from("torch_geometric.data", "Data"),
        lambda graph: dict(graph.to_dict()),
        _graph,
    ),
    Kind(
        "$kdtree",
        lambda value: isinstance(value, KDTree),
        lambda tree: [tree.data, tree.leafsize],
        lambda parts: KDTree(parts[0], leafsize=parts[1]),
    ),
)
