# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Small matrices are examined with fewer calls of numpy."""

from __future__ import annotations

from ..class_codemod import MODULE
from ..codemods.replace_call import ReplaceCall
from ..codemods.replace_statements import ReplaceStatements
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
For each patch, the eigenvalues and eigenvectors of two small matrices are searched for
imaginary parts. Numpy returns floats if there are none, so their type says it. And
np.linalg.cond takes longer to look at what it is given than to divide two singular
values. For each surface normal np.allclose checks whether a matrix of nine numbers is
symmetric, which takes longer than its eigenvectors. The matrix is a product of a matrix
and its transpose, and nearly always symmetric to the last bit. One comparison shows it.
In a run, all of this gains 3 % of Monty's time with one learning module.

To check: that numpy's own functions decide about matrices that are singular, differ or
are not finite, or whose eigenvalues are not real."""

_FILE = "frameworks/utils/sensor_processing.py"
_MODULE = "tbp.monty.frameworks.utils.small_matrices"


def _all_real(function: str, values: str, vectors: str) -> Rewrite:
    return Rewrite(
        _FILE,
        ReplaceStatements,
        class_name=MODULE,
        method=function,
        first="assert np.isreal(",
        by=f"assert all_real({values}) and all_real({vectors})\n",
        imports=(NeededImport(_MODULE, "all_real"),),
    )


STEP = Step(
    title="perf: check small matrices with fewer calls of numpy",
    body=_BODY,
    rewrites=(
        _all_real("surface_normal_total_least_squares", "eig_val", "eig_vec"),
        _all_real("principal_curvatures", "eigval", "eigvec"),
        Rewrite(
            _FILE,
            ReplaceCall,
            class_name=MODULE,
            method="surface_normal_total_least_squares",
            function="np.allclose",
            by="all_equal_or_close",
            imports=(NeededImport(_MODULE, "all_equal_or_close"),),
        ),
        Rewrite(
            "frameworks/utils/spatial_arithmetics.py",
            ReplaceCall,
            class_name=MODULE,
            method="non_singular_mat",
            function="np.linalg.cond",
            by="condition_number",
            imports=(NeededImport(_MODULE, "condition_number"),),
        ),
    ),
    overlay=("frameworks/utils/small_matrices.py",),
    tests=("frameworks/utils/small_matrices_test.py",),
)
