# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a run wrote, to be compared with what another one wrote."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pandas as pd

from monty_tools.parallel.store import IDENTITY
from monty_tools.recording.codec import Arrays, encode
from tbp.monty.frameworks.utils.unpickle_model import unpickle_model

__all__ = ["contents"]

TIMES = {"time", "relative_time"}


def contents(results: Path) -> dict[str, Any]:
    """Return what a run wrote, without times."""
    found: dict[str, Any] = {}
    for table in results.glob("*_stats.csv"):
        rows = pd.read_csv(table, dtype=str).fillna("")
        found[table.name] = rows.drop(columns=TIMES & set(rows)).to_dict("list")
    for file in {*results.rglob("*.json")} - {results / IDENTITY}:
        lines = file.read_text().splitlines()
        found[str(file.relative_to(results))] = [timeless(json.loads(x)) for x in lines]
    for model in results.rglob("model.pt"):
        state = encode(unpickle_model(model), Arrays())
        found[str(model.relative_to(results))] = plain(state)
    return found


def plain(node: Any) -> Any:
    """Return a model with lists where upstream has OmegaConf's lists.

    The fork converts them, in every run.
    """
    if isinstance(node, dict):
        if set(node) == {"$omegaconf"}:
            return plain(node["$omegaconf"])
        return {key: plain(value) for key, value in node.items()}
    if isinstance(node, list):
        return [plain(one) for one in node]
    return node


def timeless(node: Any) -> Any:
    if isinstance(node, dict):
        return {k: timeless(v) for k, v in node.items() if k not in TIMES}
    if isinstance(node, list):
        return [timeless(one) for one in node]
    return node
