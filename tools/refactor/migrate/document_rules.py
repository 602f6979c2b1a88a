# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Writes what the rules of `migrate` do, with examples from their tests.

python -m tools.refactor.migrate.document_rules
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Sequence

from ..layout import checkout
from .cases import Case, read_cases
from .rule import Rule
from .rules_in_order import RULES

__all__ = ["CASES", "DOCUMENT", "document", "main"]

CASES = Path("tests/tools/refactor/migrate/cases")
DOCUMENT = Path("docs/migrating.md")

_HEAD = """\
# Moving code that builds on Monty

<!-- Made by `make docs` from the tests of the rules. -->

    monty-refactor migrate PATH...     # all of a project at once: classes are followed
    monty-refactor migrate --diff .    # show, write nothing
    monty-refactor migrate --disable RULE --json .

Most code works without this: the fork runs overrides of whole steps, in the second
phase. Two things have to be changed: uses of what earlier releases of upstream have
removed, and patches of a class's methods. The work of a migrated learning module runs
together with that of others.

What a rule cannot change without changing what the code does is marked with a comment,
`# monty-refactor[RULE]: why`, and listed with what to do by hand. When it is done,
delete the comment. Python files, notebooks and YAML configs are read; a file, or cell,
that does not parse is listed and left as it is. Formatting is kept, and a second run
changes nothing.

Only evidence learning modules (`EvidenceGraphLM` and what derives from it) have halves:
of `matching_step`, `_compute_possible_matches` and `_update_possible_matches`. An
override of one that calls `super()` is split at this call. What stands before the call
then runs before other learning modules have their results. A rule cannot see whether it
reads the state of another learning module. If it does, keep the whole method.

Halves call the halves of the base class. So an override is split only if every override
of the same method in its base classes is split, too. The fork refuses to construct a
learning module in which halves are above a whole.
"""


def document(root: Path) -> str:
    """Return the text.

    Args:
        root: A checkout of the project.
    """
    cases = [*read_cases(root / CASES)]
    sections = [
        _section(rule, [one for one in cases if one.rule == rule.id]) for rule in RULES
    ]
    return "\n".join([_HEAD, *sections])


def main() -> int:
    """Write the text.

    Returns:
        The exit status.
    """
    root = checkout()
    if root is None:
        print("this is not a checkout of the project", file=sys.stderr)
        return 1
    target = root / DOCUMENT
    target.parent.mkdir(exist_ok=True)
    target.write_text(document(root), "utf-8")
    print(f"wrote {target}")
    return 0


def _section(rule: Rule, cases: Sequence[Case]) -> str:
    (example,) = [one for one in cases if one.path.stem == "example"]
    lines = [f"## {rule.id}", "", rule.summary, ""]
    for file, before in example.before.items():
        lines += [f"Before ({file}):", "", _fenced(before), ""]
        if file in example.after:
            lines += ["After:", "", _fenced(example.after[file]), ""]
    refused = [one.title for one in cases if one.path.stem.startswith("refused")]
    if refused:
        lines += ["Marked instead:", "", *(f"- {title}" for title in refused), ""]
    lines += [f"By hand: {rule.by_hand}", ""]
    return "\n".join(lines)


def _fenced(text: str) -> str:
    return f"```python\n{text.rstrip()}\n```"


if __name__ == "__main__":
    sys.exit(main())
