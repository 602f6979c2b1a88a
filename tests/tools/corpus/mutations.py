# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Damages zip files at random: their bytes, their members, and the values in these."""

from __future__ import annotations

import io
import json
import random
import zipfile
from collections.abc import Callable
from typing import Any

__all__ = ["mutated"]

DEEP = "DEEP"
"""Stands for JSON that is nested deeply, which `json` cannot write."""

VALUES: tuple[Any, ...] = (
    *(
        None,
        True,
        -1,
        0.5,
        10**400,
        "",
        "x\ny",
        [],
        {},
        DEEP,
        "../../x",
        "${oc.env:HOME}",
    ),
    *({"$array": "arrays/none.npy"}, {"$class": "os.system"}, {"$scalar": 1}),
    {"$scalar": {"dtype": "O", "value": []}},
    {"$scalar": {"dtype": "<f8", "value": "many"}},
    {"$ndarray": {"dtype": "<U900000000", "shape": [1], "data": ["a"]}},
    {"$ndarray": {"dtype": "<f8", "shape": [1 << 40], "data": []}},
    {"$omegaconf": {"a": "${np.list_eval:['1/0']}"}},
    {"$object": ["Message", {}]},
    {"$object": ["Popen", {}]},
    {"$record": ["AgentState", {"sensors": 1}]},
    {"$tensor": {"indices": {"$tuple": []}, "values": 1, "shape": [2]}},
    {"$kdtree": [[[1.0]], -1]},
    *({"$graph": 1}, {"$dict": [[[], 1]]}, {"$set": [[]]}, {"$float": "x"}),
    *({"$unknown": 1}, {"$bytes": "="}, {"$tuple": 1}, {"$enum": ["a", "b"]}),
    {"_target_": "subprocess.Popen", "args": "id"},
)


def mutated(content: bytes, rng: random.Random) -> bytes:
    """Return a damaged copy of a zip file."""
    if rng.random() < 0.2:
        return _damaged(content, rng)
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        members = [(info, file.read(info)) for info in file.infolist()]
    for _ in range(rng.choice((1, 1, 1, 3))):
        _mutate_member(members, rng)
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as file:
        for info, data in members:
            file.writestr(info.filename, data, info.compress_type)
    return out.getvalue()


def _mutate_member(members: list[tuple[Any, bytes]], rng: random.Random) -> None:
    # Half of the time the JSON, if there is some: it is small among the arrays.
    texts = [i for i, (info, _) in enumerate(members) if ".json" in info.filename]
    pickles = [i for i, (info, _) in enumerate(members) if ".pkl" in info.filename]
    chosen = texts + pickles if rng.random() < 0.7 else []
    at = rng.choice(chosen or range(len(members)))
    info, data = members[at]
    kind = rng.random()
    if kind < 0.05:
        del members[at]
        return
    if kind < 0.1:
        info.compress_type = rng.choice((zipfile.ZIP_LZMA, zipfile.ZIP_BZIP2))
    elif at in texts and kind < 0.9:
        data = _mutated_json(data, rng)
    else:
        data = _damaged(data, rng)
    members[at] = (info, data)


def _damaged(content: bytes, rng: random.Random) -> bytes:
    damaged = bytearray(content)
    at = rng.randrange(len(damaged) + 1)
    end = min(len(damaged), at + rng.choice((1, 2, 8, 100, len(damaged))))
    how = rng.randrange(5)
    if how == 0:
        damaged[at:end] = rng.randbytes(end - at)
    elif how == 1:
        del damaged[at:end]
    elif how == 2:
        damaged[at:at] = damaged[at:end]
    elif how == 3:
        damaged[at:end] = bytes(end - at)
    else:
        for _ in range(rng.choice((1, 5, 50))):
            if damaged:
                damaged[rng.randrange(len(damaged))] ^= 1 << rng.randrange(8)
    return bytes(damaged)


def _mutated_json(content: bytes, rng: random.Random) -> bytes:
    """Mutate a value in one of the lines, or in the whole if it is one value."""
    try:
        values = [*map(json.loads, content.splitlines())]
    except (ValueError, RecursionError):
        try:
            values = [json.loads(content)]
        except (ValueError, RecursionError):  # damaged already
            return _damaged(content, rng)
    if not values:
        return json.dumps(rng.choice(VALUES)).encode()
    at = rng.randrange(len(values))
    if rng.random() < 0.1:
        values[at : at + 1] = rng.choice(([], [values[at]] * 2, values[::-1]))
    else:
        values[at] = _mutated_value(values[at], rng)
    deep = "[" * 100_000 + "]" * 100_000
    text = "\n".join(map(json.dumps, values))
    return text.replace(f'"{DEEP}"', deep).encode()


def _mutated_value(value: Any, rng: random.Random) -> Any:
    places: list[tuple[Any, Any]] = []
    rest = [value]
    while rest:
        node = rest.pop()
        keys = node if isinstance(node, dict) else range(len(node))
        for key in keys if isinstance(node, (dict, list)) else ():
            places.append((node, key))
            if isinstance(node[key], (dict, list)):
                rest.append(node[key])
    if not places:
        return rng.choice(VALUES)
    node, key = rng.choice(places)
    other, its_key = rng.choice(places)
    changes: list[Callable[[], Any]] = [
        lambda: node.__setitem__(key, rng.choice(VALUES)),
        lambda: node.__setitem__(key, other[its_key]),
        lambda: node.__setitem__(key, [node[key]] * 1000),
        lambda: node.pop(key),
    ]
    rng.choices(changes, (6, 2, 1, 2))[0]()
    try:
        json.dumps(value)
    except ValueError:  # it contains itself now
        return rng.choice(VALUES)
    return value
