# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Overrides of whole steps keep working."""

from __future__ import annotations

from ..codemods.add_method import AddMethod
from ..codemods.replace_call import ReplaceCall
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Code that builds on Monty overrides whole steps, or whole methods of a step. Core
refuses such a learning module; the fork runs it as before. A learning module that
overrides its whole step is stepped whole while others are processed. One that overrides
a whole method within the step runs that method, whole, in the second phase. One that
has its own _update_evidence, in its class or set on it, and an updater without halves,
run when the step is dispatched. The summary of a run says so, and why. Exceptions name
the learning module they come from.

To check: that an override runs exactly once, in the order of the classes. Where the
classes leave no such order, because one has the whole of a method and another one its
halves, the learning module is still refused."""

_MODELS = "tbp.monty.frameworks.models"
_HONOURED = f"{_MODELS}.honoured_overrides"
_EVIDENCE_LM = "frameworks/models/evidence_matching/learning_module.py"

_UPDATE = """\
return dispatch_honoured_update(self, EvidenceGraphLM, evidence_query)
"""

_DISPATCH = """\
pending[i] = dispatch_honoured_step(
    self.backend,
    self.learning_modules[i],
    self.step_type,
    ctx,
    sensory_inputs,
)
"""

_PROCESS = """\
process_honoured_step(
    self.learning_modules[i], self.step_type, pending[i]
)
"""

_WHOLE = '''\
def _compute_possible_matches(self, *args, **kwargs):
    """Use graph memory to get the current possible matches, in two halves."""
    pending = self._dispatch_compute_possible_matches(*args, **kwargs)
    self._process_compute_possible_matches(pending)
'''

_OF_GRAPH = '''\
def _update_evidence(self, features, displacement, graph_id: str) -> None:
    """Update one graph and keep the results, for classes that override this."""
    query = self._evidence_query(features, displacement)
    updated, telemetry = update_graph(self.hypotheses_updater, query, graph_id)
    self._hypotheses[graph_id] = updated
    if telemetry is not None:
        self.hypotheses_updater_telemetry[graph_id] = telemetry
'''


def _calling(caller: str, half: str) -> Rewrite:
    """Make a method call half of another one in the form overridden."""
    return Rewrite(
        _EVIDENCE_LM,
        ReplaceCall(
            class_name="EvidenceGraphLM",
            method=caller,
            function=f"self.{half}",
            by=f'half(self, "{half}")',
            imports=(NeededImport(_HONOURED, "half"),),
        ),
    )


STEP = Step(
    title="feat: run overrides of whole steps as before",
    part="fork",
    after="describe_updates",
    body=_BODY,
    rewrites=(
        Rewrite(
            _EVIDENCE_LM,
            ReplaceCall(
                class_name="EvidenceGraphLM",
                method="__init__",
                function="refuse_whole_overrides",
                by="refuse_mixed_overrides",
                imports=(NeededImport(_HONOURED, "refuse_mixed_overrides"),),
                unused=("refuse_whole_overrides",),
            ),
        ),
        Rewrite(
            _EVIDENCE_LM,
            AddMethod(
                class_name="EvidenceGraphLM",
                place_after="_process_compute_possible_matches",
                method=_WHOLE,
            ),
        ),
        *(
            _calling(caller, half)
            for phase in ("dispatch", "process")
            for caller, half in (
                (f"{phase}_matching_step", f"_{phase}_compute_possible_matches"),
                (
                    f"_{phase}_compute_possible_matches",
                    f"_{phase}_update_possible_matches",
                ),
            )
        ),
        Rewrite(
            _EVIDENCE_LM,
            AddMethod(
                class_name="EvidenceGraphLM",
                place_after="_evidence_query",
                method=_OF_GRAPH,
                imports=(
                    NeededImport(
                        f"{_MODELS}.evidence_matching.evidence_update", "update_graph"
                    ),
                ),
            ),
        ),
        Rewrite(
            _EVIDENCE_LM,
            ReplaceStatements(
                class_name="EvidenceGraphLM",
                method="_dispatch_update_possible_matches",
                first="return dispatch_update(",
                by=_UPDATE,
                imports=(
                    NeededImport(
                        f"{_MODELS}.evidence_matching.honoured_updates",
                        "dispatch_honoured_update",
                    ),
                ),
                unused=("dispatch_update",),
            ),
        ),
        *(
            Rewrite(
                f"frameworks/models/{file}.py",
                ReplaceStatements(
                    class_name=class_name,
                    method="step_learning_modules",
                    first=f"{first}{function}(",
                    by=by,
                    imports=(NeededImport(_HONOURED, honoured),),
                    unused=(function,),
                ),
            )
            for file, class_name in (
                ("monty_base", "MontyBase"),
                ("graph_matching", "MontyForGraphMatching"),
            )
            for first, function, honoured, by in (
                ("pending[i] = ", "dispatch_step", "dispatch_honoured_step", _DISPATCH),
                ("", "process_step", "process_honoured_step", _PROCESS),
            )
        ),
    ),
    overlay=(
        "frameworks/models/evidence_matching/honoured_updates.py",
        "frameworks/models/honoured_overrides.py",
    ),
    tests=("frameworks/models/honoured_overrides_test.py",),
)
