# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Finds, or installs, the browser in which tests open a report.

`python -m monty_tools.chromium` installs Chromium if that is needed and allowed.
Without it, the tests that need it are skipped.
"""

from __future__ import annotations

import shutil
import sys

from .debian import can_install, install

__all__ = ["find_chromium"]

PACKAGE = "chromium"
NAMES = (PACKAGE, "chromium-browser", "google-chrome")


def find_chromium() -> str | None:
    """Return the path of the browser, if there is one."""
    return next(filter(None, map(shutil.which, NAMES)), None)


def main() -> int:
    if find_chromium() is None and can_install():
        install(PACKAGE)
    found = find_chromium()
    print(
        f"reports are opened with {found}"
        if found
        else "there is no Chromium to open reports with. To install it:\n"
        f"  Debian:  sudo apt-get install {PACKAGE}\n"
        f"  Fedora:  sudo dnf install {PACKAGE}",
        file=sys.stderr,
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
