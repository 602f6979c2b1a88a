# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""What a user can set for the CUDA backends, by environment variables."""

from __future__ import annotations

import os
from dataclasses import dataclass

import numpy as np

__all__ = ["DEVICES", "PRECISION", "TIME_LIMIT", "CudaSettings", "InvalidSetting"]

PRECISION = "MONTY_CUDA_PRECISION"
TIME_LIMIT = "MONTY_CUDA_TIME_LIMIT"
DEVICES = "MONTY_CUDA_DEVICES"


class InvalidSetting(ValueError):
    """An environment variable has a value that means nothing."""


@dataclass(frozen=True)
class CudaSettings:
    """How to use GPUs.

    Attributes:
        real: The floating-point type; float64 gives the same results as `numba`.
        time_limit_s: How long a step may take before it counts as hanging.
        devices: Which GPUs to use; None for all that are visible.
    """

    real: np.dtype
    time_limit_s: float
    devices: tuple[int, ...] | None

    @classmethod
    def from_environment(cls) -> CudaSettings:
        """Return what is set.

        Raises:
            InvalidSetting: If a value means nothing.
        """
        precision = os.environ.get(PRECISION, "float64")
        if precision not in {"float64", "float32"}:
            raise InvalidSetting(
                f"{PRECISION} must be float64 or float32, got {precision!r}"
            )
        limit = os.environ.get(TIME_LIMIT, "60")
        devices = os.environ.get(DEVICES)
        try:
            time_limit = float(limit)
        except ValueError:
            time_limit = float("nan")
        if not time_limit > 0:
            raise InvalidSetting(
                f"{TIME_LIMIT} must be a positive number of seconds, got {limit!r}"
            )
        return cls(
            real=np.dtype(precision),
            time_limit_s=time_limit,
            devices=None if not devices else _device_numbers(devices),
        )


def _device_numbers(text: str) -> tuple[int, ...]:
    try:
        numbers = tuple(int(part) for part in text.split(","))
    except ValueError:
        numbers = ()
    if not numbers or min(numbers) < 0 or len(set(numbers)) < len(numbers):
        raise InvalidSetting(
            f"{DEVICES} must be numbers of GPUs, such as 0,1, got {text!r}"
        )
    return numbers
