# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Settings as plain lists and dictionaries."""

from __future__ import annotations

from typing import TypeVar, cast

from omegaconf import DictConfig, ListConfig, OmegaConf

__all__ = ["plain"]

_Settings = TypeVar("_Settings")


def plain(settings: _Settings) -> _Settings:
    """Return settings that are fast to look up.

    Hydra hands over its own containers, which resolve what they hold on every access.
    Settings that are read on every step are resolved once.

    Args:
        settings: What a constructor was given.

    Returns:
        Lists and dictionaries instead of Hydra's containers; anything else as it is.
    """
    if isinstance(settings, (DictConfig, ListConfig)):
        # Typed as what the caller asked Hydra for.
        return cast("_Settings", OmegaConf.to_container(settings, resolve=True))
    return settings
