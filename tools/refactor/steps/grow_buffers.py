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

from ..codemods.add_statement import AddStatement
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On each step a learning module adds a row to each of its seven or more arrays of
features, which copied all rows before it, and counts its steps up to three times. The
rows of an array are now the first ones of a larger array, which is copied when it is
full. Most arrays are never asked for, and then not made: to read the last displacement,
no array is needed. The steps are counted without an array of them.

To check: that an array that somebody keeps does not change with later rows, and that
the number of steps is an integer of numpy's, and 0.0 without steps."""

_FILE = "frameworks/models/buffer.py"
_CLASS = "FeatureAtLocationBuffer"


_FEATURE_ROWS = "tbp.monty.frameworks.models.feature_rows"


def _replaced(method: str, first: str, by: str, *names: str) -> Rewrite:
    settings = dict(
        class_name=_CLASS,
        method=method,
        first=first,
        by=by,
        imports=tuple(NeededImport(_FEATURE_ROWS, name) for name in names),
    )
    return Rewrite(_FILE, ReplaceStatements, settings)


def _lazy(method: str, arrays: str) -> Rewrite:
    return _replaced(
        method, f"{arrays} = {{}}", f"{arrays} = FeatureRows()", "FeatureRows"
    )


def _added_row(method: str, arrays: str, name: str, value: str) -> Rewrite:
    settings = dict(
        class_name=_CLASS,
        method=method,
        place="first",
        statement=f"""\
if add_row({arrays}, {name}, {value}, len(self) + 1):
    return
""",
        imports=(NeededImport(_FEATURE_ROWS, "add_row"),),
    )
    return Rewrite(_FILE, AddStatement, settings)


STEP = Step(
    title="perf: let buffers grow without copying all rows",
    body=_BODY,
    rewrites=(
        _lazy("append", "self.features[input_channel]"),
        _lazy("__init__", "self.displacements"),
        _added_row(
            "_add_attr_to_feature_buffer",
            "self.features[input_channel]",
            "attr_name",
            "attr_value",
        ),
        _added_row("_add_displacement", "self.displacements", "name", "val"),
        _replaced(
            "nth_displacement",
            "return self.displacements[",
            'return nth_row(self.displacements, "displacement", n)',
            "nth_row",
        ),
        _replaced(
            "append",
            "self.locations = np.vstack(",
            "self.locations = np.concatenate([self.locations, loc[np.newaxis]])",
        ),
        _replaced(
            "get_num_matching_steps",
            "return np.sum(",
            """\
steps = self.stats["lm_processed_steps"]
return np.int_(sum(steps)) if steps else np.float64(0)
""",
        ),
    ),
    overlay=("frameworks/models/feature_rows.py",),
    tests=("frameworks/models/feature_rows_test.py",),
)
