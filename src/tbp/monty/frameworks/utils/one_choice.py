# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""One of several options, by chance."""

from __future__ import annotations

from typing import Sequence

from numpy.random import RandomState

__all__ = ["one_choice"]


def one_choice(options: Sequence[str], rng: RandomState) -> str:
    """Return what `rng.choice` returns, without making an array of the options.

    Args:
        options: The options.
        rng: The source of chance. Its state is afterwards as after `choice`.
    """
    if not (options and isinstance(rng, RandomState)):
        return rng.choice(options)
    return options[rng.randint(0, len(options))]
