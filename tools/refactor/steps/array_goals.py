# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Goals of a salience sensor module are made when they are read."""

from __future__ import annotations

from ..class_codemod import MODULE
from ..codemods.replace_call import ReplaceCall
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
A salience sensor module proposes a goal for every pixel on the object, thousands per
step, and a policy selector takes the one with the highest confidence. The module now
proposes a sequence that makes a goal when somebody reads it, and policy selectors take
the maximum instead of sorting all goals.

To check: that all readers get the same object, and that nobody changes the confidence
or the sender of a goal. No confidence may be NaN; sorting did not define the result,
either. Without goals, which is not allowed, a ValueError is raised instead of an
IndexError. Whoever needs a `list` itself calls list(goals)."""

_MODELS = "frameworks/models"
_SELECTORS = f"{_MODELS}/motor_policy_selectors.py"
_GOALS = """\
self._goals = GoalsOfSensor(
    on_object.locations, salience, self._sensor_module_id
)
"""


def _imported(name: str) -> tuple[NeededImport]:
    return (NeededImport("tbp.monty.frameworks.models.goals", name),)


def _of_sender(name: str, sender_type: str) -> Rewrite:
    return Rewrite(
        _SELECTORS,
        ReplaceStatements(
            class_name="DistantPolicySelector",
            method="__call__",
            first=f"{name} = [",
            by=f'{name} = goals_from(goals, "{sender_type}")\n',
            imports=_imported("goals_from"),
        ),
    )


STEP = Step(
    title="perf: make the goals of a salience sensor module when they are read",
    part="perf",
    body=_BODY,
    rewrites=(
        Rewrite(
            f"{_MODELS}/salience/sensor_module.py",
            ReplaceStatements(
                class_name="SalienceSM",
                method="step",
                first="self._goals = [",
                by=_GOALS,
                imports=_imported("GoalsOfSensor"),
            ),
        ),
        Rewrite(
            f"{_MODELS}/salience/sensor_module.py",
            ReplaceStatements(
                class_name="SalienceSM",
                method="reset",
                first="self._goals.clear()",
                by="self._goals = []\n",
            ),
        ),
        Rewrite(
            f"{_MODELS}/monty_base.py",
            ReplaceStatements(
                class_name="MontyBase",
                method="_pass_goals",
                first="self._goals = []",
                by="self._goals = Goals()",
                imports=_imported("Goals"),
            ),
        ),
        Rewrite(
            "attention/attention_system.py",
            ReplaceCall(
                class_name="NoopAttentionSystem",
                method="step",
                function="list",
                by="Goals",
                imports=_imported("Goals"),
            ),
        ),
        _of_sender("gsg_goals", "GSG"),
        _of_sender("sm_goals", "SM"),
        Rewrite(
            _SELECTORS,
            ReplaceStatements(
                class_name=MODULE,
                method="highest_confidence_goal",
                first="return sorted(goals",
                by="return highest_confidence(goals)\n",
                imports=_imported("highest_confidence"),
            ),
        ),
    ),
    overlay=(f"{_MODELS}/goals.py",),
    tests=(f"{_MODELS}/goals_test.py",),
)
