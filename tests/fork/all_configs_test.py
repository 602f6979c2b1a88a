# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The fork does what upstream does on every MuJoCo test config that runs here."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Mapping
from pathlib import Path

import pytest
from omegaconf import OmegaConf

from monty_tools.recording.config import compose
from monty_tools.refactor.upstream import obtain
from tests.fork.parity import actions_from, assert_parity

FRAGMENTS = {"environment", "monty"}
"""Folders of parts that experiments are composed from."""

ACTIONS = {
    "fixed_test_actions.jsonl": "actions.jsonl",
    "fixed_test_actions_off_object.jsonl": "actions_off_object.jsonl",
    "supervised_training_actions.jsonl": "actions.jsonl",
}
"""Files of actions that only upstream's own tests have, and our replacements."""

BACKEND = [f"--proposed={name}"] if (name := os.environ.get("PARITY_BACKEND")) else []
"""A backend other than the default; it equals upstream except for rounding."""


def mujoco_test_configs() -> list[str]:
    folder = obtain().import_root / "tbp" / "monty" / "conf" / "experiment"
    paths = (path.relative_to(folder) for path in folder.glob("test/**/*mujoco*.yaml"))
    names = sorted(
        path.with_suffix("").as_posix()
        for path in paths
        if not FRAGMENTS.intersection(path.parent.parts)
    )
    # Configs with several learning modules run several times. They come first, so that
    # no worker runs them alone at the end.
    return sorted(names, key=lambda name: not re.search("lms|multi_lm|five_lm", name))


def groupings(learning_modules: Mapping, seed: str) -> list[list[list[int]]]:
    """Return ways to group learning modules: each alone, all together, at random.

    By default, equal learning modules are together already; that way is left out.
    """
    lms = len(learning_modules)
    if lms == 1:
        return []
    rng = random.Random(seed)  # noqa: S311
    at_random: dict[int, list[int]] = {}
    for lm in range(lms):
        at_random.setdefault(rng.randrange(2), []).append(lm)
    alone, together = [[lm] for lm in range(lms)], [[*range(lms)]]
    texts = {
        re.sub(r"\b(patch|learning_module)_\d+", r"\1", OmegaConf.to_yaml(lm))
        for lm in learning_modules.values()
    }
    ways = [together, alone, [*at_random.values()]]
    distinct = [way for at, way in enumerate(ways) if way not in ways[:at]]
    return distinct[1:] if len(texts) == 1 else distinct


def test_finds_the_configs() -> None:
    assert len(mujoco_test_configs()) == 67


@pytest.mark.all_configs
@pytest.mark.parametrize("experiment", mujoco_test_configs())
def test_parity(experiment: str) -> None:
    config = compose(experiment, [])
    text = OmegaConf.to_yaml(config)
    fakes = re.findall(r"\btests\.[\w.]+", text)
    if fakes:
        pytest.skip(f"{experiment} names {fakes[0]}, which only upstream's tests have")
    arguments = [
        *BACKEND,
        *(
            actions_from(ACTIONS[Path(file).name])
            for file in re.findall(r"\$\{path\.tests:([\w./]+)\}", text)
        ),
    ]
    assert_parity(experiment, *arguments)
    learning_modules = config.experiment.config.monty_config.learning_modules
    for groups in groupings(learning_modules, seed=experiment):
        setting = f"+experiment.config.monty_config.lm_groups={groups}"
        assert_parity(experiment, *arguments, f"--proposed-override={setting}")
