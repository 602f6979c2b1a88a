# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A backend is chosen by its name."""

from __future__ import annotations

from ..codemods.add_init_parameter import AddInitParameter
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
There are now two backends. MontyBase opens the one that a config names as `backend`,
or the environment variable MONTY_BACKEND. Without a name it is `reference`, as before.
A distribution can add backends with an entry point.

To check: which choice takes precedence, and what is said about a backend that is
unknown or cannot be used here."""

_DOCUMENTATION = """\
What runs the learning modules' work: a backend, or its name.
The environment variable `MONTY_BACKEND` takes precedence over a name
or `None`. Without both, it is the learning modules' own code."""

_FILE = "frameworks/models/monty_base.py"
_OPENED = "self.backend = share_backend(learning_modules, open_backend(backend))"

STEP = Step(
    title="feat: choose a backend by its name",
    part="backends",
    # There is nothing to choose before there are two.
    after="numpy_backend",
    body=_BODY,
    rewrites=(
        Rewrite(
            _FILE,
            AddInitParameter(
                class_name="MontyBase",
                parameter="backend: str | Backend | None = None",
                documentation=_DOCUMENTATION,
                imports=(NeededImport("tbp.monty.backends", "Backend"),),
            ),
        ),
        Rewrite(
            _FILE,
            ReplaceStatements(
                class_name="MontyBase",
                method="__init__",
                first="self.backend = share_backend(",
                by=_OPENED,
                imports=(NeededImport("tbp.monty.backends.registry", "open_backend"),),
                unused=("ReferenceBackend",),
            ),
        ),
    ),
    overlay=("backends/registry.py",),
    tests=(
        "backends/registry_test.py",
        "frameworks/models/chosen_backend_test.py",
    ),
)
