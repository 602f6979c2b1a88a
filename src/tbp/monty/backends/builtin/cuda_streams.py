# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The backend `cuda` with each learning module as a group of its own."""

from __future__ import annotations

from typing import ClassVar

from tbp.monty.backends.builtin.cuda import CudaBackend
from tbp.monty.backends.described_work import DescribedWork
from tbp.monty.backends.stacked.backend import Group

__all__ = ["CudaStreamsBackend"]


class CudaStreamsBackend(CudaBackend):
    """Uses one stream per learning module, whatever Monty's groups are."""

    name: ClassVar[str] = "cuda-streams"
    summary: ClassVar[str] = "cuda with each learning module as a group of its own"

    def dispatch(self, work: DescribedWork, group: Group) -> None:  # noqa: ARG002
        alone = (work.lm_id,)
        super().dispatch(work, alone)
        super().launch(alone)

    def launch(self, group: Group) -> None:
        """Do nothing: each learning module was launched when it dispatched."""
