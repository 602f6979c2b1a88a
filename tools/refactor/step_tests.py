# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The tests that go upstream with a step, in upstream's layout."""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from .failures import NotMonty
from .layout import checkout
from .step import Step

__all__ = ["tests_for_upstream"]

_FOLDER = PurePosixPath("tests/unit")
_OWN_IMPORT = re.compile(r"^(from|import) tests\.", re.MULTILINE)


def tests_for_upstream(step: Step, repository: Path) -> dict[str, str]:
    """Return the tests of a step, with the packages around them.

    Ours are in `tests`, upstream's in `tests/unit`; nothing else differs.

    Args:
        step: The step.
        repository: Where they go. Packages that it has already are left out.

    Returns:
        Texts by path.

    Raises:
        NotMonty: If this is not run from a checkout of the project.
    """
    root = checkout()
    if root is None:
        raise NotMonty("the series is made from a checkout of the project")
    texts = {}
    for file in step.tests:
        text = (root / "tests" / file).read_text("utf-8")
        texts[str(_FOLDER / file)] = _OWN_IMPORT.sub(r"\1 tests.unit.", text)
    notice = "".join(
        (root / "tests/conftest.py").open(encoding="utf-8").readlines()[:8]
    )
    for file in list(texts):
        for folder in PurePosixPath(file).parents[:-1]:
            package = str(folder / "__init__.py")
            if not (repository / package).exists():
                texts[package] = notice
    return texts
