# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A backend with slow updates that records how it was closed."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import replace
from pathlib import Path

from tbp.monty.backends.builtin.reference import ReferenceBackend

__all__ = ["Slow"]


class Slow(ReferenceBackend):
    name = "slow"
    summary = "takes its time"

    def __init__(self) -> None:
        super().__init__()
        self._folder = Path(os.environ["BACKEND_FOLDER"])

    def dispatch(self, work) -> None:
        def update():
            (self._folder / "started").touch()
            time.sleep(1)
            return work.update()

        slow = replace(work, update=update)
        super().dispatch(slow)
        self._outcomes[work] = self._outcomes.pop(slow)

    def close(self) -> None:
        super().close()
        time.sleep(0.1)  # a thread is listed for a moment after its last statement
        names = [one.name for one in threading.enumerate()]
        others = [name for name in names if name.startswith("ThreadPoolExecutor")]
        (self._folder / "closed").write_text(" ".join(others))
