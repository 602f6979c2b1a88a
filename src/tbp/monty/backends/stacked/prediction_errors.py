# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The prediction errors of a learning module, as updaters tell them."""

from __future__ import annotations

from typing import Any, Dict, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.stacked.lazy_dict import LazyDict
from tbp.monty.backends.tables.kernel_work import UpdateResult

__all__ = ["PredictionErrors"]


class PredictionErrors(LazyDict[Dict[str, Any]]):
    """The telemetry of the last update, by graph.

    Most of it is never read: only the most likely object's, unless all is logged.
    """

    def keep(
        self,
        graph_ids: Sequence[str],
        positions: slice,
        result: UpdateResult,
        is_new: npt.NDArray[np.bool_] | None = None,
    ) -> None:
        """Have the prediction errors of an update.

        Args:
            graph_ids: The graphs that were updated.
            positions: Which segments of the result are theirs.
            result: The result of the update.
            is_new: Which of all segments had no hypotheses before, and so no error to
                tell; None if such ones tell that none was tested.
        """
        if graph_ids is not self._keys:
            self.make_all()  # those of other graphs stay as they are
        self._positions, self._result, self._is_new = positions, result, is_new
        self.put_off(graph_ids)

    def make(self, key: str) -> dict[str, Any]:
        position = self._positions.start + self._keys.index(key)
        if self._is_new is not None and self._is_new[position]:
            return {}
        is_tested = self._result.tested[position]
        error = self._result.prediction_error[position] if is_tested else None
        return {"mlh_prediction_error": error}
