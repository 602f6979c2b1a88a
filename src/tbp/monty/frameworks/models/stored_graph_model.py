# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Object models whose graph was read as arrays."""

from __future__ import annotations

import copy
from dataclasses import dataclass
from typing import Any

import numpy as np

from tbp.monty.frameworks.models.object_model import GraphObjectModel
from tbp.monty.frameworks.utils.object_model_utils import NumpyGraph

__all__ = ["StoredGraph", "StoredGraphModel", "graph_to_load"]


@dataclass(frozen=True)
class StoredGraph:
    """A graph of torch_geometric, read without torch.

    Attributes:
        values: What it holds, by name. Arrays are never written to.
        tensors: The names of the arrays that are tensors.
    """

    values: dict[str, Any]
    tensors: frozenset[str]

    def as_numpy(self) -> NumpyGraph:
        """Return what `torch_graph_to_numpy` makes of the graph."""
        arrays = {}
        # The keys of a graph of torch_geometric have the order of a set of a list.
        for name in set(list(self.values)):  # noqa: C414
            value = self.values[name]
            arrays[name] = value.copy() if name in self.tensors else value
        return NumpyGraph(arrays)

    def as_data(self) -> Any:
        """Return the graph as torch reads it."""
        import torch  # noqa: PLC0415 it takes more than a second
        from torch_geometric.data import Data  # noqa: PLC0415

        graph = Data()
        graph._store._mapping.update(
            (name, torch.tensor(value) if name in self.tensors else value)
            for name, value in self.values.items()
        )
        return graph

    def __repr__(self) -> str:
        """Return what torch_geometric writes about the graph."""
        try:
            if not any(isinstance(value, dict) for value in self.values.values()):
                return f"Data({', '.join(_lines(self.values, 0))})"
            return "Data(\n" + ",\n".join(_lines(self.values, 2)) + "\n)"
        except TypeError:
            return repr(self.as_data())


_QUOTE = "'"


def _lines(values: dict[Any, Any], indent: int) -> list[str]:
    pad = " " * indent
    return [
        f"{pad}{str(name).replace(_QUOTE, '')}={_text(value, indent)}"
        for name, value in values.items()
    ]


def _text(value: Any, indent: int) -> str:
    """Return what torch_geometric writes about a value.

    Raises:
        TypeError: If it is none of those that graphs of Monty hold.
    """
    kind = type(value)
    if kind is np.ndarray and value.ndim:
        return str([*value.shape])
    if kind in (list, set, tuple):
        return str([len(value)])
    if kind is str:
        return f"'{value}'"
    if kind in (bool, float, int, type(None)):
        return str(value)
    if kind is not dict:
        raise TypeError(kind)
    return _text_of_dict(value, indent)


def _text_of_dict(value: dict[Any, Any], indent: int) -> str:
    if not value:
        return "{}"
    if [isinstance(one, dict) for one in value.values()] == [False]:
        return f"{{ {_lines(value, 0)[0]} }}"
    lines = ",\n".join(_lines(value, indent + 2))
    return f"{{\n{lines},\n{' ' * indent}}}"


class StoredGraphModel(GraphObjectModel):
    """An object model whose graph was read as arrays.

    It becomes a plain `GraphObjectModel` when something asks for its graph. A copy or a
    pickle of it is a plain one, too; a deep copy becomes one on demand.
    """

    @property
    def _graph(self) -> Any:
        self._graph = vars(self)["_graph"].as_data()
        return self._graph

    @_graph.setter
    def _graph(self, graph: Any) -> None:
        vars(self)["_graph"] = graph
        self.__class__ = GraphObjectModel  # type: ignore[assignment]

    def __reduce__(self) -> Any:
        assert self._graph is not None  # Reading it turns this into a plain model.
        return self.__reduce_ex__(2)

    def __deepcopy__(self, memo: dict[int, Any]) -> StoredGraphModel:
        made = memo[id(self)] = StoredGraphModel.__new__(StoredGraphModel)
        vars(made).update(copy.deepcopy(vars(self), memo))
        return made

    def __repr__(self) -> str:
        return repr(vars(self)["_graph"])


def graph_to_load(model: GraphObjectModel) -> Any:
    """Return the graph of a model, with arrays instead of tensors if it has them."""
    if isinstance(model, StoredGraphModel):
        return vars(model)["_graph"].as_numpy()
    return model._graph
