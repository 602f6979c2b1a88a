# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Reads models, unpickled or converted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tbp.monty.frameworks.utils.unpickle_model import RefusedModel, unpickle_model

__all__ = ["read_model"]


def read_model(path: Path | str) -> Any:
    """Read a model that `torch.save` or `monty model convert` wrote.

    Args:
        path: The file, or `model.pt` below a converted file or its folder.

    Returns:
        The state dict of a Monty.

    Raises:
        RefusedModel: If it cannot be read, or needs to be trusted.
    """
    # Imported here: the tools belong to the fork, not to Monty.
    from monty_tools.ending import CouldNotRun  # noqa: PLC0415
    from monty_tools.models.converted import (  # noqa: PLC0415
        find_converted,
        read_converted,
    )

    converted = find_converted(Path(path))
    if converted is None:
        return unpickle_model(path)
    try:
        return read_converted(converted)
    except CouldNotRun as reason:
        raise RefusedModel(str(reason)) from reason
