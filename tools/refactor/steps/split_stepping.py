# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Stepping the learning modules is divided into experiment and runtime."""

from __future__ import annotations

from ..codemods.add_method import AddMethod
from ..codemods.split_step_learning_modules import SplitStepLearningModules
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_SEQUENCE = NeededImport("typing", "Sequence")
_GROUP = NeededImport("tbp.monty.backends", "LMGroup")
_INPUTS = NeededImport("tbp.monty.frameworks.models.lm_groups", "LMInputs")

_EXPERIMENT_METHOD = '''\
def update_stepwise_targets(self, inputs: LMInputs) -> None:
    """Set the target of each learning module from the labels of its inputs."""
    ...
'''

_RUNTIME_METHOD = '''\
def step_learning_modules(
    self, ctx: RuntimeContext, groups: Sequence[LMGroup], inputs: LMInputs
) -> None:
    """Step the learning modules of the given groups, each with its inputs."""
    ...
'''

_BODY = """\
_step_learning_modules did four things for each learning module in turn. It now
collects the inputs of all of them, sets their targets, steps them, and notes which
processed input. Setting targets is a method of the experiment's protocol, stepping one
of the runtime's. Monty still calls both. The statements are the same; the runtime
method knows neither targets nor labels, and takes a list of groups with the inputs.

To check: that inputs come from what sensor and learning modules put out before this
step began, so that collecting all of them first changes nothing; that learning modules
are stepped in the order they were."""

STEP = Step(
    title="refactor: split stepping learning modules into experiment and runtime",
    part="core",
    after="lm_groups",
    # Separates experiment and runtime: only the runtime is stepped in two phases.
    body=_BODY,
    rewrites=(
        Rewrite(
            "experiment/monty.py",
            AddMethod(
                class_name="ExperimentMonty",
                place_after="fixme_set_ground_truth",
                method=_EXPERIMENT_METHOD,
                imports=(_INPUTS,),
            ),
        ),
        Rewrite(
            "frameworks/models/abstract_monty_classes.py",
            AddMethod(
                class_name="RuntimeMonty",
                place_after="aggregate_sensory_inputs",
                method=_RUNTIME_METHOD,
                imports=(_SEQUENCE, _GROUP, _INPUTS),
            ),
        ),
        *(
            Rewrite(
                f"frameworks/models/{file}.py",
                SplitStepLearningModules(
                    class_name=class_name,
                    overrides_base=overrides_base,
                    experiment_after="fixme_set_ground_truth",
                    imports=(_SEQUENCE, _GROUP, _INPUTS),
                ),
            )
            for file, class_name, overrides_base in (
                ("monty_base", "MontyBase", False),
                ("graph_matching", "MontyForGraphMatching", True),
            )
        ),
    ),
    tests=(
        "frameworks/models/monty_arguments.py",
        "frameworks/models/step_learning_modules_test.py",
    ),
)
