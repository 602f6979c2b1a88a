# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Starts Ray on this machine, or joins a cluster."""

from __future__ import annotations

import contextlib
import importlib
import logging
import os
import secrets
import signal
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

from ..guard import INTERRUPTS, Failed
from .asked import LOCAL

__all__ = ["Cluster", "imported_ray", "joined_ray"]

OBJECT_STORE = 256 * 2**20
"""Bytes for results on their way to the driver; Ray writes more to disk."""

VARIABLES = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # A worker without a GPU must not see one.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "1",
}


class Cluster(NamedTuple):
    """Ray, connected.

    Attributes:
        ray: The library.
        logs: The folder of Ray's logs, on every machine.
    """

    ray: Any
    logs: Path


def imported_ray(address: str) -> Any:
    """Returns Ray.

    Args:
        address: Where it will run; see `joined_ray`.

    Raises:
        Failed: If it is not installed.
    """
    variables = VARIABLES
    if address == LOCAL:
        # So that Ray obeys only this process, and keeps no token in the home folder.
        token = secrets.token_hex(32)
        variables = {**variables, "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": token}
    # Ray reads them when it is imported.
    for name, value in variables.items():
        os.environ.setdefault(name, value)
    try:
        return importlib.import_module("ray")
    except ImportError as error:
        raise Failed(
            f"Ray is not installed ({error}): pip install 'tbp.monty[ray]'"
        ) from error


@contextlib.contextmanager
def joined_ray(
    address: str, cpus: int, code: Sequence[str], variables: Mapping[str, str]
) -> Iterator[Cluster]:
    """Connects this process with Ray.

    Args:
        address: "local" to start a Ray that ends with this process; "auto", or the
            address of a cluster.
        cpus: How many workers a local one has room for.
        code: Folders of packages that travel to other machines.
        variables: Environment variables of the workers.

    Raises:
        Failed: If there is no cluster.
    """
    ray = imported_ray(address)
    options: dict[str, Any] = dict(
        address=address,
        log_to_driver=False,
        logging_level=logging.WARNING,
    )
    environment: Mapping[str, str] = {}
    if address != LOCAL:
        options["runtime_env"] = {"py_modules": [*code], "env_vars": {**variables}}
    else:
        environment = variables  # Ray's processes inherit it
        options.update(
            num_cpus=cpus, include_dashboard=False, object_store_memory=OBJECT_STORE
        )
    handlers = {number: signal.getsignal(number) for number in INTERRUPTS}
    try:
        with patch.dict(os.environ, environment):
            context = ray.init(**options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        said = str(error).strip().partition("\n")[0]
        raise Failed(f"no Ray at {address}: {said}") from error
    try:
        for number, handler in handlers.items():
            signal.signal(number, handler)  # Ray has its own
        yield Cluster(ray, Path(context.address_info["session_dir"]) / "logs")
    finally:
        ray.shutdown()
