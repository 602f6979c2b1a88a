# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The buffer of a learning module grows without copying all of its rows."""

from __future__ import annotations

from typing import Any

from libcst.codemod import Codemod

from ..codemods.replace_call import ReplaceCall
from ..codemods.replace_expression import ReplaceExpression
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On each step a learning module adds a row to each of its seven or more arrays of
features, which copied all rows before it, and counts its steps up to three times. Rows
are now kept as bytes, which grow in place. Most arrays are never asked for, and then
not made: to read the last displacement, no array is needed. The features of a percept
are added in one call, and so is its displacement; what is unusual is still added one by
one, and so is everything in a subclass that overrides how. The mean location is not
computed again. The steps are counted without an array of them.

To check: that an array that somebody keeps does not change with later rows, that nobody
writes to the displacement of a step, which is a copy now, and that the number of steps
is an integer of numpy's, and 0.0 without steps."""

_FEATURE_ROWS = NeededImport("tbp.monty.frameworks.models", "feature_rows")


def _rewrite(codemod: type[Codemod], method: str, **settings: Any) -> Rewrite:
    return Rewrite(
        "frameworks/models/buffer.py",
        codemod,
        class_name="FeatureAtLocationBuffer",
        method=method,
        imports=(_FEATURE_ROWS,),
        **settings,
    )


def _replaced(method: str, first: str, by: str) -> Rewrite:
    return _rewrite(ReplaceStatements, method, first=first, by=by)


def _lazy(method: str, arrays: str) -> Rewrite:
    return _replaced(
        method, f"{arrays} = {{}}", f"{arrays} = feature_rows.new_rows(self)"
    )


STEP = Step(
    title="perf: let buffers grow without copying all rows",
    body=_BODY,
    rewrites=(
        _lazy("append", "self.features[input_channel]"),
        _lazy("__init__", "self.displacements"),
        _rewrite(
            ReplaceExpression,
            "append",
            expression="msg.process_features_in_lm",
            by="msg.process_features_in_lm and not "
            "feature_rows.add_features(self, msg)",
        ),
        _replaced(
            "append",
            "self._store_displacement_and_location(",
            """\
if not feature_rows.add_displacement(self, sm_percepts[0], loc):
    self._store_displacement_and_location(percepts)
""",
        ),
        _replaced(
            "nth_displacement",
            "return self.displacements[",
            'return feature_rows.nth_row(self.displacements, "displacement", n)',
        ),
        _replaced(
            "append",
            "self.locations = np.vstack(",
            "self.locations = np.concatenate([self.locations, loc[np.newaxis]])",
        ),
        _rewrite(
            ReplaceCall,
            "get_num_matching_steps",
            function="np.sum",
            by="feature_rows.count_steps",
        ),
    ),
    overlay=("frameworks/models/feature_rows.py",),
    tests=("frameworks/models/feature_rows_test.py",),
)
