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
from typing import Any

from ..guard import Failed
from .asked import LOCAL

__all__ = ["imported_ray", "joined_ray", "packed"]

OBJECT_STORE = 256 * 2**20
"""Bytes for results on their way to the driver; Ray writes more to disk."""

VARIABLES = {
    "RAY_USAGE_STATS_ENABLED": "0",
    # A worker without a GPU must not see one.
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "1",
}
PACKAGES = ("tbp", "monty_tools", "hydra_plugins")


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
) -> Iterator[Any]:
    """Connects this process with Ray.

    Args:
        address: "local" to start a Ray that ends with this process; "auto", or the
            address of a cluster.
        cpus: How many workers a local one has room for.
        code: Folders of packages that travel to other machines.
        variables: Environment variables of the workers.

    Yields:
        Ray.

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
    numbers = (signal.SIGINT, signal.SIGTERM)
    handlers = {number: signal.getsignal(number) for number in numbers}
    try:
        with _environment(environment):
            ray.init(**options)
    except (ConnectionError, ValueError, RuntimeError) as error:
        said = str(error).strip().partition("\n")[0]
        raise Failed(f"no Ray at {address}: {said}") from error
    try:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        yield ray
    finally:
        ray.shutdown()


@contextlib.contextmanager
def _environment(variables: Mapping[str, str]) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(variables)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


def packed(root: Path) -> list[str]:
    """Returns the folders that other machines need to import what this one imports.

    Args:
        root: The folder with the tbp.monty to run.
    """
    folders = {name: root / name for name in PACKAGES}
    # Upstream's folder has no tools.
    tools = Path(__file__).parents[1]
    if not folders["monty_tools"].exists():
        folders["monty_tools"] = tools
    return [str(folder) for folder in folders.values() if folder.exists()]
