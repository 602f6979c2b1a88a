# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty backends`: lists the backends, and compiles what they need at first use."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from monty_tools.arguments import Command, Misused, Parser
from tbp.monty.backends.registry import (
    BackendUnavailable,
    UnknownBackend,
    chosen_backend,
    known_backends,
    load_backend,
)

__all__ = ["BACKENDS"]


def _parser() -> Parser:
    parser = Parser(
        "monty backends", "Lists the backends; a star marks the one a run would use."
    )
    parser.add_argument(
        "--compile",
        action="store_true",
        help="compile the kernels of numba now, which takes up to half a minute; "
        "otherwise the first run does it",
    )
    return parser


def _backends(options: argparse.Namespace, _paths: object) -> int:
    if options.compile:
        return _compile()
    try:
        chosen = chosen_backend()
    except UnknownBackend as unknown:
        raise Misused(str(unknown)) from unknown
    for name in known_backends():
        mark = "*" if name == chosen else " "
        print(f"{mark} {name:<14}{_described(name)}")
    return 0


def _compile() -> int:
    try:
        numba: Any = load_backend("numba")
    except BackendUnavailable as reason:
        print(reason, file=sys.stderr)
        return 2
    numba.compile()
    print("the kernels of numba are compiled")
    return 0


def _described(name: str) -> str:
    try:
        backend = load_backend(name)
        described = f"{backend.where:<6}{backend.summary}"
    except BackendUnavailable as reason:
        return str(reason)
    except AttributeError as lacking:
        return f"backend {name!r} is unfinished: {lacking}"
    return described


BACKENDS = Command(_parser, _backends)
