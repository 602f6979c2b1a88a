# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""MuJoCo without shadows, for measurements that rendering would drown."""

from __future__ import annotations

from typing import Any

from tbp.monty.simulators.mujoco import MuJoCoSimulator

__all__ = ["WithoutShadows"]


class WithoutShadows(MuJoCoSimulator):
    """Renders without the map of shadows, which takes most of the time in software."""

    def renderer_for_res(self, *args: Any, **kwargs: Any) -> Any:
        self.model.vis.quality.shadowsize = 0
        return super().renderer_for_res(*args, **kwargs)
