# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds the JSON encoder of torch's tensors without importing torch."""

from __future__ import annotations

from typing import Any, Callable

__all__ = ["tensor_encoder"]


def tensor_encoder(obj_type: type) -> Callable[[Any], Any] | None:
    """Return what encodes objects of a type, if they are tensors.

    Args:
        obj_type: Any type. Tensors are known by name: whoever made one has imported
            torch, and nobody else needs it.
    """
    names = [(one.__module__, one.__qualname__) for one in obj_type.mro()]
    return _encode_tensor if ("torch", "Tensor") in names else None


def _encode_tensor(tensor: Any) -> Any:
    return tensor.cpu().numpy()
