# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Composes every experiment config of the tbp.monty it is run with.

Prints a JSON object: for each config the composed text, interpolations unresolved, or
the error that composing it raises. Run by configs_test.py, once per side. Its
argument N tells to compose every Nth config.
"""

import json
import sys
from pathlib import Path

from hydra import compose, initialize_config_module
from hydra.errors import HydraException
from omegaconf import OmegaConf

import tbp.monty.hydra  # noqa: F401, registers the resolvers
from tbp.monty import conf


def composed_text(name: str) -> str:
    try:
        config = compose("experiment", overrides=[f"experiment={name}"])
    except HydraException as error:
        return f"{type(error).__name__}: {error}"
    return OmegaConf.to_yaml(config)


def main() -> None:
    folder = Path(conf.__file__).parent / "experiment"
    names = sorted(
        path.relative_to(folder).with_suffix("").as_posix()
        for path in folder.rglob("*.yaml")
    )
    composed = {}
    with initialize_config_module("tbp.monty.conf", version_base=None):
        for name in names[:: int(sys.argv[1])]:
            composed[name] = composed_text(name)
    json.dump({"root": str(folder.parents[3]), "configs": composed}, sys.stdout)


if __name__ == "__main__":
    main()
