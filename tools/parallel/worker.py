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
import faulthandler
import gc
import importlib
import importlib.util
import os
import pickle
import platform
import sys
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from ..ending import one_line
from ..guard import Failed
from ..lazy_modules import postpone_imports
from ..llvm_order import load_triton_first
from ..opengl import rendering, use_headless_opengl
from ..temporary import temporary_folder
from .gpu_memory import is_out_of_memory, watched_gpu

__all__ = ["MODEL", "WANDB", "Order", "Outcome", "Prepared", "Worker", "last_lines"]

MODEL = "model.pt"
WANDB = "wandb.pickle"
"""What an episode reports to wandb."""

LOG, OUTPUT = "log.txt", "output.txt"
FILES = (
    *("train_stats.csv", "eval_stats.csv", "detailed_run_stats.json", LOG),
    *("detailed_run_stats/*.json", "profile/*.csv"),
)
"""What an episode leaves that is joined with that of the others."""

LINES = 20


@dataclass(frozen=True)
class Order:
    """What a worker is for.

    Attributes:
        cfg: The composed configuration, not resolved yet: each machine has its own
            folders of data.
        version: The version of the tbp.monty that must be imported.
        import_root: The folder to import it from; None if it is installed.
    """

    cfg: Any
    version: str
    import_root: Path | None


@dataclass(frozen=True)
class Prepared:
    """What a worker found before its first episode.

    Attributes:
        host: The name of its machine.
        node: Ray's id of the machine.
        folder: Where it writes.
        names: The names of the episodes, by phase.
        problem: Why it cannot run them, if so.
        gpu_share: The part of a GPU's memory that its learning modules need; None if
            it cannot be planned.
    """

    host: str
    node: str
    folder: Path
    names: dict[str, tuple[str, ...]] = field(default_factory=dict)
    problem: str | None = None
    gpu_share: float | None = None


@dataclass(frozen=True)
class Outcome:
    """What became of an episode.

    Attributes:
        files: The files it left, by name.
        error: The traceback, if it raised an exception.
        reason: The exception in one line.
        is_crowded: Whether a GPU had too little memory for it.
        gpu_share: The part of a GPU's memory that was taken while it ran.
    """

    files: dict[str, bytes] = field(default_factory=dict)
    error: str | None = None
    reason: str = ""
    is_crowded: bool = False
    gpu_share: float = 0.0


class Worker:
    """Runs episodes, one after the other."""

    def __init__(self, order: Order) -> None:
        """Makes a worker.

        Args:
            order: What it is for.
        """
        self._order = order
        self._stack = contextlib.ExitStack()
        self._folder = self._stack.enter_context(temporary_folder())
        self._output = _redirect_output(self._folder / OUTPUT)
        self._configs: dict[str, tuple[bytes, ...]] = {}
        if order.import_root is not None:
            sys.path.insert(0, str(order.import_root))

    def ping(self) -> None:
        """Does nothing; whoever asks learns that the worker lives."""

    def prepare(self, *, plans_gpu: bool = False) -> Prepared:
        """Imports and composes everything, and says whether episodes can run.

        Args:
            plans_gpu: Whether to find out how much of a GPU they need.
        """
        import ray  # noqa: PLC0415 a worker is one of Ray's

        node = ray.get_runtime_context().get_node_id()
        found = Prepared(platform.node(), node, self._folder)
        try:
            self._import_monty()
            # Imported now: they read the environment that was just set.
            from .data import check_backend, check_data  # noqa: PLC0415
            from .episodes import phases_of  # noqa: PLC0415
            from .kept_model import kept_models  # noqa: PLC0415

            check_backend(self._order.cfg)
            check_data(self._order.cfg)
            phases = phases_of(self._order.cfg)
            self._stack.enter_context(kept_models())
            share = _planned_share(self._order.cfg) if plans_gpu else None
        except Failed as reason:
            return replace(found, problem=str(reason))
        self._configs = {phase.mode: phase.configs for phase in phases}
        names = {phase.mode: phase.names for phase in phases}
        gc.collect()
        gc.freeze()  # what is imported need not be looked at after every episode
        return replace(found, names=names, gpu_share=share)

    def run(self, mode: str, number: int) -> Outcome:
        """Runs an episode.

        Args:
            mode: The phase.
            number: The place of the episode in the phase.
        """
        from .fresh_state import fresh_state  # noqa: PLC0415 after numpy is set up

        os.ftruncate(self._output, 0)
        config = pickle.loads(self._configs[mode][number])  # noqa: S301 ours
        with temporary_folder(self._folder) as folder:
            asked = config["config"]["logging"]["output_dir"]
            config["config"]["logging"]["output_dir"] = folder
            try:
                with watched_gpu() as gpu, fresh_state(), rendering():
                    stats = self._run(mode, config)
            except Exception as error:  # noqa: BLE001 it is reported
                return Outcome(
                    error=traceback.format_exc(),
                    reason=one_line(error),
                    is_crowded=is_out_of_memory(error),
                )
            files = dict(_files(folder, mode, str(asked)))
        if stats is not None:
            files[WANDB] = pickle.dumps(stats)
        return Outcome(files, gpu_share=gpu.share)

    def call_runner(self, function: str, *args: Any) -> Any:
        """Calls a function of upstream's parallel runner."""
        return getattr(_runner(), function)(*args)

    def join_models(self, parts: Sequence[Path], target: Path) -> None:
        """Joins the models of objects that were trained in parallel.

        Args:
            parts: The folders with the models.
            target: The file to write.
        """
        from .fresh_state import fresh_state  # noqa: PLC0415 after numpy is set up

        config = pickle.loads(self._configs["train"][0])  # noqa: S301 ours
        torch: Any = importlib.import_module("torch")
        instantiate = importlib.import_module("tbp.monty.hydra").instantiate_experiment
        with temporary_folder(self._folder) as folder, fresh_state(), rendering():
            config["config"]["logging"]["output_dir"] = folder
            with instantiate(config) as experiment:
                experiment.model.load_state_dict_from_parallel(list(parts))
                torch.save(experiment.model.state_dict(), target)

    def close(self) -> None:
        """Removes what the worker has written."""
        self._stack.close()

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
        _runner()

    def _run(self, mode: str, config: Any) -> Any:
        if mode == "train":
            return _runner().single_train(config)
        with _unsaved_state():
            return _runner().single_evaluate(config)


def last_lines(folder: Path) -> str:
    """Returns what a worker that is gone logged and printed last.

    Args:
        folder: The folder of the worker.
    """
    files = [*folder.rglob(LOG), folder / OUTPUT]
    lines = []
    for file in files:
        with contextlib.suppress(OSError):
            lines += file.read_text("utf-8", "replace").splitlines()[-LINES:]
    return "\n".join(lines)


def _runner() -> Any:
    return importlib.import_module("tbp.monty.frameworks.run_parallel")


@contextlib.contextmanager
def _unsaved_state() -> Iterator[None]:
    """Keeps experiments from writing models that nothing of an evaluation needs."""
    from .kept_model import EXPERIMENT  # noqa: PLC0415 after numpy is set up

    experiment: Any = importlib.import_module(EXPERIMENT).MontyExperiment
    save = experiment.save_state_dir
    experiment.save_state_dir = lambda self, output_dir=None: None  # noqa: ARG005
    try:
        yield
    finally:
        experiment.save_state_dir = save


def _planned_share(cfg: Any) -> float | None:
    if importlib.util.find_spec("tbp.monty.backends") is None:
        return None  # upstream has none
    from .fresh_state import fresh_state  # noqa: PLC0415 after numpy is set up
    from .planned_share import planned_share  # noqa: PLC0415 it needs backends

    with fresh_state():
        return planned_share(cfg)


def _redirect_output(path: Path) -> int:
    """Lets the process print to a file; returns its descriptor."""
    sys.stdout.flush()
    sys.stderr.flush()
    descriptor = os.open(path, os.O_CREAT | os.O_WRONLY | os.O_APPEND)
    os.dup2(descriptor, 1)
    os.dup2(descriptor, 2)
    faulthandler.enable(2)
    return descriptor


def _files(folder: Path, mode: str, asked: str) -> Iterator[tuple[str, bytes]]:
    """Yields the files of an episode by name.

    Args:
        folder: Where the experiment was told to write.
        mode: The phase.
        asked: The folder that upstream would have told it.
    """
    # Pretraining writes everything into a folder below.
    root = folder / "pretrained" if mode == "train" else folder
    patterns: Sequence[str] = (*FILES, MODEL) if mode == "train" else FILES
    for pattern in patterns:
        for file in root.glob(pattern):
            content = file.read_bytes()
            if file.name == LOG:
                content = content.replace(str(folder).encode(), asked.encode())
            yield file.relative_to(root).as_posix(), content
