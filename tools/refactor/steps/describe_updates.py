# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Hypotheses updaters describe their updates as data."""

from __future__ import annotations

from ..codemods.add_method import AddMethod
from ..codemods.add_statement import AddStatement
from ..codemods.replace_call import ReplaceCall
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
A backend that does the evidence update itself needs to know what the update is. The two
hypotheses updaters describe it as data, when a backend asks, and keep what it returns.
Their parts say what their settings are; a tracker gives its past evidence, and is made
from it; the graph memory counts the changes of its graphs. An updater with a part that
is not Monty's own, a subclass, and one with a method set on the instance still work: a
backend says that it cannot run them, and why.

To check: that the description has everything that decides the arithmetic."""

_FOLDER = "frameworks/models/evidence_matching"
_MODULES = "tbp.monty.frameworks.models.evidence_matching"
_DESCRIBED = f"{_MODULES}.described_update"
_UPDATE = NeededImport("tbp.monty.backends.described_work", "EvidenceUpdate")
_HISTORY = NeededImport("tbp.monty.backends.described_work", "EvidenceHistory")

_SCORER_SETTINGS = '''\
def settings(self) -> dict[str, Any]:
    """Return what decides the feature evidence."""
    return {
        "feature_evidence_calculator": self._feature_evidence_calculator,
        "feature_evidence_increment": self._feature_evidence_increment,
        "feature_weights": self._feature_weights,
        "tolerances": self._tolerances,
        "use_features_for_matching": self._use_features_for_matching_by_channel,
    }
'''

_DISPLACER_SETTINGS = '''\
def settings(self) -> dict[str, Any]:
    """Return what decides the evidence, besides that of features."""
    return {
        "feature_evidence_scorer": self._feature_evidence_scorer,
        "feature_weights": self.feature_weights,
        "max_match_distance": self.max_match_distance,
        "max_nneighbors": self.max_nneighbors,
        "past_weight": self.past_weight,
        "present_weight": self.present_weight,
    }
'''

_TO_HISTORY = '''\
def history(self) -> EvidenceHistory:
    """Return the tracked evidence."""
    return EvidenceHistory(
        self._evidence_buffer, self._hyp_age, self._channels_buffer
    )
'''

_FROM_HISTORY = '''\
@staticmethod
def from_history(history: EvidenceHistory) -> EvidenceSlopeTracker:
    """Return a tracker with a copy of past evidence."""
    tracker = EvidenceSlopeTracker(window_size=history.window.shape[1])
    tracker._evidence_buffer = np.array(history.window)
    tracker._hyp_age = np.array(history.ages, dtype=int)
    tracker._channels_buffer = np.array(history.channels, dtype=np.float64)
    return tracker
'''

_REFRESH = """\
def initialize_feature_arrays(self) -> None:
    super().initialize_feature_arrays()
    self.stored_graphs.refresh()
"""

_DEFAULT_SETTINGS = '''\
def settings(self) -> dict[str, Any]:
    """Return what decides the arithmetic; raise `CannotRun` if it is not known."""
    check_is_unchanged(self, DefaultHypothesesUpdater)
    return {
        **settings_of_parts(
            self._hypotheses_displacer, self._feature_evidence_scorer
        ),
        "initial_possible_poses": self.initial_possible_poses,
        "umbilical_num_poses": self.umbilical_num_poses,
    }
'''

_BURST_SETTINGS = '''\
def settings(self) -> dict[str, Any]:
    """Return what decides the arithmetic; raise `CannotRun` if it is not known."""
    check_is_unchanged(self, BurstSamplingHypothesesUpdater)
    return {
        **settings_of_parts(
            self._hypotheses_displacer, self._feature_evidence_scorer
        ),
        "deletion_trigger_slope": self.deletion_trigger_slope,
        "include_telemetry": self.include_telemetry,
        "initial_possible_poses": self.initial_possible_poses,
        "sampling_multiplier": self.sampling_multiplier,
        "umbilical_num_poses": self.umbilical_num_poses,
    }
'''

_DEFAULT_DESCRIBE = '''\
def describe(self, query: EvidenceQuery) -> EvidenceUpdate:
    """Return an update as data; raise `CannotRun` if that is not possible."""
    return described(
        query, "default", self, initialized_channels=self._initialized_channels
    )
'''

_BURST_DESCRIBE = '''\
def describe(self, query: EvidenceQuery) -> EvidenceUpdate:
    """Return an update as data; raise `CannotRun` if that is not possible."""
    self.__enter__()  # It is left when the results are kept.
    return described(
        query,
        "burst_sampling",
        self,
        trackers=self.evidence_slope_trackers,
        is_sampling=self.sampling_burst_steps > 0,
        max_slope=self.max_slope,
    )
'''

_DEFAULT_KEEP = """\
outcome = self.backend.result(pending)
if isinstance(outcome, DescribedOutcome):
    self._initialized_channels.update(outcome.initialized_channels)
return outcome
"""

_BURST_KEEP = """\
outcome = self.backend.result(pending)
if isinstance(outcome, DescribedOutcome):
    self.evidence_slope_trackers.update(outcome.trackers)
    self.__exit__(None, None, None)
return outcome
"""


def _method(
    file: str, class_name: str, place_after: str, method: str, *imports: NeededImport
) -> Rewrite:
    return Rewrite(
        f"{_FOLDER}/{file}.py",
        AddMethod(
            class_name=class_name,
            place_after=place_after,
            method=method,
            imports=imports,
        ),
    )


def _describing(
    file: str, class_name: str, settings: str, describe: str, keep: str
) -> tuple[Rewrite, ...]:
    return (
        Rewrite(
            f"{_FOLDER}/{file}.py",
            ReplaceCall(
                class_name=class_name,
                method="dispatch",
                function="evidence_work",
                by="described_work",
                imports=(NeededImport(_DESCRIBED, "described_work"),),
                unused=("evidence_work",),
            ),
        ),
        Rewrite(
            f"{_FOLDER}/{file}.py",
            ReplaceStatements(
                class_name=class_name,
                method="process",
                first="return self.backend.result(pending)",
                by=keep,
                imports=(
                    NeededImport(
                        "tbp.monty.backends.described_work", "DescribedOutcome"
                    ),
                ),
            ),
        ),
        _method(
            file,
            class_name,
            "process",
            describe,
            _UPDATE,
            NeededImport(_DESCRIBED, "check_is_unchanged"),
            NeededImport(_DESCRIBED, "described"),
        ),
        _method(
            file,
            class_name,
            "describe",
            settings,
            NeededImport(_DESCRIBED, "settings_of_parts"),
        ),
    )


STEP = Step(
    title="feat: hypotheses updaters describe their updates",
    part="fork",
    after="choose_backend",
    body=_BODY,
    rewrites=(
        _method(
            "feature_evidence/scorer",
            "DefaultFeatureEvidenceScorer",
            "__call__",
            _SCORER_SETTINGS,
            NeededImport("typing", "Any"),
        ),
        _method(
            "hypotheses_displacer",
            "DefaultHypothesesDisplacer",
            "compute_evidence",
            _DISPLACER_SETTINGS,
            NeededImport("typing", "Any"),
        ),
        _method(
            "evidence_slope_tracker",
            "EvidenceSlopeTracker",
            "select_hypotheses",
            _TO_HISTORY,
            _HISTORY,
        ),
        _method(
            "evidence_slope_tracker", "EvidenceSlopeTracker", "history", _FROM_HISTORY
        ),
        Rewrite(
            f"{_FOLDER}/graph_memory.py",
            AddStatement(
                class_name="EvidenceGraphMemory",
                method="__init__",
                statement="self.stored_graphs = StoredGraphs(self)",
                place="last",
                imports=(NeededImport(f"{_MODULES}.stored_graphs", "StoredGraphs"),),
            ),
        ),
        _method("graph_memory", "EvidenceGraphMemory", "__init__", _REFRESH),
        *_describing(
            "hypotheses_updater",
            "DefaultHypothesesUpdater",
            _DEFAULT_SETTINGS,
            _DEFAULT_DESCRIBE,
            _DEFAULT_KEEP,
        ),
        *_describing(
            "burst_sampling",
            "BurstSamplingHypothesesUpdater",
            _BURST_SETTINGS,
            _BURST_DESCRIBE,
            _BURST_KEEP,
        ),
    ),
    overlay=(
        "backends/described_work.py",
        f"{_FOLDER}/described_update.py",
        f"{_FOLDER}/stored_graphs.py",
    ),
    tests=(f"{_FOLDER}/described_update_test.py",),
)
