# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Compares all hypotheses of two runs while both run, step by step.

They are too many to be recorded: those of a run would take tens of gigabytes. One side
sends its arrays through a pipe, and waits when the pipe is full. The other one compares
them with its own, and records only where and by how much they differ. No more than one
array is held at a time. Hypotheses are compared by index: every backend keeps the order
that upstream's have.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from .difference import Delta, array_delta
from .look import HYPOTHESES_ARRAYS, hypotheses_of, per_lm

__all__ = ["APART", "CheckedHypotheses", "SentHypotheses"]

APART = "apart"
"""The key of what differs, in what is recorded of the hypotheses of an object."""


class SentHypotheses:
    """Sends the hypotheses of every step to the process that checks them."""

    def __init__(self, fd: int) -> None:
        """Begins to send.

        Args:
            fd: Where to write.
        """
        self._pipe = os.fdopen(fd, "wb")

    def after_step(self, monty: Any, _lms: dict[str, Any]) -> None:
        """Sends the hypotheses that learning modules have after a step."""
        if self._pipe.closed:
            return
        arrays = _arrays(monty)
        shapes = [[*k, a.dtype.str, a.shape] for k, a in arrays.items()]
        try:
            self._pipe.write(json.dumps(shapes).encode() + b"\n")
            for array in arrays.values():
                self._pipe.write(array.tobytes())
            self._pipe.flush()
        except BrokenPipeError:  # the other run has ended
            with contextlib.suppress(BrokenPipeError):  # of what is left to write
                self._pipe.close()


class CheckedHypotheses:
    """Compares the hypotheses of every step with those that another process sends."""

    def __init__(self, fd: int, tolerance: float) -> None:
        """Begins to check.

        Args:
            fd: Where to read.
            tolerance: How much floats may differ.
        """
        self._pipe = os.fdopen(fd, "rb")
        self._tolerance = tolerance

    def after_step(self, monty: Any, lms: dict[str, Any]) -> None:
        """Notes how hypotheses differ from those of the other run after this step.

        Args:
            monty: The Monty, after the step.
            lms: What is recorded of its learning modules. For each object that the
                other run sends, the arrays that differ are added.
        """
        own = _arrays(monty)
        objects = {(lm, graph_id) for lm, graph_id, _ in own}
        for lm, graph_id, name, dtype, shape in json.loads(
            self._pipe.readline() or "[]"
        ):
            size = np.dtype(dtype).itemsize * int(np.prod(shape))
            content = self._pipe.read(size)
            if len(content) < size:
                return  # the other run was ended
            if (lm, graph_id) not in objects:
                continue  # other objects, which are compared elsewhere
            array = own.get((lm, graph_id, name))
            if array is None:
                found = Delta()
                found.unequal("shape", shape, None)
            else:
                sent = np.frombuffer(content, dtype).reshape(shape)
                found = array_delta(sent, array, self._tolerance)
            apart = lms[lm]["hypotheses"][graph_id].setdefault(APART, {})
            if found.largest or not found.equal:
                apart[name] = asdict(found)


def _arrays(monty: Any) -> Mapping[tuple[str, str, str], np.ndarray]:
    """Returns the arrays of hypotheses by learning module, object and name."""
    return {
        (lm, graph_id, name): np.asarray(array)
        for lm, objects in per_lm(monty, hypotheses_of).items()
        for graph_id, of_object in objects.items()
        for name in HYPOTHESES_ARRAYS
        if (array := getattr(of_object, name, None)) is not None
    }
