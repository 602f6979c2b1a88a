# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The evidence update on NVIDIA GPUs, through CuPy.

Nothing but `gpu` imports CuPy.
"""

from __future__ import annotations

from pathlib import Path

__all__ = ["KERNELS"]

KERNELS = Path(__file__).with_name("kernels.cu")
"""The text of all kernels."""
