# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds, or installs, an OpenGL that renders without a screen.

`python -m monty_tools.opengl` checks that MuJoCo can render here, installs Mesa's
off-screen renderer if it is needed and allowed, and prints the value for MUJOCO_GL.
"""

from __future__ import annotations

import contextlib
import ctypes.util
import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Iterator, MutableMapping

from .guard import Failed, with_cause

__all__ = ["ensure_headless_opengl", "rendering", "use_headless_opengl"]

OSMESA_PACKAGE = "libosmesa6"

RENDER = """
import mujoco
model = mujoco.MjModel.from_xml_string("<mujoco/>")
with mujoco.Renderer(model, 8, 8) as renderer:
    renderer.update_scene(mujoco.MjData(model))
    renderer.render()
"""


def use_headless_opengl(environ: MutableMapping[str, str]) -> None:
    """Choose how MuJoCo renders, unless the user has chosen or there is a screen.

    Args:
        environ: The environment of the process that will render.
    """
    if sys.platform != "linux" or "MUJOCO_GL" in environ or environ.get("DISPLAY"):
        return
    # EGL belongs to the GPU driver; without a device it is a slow way to Mesa.
    has_device = any(Path(node).exists() for node in ("/dev/nvidia0", "/dev/dri"))
    name = "egl" if has_device and ctypes.util.find_library("EGL") else "osmesa"
    environ["MUJOCO_GL"] = environ["PYOPENGL_PLATFORM"] = name


def ensure_headless_opengl() -> str | None:
    """Make rendering work if that is possible.

    Returns:
        None if MuJoCo renders, else what to do.
    """
    if _renders():
        return None
    if _can_install():
        _install(OSMESA_PACKAGE)
        if _renders():
            return None
    return (
        "MuJoCo cannot render here. Install an OpenGL that needs no screen:\n"
        f"  Debian, Ubuntu:  sudo apt-get install {OSMESA_PACKAGE}\n"
        "  Fedora:          sudo dnf install mesa-libOSMesa\n"
        "or, with a GPU and its driver, use EGL: export MUJOCO_GL=egl\n"
        f"What MuJoCo said with MUJOCO_GL={_environment().get('MUJOCO_GL', '')}:\n"
        f"{_attempt().stderr.strip()}"
    )


@contextlib.contextmanager
def rendering() -> Iterator[None]:
    """Say so if something fails where MuJoCo cannot render.

    Raises:
        Failed: If it cannot, with what failed.
    """
    try:
        yield
    except Exception as error:
        if importlib.util.find_spec("mujoco") is None or _renders():
            raise
        what = with_cause(error).partition("\n")[0]
        raise Failed(
            f"{what}; MuJoCo cannot render here: "
            "python -m monty_tools.opengl says what to install"
        ) from error


def _can_install() -> bool:
    """Return whether there is apt-get, and we may use it."""
    return shutil.which("apt-get") is not None and os.geteuid() == 0


def _install(package: str) -> None:
    """Install a package. Whether that worked shows when it is used."""
    print(f"installing {package}", file=sys.stderr)
    for command in (["update"], ["install", "-y", package]):
        subprocess.run(["apt-get", "-qq", *command], stdout=subprocess.DEVNULL)


def _environment() -> dict[str, str]:
    environ = dict(os.environ)
    use_headless_opengl(environ)
    return environ


def _attempt() -> subprocess.CompletedProcess:
    # In its own process, because a failing driver may crash the process.
    return subprocess.run(
        [sys.executable, "-c", RENDER],
        env=_environment(),
        capture_output=True,
        text=True,
    )


def _renders() -> bool:
    return _attempt().returncode == 0


def main() -> int:
    problem = ensure_headless_opengl()
    if problem:
        print(problem, file=sys.stderr)
        return 1
    print(f"MuJoCo renders with MUJOCO_GL={_environment().get('MUJOCO_GL', '')}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
