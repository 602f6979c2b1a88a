# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""No garbage is collected during a step."""

from __future__ import annotations

from ..codemods.add_decorator import AddDecorator
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
With many learning modules a step makes so many short-lived objects that Python searches
for garbage all the time, and every few steps through all objects that there are. It
finds next to nothing. With 1 000 learning modules and 10 objects such a step took twice
as long as the others, and all steps together nearly a third longer. Garbage is now
collected between steps.

To check: that collection is on again after a step, also after an error."""

STEP = Step(
    title="perf: collect garbage between steps",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/models/monty_base.py",
            AddDecorator,
            class_name="MontyBase",
            method="step",
            decorator="collecting_later",
            imports=(
                NeededImport(
                    "tbp.monty.frameworks.utils.collecting_later", "collecting_later"
                ),
            ),
        ),
    ),
    overlay=("frameworks/utils/collecting_later.py",),
    tests=("frameworks/utils/collecting_later_test.py",),
)
