# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Every learning module dispatches before any processes its results."""

from __future__ import annotations

from ..codemods.add_statement import AddStatement
from ..codemods.step_in_two_phases import StepInTwoPhases
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
step_learning_modules dispatches the steps of all learning modules, group by group, and
then processes them in the order of the learning modules. The backend is told which
group a piece of work belongs to, and when a group is complete. So it can run the work
of a group as one, and that of all groups at once.

To check: that the first half of one learning module's step reads nothing that the
second half of another's writes; that nothing is pending when the method returns, so
that votes are cast on settled states; what happens when a learning module raises."""

_MODULE = "tbp.monty.frameworks.models.lm_steps"

STEP = Step(
    title="feat: dispatch all learning modules before processing any",
    part="core",
    after="dispatch_evidence_update",
    body=_BODY,
    rewrites=(
        *(
            Rewrite(
                f"frameworks/models/{file}.py",
                StepInTwoPhases(
                    class_name=class_name,
                    imports=(
                        NeededImport(_MODULE, "dispatch_step"),
                        NeededImport(_MODULE, "process_step"),
                    ),
                ),
            )
            for file, class_name in (
                ("monty_base", "MontyBase"),
                ("graph_matching", "MontyForGraphMatching"),
            )
        ),
        # Also that of a learning module that took the place of another one.
        Rewrite(
            "frameworks/models/monty_base.py",
            AddStatement(
                class_name="MontyBase",
                method="_step_learning_modules",
                statement="share_backend(self.learning_modules, self.backend)",
                place="first",
            ),
        ),
    ),
    overlay=("frameworks/models/lm_steps.py",),
    tests=(
        "frameworks/models/lm_steps_test.py",
        "frameworks/models/evidence_matching/learned.py",
        "frameworks/models/evidence_matching/two_phase_test.py",
    ),
)
