# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""`monty replay`: feeds a trace to learning modules."""

from __future__ import annotations

import argparse

from monty_tools.arguments import Command, Parser
from monty_tools.trace.absent import stand_in_for_absent
from tbp.monty.cli.sides import UPSTREAM, choose_backend
from tbp.monty.cli.sides import paths as paths_of

__all__ = ["REPLAY"]


def _parser() -> Parser:
    absent = stand_in_for_absent()
    if absent:
        print(f"not installed here, and not needed to replay: {', '.join(absent)}")

    from monty_tools.trace.command import replay_parser  # noqa: PLC0415

    return replay_parser()


def _replay(options: argparse.Namespace, _paths: object) -> int:
    from monty_tools.trace.command import replay_main  # noqa: PLC0415

    choose_backend(_parser(), options.backend)
    return replay_main(options, paths_of(upstream=options.against == UPSTREAM))


REPLAY = Command(_parser, _replay)
