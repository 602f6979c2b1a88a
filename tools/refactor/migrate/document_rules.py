# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Writes the documentation of `migrate`'s rules, with examples from their tests.

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

For people who maintain learning modules, updaters or experiments that build on Monty.
Most code works on the fork as it is. Two things have to be changed: uses of what
earlier releases of upstream have removed, and patches of a class's methods. After the
migration, a backend can run the work of your learning modules together with that of
others.

```sh
monty-refactor migrate --diff .  # show what would change, write nothing
monty-refactor migrate .  # migrate a whole project at once: classes are followed
monty-refactor migrate --disable split-override --json .
```

The command reads Python files, notebooks and YAML configs. It skips hidden folders,
environments, links and what git ignores, unless you name them. A copy of tbp.monty in
the project is only read: use `monty-refactor apply` or `series` for it. The command
keeps the formatting, and a second run changes nothing. A file or a cell that does not
parse is listed and left as it is. If a rule cannot change code without changing what it
does, it marks the place with a comment, `# monty-refactor[RULE]: why`, and lists it
with what to do by hand. Delete the comment when you have done it.

## What to know

- **Only the evidence family has halves.** In `EvidenceGraphLM` and its subclasses,
  `matching_step`, `_compute_possible_matches` and `_update_possible_matches` have a
  dispatch half and a process half, such as `dispatch_matching_step` and
  `process_matching_step`. A rule splits an override at its call of `super()`.
- **What comes before the call runs earlier.** It runs before other learning modules
  have their results. So an override is split only if it can be seen that it touches
  nothing but its own learning module: it changes none of its arguments, draws no random
  numbers from `ctx`, calls nothing whose effects are not known, and reads nothing that
  may be another learning module. A context around the call of `super()` has to be made
  by the learning module. The same holds for all overrides that the step calls. What
  learning modules print or log may come in another order.
- **Whole methods still work.** An override of a whole method runs in the second phase,
  and so does a learning module that has only `matching_step`. Only halves let a backend
  run your work together with that of others. (Upstream's part `core` has no such
  support: it refuses overrides of whole methods in the evidence family.)
- **Halves do not go above a whole.** Halves call the halves of the base class. So an
  override is split only if every override of the same method in its base classes is
  split, too. The fork refuses to construct a learning module whose halves are above a
  whole method, and names both.
- **Patches of a class's method have no effect.** Monty calls the halves, so it passes
  over `patch.object(EvidenceGraphLM, "matching_step")`. Patch the halves, or the step
  of one learning module.
- **Your own hypotheses updater** works on the backend `reference`.
- **Old names work.** `ResamplingHypothesesUpdater` and its module can be imported. They
  are today's `BurstSamplingHypothesesUpdater`.
- **Exceptions are raised.** Upstream prints an exception in the update of a graph, in
  its thread. The fork raises it and names the learning module.

`tests/fork/signatures_test.py` lists every public name and signature in which the fork
differs from upstream. The rules follow; `--disable RULE` leaves one out.
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
