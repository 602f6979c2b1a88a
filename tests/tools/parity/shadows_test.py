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
from unittest.mock import patch

import mujoco

from monty_tools.parity.shadows import render_without_shadows

SCENE = """
<mujoco>
  <worldbody>
    <light pos="0 0 2"/>
    <geom type="sphere" size="0.1" pos="0 0 0.2"/>
    <geom type="plane" size="1 1 0.1"/>
    <camera name="eye" pos="0 -1 0.6" xyaxes="1 0 0 0 0.5 0.86"/>
  </worldbody>
</mujoco>
"""


class RenderWithoutShadowsTest(unittest.TestCase):
    def image(self):
        model = mujoco.MjModel.from_xml_string(SCENE)
        data = mujoco.MjData(model)
        mujoco.mj_forward(model, data)
        renderer = mujoco.Renderer(model, 48, 48)
        try:
            renderer.update_scene(data, camera="eye")
            return renderer.render()
        finally:
            renderer.close()

    def test_images_lose_their_shadows_and_nothing_else(self) -> None:
        with_shadows = self.image()
        with patch.object(mujoco.Renderer, "__init__", mujoco.Renderer.__init__):
            render_without_shadows()
            without = self.image()
        darker = with_shadows.astype(int) < without
        self.assertTrue(darker.any())
        self.assertEqual(without.shape, with_shadows.shape)
        # Only while it is asked for.
        self.assertTrue((self.image() == with_shadows).all())
