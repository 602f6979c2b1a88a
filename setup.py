# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Builds the fork: upstream's pinned release, rewritten, with the overlay.

The package is made below build/fork first; from there setuptools takes it as it would
take any package.
"""

import platform
import shutil
import sys
from pathlib import Path

from packaging.specifiers import SpecifierSet
from setuptools import find_namespace_packages, setup

# What the tests are run on. Older ones have not all libraries of constraints.txt, and
# pip would try to find others before it looks at the version.
PYTHONS = ">=3.11,<3.14"
if platform.python_version() not in SpecifierSet(PYTHONS):
    sys.exit(f"tbp.monty needs Python {PYTHONS}, this is {platform.python_version()}")

ROOT = Path(__file__).parent.resolve()
sys.path.insert(0, str(ROOT))

from tools.locking import locked
from tools.refactor.fork import fork_version, make_fork
from tools.refactor.requirements import extras, requirements
from tools.refactor.upstream import obtain

upstream = obtain()
fork = make_fork(upstream, say=lambda message: print(message, file=sys.stderr))

# Both licences travel with the package.
LICENSES = ROOT / "build" / "licenses"
LICENSES.mkdir(parents=True, exist_ok=True)
(notice,) = upstream.folder.glob("*.dist-info/licenses/LICENSE")
shutil.copy(notice, LICENSES / "LICENSE.tbp.monty")

BUILD_BASE = ROOT / "build" / "setuptools"
# Two builds at once would write into the same folder.
with locked(BUILD_BASE.with_suffix(".lock")):
    # What an earlier build left would otherwise end up in this one.
    shutil.rmtree(BUILD_BASE, ignore_errors=True)
    BUILD_BASE.mkdir(parents=True)
    setup(
        name="tbp.monty",
        version=fork_version(upstream),
        description="Monty with two-phase learning modules and swappable backends",
        long_description=(ROOT / "README.md").read_text("utf-8"),
        long_description_content_type="text/markdown",
        license="MIT",
        license_files=["LICENSE", "build/licenses/LICENSE.tbp.monty"],
        python_requires=PYTHONS,
        install_requires=requirements(upstream.folder),
        extras_require=extras(),
        package_dir={"": str(fork.relative_to(ROOT))},
        packages=find_namespace_packages(str(fork), exclude=["*__pycache__*"]),
        package_data={"": ["*"]},
        exclude_package_data={"": ["*.pyc", "*.nbi", "*.nbc"]},
        entry_points={
            "console_scripts": [
                "monty = tbp.monty.cli:main",
                "monty-refactor = monty_tools.refactor.cli:main",
            ]
        },
        options={
            "build": {"build_base": str(BUILD_BASE.relative_to(ROOT))},
            "egg_info": {"egg_base": str(BUILD_BASE.relative_to(ROOT))},
        },
    )
