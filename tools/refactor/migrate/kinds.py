# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Upstream's classes that the series changes, by kind."""

from __future__ import annotations

from enum import Enum

__all__ = ["PACKAGE", "Kind", "is_known_class", "kind_of_upstream_class"]


class Kind(Enum):
    """What a class is, for the rules; of the kinds of its bases, the first here."""

    EVIDENCE_LM = "evidence learning module, whose step has halves"
    LM = "learning module of another family"
    MONTY = "Monty"
    UPDATER = "hypotheses updater"
    DISPLACER = "hypotheses displacer"
    UNKNOWN = "a class with a base that is not among the files"
    OTHER = "something else"


PACKAGE = "tbp.monty"
_CLASSES = {
    Kind.EVIDENCE_LM: ("EvidenceGraphLM", "NoResetEvidenceGraphLM"),
    Kind.LM: ("DisplacementGraphLM", "FeatureGraphLM", "GraphLM", "LearningModule"),
    Kind.MONTY: (
        "MontyBase",
        "MontyForEvidenceGraphMatching",
        "MontyForGraphMatching",
        "MontyForNoResetEvidenceGraphMatching",
    ),
    Kind.UPDATER: (
        "BurstSamplingHypothesesUpdater",
        "DefaultHypothesesUpdater",
        "HypothesesUpdater",
        "ResamplingHypothesesUpdater",
    ),
    Kind.DISPLACER: ("DefaultHypothesesDisplacer", "HypothesesDisplacer"),
}
_KINDS = {name: kind for kind, names in _CLASSES.items() for name in names}


def kind_of_upstream_class(qualified_name: str) -> Kind | None:
    """Return what a class of upstream is, or None if it is not upstream's.

    Modules have moved between releases, class names have not: only the package and
    the class name count.
    """
    if not qualified_name.startswith(f"{PACKAGE}."):
        return None
    return _KINDS.get(qualified_name.rsplit(".", 1)[1], Kind.OTHER)


def is_known_class(qualified_name: str) -> bool:
    """Return whether a class of upstream has a kind of its own."""
    return kind_of_upstream_class(qualified_name) not in (None, Kind.OTHER)
