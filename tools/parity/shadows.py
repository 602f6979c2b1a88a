# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Renders without shadows.

In software nearly all of the time that an image takes goes into MuJoCo's map of
shadows, of 4096 by 4096 pixels. What is compared is what Monty makes of an image,
whatever it looks like.
"""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["render_without_shadows"]


def render_without_shadows() -> None:
    """Let no renderer made after this call make a map of shadows."""
    import mujoco  # noqa: PLC0415 only a process that renders needs it

    make = mujoco.Renderer.__init__

    @functools.wraps(make)
    def made(self: Any, model: Any, *args: Any, **kwargs: Any) -> None:
        model.vis.quality.shadowsize = 0
        make(self, model, *args, **kwargs)

    mujoco.Renderer.__init__ = made
