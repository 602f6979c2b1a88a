# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Migrates files on all cores."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Collection, Iterator, Mapping, Sequence

from ...guard import interrupts_held
from .class_index import ClassIndex
from .document_migration import DocumentMigration, MigratedDocument
from .documents import Document
from .rules_in_order import RULES

__all__ = ["migrate_documents"]

_ENOUGH = 24
"""With fewer files, starting processes takes longer than it saves."""

_AT_ONCE = 8

_project: list[DocumentMigration] = []
"""In a worker: the project that its files belong to."""


def migrate_documents(
    documents: Sequence[Document],
    texts: Mapping[Path, str],
    of_monty: Collection[Path],
    rule_ids: Collection[str],
) -> Iterator[MigratedDocument]:
    """Migrate files, each by itself, and yield the results in order.

    Args:
        documents: The files.
        texts: The text of every Python file of the project.
        of_monty: Those of a copy of tbp.monty.
        rule_ids: The rules to apply.
    """
    project = (texts, of_monty, rule_ids)
    cores = os.cpu_count() or 1
    if cores == 1 or len(documents) < _ENOUGH:
        yield from map(_read_project(*project).migrate, documents)
        return
    pool = ProcessPoolExecutor(cores, initializer=_start, initargs=project)
    try:
        # An exception in the middle of a fork would be ignored.
        with interrupts_held():
            migrated = pool.map(_migrate, documents, chunksize=_AT_ONCE)
        yield from migrated
    finally:
        pool.shutdown(cancel_futures=True)


def _read_project(
    texts: Mapping[Path, str], of_monty: Collection[Path], rule_ids: Collection[str]
) -> DocumentMigration:
    rules = [rule for rule in RULES if rule.id in rule_ids]
    return DocumentMigration(ClassIndex(texts, of_monty), rules)


def _start(
    texts: Mapping[Path, str], of_monty: Collection[Path], rule_ids: Collection[str]
) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C stops the parent
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()
    _project.append(_read_project(texts, of_monty, rule_ids))


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    assert parent is not None
    parent.join()
    os._exit(1)


def _migrate(document: Document) -> MigratedDocument:
    return _project[0].migrate(document)
