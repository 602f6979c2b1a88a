# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Renders without shadows.

In software rendering, MuJoCo's shadow map of 4096 by 4096 pixels takes nearly all of
the time. We compare what Monty computes from an image, so its looks do not matter.
"""

from __future__ import annotations

import functools
from typing import Any

__all__ = ["render_without_shadows"]


def render_without_shadows() -> None:
    """Turn off shadow maps in all renderers that are made after this call."""
    import mujoco  # noqa: PLC0415 only a process that renders needs it

    make = mujoco.Renderer.__init__

    @functools.wraps(make)
    def made(self: Any, model: Any, *args: Any, **kwargs: Any) -> None:
        model.vis.quality.shadowsize = 0
        make(self, model, *args, **kwargs)

    mujoco.Renderer.__init__ = made
