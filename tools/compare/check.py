# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Says which experiments can run here, and how; those that cannot, and why.

``python -m monty_tools.compare.check --expect-root FOLDER EXPERIMENT ...``
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from omegaconf import OmegaConf

from ..ending import Ending, one_line
from ..guard import Failed
from ..parallel.data import check_data
from ..recording.config import BadConfig, compose
from ..recording.episodes import episodes_of
from ..workers.process import Parent, imported_monty, worked, worker_parser

CSV_HANDLER = "tbp.monty.frameworks.loggers.monty_handlers.BasicCSVStatsHandler"


class CannotRun(Exception):
    """An experiment cannot run here; the message says why."""


def main(argv: Sequence[str] | None = None) -> int:
    """Checks experiments, and returns the exit status."""
    parser = worker_parser("compare.check", __doc__)
    parser.add_argument("experiments", nargs="+")
    parser.add_argument("--override", action="append", default=[])
    parser.add_argument("--episodes")
    args = parser.parse_args(argv)

    def work() -> Ending:
        imported_monty(args.expect_root)
        answers = [_check(name, args) for name in args.experiments]
        Parent(args).tell(answers)
        return Ending.FINISHED

    return worked(work)


def _check(name: str, args: argparse.Namespace) -> dict[str, Any]:
    """Returns whether an experiment runs in one process, or why it cannot run."""
    try:
        cfg, config = _resolved(name, args.override)
        _check_evaluates(config)
        _check_files(cfg, config)
        in_one_process = _needs_one_process(config)
        _check_episodes(config, args.episodes, in_one_process=in_one_process)
    except CannotRun as problem:
        return {"reason": str(problem)}
    return {"in_one_process": in_one_process}


def _resolved(name: str, overrides: Sequence[str]) -> tuple[Any, Mapping[str, Any]]:
    """Returns the configuration, and the experiment's part with the classes in it."""
    try:
        cfg = compose(name, overrides)
        found: Any = OmegaConf.to_container(cfg.experiment.config, resolve=True)
    except BadConfig as error:
        raise CannotRun(str(error)) from error
    except Exception as error:
        missing = _missing_module(error)
        reason = f"needs {missing}, which is not installed" if missing else None
        raise CannotRun(reason or one_line(error)) from error
    return cfg, found


def _missing_module(error: BaseException | None) -> str | None:
    """Returns the package that an import did not find, if that is what is wrong."""
    while error is not None:
        if isinstance(error, ModuleNotFoundError) and error.name:
            return error.name.partition(".")[0]
        error = error.__cause__ or error.__context__
    return None


def _check_evaluates(config: Mapping[str, Any]) -> None:
    if not config.get("do_eval"):
        raise CannotRun("it only trains, so it has no evaluation to compare")
    logger = config["logging"]["monty_data_logger"]
    if CSV_HANDLER not in (one["_target_"] for one in logger["handlers"]):
        raise CannotRun("its logging writes no eval_stats.csv")


def _check_files(cfg: Any, config: Mapping[str, Any]) -> None:
    try:
        check_data(cfg)
    except Failed as problem:
        raise CannotRun(str(problem)) from problem
    for file in _named_files(config):
        if not file.exists():
            raise CannotRun(f"lacks {file}")
    data = Path(config["environment"]["env_init_args"].get("data_path") or "")
    missing = [name for name in _meshes(config) if not (data / name).is_dir()]
    if missing:
        more = f" and {len(missing) - 1} more objects" if missing[1:] else ""
        raise CannotRun(f"lacks {missing[0]}{more} in {data}")


def _named_files(node: Any) -> Iterator[Path]:
    """Yields the files of actions, which only upstream's repository has."""
    if isinstance(node, dict):
        if isinstance(node.get("file_name"), str):
            yield Path(node["file_name"])
        node = list(node.values())
    for item in node if isinstance(node, list) else ():
        yield from _named_files(item)


def _meshes(config: Mapping[str, Any]) -> Iterator[str]:
    """Yields the objects that MuJoCo reads from the folder of data."""
    module = "tbp.monty.simulators.mujoco.simulator"
    if config["environment"]["env_init_func"].__module__ != module:
        return
    simulator = importlib.import_module(module)
    shapes = {*simulator.PRIMITIVE_OBJECTS, *simulator.HABITAT_PRIMITIVE_OBJECTS}
    names = config["eval_env_interface_args"].get("object_names")
    # There are also mappings, of targets and distractors.
    for name in names if isinstance(names, list) else ():
        if name not in shapes:
            yield name


def _needs_one_process(config: Mapping[str, Any]) -> bool:
    """Returns whether episodes cannot run on their own.

    So it is if they follow a training, if Monty is not reset, and for what upstream's
    parallel runner makes no configs of.
    """
    monty = "tbp.monty.frameworks.models.no_reset_evidence_matching"
    no_reset = importlib.import_module(monty).MontyForNoResetEvidenceGraphMatching
    interface = config["eval_env_interface_args"]
    return (
        bool(config["do_train"])
        or issubclass(config["monty_config"]["monty_class"], no_reset)
        or not isinstance(interface.get("object_names"), list)
        or "object_init_sampler" not in interface
    )


def _check_episodes(
    config: Mapping[str, Any], episodes: str | None, *, in_one_process: bool
) -> None:
    if episodes is None:
        return
    if in_one_process:
        raise CannotRun("its episodes need those before, so --episodes cannot choose")
    names = config["eval_env_interface_args"]["object_names"]
    total = len(names) * config["n_eval_epochs"]
    try:
        episodes_of(episodes, total)
    except Failed as problem:
        raise CannotRun(str(problem)) from problem


if __name__ == "__main__":
    sys.exit(main())
