# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""MuJoCo with quick rendering, for measurements in which images do not matter."""

from __future__ import annotations

from tbp.monty.simulators.mujoco import MuJoCoSimulator

__all__ = ["QuickSimulator"]


class QuickSimulator(MuJoCoSimulator):
    """Renders neither shadows nor smooth edges.

    In software they take most of the time of a short episode.
    """

    def _configure_spec_settings(self) -> None:
        super()._configure_spec_settings()
        quality = self.spec.visual.quality
        quality.shadowsize = quality.offsamples = 0
