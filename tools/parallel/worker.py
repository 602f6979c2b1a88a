# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A worker: a process that lives for the whole run and runs episode after episode.

It imports tbp.monty, composes the episodes and reads the model once. Every episode gets
a new experiment, see `fresh_state` for the rest.
"""

from __future__ import annotations

import contextlib
import copy
import faulthandler
import functools
import gc
import importlib
import os
import pickle
import platform
import sys
import threading
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from unittest.mock import patch

from ..ending import one_line
from ..guard import Failed
from ..lazy_modules import postpone_imports
from ..llvm_order import load_triton_first
from ..models.guard import guarded_models
from ..opengl import rendering, use_headless_opengl
from ..temporary import temporary_folder

__all__ = [
    "MODEL",
    "WANDB",
    "Order",
    "Outcome",
    "Prepared",
    "Worker",
    "read_models_once",
]

MODEL = "model.pt"
WANDB = "wandb.pickle"
"""What an episode reports to wandb."""

LOG = "log.txt"
FILES = (
    *("train_stats.csv", "eval_stats.csv", "detailed_run_stats.json", LOG),
    *("detailed_run_stats/*.json", "profile/*.csv"),
)
"""What an episode leaves that is joined with that of the others."""

SECONDS_BETWEEN_LOOKS = 0.1
EXPERIMENT = "tbp.monty.frameworks.experiments.monty_experiment"
EXHAUSTED = {"OutOfDeviceMemory", "OutOfMemoryError"}
"""Exceptions of the fork's backends, and of CuPy."""


@dataclass(frozen=True)
class Order:
    """What workers are for.

    Attributes:
        cfg: The composed configuration, not resolved yet: each machine has its own
            folders of data.
        version: The version of the tbp.monty that must be imported.
        import_root: The folder to import it from; None if it is installed.
        timeout: How many seconds an episode may take; None for no limit.
    """

    cfg: Any
    version: str
    import_root: Path | None
    timeout: float | None = None


@dataclass(frozen=True)
class Prepared:
    """What a worker found before its first episode.

    Attributes:
        where: Its machine, for people.
        names: The names of the episodes, by phase.
        problem: Why it cannot run them, if so.
    """

    where: str
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    problem: str | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of an episode.

    Attributes:
        files: The files it left, by name.
        error: The traceback, if it raised an exception.
        reason: The exception in one line.
        is_crowded: Whether a GPU had too little memory for it.
        gpu_share: The part of a GPU's memory that was taken while it ran, by other
            processes too; 0 without a GPU.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    error: str | None = None
    reason: str = ""
    is_crowded: bool = False
    gpu_share: float = 0.0


class Worker:
    """Runs episodes, one after the other. Ray makes it again when its process ends."""

    def __init__(self, order: Order, output: Path) -> None:
        """Imports and composes everything.

        Args:
            order: What it is for.
            output: Where its process logs and prints to.
        """
        self._order = order
        _redirect_output(output)
        if order.import_root is not None:
            sys.path.insert(0, str(order.import_root))
        self._stack = contextlib.ExitStack()
        self._phases: dict[str, Any] = {}
        problem = None
        try:
            self._import_monty()
            # Imported now: they read the environment that was just set.
            from .data import check_backend, check_data  # noqa: PLC0415
            from .episodes import phases_of  # noqa: PLC0415

            check_backend(order.cfg)
            check_data(order.cfg)
            self._phases = {phase.mode: phase for phase in phases_of(order.cfg)}
            if not read_models_once():  # upstream's experiments load any model
                self._stack.enter_context(guarded_models())
        except Failed as reason:
            problem = str(reason)
        names = {mode: phase.names for mode, phase in self._phases.items()}
        self._prepared = Prepared(_where(), names, problem)
        gc.collect()
        gc.freeze()  # what is imported need not be looked at after every episode

    def prepared(self) -> Prepared:
        """Returns what it found."""
        return self._prepared

    def run(self, mode: str, number: int) -> Outcome:
        """Runs an episode.

        Args:
            mode: The phase.
            number: The place of the episode in the phase.
        """
        from .fresh_state import fresh_state  # noqa: PLC0415 after numpy is set up

        os.ftruncate(1, 0)  # the output is that of one episode
        config = pickle.loads(self._phases[mode].configs[number])  # noqa: S301 ours
        logging = config["config"]["logging"]
        asked = str(logging["output_dir"])
        with temporary_folder() as folder, self._deadline():
            logging["output_dir"] = folder
            try:
                with _watched_gpu() as shares, fresh_state(), rendering():
                    stats = _run(mode, config)
            except Exception as error:  # noqa: BLE001 it is reported
                details = traceback.format_exc()
                return Outcome({}, details, one_line(error), _is_out_of_memory(error))
            files = dict(_files(folder, mode, asked))
        if stats is not None:
            files[WANDB] = pickle.dumps(stats)
        return Outcome(files, gpu_share=max(shares))

    def join_models(self, parts: Sequence[Path], target: Path) -> None:
        """Joins the models of objects that were trained in parallel.

        Args:
            parts: The folders with the models.
            target: The file to write.
        """
        config = pickle.loads(self._phases["train"].configs[0])  # noqa: S301 ours
        torch: Any = importlib.import_module("torch")
        instantiate = importlib.import_module("tbp.monty.hydra").instantiate_experiment
        with temporary_folder() as folder, rendering():
            config["config"]["logging"]["output_dir"] = folder
            with instantiate(config) as experiment:
                experiment.model.load_state_dict_from_parallel(list(parts))
                torch.save(experiment.model.state_dict(), target)

    def _import_monty(self) -> None:
        postpone_imports()
        use_headless_opengl(os.environ)
        load_triton_first()
        importlib.import_module("tbp.monty.frameworks.run_env").setup_env()
        importlib.import_module("tbp.monty.hydra")  # registers the resolvers
        monty = importlib.import_module("tbp.monty")
        if monty.__version__ != self._order.version:
            raise Failed(
                f"has tbp.monty {monty.__version__} in {Path(monty.__path__[0])}, and "
                f"the run needs {self._order.version}"
            )
        if self._order.cfg.quiet_habitat_logs:
            os.environ.update(MAGNUM_LOG="quiet", HABITAT_SIM_LOG="quiet")

    @contextlib.contextmanager
    def _deadline(self) -> Iterator[None]:
        """Ends the process if an episode takes too long, so that Ray replaces it."""
        if self._order.timeout is None:
            yield
            return
        # A thread of its own, which waits for no lock, so it ends whatever hangs. It
        # also logs where.
        faulthandler.dump_traceback_later(self._order.timeout, exit=True)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()


def _where() -> str:
    import ray  # noqa: PLC0415 a worker is one of Ray's

    node = ray.get_runtime_context().get_node_id()
    return f"{platform.node()} (node {node[:8]})"


def _redirect_output(path: Path) -> None:
    """Lets the process log and print to a file."""
    sys.stdout.flush()
    sys.stderr.flush()
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    faulthandler.enable(2)


def _run(mode: str, config: Any) -> Any:
    runner = importlib.import_module("tbp.monty.frameworks.run_parallel")
    if mode == "train":
        return runner.single_train(config)
    # An evaluation would save models that nobody needs.
    experiment: Any = importlib.import_module(EXPERIMENT).MontyExperiment
    with patch.object(experiment, "save_state_dir", lambda *_, **__: None):
        return runner.single_evaluate(config)


def read_models_once() -> bool:
    """Keeps the models that experiments of this process load.

    An episode may change its model, so it gets a deep copy, and the kept one is never
    handed out.

    Returns:
        Whether it can; upstream's experiments load models in another way.
    """
    module: Any = importlib.import_module(EXPERIMENT)
    if not hasattr(module, "read_model"):
        return False
    read_once = functools.cache(module.read_model)
    module.read_model = lambda path: copy.deepcopy(read_once(path))
    return True


@contextlib.contextmanager
def _watched_gpu() -> Iterator[list[float]]:
    """Yields the parts of the visible GPU's memory that are taken until the end."""
    shares, ended = [0.0], threading.Event()

    def watch() -> None:
        while not ended.wait(SECONDS_BETWEEN_LOOKS):
            # Not imported here: an episode on a CPU needs no GPU.
            cuda: Any = getattr(sys.modules.get("cupy"), "cuda", None)
            if cuda is not None:
                free, total = cuda.runtime.memGetInfo()
                shares.append(1 - free / total)

    thread = threading.Thread(target=watch, daemon=True)
    thread.start()
    try:
        yield shares
    finally:
        ended.set()
        thread.join()


def _is_out_of_memory(error: BaseException | None) -> bool:
    while error is not None:
        if type(error).__name__ in EXHAUSTED:
            return True
        error = error.__cause__ or error.__context__
    return False


def _files(folder: Path, mode: str, asked: str) -> Iterator[tuple[str, bytes]]:
    """Yields the files of an episode by name.

    Args:
        folder: Where the experiment was told to write.
        mode: The phase.
        asked: The folder that upstream would have told it.
    """
    # Pretraining writes everything into a folder below.
    root = folder / "pretrained" if mode == "train" else folder
    for pattern in (*FILES, MODEL) if mode == "train" else FILES:
        for file in root.glob(pattern):
            content = file.read_bytes()
            if file.name == LOG:
                content = content.replace(str(folder).encode(), asked.encode())
            yield file.relative_to(root).as_posix(), content
