# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""In `src`, no object gets another class, and libraries are used by public names."""

from __future__ import annotations

import ast
import textwrap
import unittest
from collections.abc import Iterator

from monty_tools.refactor.layout import overlay_root

LIBRARIES = ("numba", "numpy", "scipy", "torch")
INTERNAL = (
    *("numba.core", "numba.cpython", "numba.misc", "numba.np", "numba.parfors"),
    *("numba.typed.typedobjectutils", "numpy.core"),
)
"""Modules that are not documented, in spite of their names."""


def swaps(tree: ast.AST) -> Iterator[int]:
    """Yield the lines that assign the class of an object."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            named = [node.attr]
        elif isinstance(node, ast.Call) and "setattr" in ast.unparse(node.func):
            named = [one.value for one in node.args if isinstance(one, ast.Constant)]
        else:
            continue
        if "__class__" in named:
            yield node.lineno


def private_names(tree: ast.AST) -> Iterator[str]:
    """Yield the private names of libraries that are imported or read."""
    bound: dict[str, str] = {}
    used: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for one in node.names:
                used.add(one.name)
                bound[one.asname or one.name.partition(".")[0]] = (
                    one.name if one.asname else one.name.partition(".")[0]
                )
        elif isinstance(node, ast.ImportFrom) and not node.level:
            for one in node.names:
                used.add(f"{node.module}.{one.name}")
                bound[one.asname or one.name] = f"{node.module}.{one.name}"
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            name, *rest = _dotted(node)
            if name in bound:
                used.add(".".join([bound[name], *rest]))
    yield from sorted(filter(_is_private, used))


def _dotted(node: ast.expr) -> list[str]:
    """Return the parts of `a.b.c`; of anything else, the last of them and ``""``."""
    if isinstance(node, ast.Attribute):
        return [*_dotted(node.value), node.attr]
    return [node.id if isinstance(node, ast.Name) else ""]


def _is_private(name: str) -> bool:
    library, *parts = name.split(".")
    return library in LIBRARIES and (
        any(part.startswith("_") and not part.startswith("__") for part in parts)
        or f"{name}.".startswith(tuple(f"{module}." for module in INTERNAL))
    )


class PlainCodeTest(unittest.TestCase):
    def test_no_object_gets_another_class(self) -> None:
        for file, tree in _sources():
            with self.subTest(file):
                self.assertEqual([*swaps(tree)], [])

    def test_libraries_are_used_by_their_public_names(self) -> None:
        for file, tree in _sources():
            with self.subTest(file):
                self.assertEqual([*private_names(tree)], [])


class ChecksTest(unittest.TestCase):
    """The checks find what they look for."""

    def test_swapped_classes(self) -> None:
        tree = ast.parse(
            "a.__class__ = B\n"
            "a.__class__, b = C, 1\n"
            "setattr(a, '__class__', B)\n"
            "object.__setattr__(a, 'b', B)\n"
            "print(a.__class__)\n"
        )
        self.assertEqual(sorted(swaps(tree)), [1, 2, 3])

    def test_private_names(self) -> None:
        for private, line in {
            "numba.core.cgutils": "from numba.core import cgutils",
            "numba.np.arrayobj": "import numba.np.arrayobj as a",
            "numpy.core": "import numpy as np; np.core",
            "numpy._core.multiarray": "import numpy._core.multiarray",
            "scipy.spatial._kdtree.KDTree": "from scipy.spatial._kdtree import KDTree",
            "scipy.x._y": "def f():\n    from scipy import x\n    return x._y",
            "torch._C": "import torch; torch._C",
        }.items():
            with self.subTest(private):
                self.assertIn(private, [*private_names(ast.parse(line))])

    def test_public_names(self) -> None:
        text = """
            import numba
            import numpy as np
            from numba import types
            from numba.extending import intrinsic
            from other.numpy import _private

            numba.njit, np.linalg.norm, np.__version__, self._numpy.core, types.int64
            """
        tree = ast.parse(textwrap.dedent(text))
        self.assertEqual([*private_names(tree)], [])


def _sources() -> Iterator[tuple[str, ast.AST]]:
    root = overlay_root()
    for path in sorted(root.rglob("*.py")):
        yield path.relative_to(root).as_posix(), ast.parse(path.read_text("utf-8"))
