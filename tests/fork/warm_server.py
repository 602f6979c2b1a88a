# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Imports what all workers of `monty parity` need, once, and forks into them.

Importing torch, pandas and the like takes a worker eight seconds of CPU time, most of a
short run. Each worker imports Monty itself, from its own folder.

It reads requests from the socket that is its first argument. A request is a line of
JSON with the worker's file descriptors: standard output, standard error, one for the
exit status, and others under the numbers that the request names.
"""

from __future__ import annotations

import contextlib
import json
import os
import runpy
import selectors
import signal
import socket
import sys
from pathlib import Path

with contextlib.suppress(ImportError):
    import triton  # noqa: F401 before MuJoCo: tools/llvm_order.py says why

# Imported for the workers.
import hydra  # noqa: F401
import matplotlib.pyplot  # noqa: F401, ICN001
import mujoco  # noqa: F401
import numpy as np
import omegaconf  # noqa: F401
import pandas  # noqa: F401, ICN001
import quaternion  # noqa: F401
import scipy.spatial  # noqa: F401
import sklearn  # noqa: F401
import torch_geometric.data  # noqa: F401
import wandb  # noqa: F401

MOST_DESCRIPTORS = 8
LONGEST_REQUEST = 1 << 20
STANDARD = 2
"""Standard output and standard error come first; then where to write the status."""


def main() -> None:
    requests = socket.socket(fileno=int(sys.argv[1]))
    woken, wake = os.pipe()
    os.set_blocking(wake, False)
    signal.set_wakeup_fd(wake)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    endings: dict[int, int] = {}
    with selectors.DefaultSelector() as selector:
        selector.register(requests, selectors.EVENT_READ)
        selector.register(woken, selectors.EVENT_READ)
        while True:
            ready = [key.fileobj for key, _ in selector.select()]
            if woken in ready:
                os.read(woken, 1 << 10)
                _tell_endings(endings)
            if requests in ready and not _serve(requests, endings):
                return


def _serve(requests: socket.socket, endings: dict[int, int]) -> bool:
    """Start a worker; return whether more requests may follow."""
    text, descriptors, _, _ = socket.recv_fds(
        requests, LONGEST_REQUEST, MOST_DESCRIPTORS
    )
    if not text:
        return False
    request = json.loads(text)
    worker = os.fork()
    if worker == 0:
        requests.close()
        _become(request, descriptors)
    for at, descriptor in enumerate(descriptors):
        if at != STANDARD:
            os.close(descriptor)
    endings[worker] = descriptors[STANDARD]
    requests.send(b"%d\n" % worker)
    return True


def _tell_endings(endings: dict[int, int]) -> None:
    for worker in list(endings):
        ended, status = os.waitpid(worker, os.WNOHANG)
        if ended:
            descriptor = endings.pop(worker)
            os.write(descriptor, b"%d\n" % os.waitstatus_to_exitcode(status))
            os.close(descriptor)


def _become(request: dict, descriptors: list[int]) -> None:
    """Run as a worker, as if started by the interpreter, and exit."""
    status = 1
    try:
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        os.setsid()
        # Duplicate them first: a requested number may be in use.
        moved = [os.dup(one) for one in descriptors]
        for number, descriptor in zip(
            [1, 2, *request["numbers"]],
            [*moved[:STANDARD], *moved[STANDARD + 1 :]],
            strict=True,
        ):
            os.dup2(descriptor, number)
        os.environ.clear()
        os.environ.update(request["env"])
        path = request["env"].get("PYTHONPATH")
        sys.path[:1] = [str(Path.cwd()), *(path.split(os.pathsep) if path else [])]
        sys.argv = [request["module"], *request["words"]]
        # Unpredictable, as in a new process.
        np.random.seed()  # noqa: NPY002 what is global is meant
        runpy.run_module(request["module"], run_name="__main__", alter_sys=True)
        status = 0
    except SystemExit as ended:
        status = ended.code or 0
    except BaseException:  # noqa: BLE001 printed, as an interpreter does
        sys.excepthook(*sys.exc_info())
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


if __name__ == "__main__":
    main()
