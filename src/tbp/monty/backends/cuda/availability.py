# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Whether there is a GPU to use, and if not, why not and what to do."""

from __future__ import annotations

import importlib.util
from typing import Any

from tbp.monty.backends.cuda.settings import CudaSettings, InvalidSetting

__all__ = ["LEAST_MEMORY", "reason_against"]

LEAST_MEMORY = 512 * 2**20
"""Bytes that must be free: contexts and kernels alone take half of that."""

_INSTALL = (
    "pip install 'tbp.monty[cuda13]' for a driver of CUDA 13, or 'tbp.monty[cuda12]' "
    "for one of CUDA 12"
)

_REMEDIES = {
    # Numbers of cudaError_t.
    35: "the NVIDIA driver is too old for the installed CuPy; update the driver, or "
    f"install the CuPy that fits it: {_INSTALL}",
    46: "the GPU is busy: another process has it for itself; wait for it, or choose "
    "another with MONTY_CUDA_DEVICES",
    100: "there is no NVIDIA GPU, or CUDA_VISIBLE_DEVICES hides it",
    2: "the GPU has no memory left; end what uses it (nvidia-smi shows it), or choose "
    "another with MONTY_CUDA_DEVICES",
}


def reason_against() -> str | None:
    """Return why no GPU can be used here, with a remedy; None if one can."""
    try:
        settings = CudaSettings.from_environment()
    except InvalidSetting as error:
        return str(error)
    if importlib.util.find_spec("cupy") is None:
        return f"CuPy is not installed; {_INSTALL}"
    try:
        import cupy  # noqa: PLC0415
    except Exception as error:  # noqa: BLE001 whatever it is, it is the reason
        return f"CuPy cannot be imported ({error}); {_INSTALL}"
    runtime = cupy.cuda.runtime
    try:
        return _reason_against_gpus(cupy, settings)
    except runtime.CUDARuntimeError as error:
        remedy = _REMEDIES.get(error.status)
        return remedy or f"CUDA does not work here: {error}; nvidia-smi may say more"


def _reason_against_gpus(cupy: Any, settings: CudaSettings) -> str | None:
    count = cupy.cuda.runtime.getDeviceCount()
    if count == 0:
        return _REMEDIES[100]
    for device in settings.devices or range(count):
        if device >= count:
            return (
                f"MONTY_CUDA_DEVICES names GPU {device}, and there are {count}, "
                "numbered from 0"
            )
        with cupy.cuda.Device(device):
            free, total = cupy.cuda.runtime.memGetInfo()
        if free < LEAST_MEMORY:
            return (
                f"GPU {device} has {free / 2**20:.0f} MiB free of "
                f"{total / 2**20:.0f}, and at least {LEAST_MEMORY / 2**20:.0f} are "
                "needed; end what uses it (nvidia-smi shows it), or choose another "
                "with MONTY_CUDA_DEVICES"
            )
    return None
