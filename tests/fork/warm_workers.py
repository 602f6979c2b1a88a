# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Starts workers of `monty parity` from a process that has imported their libraries."""

from __future__ import annotations

import json
import os
import select
import signal
import socket
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from monty_tools.workers.sides import Side

__all__ = ["WarmWorker", "WarmWorkers"]

SERVER = Path(__file__).with_name("warm_server.py")


class WarmWorkers:
    """A server that forks into workers; it starts with the first worker."""

    def __init__(self) -> None:
        self._server: subprocess.Popen | None = None
        self._requests: socket.socket | None = None

    def start(
        self,
        side: Side,
        module: str,
        words: Sequence[str],
        out: Any,
        err: Any,
        pass_fds: tuple[int, ...] = (),
    ) -> WarmWorker:
        """Start a worker, as `sides` does."""
        if self._server is None:
            self._start_server(side)
        ending, tell_ending = os.pipe()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        try:
            standard = [
                nowhere if file == subprocess.DEVNULL else file.fileno()
                for file in (out, err)
            ]
            request = {
                "module": f"monty_tools.{module}",
                "words": [f"--expect-root={side.import_root}", *words],
                "env": side.env,
                "numbers": list(pass_fds),
            }
            socket.send_fds(
                self._requests,
                [json.dumps(request).encode()],
                [*standard, tell_ending, *pass_fds],
            )
        finally:
            os.close(tell_ending)
            os.close(nowhere)
        return WarmWorker(int(self._requests.recv(32)), ending)

    def close(self) -> None:
        if self._server is not None:
            self._requests.close()
            self._server.wait()
            self._server = None

    def _start_server(self, side: Side) -> None:
        ours, its = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        # The settings that matter to imported libraries are the same on both sides.
        env = {k: v for k, v in side.env.items() if k != "PYTHONPATH"}
        with its:
            self._server = subprocess.Popen(
                [sys.executable, SERVER, str(its.fileno())],
                env=env,
                stdin=subprocess.DEVNULL,
                pass_fds=(its.fileno(),),
                # Interrupts are only for workers, sent by those who started them.
                start_new_session=True,
            )
        self._requests = ours


class WarmWorker:
    """The methods of `subprocess.Popen` we need, for a process of the server."""

    def __init__(self, pid: int, ending: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        self._ending = ending

    def poll(self) -> int | None:
        return self._look(0)

    def wait(self, timeout: float | None = None) -> int:
        if self._look(timeout) is None:
            raise subprocess.TimeoutExpired("a worker", timeout)
        return self.returncode

    def send_signal(self, number: int) -> None:
        if self.poll() is None:
            os.kill(self.pid, number)

    def kill(self) -> None:
        self.send_signal(signal.SIGKILL)

    def _look(self, timeout: float | None) -> int | None:
        if (
            self.returncode is None
            and select.select([self._ending], [], [], timeout)[0]
        ):
            # Empty if the server has ended.
            self.returncode = int(os.read(self._ending, 32) or -signal.SIGKILL)
            os.close(self._ending)
        return self.returncode
