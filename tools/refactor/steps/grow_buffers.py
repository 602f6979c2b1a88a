# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The buffer of a learning module grows without slow functions of numpy's."""

from __future__ import annotations

from ..codemods.replace_statements import ReplaceStatements
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On each step a learning module adds a row to each of its seven or more arrays of
features, and counts its steps up to three times. For arrays that small, np.full and
np.vstack take longer than what they call, and np.sum makes an array of all steps.

To check: that the number of steps is an integer of numpy's, and 0.0 without steps."""


def _replaced(method: str, first: str, by: str) -> Rewrite:
    return Rewrite(
        "frameworks/models/buffer.py",
        ReplaceStatements,
        dict(class_name="FeatureAtLocationBuffer", method=method, first=first, by=by),
    )


STEP = Step(
    title="perf: let buffers grow without slow functions of numpy's",
    body=_BODY,
    rewrites=(
        _replaced(
            "_pad_to_target_length",
            "padded = np.full(",
            """\
padded = np.empty((target_length, new_val_len))
padded.fill(np.nan)
""",
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
return np.int_(sum(steps)) if steps else np.sum(steps)
""",
        ),
    ),
)
