# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest.mock import patch

from numba.core.caching import FunctionCache

from tbp.monty import backends
from tbp.monty.backends.numba import compiling

KERNEL = """
from tbp.monty.backends.numba.compiling import launched
from tbp.monty.backends.numba.numbers import usable

@launched
def is_usable(number):
    return usable(number, number, number)
"""

RUN = """
from kernel import is_usable

print(is_usable(2.0), sum(is_usable.stats.cache_misses.values()))
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

    def call(self, said: str = "", **variables: str) -> tuple[str, bool]:
        """Call a kernel in a new process.

        Args:
            said: What must be printed.
            **variables: Variables of its environment.

        Returns:
            What the kernel returns, and whether it was compiled.
        """
        environment = {**os.environ, "PYTHONPATH": str(self.root), **variables}
        environment.pop("NUMBA_CACHE_DIR", None)
        run = subprocess.run(
            [sys.executable, "-c", RUN],
            env=environment,
            check=True,
            capture_output=True,
            text=True,
        )
        result, compilations = run.stdout.split()
        is_compiled = int(compilations) > 0
        self.assertEqual(run.stderr.count("numba compiles its kernels"), is_compiled)
        self.assertIn(said, run.stderr)
        return result, is_compiled

    def change(self, file: str, old: str, new: str) -> None:
        path = self.backends / file
        text = path.read_text("utf-8")
        self.assertIn(old, text)
        path.write_text(text.replace(old, new), "utf-8")

    def test_notices_changes_in_other_files_and_says_when_it_compiles(self) -> None:
        self.assertEqual(self.call(), ("True", True))
        self.assertEqual(self.call(), ("True", False))
        self.change("numpy/numbers.py", "LARGEST = 1e150", "LARGEST = 1.0")
        self.assertEqual(self.call(), ("False", True))
        self.assertEqual(self.call(), ("False", False))
        # Tuples of arrays have the same type, whatever the order of their fields.
        fields = [f"    {name}: npt.NDArray[np.float64]\n" for name in WEIGHTS]
        self.change("tables/kernel_work.py", "".join(fields), "".join(fields[::-1]))
        self.assertEqual(self.call(), ("False", True))

    def test_damaged_files_are_named_and_made_again(self) -> None:
        self.call()
        for kind in ("nbi", "nbc"):
            (file,) = self.root.glob(f"__pycache__/kernel.is_usable*.{kind}")
            os.truncate(file, file.stat().st_size // 2)
            damaged = file.name.partition(".py")[0]
            self.assertEqual(self.call(said=damaged), ("True", True))
        self.assertEqual(self.call(), ("True", False))

    def test_without_a_folder_to_write_it_runs_and_says_what_to_do(self) -> None:
        # Not even root can make a folder where there is a file.
        for folder in (self.root, self.backends / "numba"):
            (folder / "__pycache__").touch()
        file = str(self.backends / "__init__.py")
        compiled = self.call("set NUMBA_CACHE_DIR", HOME=file, XDG_CACHE_HOME=file)
        self.assertEqual(compiled, ("True", True))

    def test_on_a_full_disk_it_runs_and_says_so(self) -> None:
        full = patch.object(FunctionCache, "save_overload", side_effect=OSError("full"))
        with full, self.assertLogs(compiling.logger, "WARNING") as logged:
            compiling.launched(abs_of)(-1.0)
        self.assertIn("cannot be kept for later runs: full", logged.output[-1])


def abs_of(x):
    return abs(x)


if __name__ == "__main__":
    unittest.main()
