# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import unittest

from monty_tools.opengl import use_headless_opengl
from monty_tools.recording.counter import LimitReached
from monty_tools.recording.fault import HarnessFault
from monty_tools.recording.worker import _dump_at_once, _raise_fault_behind

SCRIPT = """
import mujoco
import numpy as np
from monty_tools.recording.worker import render_without_shadows

SCENE = '''
<mujoco>
  <worldbody>
    <light pos="0 0 2"/>
    <geom type="sphere" size="0.1" pos="0 0 0.2"/>
    <geom type="plane" size="1 1 0.1"/>
    <camera name="eye" pos="0 -1 0.6" xyaxes="1 0 0 0 0.5 0.86"/>
  </worldbody>
</mujoco>
'''

def image():
    model = mujoco.MjModel.from_xml_string(SCENE)
    data = mujoco.MjData(model)
    mujoco.mj_forward(model, data)
    with mujoco.Renderer(model, 48, 48) as renderer:
        renderer.update_scene(data, camera="eye")
        return renderer.render().astype(int)

before = image()
render_without_shadows()
after = image()
print((after - before).max(), (before - after).max())
"""


class Encoder(json.JSONEncoder):
    def default(self, o):
        return sorted(o)


class DumpAtOnceTest(unittest.TestCase):
    def test_writes_what_json_writes(self) -> None:
        value = {1: [1.5, float("nan"), None, True], "b": {"c": {3, 2}}, "ü": "\n"}
        for options in ({}, {"indent": 2}, {"separators": (",", ":")}):
            with self.subTest(options):
                expected, found = io.StringIO(), io.StringIO()
                json.dump(value, expected, cls=Encoder, **options)
                _dump_at_once(value, found, cls=Encoder, **options)
                self.assertEqual(found.getvalue(), expected.getvalue())


class RaiseFaultBehindTest(unittest.TestCase):
    def hidden(self, first: BaseException) -> Exception:
        """Return the exception of an experiment that then failed to close."""
        try:
            try:
                raise first
            finally:
                raise AttributeError("no logger yet")
        except AttributeError as error:
            return error

    def test_an_interrupt_or_a_fault_is_not_hidden(self) -> None:
        for fault in (KeyboardInterrupt(), HarnessFault()):
            with self.assertRaises(type(fault)):
                _raise_fault_behind(self.hidden(fault))

    def test_what_the_experiment_raised_itself_stays(self) -> None:
        for result in (LookupError(), LimitReached()):
            _raise_fault_behind(self.hidden(result))


class RenderWithoutShadowsTest(unittest.TestCase):
    def test_images_only_get_brighter(self) -> None:
        env = dict(os.environ)
        use_headless_opengl(env)
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT], env=env, capture_output=True, text=True
        )
        self.assertEqual(done.returncode, 0, done.stderr)
        brighter, darker = map(int, done.stdout.split())
        self.assertGreater(brighter, 50)
        self.assertLess(darker, 5)  # of 255, by rounding
