# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""All learning modules of a Monty share one backend."""

from __future__ import annotations

from ..codemods.add_method import AddMethod
from ..codemods.add_statement import AddStatement
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
What runs the learning modules' work becomes an object that can be swapped. MontyBase
opens one backend and gives it to its learning modules; the experiment closes it with
Monty. The only backend so far runs the learning modules' own code, and nothing uses
it yet.

To check: the protocol (tbp.monty.backends.protocol), that nothing in
tbp.monty.backends imports the frameworks, and that a learning module without a Monty
has a backend, too."""

_PROTOCOL_METHOD = '''\
def close(self) -> None:
    """Release the model's resources, such as its backend."""
    ...
'''

_MONTY_METHOD = """\
def close(self) -> None:
    self.backend.close()
"""

_EXPERIMENT_METHOD = '''\
def _close_monty(self) -> None:
    """Close the Monty model, if there is one."""
    model = getattr(self, "model", None)
    if model is not None:
        model.close()
'''

_LM_METHOD = '''\
def use_backend(self, backend: SharedBackend) -> None:
    """Have a backend run the work of this learning module."""
    self.backend = backend
'''

_EXPERIMENT = "frameworks/experiments/monty_experiment.py"
_EVIDENCE_LM = "frameworks/models/evidence_matching/learning_module.py"
_SHARED = NeededImport("tbp.monty.backends", "SharedBackend")
_REFERENCE = NeededImport("tbp.monty.backends.builtin.reference", "ReferenceBackend")


def _closing(method: str) -> Rewrite:
    return Rewrite(
        _EXPERIMENT,
        AddStatement(
            class_name="MontyExperiment",
            method=method,
            statement="self._close_monty()",
            place="first",
        ),
    )


STEP = Step(
    title="feat: share one backend between learning modules",
    part="core",
    # The backend must exist before it gets work.
    body=_BODY,
    rewrites=(
        Rewrite(
            "experiment/monty.py",
            AddMethod(
                class_name="ExperimentMonty",
                place_after="is_done",
                method=_PROTOCOL_METHOD,
            ),
        ),
        Rewrite(
            "frameworks/models/monty_base.py",
            AddStatement(
                class_name="MontyBase",
                method="__init__",
                statement=(
                    "self.backend = share_backend(learning_modules, ReferenceBackend())"
                ),
                place="last",
                later=("open_backend",),
                imports=(
                    NeededImport("tbp.monty.backends", "share_backend"),
                    _REFERENCE,
                ),
            ),
        ),
        Rewrite(
            "frameworks/models/monty_base.py",
            AddMethod(
                class_name="MontyBase",
                place_after="is_done",
                method=_MONTY_METHOD,
            ),
        ),
        Rewrite(
            _EXPERIMENT,
            AddMethod(
                class_name="MontyExperiment",
                place_after="_create_monty",
                method=_EXPERIMENT_METHOD,
            ),
        ),
        # An experiment may create several Montys, one after the other.
        _closing("_create_monty"),
        _closing("close"),
        Rewrite(
            _EVIDENCE_LM,
            AddStatement(
                class_name="EvidenceGraphLM",
                method="__init__",
                statement="self.backend = SharedBackend(ReferenceBackend())",
                place="last",
                imports=(_SHARED, _REFERENCE),
            ),
        ),
        Rewrite(
            _EVIDENCE_LM,
            AddMethod(
                class_name="EvidenceGraphLM",
                place_after="reset_stm",
                method=_LM_METHOD,
            ),
        ),
    ),
    overlay=tuple(
        f"backends/{module}.py"
        for module in (
            "__init__",
            "builtin/__init__",
            "builtin/reference",
            "failures",
            "protocol",
            "shared",
            "work",
        )
    ),
    tests=(
        "interrupts.py",
        "backends/works.py",
        "backends/reference_test.py",
        "backends/shared_test.py",
    ),
)
