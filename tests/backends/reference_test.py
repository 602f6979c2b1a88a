# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import signal
import threading
import time
import unittest
from unittest.mock import patch

from tbp.monty.backends.builtin.reference import ReferenceBackend
from tests.backends.works import work_that
from tests.interrupts import take_interrupts


class ReferenceBackendTest(unittest.TestCase):
    def setUp(self) -> None:
        self.backend = ReferenceBackend()
        self.addCleanup(self.backend.close)

    def test_every_graph_is_updated_once_with_and_without_threads(self) -> None:
        for in_threads in (True, False):
            with self.subTest(in_threads=in_threads):
                updated: list[str] = []
                work = work_that(updated.append, in_threads=in_threads)
                self.backend.dispatch(work, ())
                self.backend.result(work)
                self.assertEqual(sorted(updated), ["bowl", "mug"])

    def test_without_threads_graphs_are_updated_in_order_by_the_caller(self) -> None:
        updated = []

        def update(graph_id: str) -> None:
            updated.append((graph_id, threading.current_thread()))

        self.backend.dispatch(work_that(update, in_threads=False), ())
        caller = threading.current_thread()
        self.assertEqual(updated, [("mug", caller), ("bowl", caller)])

    def test_with_threads_graphs_are_updated_at_the_same_time(self) -> None:
        both = threading.Barrier(2, timeout=10)
        work = work_that(lambda _: both.wait())
        self.backend.dispatch(work, ())
        self.backend.result(work)

    def test_work_has_run_when_dispatch_returns(self) -> None:
        updated: list[str] = []
        self.backend.dispatch(work_that(updated.append), (0, 1))
        self.assertEqual(len(updated), 2)
        self.backend.launch((0, 1))
        self.assertEqual(len(updated), 2)

    def test_an_error_of_a_graph_is_raised_after_the_others_are_done(self) -> None:
        for in_threads in (True, False):
            with self.subTest(in_threads=in_threads):
                updated: list[str] = []

                def update(graph_id: str, updated: list[str] = updated) -> None:
                    updated.append(graph_id)
                    if graph_id == "bowl":
                        raise ValueError(graph_id)

                work = work_that(update, in_threads=in_threads)
                with self.assertRaisesRegex(ValueError, "bowl"):
                    self.backend.dispatch(work, ())
                self.assertEqual(sorted(updated), ["bowl", "mug"])

    def test_of_several_errors_that_of_the_first_graph_is_raised(self) -> None:
        def update(graph_id: str) -> None:
            raise ValueError(graph_id)

        work = work_that(update)
        with self.assertRaisesRegex(ValueError, "mug"):
            self.backend.dispatch(work, ())

    def test_a_memory_without_graphs_is_no_work(self) -> None:
        work = work_that(graph_ids=())
        self.backend.dispatch(work, ())
        self.backend.result(work)

    def test_closing_waits_for_threads_that_outlive_an_interrupt(self) -> None:
        done = self.interrupt_an_update()
        self.backend.close()
        self.assertEqual(sorted(done), ["bowl", "mug"])
        self.backend.close()

    def test_an_update_waits_for_threads_that_outlive_an_interrupt(self) -> None:
        done = self.interrupt_an_update()
        found: list[list[str]] = []
        self.backend.dispatch(work_that(lambda _: found.append(sorted(done))), ())
        self.assertEqual(found, [["bowl", "mug"]] * 2)

    def test_a_thread_that_cannot_be_started_is_not_waited_for(self) -> None:
        cannot_start = patch.object(threading.Thread, "start", side_effect=RuntimeError)
        with cannot_start, self.assertRaises(RuntimeError):
            self.backend.dispatch(work_that(lambda _: None), ())
        self.backend.close()

    def interrupt_an_update(self) -> list[str]:
        """Interrupt an update, as Ctrl-C does, while the first thread goes on.

        Returns:
            The graphs that the threads have updated, which grows.
        """
        take_interrupts(self)
        caller = threading.get_ident()
        go_on = threading.Event()
        done: list[str] = []

        def update(graph_id: str) -> None:
            if graph_id == "mug":
                go_on.wait(10)
            else:
                time.sleep(0.1)  # until the caller waits for the first thread
                signal.pthread_kill(caller, signal.SIGINT)
            done.append(graph_id)

        with self.assertRaises(KeyboardInterrupt):
            self.backend.dispatch(work_that(update), ())
        timer = threading.Timer(0.2, go_on.set)
        timer.start()
        self.addCleanup(timer.join)
        return done
