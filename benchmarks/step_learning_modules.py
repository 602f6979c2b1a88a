# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Steps a Monty with idle learning modules; its benchmark runs it once per side.

What is left is the cost of stepping itself: collecting inputs, targets, bookkeeping.
"""

import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import tbp.monty
from tbp.monty.frameworks.models.graph_matching import MontyForGraphMatching


class IdleLM:
    learning_module_id = "idle"
    stepwise_target_object = None

    def __init__(self) -> None:
        self.stepwise_targets_list: list = []

    def matching_step(self, ctx: object, percepts: object) -> None:
        pass

    def add_lm_processing_to_buffer_stats(self, lm_processed: bool) -> None:
        pass


def main(count: int) -> None:
    percept = SimpleNamespace(
        sender_id="patch",
        pass_message=True,
        process_features_in_lm=True,
        is_from_sm=lambda: True,
        _semantic_id=1,
    )
    monty: Any = MontyForGraphMatching(
        sensor_modules=[],
        learning_modules=[IdleLM() for _ in range(count)],
        motor_system=None,
        sm_to_agent_dict={},
        sm_to_lm_matrix=[[i] for i in range(count)],
        lm_to_lm_matrix=None,
        lm_to_lm_vote_matrix=None,
        min_eval_steps=1,
        min_train_steps=1,
        num_exploratory_steps=1,
    )
    monty.semantic_id_to_label = {1: "mug"}
    monty.sensor_module_outputs = [percept] * count
    print(Path(tbp.monty.__file__).parents[2], flush=True)
    for line in sys.stdin:
        for _ in range(int(line)):
            monty._step_learning_modules(None)
        for lm in monty.learning_modules:
            lm.stepwise_targets_list.clear()
        print("done", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]))
