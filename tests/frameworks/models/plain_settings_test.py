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

import numpy as np
from omegaconf import OmegaConf

from tbp.monty.frameworks.environment_utils.transforms import DepthTo3DLocations
from tbp.monty.frameworks.models.plain_settings import plain
from tbp.monty.frameworks.models.sensor_modules import CameraSM


class PlainTest(unittest.TestCase):
    def test_containers_of_hydra_become_plain(self) -> None:
        config = OmegaConf.create(
            {"hue": 0.1, "of": ["rgba", {"hsv": [1, None, True]}], "same": "${hue}"}
        )
        settings = plain(config)
        expected = {"hue": 0.1, "of": ["rgba", {"hsv": [1, None, True]}], "same": 0.1}
        self.assertEqual(settings, expected)
        self.assertIs(type(settings), dict)
        self.assertIs(type(settings["of"]), list)
        self.assertIs(type(settings["of"][1]["hsv"]), list)

    def test_values_are_the_same_objects(self) -> None:
        value = np.ones(3)
        config = OmegaConf.create({"value": value}, flags={"allow_objects": True})
        self.assertIs(plain(config)["value"], value)

    def test_anything_else_stays_what_it_is(self) -> None:
        for settings in ([1], (1,), {"hue": [0.1]}, {1}, None, "hsv"):
            self.assertIs(plain(settings), settings)


class SensorModuleTest(unittest.TestCase):
    def test_a_sensor_module_looks_its_settings_up_in_plain_containers(self) -> None:
        config = OmegaConf.create(
            {
                "features": ["on_object", "hsv"],
                "noise_params": {"features": {"hsv": 0.1}},
                "delta_thresholds": {"hsv": [0.1, 0.1, 0.1]},
            }
        )
        module = CameraSM("patch", **config)
        for settings, name in (
            (module._observation_processor._features, "features"),
            (module._message_noise.noise_params, "noise_params"),
            (module._percept_filter._delta_thresholds, "delta_thresholds"),
        ):
            with self.subTest(name):
                self.assertIn(type(settings), (list, dict))
                self.assertEqual(settings, config[name])
        self.assertIs(module.features, config.features)


class TransformTest(unittest.TestCase):
    def test_a_transform_looks_its_sensors_up_in_a_plain_list(self) -> None:
        config = OmegaConf.create({"sensor_ids": ["patch"], "resolutions": [[8, 8]]})
        transform = DepthTo3DLocations("agent", **config)
        self.assertIs(type(transform.sensor_ids), list)
        self.assertEqual(transform.sensor_ids, ["patch"])
