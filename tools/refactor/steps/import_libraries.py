# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Libraries that most runs do not use are imported where they are used."""

from __future__ import annotations

from ..codemods.import_where_used import ImportWhereUsed
from ..codemods.replace_statements import ReplaceStatements
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
Every run imported matplotlib and sklearn, with it scipy.stats, and most runs do not use
them. matplotlib makes a window that shows what sensors see, and reads drawings; sklearn
finds the edges of graphs. They are now imported in the functions that use them.

sklearn's LabelEncoder also numbered the nine outcomes of an episode for a histogram.
Their places in the sorted list are the same numbers.

To check: that nothing but the window relies on its call of `plt.ioff()`; that nobody
reads `performance_encoder` of a logger, which has `performance_labels` instead."""

_LOGGERS = "frameworks/loggers/graph_matching_loggers.py"
_LOGGER = "BasicGraphMatchingLogger"
_NUMBERS = """\
episode_lm_performances = np.searchsorted(
    self.performance_labels, stats["episode_lm_performances"][-1]
)
"""


def _where_used(file: str, line: str, *, annotates: bool = False) -> Rewrite:
    return Rewrite(file, ImportWhereUsed(line=line, annotates=annotates))


STEP = Step(
    title="perf: import plotting and clustering libraries where they are used",
    part="perf",
    body=_BODY,
    rewrites=(
        _where_used(
            "frameworks/experiments/monty_experiment.py",
            "from tbp.monty.frameworks.utils.live_plotter import LivePlotter",
            annotates=True,
        ),
        _where_used(
            "frameworks/environments/two_d_data.py", "import matplotlib.pyplot as plt"
        ),
        _where_used(
            "frameworks/models/object_model.py",
            "from sklearn.neighbors import kneighbors_graph",
        ),
        Rewrite(
            _LOGGERS,
            ReplaceStatements(
                class_name=_LOGGER,
                method="get_formatted_overall_stats",
                first="episode_lm_performances = self.performance_encoder",
                by=_NUMBERS,
            ),
        ),
        Rewrite(
            _LOGGERS,
            ReplaceStatements(
                class_name=_LOGGER,
                method="__init__",
                first="self.performance_encoder = LabelEncoder()",
                last="self.performance_encoder.fit(",
                by="self.performance_labels = sorted(self.performance_options)\n",
                unused=("LabelEncoder",),
            ),
        ),
    ),
)
