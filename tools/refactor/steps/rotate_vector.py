# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The rotation of an agent is turned into a matrix once for all of its sensors."""

from __future__ import annotations

from ..codemods.replace_call import ReplaceCall
from ..imports import NeededImport
from ..step import Rewrite, Step

__all__ = ["STEP"]

_BODY = """\
On every step each sensor module rotates the position of its sensor by its agent's
rotation. quaternion.rotate_vectors is made for many vectors. For one it takes 63 us,
most of it for the matrix, which is the same for all sensors of an agent. The matrix is
now made of plain floats, in 8 us instead of 38 us. With a matrix that is kept a
rotation takes 3.5 us.

To check: that the product is the one that rotate_vectors computes, shapes included."""

_MODULE = "tbp.monty.frameworks.utils.rotate_vector"


def _replaced(file: str, class_name: str) -> Rewrite:
    return Rewrite(
        file,
        ReplaceCall,
        class_name=class_name,
        method="update_state",
        function="qt.rotate_vectors",
        by="rotate_vector",
        imports=(NeededImport(_MODULE, "rotate_vector"),),
    )


STEP = Step(
    title="perf: turn the rotation of an agent into a matrix once per step",
    body=_BODY,
    rewrites=(
        _replaced("frameworks/models/sensor_modules.py", "CameraSM"),
        _replaced("frameworks/models/salience/sensor_module.py", "SalienceSM"),
        _replaced("frameworks/models/two_d_sensor_module.py", "TwoDSensorModule"),
        _replaced("sensor_modules/sensor_module.py", "SensorModule"),
    ),
    overlay=("frameworks/utils/rotate_vector.py",),
    tests=("frameworks/utils/rotate_vector_test.py",),
)
