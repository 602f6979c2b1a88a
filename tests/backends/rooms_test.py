# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The folder of a module decides what it may import."""

from __future__ import annotations

import ast
import unittest
from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path

from tbp.monty import backends

PACKAGE = "tbp.monty.backends"
FOLDER = Path(backends.__file__).parent
MOST_AT_THE_ROOT = 10

MAY_IMPORT = {
    "": set(),
    "numpy": {""},
    "tables": {"", "numpy"},
    "stacked": {"", "numpy", "tables"},
    "numba": {"", "numpy", "tables"},
    "device": {"", "numpy", "tables"},
    "cuda": {"", "numpy", "tables", "device"},
    "null": {"", "numpy", "tables", "device"},
    "builtin": {
        *("", "numpy", "tables", "stacked", "numba", "device", "cuda"),
        "null",
    },
}
"""By room, the rooms it may import besides itself; the root has no name."""

# The registry lists the files of this folder, and imports none of them.
NOT_A_MODULE_OF_ITS_ROOM = f"{PACKAGE}.builtin"


def modules() -> dict[str, Path]:
    found = {}
    for file in sorted(FOLDER.rglob("*.py")):
        parts = file.relative_to(FOLDER).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        found[".".join((PACKAGE, *parts))] = file
    return found


def imported(file: Path, known: dict[str, Path]) -> Iterator[str]:
    """Return all modules of the package that a file imports, also only for types."""
    for node in ast.walk(ast.parse(file.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module in known:
            for alias in node.names:
                name = f"{node.module}.{alias.name}"
                yield name if name in known else node.module


def room_of(module: str) -> str:
    parts = module.removeprefix(PACKAGE).split(".")[1:]
    is_room = len(parts) > 1 or (FOLDER / Path(*parts)).is_dir()
    return parts[0] if parts and is_room else ""


class RoomsTest(unittest.TestCase):
    def setUp(self) -> None:
        known = modules()
        self.graph = {
            name: set(imported(file, known)) - {name, NOT_A_MODULE_OF_ITS_ROOM}
            for name, file in known.items()
        }

    def test_modules_import_only_what_their_room_allows(self) -> None:
        for module, names in self.graph.items():
            room = room_of(module)
            for name in names:
                with self.subTest(module=module, imports=name):
                    self.assertIn(room_of(name), MAY_IMPORT[room] | {room})

    def test_imports_have_no_cycles_even_for_types(self) -> None:
        # Raises CycleError, which names the modules.
        order = list(TopologicalSorter(self.graph).static_order())
        self.assertGreater(len(order), 40)

    def test_few_modules_are_at_the_root(self) -> None:
        at_the_root = list(FOLDER.glob("*.py"))
        self.assertLessEqual(len(at_the_root), MOST_AT_THE_ROOT)
        self.assertEqual({room_of(module) for module in self.graph}, set(MAY_IMPORT))


if __name__ == "__main__":
    unittest.main()
