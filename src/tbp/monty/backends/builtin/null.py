# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""All that `cuda` does on the host, without a GPU and without any computation."""

from __future__ import annotations

from collections import Counter
from typing import Any, ClassVar, Mapping

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.builtin.cuda import CudaBackend
from tbp.monty.backends.device.counting import CountingStream
from tbp.monty.backends.null.engine import NullEngine, NullStream

__all__ = ["NullBackend"]


class NullBackend(CudaBackend):
    """Takes work, and counts what `cuda` would ask of a GPU.

    A run with it measures everything except the kernels and transfers: Monty, the
    learning modules' Python, the protocol, and packing the work. The results mean
    nothing. Hypotheses are added as on a GPU, but none is updated or deleted, and burst
    sampling has one burst per episode.

    It counts as `cuda` does, on a stream without a device: launches of kernels, bytes
    sent and returned, and memory.
    """

    name: ClassVar[str] = "null"
    where: ClassVar[str] = "none"
    summary: ClassVar[str] = "computes nothing: measures all else; results mean nothing"

    def __init__(self, real: npt.DTypeLike = np.float64, copies: int = 1) -> None:
        """Open the backend.

        Args:
            real: The precision of the GPU.
            copies: For how many graphs each stored one stands.
        """
        super().__init__(lambda _: NullStream(real))
        self._copies = copies
        self._engines: list[NullEngine] = []

    @staticmethod
    def unavailable() -> str | None:
        return None

    @property
    def streams(self) -> list[CountingStream]:
        """What counted, one for each group."""
        return self._streams

    @property
    def memory(self) -> Mapping[str, int]:
        """The bytes that are held on the GPU, by their use."""
        held: Counter[str] = Counter()
        for engine in self._engines:
            held.update(engine.memory)
        return held

    def note(self) -> str:
        kernels = sum(sum(stream.launched.values()) for stream in self.streams)
        return (
            f"nothing was computed, results mean nothing; a GPU would have run "
            f"{kernels} kernels: {super().note()}"
        )

    def _make_engine(self, stream: Any) -> NullEngine:
        engine = NullEngine(stream, self._copies)
        self._engines.append(engine)
        return engine
