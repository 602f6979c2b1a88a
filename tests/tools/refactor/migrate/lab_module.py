# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The source of a module with a learning module that others derive from."""

from __future__ import annotations

__all__ = ["LAB"]

LAB = """\
import contextlib
import threading

import numpy as np

from tbp.monty.frameworks.models.evidence_matching.learning_module import (
    EvidenceGraphLM,
)

LOCK = threading.Lock()
REENTRANT = threading.RLock()
TOTALS = []


class LabLM(EvidenceGraphLM):
    count = 0
    steps = 0
    width = 0
    first = None
    current = None
    shared = []
    shared_lock = threading.Lock()

    def __init__(self, plan, peers=(), lock=LOCK, scale=2):
        super().__init__(plan)
        self.peers = peers
        self.scale = scale
        self.totals = TOTALS
        self.given_lock = lock
        self.lock = threading.Lock()
        self.reentrant = threading.RLock()
        self.notes = []
        self.seen_graphs = {}

    def note_size(self, things):
        self.notes.append(len(things))

    @property
    def first_peer(self):
        return self.peers[0]

    def own_width(self):
        return self.width

    def count_for_all(self):
        self.totals.append(1)

    def look_around(self):
        self.notes.append([one.count for one in self.peers])

    def total(self):
        return sum(self._hypotheses.values())

    @contextlib.contextmanager
    def context(self, number):
        self.entered(number)
        try:
            yield number + 1
        except ValueError as error:
            if not self.swallows_on_leaving(number, error):
                raise
        else:
            self.swallows_on_leaving(number, None)

    @contextlib.contextmanager
    def quiet(self):
        with np.errstate(divide="ignore"):
            yield
"""
