# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""matplotlib is imported where something is plotted."""

from __future__ import annotations

from ..codemods.import_where_used import ImportWhereUsed
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Every run imported matplotlib, which takes half a second, for a window that shows what
sensors see and for a function that reads drawings. Both are used on request only.

To check: that nothing but this window relies on its call of `plt.ioff()`."""

STEP = Step(
    title="perf: import matplotlib where something is plotted",
    body=_BODY,
    rewrites=(
        Rewrite(
            "frameworks/experiments/monty_experiment.py",
            ImportWhereUsed,
            dict(
                line="from tbp.monty.frameworks.utils.live_plotter import LivePlotter",
                annotates=True,
            ),
        ),
        Rewrite(
            "frameworks/environments/two_d_data.py",
            ImportWhereUsed,
            dict(line="import matplotlib.pyplot as plt"),
        ),
    ),
)
