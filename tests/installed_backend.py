# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Makes a backend known to child processes, as if it were installed."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

__all__ = ["installed_backend"]


@contextmanager
def installed_backend(name: str, module: Path, class_name: str) -> Iterator[Path]:
    """Install a backend, and choose it by the environment variable.

    Args:
        name: Its name.
        module: The file that defines it.
        class_name: Its class.

    Yields:
        A folder whose path processes find in the variable `BACKEND_FOLDER`.
    """
    with tempfile.TemporaryDirectory() as folder:
        site = Path(folder)
        (site / module.name).symlink_to(module)
        metadata = site / f"{name}-1.0.dist-info"
        metadata.mkdir()
        (metadata / "METADATA").write_text(f"Name: {name}\nVersion: 1.0\n")
        (metadata / "entry_points.txt").write_text(
            f"[tbp.monty.backends]\n{name} = {module.stem}:{class_name}\n"
        )
        paths = [folder, os.environ.get("PYTHONPATH", "")]
        variables = {
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            "MONTY_BACKEND": name,
            "BACKEND_FOLDER": folder,
        }
        with patch.dict(os.environ, variables):
            yield site
