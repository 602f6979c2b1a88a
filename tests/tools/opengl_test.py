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

from monty_tools import opengl
from monty_tools.guard import Failed


class UseHeadlessOpenGLTest(unittest.TestCase):
    def chosen(self, environ: dict[str, str], *, device: bool = False) -> str | None:
        environ = dict(environ)
        with (
            patch.object(opengl.sys, "platform", "linux"),
            patch.object(opengl.Path, "exists", lambda _: device),
            patch.object(opengl.ctypes.util, "find_library", lambda name: f"lib{name}"),
        ):
            opengl.use_headless_opengl(environ)
        return environ.get("MUJOCO_GL")

    def test_software_rendering_without_screen_and_gpu(self) -> None:
        self.assertEqual(self.chosen({}), "osmesa")

    def test_the_driver_with_a_gpu(self) -> None:
        self.assertEqual(self.chosen({}, device=True), "egl")

    def test_an_existing_choice_or_screen_is_kept(self) -> None:
        self.assertEqual(self.chosen({"MUJOCO_GL": "glfw"}), "glfw")
        self.assertIsNone(self.chosen({"DISPLAY": ":0"}))

    def test_other_systems_need_nothing(self) -> None:
        environ: dict[str, str] = {}
        with patch.object(opengl.sys, "platform", "darwin"):
            opengl.use_headless_opengl(environ)
        self.assertEqual(environ, {})


class RenderingTest(unittest.TestCase):
    def fail(self, *, renders: bool) -> None:
        with patch.object(opengl, "_renders", lambda: renders), opengl.rendering():
            raise LookupError("no context\nat all")

    def test_a_failure_where_mujoco_cannot_render_says_so(self) -> None:
        with self.assertRaisesRegex(Failed, "LookupError: no context; MuJoCo cannot"):
            self.fail(renders=False)

    def test_other_failures_are_not_touched(self) -> None:
        with self.assertRaises(LookupError):
            self.fail(renders=True)
        with (
            patch.object(opengl.importlib.util, "find_spec", lambda _: None),
            self.assertRaises(LookupError),
        ):
            self.fail(renders=False)


class EnsureHeadlessOpenGLTest(unittest.TestCase):
    def ensure(self, renders: list[bool], *, can_install: bool) -> tuple:
        commands: list = []

        def run(command: list, **_) -> opengl.subprocess.CompletedProcess:
            if command[0] == "apt-get":
                commands.append(command)
                return opengl.subprocess.CompletedProcess(command, 0)
            status = 0 if renders.pop(0) else 1
            return opengl.subprocess.CompletedProcess(command, status, "", "no display")

        with (
            patch.object(opengl.subprocess, "run", run),
            patch.object(opengl, "_can_install", lambda: can_install),
        ):
            return opengl.ensure_headless_opengl(), commands

    def test_installs_nothing_if_rendering_works(self) -> None:
        self.assertEqual(self.ensure([True], can_install=True), (None, []))

    def test_installs_mesa_if_it_may(self) -> None:
        problem, commands = self.ensure([False, True], can_install=True)
        self.assertIsNone(problem)
        self.assertEqual(commands[-1][-1], opengl.OSMESA_PACKAGE)

    def test_says_what_to_install_if_it_may_not(self) -> None:
        problem, commands = self.ensure([False, False], can_install=False)
        self.assertEqual(commands, [])
        self.assertIn(f"apt-get install {opengl.OSMESA_PACKAGE}", problem)
        self.assertIn("no display", problem)
