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
from ..codemods.finally_rest import FinallyRest
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
MontyBase opens the backend that a config names as `backend`, or the environment
variable MONTY_BACKEND. Without a name it is `reference`, as before. A distribution can
add backends with an entry point. What updaters share counts what ran on the backend,
refuses updates whose results nobody takes, and has the backend forget those of a step
that failed. An experiment closes everything else, also if its backend cannot be closed.

To check: which choice takes precedence, and what is said about a backend that is
unknown or cannot be used here."""

_DOCUMENTATION = """\
What runs the learning modules' work: a backend, or its name.
The environment variable `MONTY_BACKEND` takes precedence over a name
or `None`. Without both, it is the learning modules' own code."""

_STEP_OF_BACKEND = """\
with self.backend.step():
    self.step_learning_modules(ctx, self.lm_groups, inputs)
"""

_FILE = "frameworks/models/monty_base.py"

STEP = Step(
    title="feat: choose a backend by its name",
    part="fork",
    body=_BODY,
    rewrites=(
        Rewrite(
            _FILE,
            AddInitParameter(
                class_name="MontyBase",
                parameter="backend: str | KnownBackend | None = None",
                documentation=_DOCUMENTATION,
            ),
        ),
        Rewrite(
            _FILE,
            ReplaceStatements(
                class_name="MontyBase",
                method="__init__",
                first="self.backend: Backend = ReferenceBackend()",
                by="self.backend = SharedBackend(open_backend(backend))",
                imports=(
                    NeededImport("tbp.monty.backends.registry", "KnownBackend"),
                    NeededImport("tbp.monty.backends.registry", "open_backend"),
                    NeededImport("tbp.monty.backends.shared", "SharedBackend"),
                ),
                unused=("Backend", "ReferenceBackend"),
            ),
        ),
        Rewrite(
            _FILE,
            ReplaceStatements(
                class_name="MontyBase",
                method="_step_learning_modules",
                first="self.step_learning_modules(ctx, self.lm_groups, inputs)",
                by=_STEP_OF_BACKEND,
            ),
        ),
        # The rest is closed, too, if a backend cannot be.
        Rewrite(
            "frameworks/experiments/monty_experiment.py",
            FinallyRest(
                class_name="MontyExperiment",
                method="close",
                statement="self._close_monty()",
            ),
        ),
    ),
    overlay=(
        "backends/builtin/__init__.py",
        "backends/builtin/reference.py",
        "backends/failures.py",
        "backends/registry.py",
        "backends/shared.py",
    ),
    tests=(
        "backends/registry_test.py",
        "backends/shared_test.py",
        "frameworks/models/chosen_backend_test.py",
    ),
)
