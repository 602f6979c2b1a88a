# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

import unittest
from typing import Any
from unittest.mock import Mock

from tbp.monty.frameworks.experiments.monty_experiment import MontyExperiment


class ClosingTest(unittest.TestCase):
    def test_everything_is_closed_also_if_the_backend_cannot_be(self) -> None:
        class Experiment(MontyExperiment):
            logger_args: Any = None

        experiment: Any = Experiment.__new__(Experiment)
        experiment.model = Mock(close=Mock(side_effect=OSError("the device is gone")))
        experiment._step_hook = Mock()
        experiment.env = environment = Mock()
        experiment.logger_handler = Mock()
        with self.assertRaisesRegex(OSError, "the device is gone"):
            experiment.close()
        experiment._step_hook.close.assert_called_once()
        environment.close.assert_called_once()
        experiment.logger_handler.close.assert_called_once()
