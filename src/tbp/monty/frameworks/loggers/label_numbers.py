# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Numbers for labels."""

from __future__ import annotations

from typing import Iterable

import numpy as np
import numpy.typing as npt

__all__ = ["LabelNumbers"]


class LabelNumbers:
    """Numbers labels in their sorted order, as sklearn's `LabelEncoder` does."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    def fit(self, labels: Iterable[str]) -> LabelNumbers:
        """Number these labels.

        Args:
            labels: The labels; one that occurs twice has one number.

        Returns:
            The object itself.
        """
        self._numbers = {label: at for at, label in enumerate(sorted(set(labels)))}
        return self

    def transform(self, labels: Iterable[str]) -> npt.NDArray[np.int64]:
        """Return the numbers of labels.

        Args:
            labels: Labels that were given to `fit`.

        Raises:
            ValueError: If one of them was not.
        """
        try:
            numbers = [self._numbers[label] for label in labels]
        except KeyError as error:
            raise ValueError(f"unknown label: {error}") from error
        return np.array(numbers, dtype=np.int64)
