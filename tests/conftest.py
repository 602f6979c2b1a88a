# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes the fork before the tests that import it, if a codemod has changed."""

import sys
from pathlib import Path

# Not by the installed name, which points into the folder that is made here.
sys.path.insert(0, str(Path(__file__).parents[1]))

from tools.refactor.fork import make_fork


def pytest_configure():
    make_fork()
