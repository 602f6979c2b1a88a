# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

import numpy as np

from tbp.monty import backends
from tbp.monty.backends import numba as numba_kernels
from tbp.monty.backends.numba import evidence
from tbp.monty.backends.numba.compiling import SHORT, in_threads, kernels
from tbp.monty.backends.numba.first_use import compile_all
from tbp.monty.backends.numpy.votes import VotesForGraph
from tests.backends.scenes import build, random_scene

KERNEL = """
from tbp.monty.backends.numba.compiling import launched
from tbp.monty.backends.numba.numbers import usable

@launched()
def is_usable(number):
    return usable(number, number, number)
"""

RUN = """
from tbp.monty.backends.numba.first_use import call_all
from kernel import is_usable

call_all({"numbers": lambda: is_usable(2.0), "others": lambda: None})
print(is_usable(2.0))
"""

FULL_DISK = """
import resource

resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
"""

WEIGHTS = ("past_weights", "present_weights")


class CacheTest(unittest.TestCase):
    def setUp(self) -> None:
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = Path(folder.name)
        self.backends = self.root / "tbp/monty/backends"
        without_cache = shutil.ignore_patterns("__pycache__")
        shutil.copytree(
            Path(backends.__file__).parent, self.backends, False, without_cache
        )
        (self.root / "tbp/monty/__init__.py").touch()
        (self.root / "kernel.py").write_text(KERNEL, "utf-8")

    def call(
        self, said: str = "", run: str = RUN, **variables: str
    ) -> tuple[str, bool]:
        """Call a kernel in a new process.

        Args:
            said: What must be printed.
            run: What the process does.
            **variables: Variables of its environment.

        Returns:
            What the kernel returns, and whether it was compiled.
        """
        environment = {**os.environ, "PYTHONPATH": str(self.root), **variables}
        environment.pop("NUMBA_CACHE_DIR", None)
        process = subprocess.run(
            [sys.executable, "-c", run],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        self.assertIn(said, process.stderr)
        is_compiled = "numba compiles its kernels" in process.stderr
        self.assertEqual(process.stderr.endswith(": others, done\n"), is_compiled)
        return process.stdout.strip(), is_compiled

    def change(self, file: str, old: str, new: str) -> None:
        path = self.backends / file
        text = path.read_text("utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), "utf-8")

    def test_notices_changes_in_other_files_and_says_when_it_compiles(self) -> None:
        self.assertEqual(self.call("once:"), ("True", True))
        self.assertEqual(self.call(), ("True", False))
        self.change("numpy/numbers.py", "LARGEST = 1e150", "LARGEST = 1.0")
        self.assertEqual(self.call(), ("False", True))
        self.assertEqual(self.call(), ("False", False))
        # Tuples of arrays have the same type, whatever the order of their fields.
        fields = [f"    {name}: npt.NDArray[np.float64]\n" for name in WEIGHTS]
        self.change("tables/kernel_work.py", "".join(fields), "".join(fields[::-1]))
        self.assertEqual(self.call(), ("False", True))

    def test_versions_of_numba_keep_their_kernels_apart(self) -> None:
        other = "import numba\nnumba.__version__ = '0.0'\n" + RUN
        for run in (RUN, other):
            self.assertEqual(self.call(run=run), ("True", True))
        for run in (RUN, other):
            self.assertEqual(self.call(run=run), ("True", False))

    def test_damaged_files_are_named_and_made_again(self) -> None:
        self.call()
        for kind in ("nbi", "nbc"):
            (file,) = self.backends.rglob(f"kernel.is_usable*.{kind}")
            os.truncate(file, file.stat().st_size // 2)
            (folder,) = self.backends.glob("numba/__pycache__/kernels-*")
            said = f"kernels in {folder} cannot be read or written"
            self.assertEqual(self.call(said), ("True", True))
        self.assertEqual(self.call(), ("True", False))

    def test_without_a_folder_to_write_it_runs_and_says_what_to_do(self) -> None:
        # Not even root can make a folder where there is a file.
        (self.backends / "numba/__pycache__").touch()
        file = str(self.backends / "__init__.py")
        self.assertEqual(self.call("set NUMBA_CACHE_DIR", HOME=file), ("True", True))

    def test_on_a_full_disk_it_runs_and_says_so(self) -> None:
        # Compiled code of Python is left out, which would be cut off too.
        compiled = self.call(
            "cannot be read or written (OSError",
            FULL_DISK + RUN,
            PYTHONDONTWRITEBYTECODE="1",
        )
        self.assertEqual(compiled, ("True", True))


class FirstUseTest(unittest.TestCase):
    def test_nothing_is_compiled_after_the_first_use(self) -> None:
        compile_all()
        before = {name: kernel.signatures for name, kernel in kernels.items()}
        self.assertEqual({len(each) for each in before.values()}, {1})
        table, graphs, work = build([random_scene(3, hypotheses=50)])
        numba_kernels.update(table, graphs, work)
        for segment in range(len(table)):
            votes = VotesForGraph(np.zeros((2, 3)), np.ones(2), 1.0, True, 0.1)
            numba_kernels.add_votes(table, segment, votes)
        for name, kernel in kernels.items():
            self.assertEqual(kernel.signatures, before[name], name)


class ThreadsTest(unittest.TestCase):
    def test_threads_and_their_number_do_not_matter(self) -> None:
        self.assertFalse(in_threads(SHORT))
        self.assertTrue(in_threads(SHORT + 1))
        # Enough for several blocks each, and for threads.
        table, graphs, work = build([random_scene(3, hypotheses=3000, nodes=300)])
        others = copy.deepcopy(table)
        with patch.object(evidence, "in_threads", return_value=False):
            alone = numba_kernels.update(table, graphs, work)
        with patch.object(evidence, "in_threads", return_value=True):
            shared = numba_kernels.update(others, graphs, work)
        for one, other in zip(alone, shared, strict=True):
            np.testing.assert_array_equal(one, other)
        np.testing.assert_array_equal(table.evidence, others.evidence)
        np.testing.assert_array_equal(table.locations, others.locations)


if __name__ == "__main__":
    unittest.main()
