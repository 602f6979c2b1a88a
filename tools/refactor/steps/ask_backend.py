# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Learning modules ask their backend before they read all evidence."""

from __future__ import annotations

from ..codemods.add_statement import AddStatement
from ..codemods.replace_expression import ReplaceExpression
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
After every step a learning module looks for the highest evidence of each graph, and
burst sampling for the highest slope. A backend has found both on the way. Where it
keeps the hypotheses on a GPU, reading them all would take longer than the update. So
these methods ask it first, and do what they did where it does not know. Of the two most
likely hypotheses only their own rows are read. A goal generator asks how many there are
without reading one.

To check: that tbp.monty.backends.hypotheses answers as the methods themselves would,
also for hypotheses that somebody has changed or replaced since."""

_MODULE = "tbp.monty.backends.hypotheses"
_FOLDER = "frameworks/models/evidence_matching"


def _asking(
    file: str, class_name: str, method: str, function: str, statement: str
) -> Rewrite:
    return Rewrite(
        f"{_FOLDER}/{file}",
        AddStatement(
            class_name=class_name,
            method=method,
            statement=statement,
            place="first",
            imports=(NeededImport(_MODULE, function),),
        ),
    )


def _reading_one(method: str, function: str, **statements: str) -> Rewrite:
    return Rewrite(
        f"{_FOLDER}/learning_module.py",
        ReplaceStatements(
            class_name="EvidenceGraphLM",
            method=method,
            imports=(NeededImport(_MODULE, function),),
            **statements,
        ),
    )


def _of_that_one(expression: str, by: str) -> Rewrite:
    return Rewrite(
        f"{_FOLDER}/learning_module.py",
        ReplaceExpression(
            class_name="EvidenceGraphLM",
            method="_get_mlh_dict_from_id",
            expression=expression,
            by=by,
        ),
    )


_EVIDENCE = """\
if (
    known := known_evidence(self._hypotheses, self.get_all_known_object_ids())
) is not None:
    return known
"""

_SLOPE = """\
if (known := highest_slope(self.evidence_slope_trackers)) is not None:
    return known
"""

_GRAPH = """\
if graph_id is None:
    graph_ids = self.get_all_known_object_ids()
    graph_id = most_likely_graph(self._hypotheses, graph_ids)
"""

_MOST_LIKELY = """\
mlh_id = most_likely(self._hypotheses[graph_id])
if mlh_id is not None:
    mlh = self._get_mlh_dict_from_id(graph_id, mlh_id)
"""

_CURRENT_LOCATION = """\
hypothesis = one_hypothesis(self._hypotheses[graph_id], mlh["mlh_id"])
mlh["location"] = hypothesis.location
"""

_OVERLAY = {
    "backends/hypotheses": (
        "__init__",
        "questions",
        "resident",
    ),
    "backends/numpy": (
        "__init__",
        "numbers",
        "slopes",
        "votes",
    ),
    "backends/tables": (
        "__init__",
        "blocks",
        "cells",
        "engine",
        "flags",
        "graphs",
        "held",
        "hypotheses",
        "kernel_work",
        "likely_rows",
        "places",
        "segments",
        "stacked_rows",
    ),
}
"""What answers: handles of hypotheses, and the tables that have them."""

STEP = Step(
    title="perf: ask the backend what it knows of the evidence",
    part="fork",
    after="honour_overrides",
    body=_BODY,
    rewrites=(
        _asking(
            "learning_module.py",
            "EvidenceGraphLM",
            "evidence_for_each_graph",
            "known_evidence",
            _EVIDENCE,
        ),
        _asking(
            "learning_module.py",
            "EvidenceGraphLM",
            "_calculate_most_likely_hypothesis",
            "most_likely_graph",
            _GRAPH,
        ),
        _reading_one(
            "_calculate_most_likely_hypothesis",
            "most_likely",
            first="graph_evidence = self._hypotheses[graph_id].evidence",
            last="if len(graph_evidence):",
            by=_MOST_LIKELY,
        ),
        _reading_one(
            "get_top_two_pose_hypotheses_for_graph_id",
            "second_most_likely",
            first="second_mlh_id = ",
            by="second_mlh_id = second_most_likely(self._hypotheses[graph_id])",
        ),
        _reading_one(
            "_get_mlh_dict_from_id",
            "one_hypothesis",
            first="graph_hyps = self._hypotheses[graph_id]",
            by="hypothesis = one_hypothesis(self._hypotheses[graph_id], mlh_id)",
        ),
        _of_that_one("graph_hyps.locations[mlh_id]", "hypothesis.location"),
        _of_that_one("graph_hyps.poses[mlh_id]", "hypothesis.pose"),
        _of_that_one("graph_hyps.evidence[mlh_id]", "hypothesis.evidence"),
        _reading_one(
            "_get_current_mlh",
            "one_hypothesis",
            first='mlh["location"] = self._hypotheses[graph_id].locations',
            by=_CURRENT_LOCATION,
        ),
        Rewrite(
            "frameworks/models/goal_generation.py",
            ReplaceExpression(
                class_name="EvidenceGoalGenerator",
                method="_check_conditions_for_hypothesis_test",
                expression="len(self.parent_lm._hypotheses[top_id].evidence)",
                by="self.parent_lm._hypotheses[top_id].count",
            ),
        ),
        _asking(
            "burst_sampling.py",
            "BurstSamplingHypothesesUpdater",
            "_max_global_slope",
            "highest_slope",
            _SLOPE,
        ),
    ),
    overlay=tuple(
        f"{folder}/{module}.py"
        for folder, modules in _OVERLAY.items()
        for module in modules
    ),
)
