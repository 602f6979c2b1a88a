# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest
from types import SimpleNamespace
from typing import Any

from omegaconf import OmegaConf

from tbp.monty.frameworks.models.monty_base import MontyBase
from tests.frameworks.models.monty_arguments import monty_arguments

WIRING: dict[str, Any] = dict(
    sm_to_agent_dict={"patch": "agent"},
    sm_to_lm_matrix=[[0], [0]],
    lm_to_lm_matrix=[[1], [0]],
    lm_to_lm_vote_matrix=[[1], [0]],
)


class PlainWiringTest(unittest.TestCase):
    def wired(self, wiring: dict[str, Any]) -> Any:
        """Return Monty with two learning modules that are connected."""
        lms = [SimpleNamespace(), SimpleNamespace()]
        arguments = {**monty_arguments(lms), **wiring}
        arguments["sensor_modules"] = [SimpleNamespace(sensor_module_id="patch")]
        return MontyBase(**arguments)

    def test_containers_of_hydra_become_plain(self) -> None:
        monty = self.wired({k: OmegaConf.create(v) for k, v in WIRING.items()})
        for name, wiring in WIRING.items():
            with self.subTest(name):
                self.assertEqual(getattr(monty, name), wiring)
                self.assertIs(type(getattr(monty, name)), type(wiring))

    def test_plain_wiring_stays_the_same_object(self) -> None:
        monty = self.wired(WIRING)
        for name, wiring in WIRING.items():
            self.assertIs(getattr(monty, name), wiring)

    def test_learning_modules_need_no_connections(self) -> None:
        monty = self.wired(
            {**WIRING, "lm_to_lm_matrix": None, "lm_to_lm_vote_matrix": None}
        )
        self.assertIsNone(monty.lm_to_lm_matrix)
        self.assertIsNone(monty.lm_to_lm_vote_matrix)
