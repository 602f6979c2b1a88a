# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The fork's dependencies: those of upstream, corrected where they do not install.

They are read from upstream's metadata when the fork is built, so that a new release
brings its own.
"""

from __future__ import annotations

from email.parser import HeaderParser
from pathlib import Path

from packaging.requirements import Requirement

__all__ = ["extras", "requirements"]

NOT_IMPORTED = {"torch-scatter", "torch-sparse"}
"""Required but never imported; building them needs an installed torch."""

REPLACED = {
    # The same module without the desktop libraries.
    "opencv-python": "opencv-python-headless==4.13.0.92",
    # 2.6 can say which classes a file names. 2.13 is the newest with which upstream is
    # known to run.
    "torch": "torch>=2.6,<2.14",
    # The configs call wandb.util.generate_id, which later releases do not have.
    "wandb": "wandb==0.24.2",
}

MUJOCO = "mujoco>=3.10,<4"
"""4.0.0 crashes when a scene is compiled again, which happens with every object."""


def requirements(distribution: Path) -> list[str]:
    """Return the dependencies of the fork.

    Args:
        distribution: The folder upstream's wheel was unpacked to.

    Returns:
        Requirement specifiers.
    """
    (metadata,) = distribution.glob("*.dist-info/METADATA")
    headers = HeaderParser().parsestr(metadata.read_text("utf-8"))
    found = []
    for line in headers.get_all("Requires-Dist", []):
        requirement = Requirement(line)
        marker = str(requirement.marker or "")
        if "extra" in marker or 'python_version == "3.8"' in marker:
            continue
        if requirement.name in NOT_IMPORTED:
            continue
        replacement = REPLACED.get(requirement.name, line)
        if replacement not in found:
            found.append(replacement)
    return found


def extras() -> dict[str, list[str]]:
    """Return the optional dependencies of the fork, by extra."""
    return {
        "mujoco": [MUJOCO],
        "cpu": ["numba>=0.60"],
        "cuda": ["cupy-cuda13x"],
        "cuda12": ["cupy-cuda12x"],
        "cuda13": ["cupy-cuda13x"],
        "ray": ["ray>=2.50,<3"],
        # Ruff lays out what the codemods write.
        "refactor": ["libcst>=1.1", "ruff>=0.14"],
        # It carries Vega and Vega-Lite in its wheel. 2 is not released yet.
        "report": ["jinja2", "vl-convert-python>=1.9,<2"],
        "dev": [
            "hypothesis",
            "import-linter",
            "mypy",
            "packaging",
            "playwright",
            "pytest",
            "pytest-benchmark",
            "pytest-xdist",
            "ruff",
        ],
    }
