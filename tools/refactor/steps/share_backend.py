# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The hypotheses updaters have two halves, and share one backend."""

from __future__ import annotations

from ..codemods.add_method import AddMethod
from ..codemods.add_statement import AddStatement
from ..codemods.update_in_two_halves import UpdateInTwoHalves
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
What updates the hypotheses of all graphs becomes an object that can be swapped: a
backend, which the hypotheses updaters of all learning modules share. MontyBase has it,
and the experiment closes it with Monty. The only one so far calls the updater's own
displace_hypotheses and update_evidence for each graph, in threads as before.

The updater's protocol gets two halves. dispatch hands the update of all graphs to the
backend; process returns hypotheses and telemetry by graph, and the learning module
keeps them. An updater without halves is run as before. The learning module knows its
updater, and names no backend. A subclass that overrides _update_evidence, which no
longer exists, is refused when it is constructed.

To check: the protocol (tbp.monty.backends.protocol), that nothing in
tbp.monty.backends imports the frameworks; that exceptions of evidence updates, which
threads used to print, are raised."""

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

_DEFAULT_DISPATCH = '''\
def dispatch(self, query: EvidenceQuery) -> Any:
    """Start to update all graphs. By default, all of it runs here.

    Args:
        query: The graphs, their hypotheses, and what is sensed.

    Returns:
        What `process` needs.
    """
    return update_graphs(self, query)
'''

_DEFAULT_PROCESS = '''\
def process(self, pending: Any) -> EvidenceOutcome:
    """Return hypotheses and telemetry by graph, when the update is complete."""
    return pending
'''

_DISPATCH = """\
def dispatch(self, query: EvidenceQuery) -> EvidenceWork:
    work = evidence_work(self, query)
    self.backend.dispatch(work)
    return work
"""

_PROCESS = """\
def process(self, pending: EvidenceWork) -> EvidenceOutcome:
    return self.backend.result(pending)
"""

_FOLDER = "frameworks/models/evidence_matching"
_UPDATE = "tbp.monty.frameworks.models.evidence_matching.evidence_update"
_EXPERIMENT = "frameworks/experiments/monty_experiment.py"
_MONTY = "frameworks/models/monty_base.py"
_BACKEND = NeededImport("tbp.monty.backends", "Backend")
_OUTCOME = NeededImport("tbp.monty.backends", "EvidenceOutcome")
_WORK = NeededImport("tbp.monty.backends", "EvidenceWork")
_QUERY = NeededImport(_UPDATE, "EvidenceQuery")
_REFERENCE = NeededImport("tbp.monty.backends.reference", "ReferenceBackend")


def _halves(
    file: str, class_name: str, dispatch: str, process: str, *imports: NeededImport
) -> tuple[Rewrite, ...]:
    return tuple(
        Rewrite(
            f"{_FOLDER}/{file}.py",
            AddMethod(
                class_name=class_name,
                place_after=after,
                method=method,
                imports=(_OUTCOME, _QUERY, *imports),
                later=("described_work", "DescribedOutcome"),
            ),
        )
        for after, method in (("update_evidence", dispatch), ("dispatch", process))
    )


def _on_a_backend(file: str, class_name: str) -> tuple[Rewrite, ...]:
    return (
        Rewrite(
            f"{_FOLDER}/{file}.py",
            AddStatement(
                class_name=class_name,
                method="__init__",
                statement="self.backend: Backend = ReferenceBackend()",
                place="last",
                imports=(_BACKEND, _REFERENCE),
            ),
        ),
        *_halves(
            file,
            class_name,
            _DISPATCH,
            _PROCESS,
            _WORK,
            NeededImport(_UPDATE, "evidence_work"),
        ),
    )


STEP = Step(
    title="feat!: update hypotheses in two halves, on one shared backend",
    part="core",
    after="inherit_matching_step",
    body=_BODY,
    rewrites=(
        *_halves(
            "hypotheses_updater",
            "HypothesesUpdater",
            _DEFAULT_DISPATCH,
            _DEFAULT_PROCESS,
            NeededImport(_UPDATE, "update_graphs"),
        ),
        *_on_a_backend("burst_sampling", "BurstSamplingHypothesesUpdater"),
        *_on_a_backend("hypotheses_updater", "DefaultHypothesesUpdater"),
        Rewrite(
            f"{_FOLDER}/learning_module.py",
            UpdateInTwoHalves(
                class_name="EvidenceGraphLM",
                imports=tuple(
                    NeededImport(_UPDATE, name)
                    for name in (
                        "EvidenceQuery",
                        "EvidenceThreshold",
                        "dispatch_update",
                        "process_update",
                    )
                ),
                unused=("time",),
            ),
        ),
        Rewrite(
            _MONTY,
            AddStatement(
                class_name="MontyBase",
                method="__init__",
                statement="self.backend: Backend = ReferenceBackend()",
                place="last",
                later=("open_backend",),
                imports=(_BACKEND, _REFERENCE),
            ),
        ),
        Rewrite(
            _MONTY,
            AddStatement(
                class_name="MontyBase",
                method="__init__",
                statement="share_backend(learning_modules, self.backend)",
                place="last",
                imports=(
                    NeededImport(
                        "tbp.monty.frameworks.models.lm_backend", "share_backend"
                    ),
                ),
            ),
        ),
        Rewrite(
            _MONTY,
            AddMethod(
                class_name="MontyBase", place_after="is_done", method=_MONTY_METHOD
            ),
        ),
        Rewrite(
            "experiment/monty.py",
            AddMethod(
                class_name="ExperimentMonty",
                place_after="is_done",
                method=_PROTOCOL_METHOD,
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
        Rewrite(
            _EXPERIMENT,
            AddStatement(
                class_name="MontyExperiment",
                method="_create_monty",
                statement="self._close_monty()",
                place="first",
            ),
        ),
        Rewrite(
            _EXPERIMENT,
            AddStatement(
                class_name="MontyExperiment",
                method="close",
                statement="self._close_monty()",
                place="first",
                later=("_close_monty",),
            ),
        ),
    ),
    overlay=(
        *(
            f"backends/{module}.py"
            for module in ("__init__", "protocol", "reference", "work")
        ),
        f"{_FOLDER}/evidence_update.py",
        "frameworks/models/lm_backend.py",
    ),
    tests=(
        "backends/works.py",
        "backends/reference_test.py",
        f"{_FOLDER}/evidence_update_test.py",
    ),
)
