# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Which experiments to compare: upstream's lists of benchmarks, or a file of names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from ..guard import Failed

__all__ = ["MUJOCO", "SUITES", "experiments_of", "is_name"]

MUJOCO = "_mujoco"
"""Ends the names of the experiments, and of the suites, that MuJoCo simulates."""

# The names of upstream's tables (`benchmarks/NAME.csv` in its repository, which the
# package does not carry) and of the experiments in them.
_SIMULATED = {
    "ycb_10objs": """
        base_config_10distinctobj_dist_agent base_config_10distinctobj_surf_agent
        randrot_noise_10distinctobj_dist_agent randrot_noise_10distinctobj_dist_on_distm
        randrot_noise_10distinctobj_vocus_on_vocusm
        randrot_noise_10distinctobj_surf_agent randrot_10distinctobj_surf_agent
        randrot_noise_10distinctobj_5lms_dist_agent base_10simobj_surf_agent
        randrot_noise_10simobj_dist_agent randrot_noise_10simobj_surf_agent
        randomrot_rawnoise_10distinctobj_surf_agent
    """,
    "ycb_77objs": """
        base_77obj_dist_agent base_77obj_surf_agent
        randrot_noise_77obj_dist_agent randrot_noise_77obj_surf_agent
        randrot_noise_77obj_5lms_dist_agent
    """,
    "ycb_unsupervised": """
        surf_agent_unsupervised_10distinctobj
        surf_agent_unsupervised_10distinctobj_noise surf_agent_unsupervised_10simobj
    """,
    "ycb_unsupervised_inference": """
        unsupervised_inference_distinctobj_dist_agent
        unsupervised_inference_distinctobj_surf_agent
    """,
    "cows_small": """
        base_infer_cows_small_monolithic base_infer_cows_small_compositional
        randrot_noise_infer_cows_small_monolithic
        randrot_noise_infer_cows_small_compositional
    """,
    "cows_large": """
        base_infer_cows_large_monolithic base_infer_cows_large_compositional
        randrot_noise_infer_cows_large_monolithic
        randrot_noise_infer_cows_large_compositional
        base_infer_cows_large_monolithic_random_locs
        base_infer_cows_large_compositional_random_locs
    """,
    "montymeetsworld": "randrot_noise_sim_on_scan_monty_world",
}
_IMAGES = {
    "montymeetsworld": """
        world_image_on_scanned_model dark_world_image_on_scanned_model
        bright_world_image_on_scanned_model hand_intrusion_world_image_on_scanned_model
        multi_object_world_image_on_scanned_model
    """
}

SUITES = {
    f"{suite}{simulator}": (
        *(f"{name}{simulator}" for name in names.split()),
        *_IMAGES.get(suite, "").split(),
    )
    for suite, names in _SIMULATED.items()
    for simulator in ("", MUJOCO)
}
"""Upstream's simulated benchmarks use Habitat; each has a twin that uses MuJoCo."""

_NAME = re.compile(r"[A-Za-z0-9]\w*(/[A-Za-z0-9]\w*)*", re.ASCII)


class NoSuite(Failed):
    """There is no such list of experiments."""


def is_name(text: str) -> bool:
    """Return whether a text can be the name of an experiment, and so of a folder."""
    return _NAME.fullmatch(text) is not None


def experiments_of(suites: Iterable[str], named: Sequence[str]) -> list[str]:
    """Return the experiments to compare, each once.

    Args:
        suites: Names of suites, or files with one experiment per line, in which `#`
            begins a comment.
        named: More experiments.

    Raises:
        NoSuite: If a suite is neither, or there is no experiment at all.
    """
    names = list(named)
    for suite in suites:
        names += SUITES[suite] if suite in SUITES else _lines(Path(suite))
    if not names:
        raise NoSuite("name an experiment or a suite: --list-suites lists them")
    return list(dict.fromkeys(names))


def _lines(path: Path) -> list[str]:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise NoSuite(
            f"{path} is no suite and no file that can be read ({error}): "
            "--list-suites lists the suites"
        ) from error
    names = (line.partition("#")[0].strip() for line in text.splitlines())
    return list(filter(None, names))
