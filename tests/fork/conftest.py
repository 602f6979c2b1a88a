# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from collections.abc import Iterator

import pytest

from monty_tools.workers import control
from tests.fork.warm_workers import WarmWorkers


@pytest.fixture(scope="session")
def warm_workers() -> Iterator[WarmWorkers]:
    workers = WarmWorkers()
    yield workers
    workers.close()


@pytest.fixture(autouse=True)
def _start_workers_warm(monkeypatch, warm_workers: WarmWorkers) -> None:
    """Start workers of `monty parity` warm; its own tests start them cold."""
    monkeypatch.setattr(control, "_start", warm_workers.start)
