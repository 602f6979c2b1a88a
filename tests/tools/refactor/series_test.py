# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import ast
import re
import unittest

from monty_tools.refactor.document_series import with_steps
from monty_tools.refactor.layout import overlay_root
from monty_tools.refactor.pin import KNOWN_RELEASES, PINNED
from monty_tools.refactor.plan import Plan, make_plan
from monty_tools.refactor.series import ALL, PARTS, SERIES, steps_through
from monty_tools.refactor.upstream import obtain
from tests.tools.refactor.cli_test import run
from tests.tools.refactor.upstream_copy import planned

FORK_ONLY = ("cli/", "backends/")
"""Overlay files that are not proposed to upstream, unless a step adds them: the fork as
a package, and backends that need more than upstream does."""


class SeriesTest(unittest.TestCase):
    def test_a_part_comes_with_the_parts_before_it(self) -> None:
        self.assertEqual(list(PARTS), ["core", "fork", "perf"])
        core, fork, _ = PARTS.values()
        self.assertEqual(steps_through("core"), core)
        self.assertEqual(steps_through("fork"), (*core, *fork))
        self.assertEqual(steps_through(ALL), SERIES)

    def test_titles_are_conventional_and_bodies_say_what_to_check(self) -> None:
        kinds = "feat|fix|refactor|perf|test|docs|chore|rfc"
        for step in SERIES:
            with self.subTest(step.title):
                self.assertRegex(step.title, rf"^({kinds})!?: [a-z]")
                self.assertLessEqual(len(step.title), 72)
                self.assertIn("To check:", step.body)

    def test_the_page_for_reviewers_lists_the_steps(self) -> None:
        page = (overlay_root().parent / "docs" / "reviewing.md").read_text("utf-8")
        self.assertEqual(with_steps(page), page)
        self.assertIn(f"```text\n{run('list')[1]}```\n", page)

    def test_every_overlay_file_comes_with_a_step_or_is_the_forks_own(self) -> None:
        package = overlay_root() / "tbp" / "monty"
        brought = [file for step in SERIES for file in step.overlay]
        for path in package.rglob("*.py"):
            file = path.relative_to(package).as_posix()
            with self.subTest(file):
                self.assertTrue(file in brought or file.startswith(FORK_ONLY))
        self.assertEqual(len(brought), len(set(brought)))

    def test_applies_to_every_known_release_and_fits_its_columns(self) -> None:
        for release in KNOWN_RELEASES.values():
            with self.subTest(release.version):
                is_pinned = release is PINNED
                plan = planned("perf") if is_pinned else make_plan(obtain(release))
                for step in SERIES:
                    for rewrite in step.rewrites:
                        self.assertIn(f"tbp/monty/{rewrite.file}", plan.rewritten)
                self.assert_lines_fit_upstreams_88_columns(plan)

    def test_removed_lines_reappear_elsewhere(self) -> None:
        # A line that core removes from a file is elsewhere in the result, except for a
        # few lines that change, and the update of a graph, which is the updaters' now.
        plan = planned("core")

        def lines(texts):
            return {line.strip() for text in texts for line in text.splitlines()}

        before = lines(plan.original[file] for file in plan.rewritten)
        gone = before - lines(plan.changes.values()) - lines([_update_of_a_graph()])
        of_the_loop = re.compile(r"^#|_update_evidence|graph_id\)|^import time$")
        self.assertEqual(
            {line for line in gone if not of_the_loop.search(line)},
            {
                '"""Collect inputs and step each learning module."""',
                (
                    "assert callable(lm_step_method), "
                    'f"{lm_step_method} must be callable"'
                ),
                "lm_step_method = getattr(self.learning_modules[i], self.step_type)",
                (
                    "getattr(self.learning_modules[i], self.step_type)"
                    "(ctx, sensory_inputs)"
                ),
                "lm_step_method(ctx, sensory_inputs)",
                "sensory_inputs = self._collect_inputs_to_lm(i)",
                "with self.hypotheses_updater:",
            },
        )
        self.assertLess(len(gone), 20)

    def assert_lines_fit_upstreams_88_columns(self, plan: Plan) -> None:
        for file, text in plan.changes.items():
            upstreams = (plan.original[file] or "").splitlines()
            for line in text.splitlines():
                if line not in upstreams:
                    code = line.partition("  # noqa")[0]  # as ruff counts
                    self.assertLessEqual(len(code), 88, f"{file}: {line}")


def _update_of_a_graph() -> str:
    """Return the code of upstream's method that updates one graph."""
    models = obtain().import_root / "tbp/monty/frameworks/models"
    text = (models / "evidence_matching/learning_module.py").read_text("utf-8")
    [method] = [
        node
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.name == "_update_evidence"
    ]
    return "\n".join(text.splitlines()[method.lineno - 1 : method.end_lineno])
