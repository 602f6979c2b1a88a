# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Models of graphs are read without torch, with the same bits, or left to torch."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import unittest
import weakref
import zipfile
from collections import OrderedDict, defaultdict
from pathlib import Path
from typing import Any, Callable
from unittest.mock import patch

import numpy as np
import torch
from omegaconf import DictConfig, OmegaConf
from scipy.spatial import KDTree
from torch_geometric.data import Data

from tbp.monty.frameworks.models.object_model import GraphObjectModel
from tbp.monty.frameworks.models.stored_graph_model import StoredGraphModel
from tbp.monty.frameworks.utils import stored_model
from tbp.monty.frameworks.utils.stored_model import read_stored_model
from tbp.monty.frameworks.utils.unpickle_model import unpickle_model
from tbp.monty.geometry import SurfacePoseVectors
from tests.frameworks.utils.unpickle_model_test import Calling, make_model

DAMAGED = 200


def make_graph(nodes: int = 5) -> Data:
    graph = Data(
        x=torch.rand(nodes, 4),
        pos=torch.rand(nodes, 3, dtype=torch.float64),
        feature_mapping={"node_ids": [0, 1], "hsv": [1, 4]},
    )
    graph.edge_index = torch.tensor([[0, 1, 2], [1, 2, 0]])
    graph.edge_attr = torch.rand(3, 3)
    return graph


def make_pretrained(graph: Any = None) -> dict[str, Any]:
    """Return a state dict with what pretraining writes."""
    model = GraphObjectModel("mug")
    model._graph = make_graph() if graph is None else graph
    model.k_n = 3
    model.graph_delta_thresholds = OmegaConf.create(
        {"patch": {"distance": 0.01, "pose_vectors": [1, None, "x"]}}
    )
    return {
        "lm_dict": {
            0: {
                "graph_memory": {"mug": {"patch": model}},
                "target_to_graph_id": defaultdict(dict),
                "graph_id_to_target": {"mug": {"mug_a", "mug_b"}},
            }
        },
        "sm_dict": {
            "points": np.asfortranarray(np.arange(6.0).reshape(3, 2) / 7),
            "colors": np.arange(3, dtype=np.uint8),
            "pose": SurfacePoseVectors(np.eye(3)),
            "most": np.float32(0.5),
            "is_on": np.bool_(True),
            "large": 1 << 40,
        },
    }


def described(value: Any, seen: dict[int, int] | None = None) -> Any:
    """Return all bits of a value, and which parts of it are the same object."""
    seen = {} if seen is None else seen
    if isinstance(value, GraphObjectModel):
        value._graph  # noqa: B018 makes the tensors, if they were read as arrays
    kind = f"{type(value).__module__}.{type(value).__qualname__}"
    if value is None or isinstance(value, (bool, int, float, str, bytes, type)):
        return kind, repr(value)
    if isinstance(value, np.generic):
        return kind, value.tobytes()
    if id(value) in seen:
        return "again", seen[id(value)]
    seen[id(value)] = len(seen)
    return kind, _parts(value, seen)


def _parts(value: Any, seen: dict[int, int]) -> Any:
    if isinstance(value, np.ndarray):
        layout = (value.strides, str(value.flags), value.dtype.str, value.shape)
        return (*layout, value.tobytes())
    if isinstance(value, torch.Tensor) and value.is_sparse:
        return described([value._indices(), value._values()], seen)
    if isinstance(value, torch.Tensor):
        memory = value.untyped_storage()
        layout = (value.stride(), value.dtype, value.shape, value.storage_offset())
        content = torch.tensor([], dtype=torch.uint8).set_(memory).numpy().tobytes()
        return (*layout, content, memory.resizable(), value.requires_grad)
    if isinstance(value, set):
        return sorted(described(part) for part in value)
    if isinstance(value, dict):
        value = [part for pair in value.items() for part in pair]
    elif isinstance(value, weakref.ref):
        value = [value()]
    elif isinstance(value, KDTree):
        value = [np.array(value.data), value.leafsize]
    elif not isinstance(value, (list, tuple)):
        value = [getattr(value, "__dict__", None) or repr(value)]
    return [described(part, seen) for part in value]


class StoredModelTest(unittest.TestCase):
    def setUp(self) -> None:
        torch.manual_seed(0)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.path = Path(folder.name) / "model.pt"
        self.proof = Path(folder.name) / "proof"

    def save(self, model: Any) -> None:
        torch.save(model, self.path)

    def save_pickle(self, *parts: bytes) -> None:
        """Write a model with a pickle made by hand, and the memory of others."""
        self.save(make_pretrained())
        self.replace("data.pkl", lambda _: b"\x80\x02" + b"".join(parts) + b".")

    def replace(self, part: str, change: Callable[[bytes], bytes]) -> None:
        with zipfile.ZipFile(self.path) as archive:
            parts = {name: archive.read(name) for name in archive.namelist()}
        with zipfile.ZipFile(self.path, "w") as archive:
            for name, content in parts.items():
                is_it = name.endswith(f"/{part}")
                archive.writestr(name, change(content) if is_it else content)

    def outcome(self, read: Callable[[Path], Any]) -> Any:
        try:
            return described(read(self.path))
        except Exception as error:  # noqa: BLE001 any is compared
            return type(error), str(error)

    def assert_as_torch(self, *, by_torch: bool | None) -> None:
        """Check that a file is read, or refused, as torch does."""
        with patch.object(
            stored_model, "read_model", side_effect=unpickle_model
        ) as left_to_torch:
            found = self.outcome(read_stored_model)
        self.assertEqual(found, self.outcome(unpickle_model))
        if by_torch is not None:
            self.assertEqual(left_to_torch.called, by_torch)

    def test_what_pretraining_writes_is_read_as_torch_does(self) -> None:
        self.save(make_pretrained())
        self.assert_as_torch(by_torch=False)
        found, expected = (
            read(self.path)["lm_dict"][0]["graph_memory"]["mug"]["patch"]._graph
            for read in (read_stored_model, unpickle_model)
        )
        for name in ("x", "pos", "edge_index", "edge_attr"):
            self.assertTrue(torch.equal(found[name], expected[name]))

    def test_models_that_are_there_are_read_as_torch_does(self) -> None:
        folder = os.environ.get("MONTY_MODELS", "~/tbp/results/monty/pretrained_models")
        paths = [*Path(folder).expanduser().rglob("model.pt")]
        if not paths:
            self.skipTest("set MONTY_MODELS to a folder with pretrained models")
        for path in paths:
            with self.subTest(path):
                found = read_stored_model(path)
                self.assertEqual(described(found), described(unpickle_model(path)))

    def test_torch_is_not_imported(self) -> None:
        self.save(make_pretrained())
        program = """if True:
            import copy, sys
            from tbp.monty.frameworks.models.evidence_matching.graph_memory import (
                EvidenceGraphMemory,
            )
            from tbp.monty.frameworks.utils.stored_model import read_stored_model

            state = copy.deepcopy(read_stored_model(sys.argv[1]))
            memory = EvidenceGraphMemory(
                9, 0.3, 5, graph_delta_thresholds={}, k=None
            )
            memory.load_state_dict(state["lm_dict"][0]["graph_memory"])
            assert memory.get_graph("mug", "patch").x.shape == (5, 4)
            assert memory.get_graph("mug", "patch").x.flags.writeable
            assert not {"torch", "torch_geometric"} & {*sys.modules}
        """
        done = subprocess.run(
            [sys.executable, "-c", program, str(self.path)],
            capture_output=True,
            text=True,
        )
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_everything_else_is_left_to_torch(self) -> None:
        shared = torch.rand(4, 3)
        graph, twin = make_graph(), GraphObjectModel("bowl")
        twin._graph = graph
        models = {
            "an expanded tensor": make_pretrained(Data(x=torch.rand(1).expand(9))),
            "a transposed tensor": make_pretrained(Data(x=torch.rand(3, 4).T)),
            "a part of a tensor": make_pretrained(Data(x=torch.rand(9)[3:])),
            "one tensor twice": make_pretrained(Data(x=shared, pos=shared)),
            "tensors that share memory": make_pretrained(
                Data(x=shared, pos=shared.view(3, 4))
            ),
            "one graph twice": {**make_pretrained(graph), "other": twin},
            "a graph of no model": {**make_pretrained(), "graph": make_graph()},
            "a graph without tensors": make_pretrained(Data(feature_mapping={})),
            "a tensor of no graph": {**make_pretrained(), "tensor": torch.rand(3)},
            "a gradient": make_pretrained(Data(x=torch.rand(3, requires_grad=True))),
            "another dtype": make_pretrained(Data(x=torch.rand(3).bfloat16())),
            "a class": {**make_pretrained(), "class": GraphObjectModel},
            "a model without a graph": {"model": GraphObjectModel("mug")},
            "another key": {(1, 2): make_pretrained()},
            "another array": {**make_pretrained(), "words": np.array(["a", "b"])},
            "another number": {**make_pretrained(), "number": 1j},
            "grids": make_model(),
        }
        for name, model in models.items():
            with self.subTest(name):
                self.save(model)
                self.assert_as_torch(by_torch=True)

    def test_other_files_are_left_to_torch(self) -> None:
        for part, content in (("byteorder", b"big"), ("byteorder", b"little ")):
            with self.subTest(part):
                self.save(make_pretrained())
                self.replace(part, lambda _, new=content: new)
                self.assert_as_torch(by_torch=True)
        self.save(make_pretrained())
        self.path.write_bytes(self.path.read_bytes()[:-100])
        self.assert_as_torch(by_torch=True)
        torch.save(make_pretrained(), self.path, _use_new_zipfile_serialization=False)
        self.assert_as_torch(by_torch=True)
        self.path.unlink()
        self.assert_as_torch(by_torch=True)

    def test_the_size_of_a_tensors_memory_must_fit(self) -> None:
        for part in ("data/0", "data/2"):
            for change in (lambda one: one[:-4], lambda one: one + one, lambda _: b""):
                with self.subTest(part):
                    self.save(make_pretrained())
                    self.replace(part, change)
                    # torch may believe the file, and read what is beyond its end.
                    with patch.object(stored_model, "read_model") as left_to_torch:
                        read_stored_model(self.path)
                    left_to_torch.assert_called_once()

    def test_interpolations_are_refused(self) -> None:
        for hidden in ("${oc.env:HOME}", OmegaConf.create({"a": "${oc.env:HOME}"})):
            self.save({**make_pretrained(), "hidden": hidden})
            self.assert_as_torch(by_torch=True)
            self.assertIn("interpolation", self.outcome(read_stored_model)[1])

    def test_calls_are_left_to_torch(self) -> None:
        calls = (
            Calling(os.system, f"touch {self.proof}"),
            Calling(eval, f"open({str(self.proof)!r}, 'w')"),
            Calling(np.ndarray, (1 << 40,), np.dtype("u1")),
            Calling(np.dtype, "O", False, True),
            Calling(np.dtype, "f8", False, False),
            Calling(np.dtype, "f8, f8", False, True),
            Calling(np.dtype, "U9", False, True),
            Calling(bytes, 1 << 40),
            Calling(list, "ab"),
            Calling(dict),
            Calling(set, [(1, 2)]),
            Calling(defaultdict, os.system),
            Calling(DictConfig, {"a": 1}),
            Calling(GraphObjectModel, "mug"),
        )
        for call in calls:
            with self.subTest(call.call):
                self.save({**make_pretrained(), "call": call})
                self.assert_as_torch(by_torch=True)
        self.assertFalse(self.proof.exists())

    def test_pickles_made_by_hand_are_left_to_torch(self) -> None:
        config = b"comegaconf.dictconfig\nDictConfig\n"
        model = b"ctbp.monty.frameworks.models.object_model\nGraphObjectModel\n"
        dtype = b"cnumpy\ndtype\n"
        data = b"ctorch_geometric.data.data\nData\n"
        array = b"cnumpy._core.multiarray\n_reconstruct\ncnumpy\nndarray\n"
        storage = b"(X\x07\x00\x00\x00storagectorch\nFloatStorage\n"
        state = b"}X\x01\x00\x00\x00aK\x01s"
        pickles = {
            "the attributes of a class": (config, state, b"b"),
            "the slots of a class": (config, b"}", state, b"\x86b"),
            "the attributes of a model's class": (model, state, b"b"),
            "the attributes of a dtype's class": (dtype, state, b"b"),
            "the attributes of a function": (b"c_codecs\nencode\n", state, b"b"),
            "the attributes of a list": (b"]", state, b"b"),
            "items of a class": (config, b"K\x01K\x02s"),
            "items of a list": (b"]K\x01K\x02s",),
            "items of an odd number": (b"}(K\x01K\x02K\x03u",),
            "items to append to a dictionary": (b"}K\x01a",),
            "items to append to a class": (config, b"K\x01a"),
            "arguments for a class": (config, b"}\x85\x81"),
            "an object of no class": (b"K\x01)\x81",),
            "an object of a function": (b"c_codecs\nencode\n)\x81",),
            "an object of a forbidden class": (b"c__builtin__\nlist\n)\x81",),
            "a call of a number": (b"K\x01)R",),
            "a call of a list": (b"])R",),
            "arguments that are no tuple": (b"ccollections\nOrderedDict\n]R",),
            "arguments that are too many": (b"ccollections\nOrderedDict\n]\x85R",),
            "a size of an array": (array, b"K\x09\x85K\x01\x87R"),
            "an unknown function": (b"cposix\nsystem\n",),
            "a name with spaces": (b"ccollections \n OrderedDict\n",),
            "a module of two names": (b"ctorch_geometric.data\ndata.Data\n",),
            "no memory": (b"h\x09",),
            "nothing to remember": (b"q\x00",),
            "no mark": (b"t",),
            "an open mark": (b"K\x01(K\x02",),
            "nothing": (),
            "two values": (b"K\x01K\x02",),
            "an unknown operation": (b"K\x010",),
            "an operation of another protocol": (b"\x8f",),
            "an object that is never built": (model, b")\x81"),
            "an object that is its own graph": (
                *(model, b")\x81q\x00}X\x06\x00\x00\x00_graphh\x00sb"),
            ),
            "a graph without a store": (data, b")\x81}b"),
            "memory of another device": (
                *(storage, b"X\x01\x00\x00\x000X\x04\x00\x00\x00cudaK\x14tQ"),
            ),
            "memory outside": (
                *(storage, b"X\x0b\x00\x00\x00../data.pklX\x03\x00\x00\x00cpuK\x14tQ"),
            ),
            "memory of a number": (b"K\x01Q",),
            "memory that is left over": (
                *(storage, b"X\x01\x00\x00\x000X\x03\x00\x00\x00cpuK\x14tQ"),
            ),
        }
        for name, parts in pickles.items():
            with self.subTest(name):
                self.save_pickle(*parts)
                self.assert_as_torch(by_torch=True)
        for kind in (DictConfig, GraphObjectModel, StoredGraphModel, np.dtype):
            self.assertNotIn("a", vars(kind))

    def test_tensors_made_by_hand_are_left_to_torch(self) -> None:
        for name, arguments in {
            "too large": (0, (1 << 40,), (1,)),
            "an offset": (1, (19,), (1,)),
            "an offset before it": (-1, (20,), (1,)),
            "strides that lead outside": (0, (5, 4), (1 << 40, 1)),
            "strides of zero": (0, (20,), (0,)),
            "no strides": (0, (20,), ()),
            "sizes below zero": (0, (-5, -4), (4, 1)),
            "a size to be found": (0, (-1,), (1,)),
            "a size that is no number": (0, ("20",), (1,)),
        }.items():
            with self.subTest(name):
                graph = make_graph()
                graph._store._mapping["x"] = Calling(
                    torch._utils._rebuild_tensor_v2,
                    *(
                        torch.rand(20)._typed_storage(),
                        *arguments,
                        False,
                        OrderedDict(),
                    ),
                )
                self.save(make_pretrained(graph))
                self.assert_as_torch(by_torch=True)

    def test_values_that_hold_themselves(self) -> None:
        loop: list[Any] = [1]
        loop.append({"loop": loop})
        self.save({**make_pretrained(), "loop": loop})
        self.assert_as_torch(by_torch=False)

    def test_small_models(self) -> None:
        for model in ([1, 2], {}, make_pretrained(Data(x=torch.rand(0, 3)))):
            self.save(model)
            self.assert_as_torch(by_torch=False)

    def test_damaged_pickles_are_read_as_torch_does_or_left_to_torch(self) -> None:
        self.save(make_pretrained())
        content = self.path.read_bytes()
        rng = np.random.RandomState(0)
        read = 0
        for number in range(DAMAGED):
            self.path.write_bytes(content)
            self.replace("data.pkl", lambda one: _damaged(one, rng))
            # Some of those that are left to torch make numpy crash.
            with patch.object(stored_model, "read_model") as left_to_torch:
                read_stored_model(self.path)
            if not left_to_torch.called:
                read += 1
                with self.subTest(number):
                    self.assert_as_torch(by_torch=False)
        self.assertGreater(read, 0)


def _damaged(pickled: bytes, rng: np.random.RandomState) -> bytes:
    changed = bytearray(pickled)
    for _ in range(rng.choice((1, 1, 2, 5))):
        at = rng.randint(len(changed))
        kind = rng.randint(4)
        if kind == 0:
            changed[at] = rng.randint(256)
        elif kind == 1:
            del changed[at : at + rng.randint(1, 9)]
        elif kind == 2:
            other = rng.randint(len(changed))
            changed[at:at] = changed[other : other + rng.randint(1, 40)]
        else:
            changed[at] ^= 1 << rng.randint(8)
    return bytes(changed)
