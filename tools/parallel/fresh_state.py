# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Leaves nothing of an episode behind in the process that ran it.

Upstream runs every episode in a process of its own. Here a process runs many, each
with a new experiment. These are the states of the process, outside of the experiment,
that upstream's code changes.
"""

from __future__ import annotations

import contextlib
import gc
import logging
import os
import random
import sys
from collections.abc import Iterator
from typing import Any

import numpy as np

from ..lazy_modules import is_loaded

__all__ = ["fresh_state"]


@contextlib.contextmanager
def fresh_state() -> Iterator[None]:
    """Surrounds an episode; the process is afterwards as it was before."""
    environ = dict(os.environ)
    _seed()
    with np.errstate(), np.printoptions(), _same_tables(), _same_logging():
        try:
            yield
        finally:
            os.environ.clear()
            os.environ.update(environ)
            _close_figures()
            _finish_wandb()
    # An experiment and its Monty refer to each other.
    gc.collect()


def _seed() -> None:
    """Seeds the global random generators from the system, as a new process does."""
    random.seed()
    np.random.seed()  # noqa: NPY002 the global one is meant
    torch: Any = sys.modules.get("torch")
    if torch is not None:
        torch.seed()


@contextlib.contextmanager
def _same_tables() -> Iterator[None]:
    """Restores how pandas prints tables, which Monty's loggers set."""
    pandas: Any = sys.modules.get("pandas")
    if pandas is None:
        yield
        return
    rows = "display.max_rows"
    with pandas.option_context(rows, pandas.get_option(rows)):
        yield


def _close_figures() -> None:
    pyplot: Any = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


def _finish_wandb() -> None:
    if is_loaded("wandb"):
        wandb: Any = sys.modules["wandb"]
        if wandb.run is not None:
            wandb.finish()


@contextlib.contextmanager
def _same_logging() -> Iterator[None]:
    """Restores all loggers, and closes the handlers that were added.

    Closing an experiment removes only every other handler, because it changes the list
    that it goes through.
    """
    before = {logger: _state(logger) for logger in _loggers()}
    unused = _state(logging.Logger("unused"))  # noqa: LOG001 read, and never used
    try:
        yield
    finally:
        kept = {id(one) for state in before.values() for one in state["handlers"]}
        for logger in _loggers():
            for handler in logger.handlers:
                if id(handler) not in kept:
                    handler.close()
            _restore(logger, before.get(logger, unused))


def _loggers() -> list[logging.Logger]:
    known = logging.Logger.manager.loggerDict.values()
    return [logging.root, *(one for one in known if isinstance(one, logging.Logger))]


def _state(logger: logging.Logger) -> dict[str, Any]:
    return {
        "level": logger.level,
        "propagate": logger.propagate,
        "disabled": logger.disabled,
        "handlers": list(logger.handlers),
        "filters": list(logger.filters),
    }


def _restore(logger: logging.Logger, state: dict[str, Any]) -> None:
    logger.setLevel(state["level"])
    logger.propagate, logger.disabled = state["propagate"], state["disabled"]
    logger.handlers[:], logger.filters[:] = state["handlers"], state["filters"]
