# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Checks the README and the pages below docs.

Commands in `sh` blocks are run, unless a comment after the command says what it needs;
then the command's own parser only parses the arguments.
"""

from __future__ import annotations

import contextlib
import functools
import importlib
import io
import os
import re
import shlex
import subprocess
import tempfile
import unittest
from pathlib import Path
from typing import Iterator
from unittest.mock import patch

from monty_tools.refactor import cli as refactor
from monty_tools.refactor.requirements import extras
from tbp.monty import __file__ as package
from tbp.monty.backends.registry import known_backends
from tbp.monty.cli import COMMANDS, command_named
from tbp.monty.cli import main as monty
from tbp.monty.cli.sides import UPSTREAM, named_sides

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")
BENCHMARKS = (ROOT / "docs/benchmarks.md").read_text("utf-8")
WITH_COMMANDS = [ROOT / "README.md", *sorted(ROOT.glob("docs/*.md"))]
CURRENT = [*WITH_COMMANDS, *ROOT.glob("rfcs/*.md"), ROOT / "CONTRIBUTING.md"]
PAGES = [*CURRENT, ROOT / "CHANGELOG.md", ROOT / "SECURITY.md"]
EXPERIMENTS = Path(package).parent / "conf" / "experiment"

BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
SPREAD = re.compile(r"([\d.]*\d)[^\d(|]{0,40} \(([\d.]+) to ([\d.]+)[);]")
LINK = re.compile(r"\]\(([^)\s]+)\)")
MENTIONED = re.compile(r"`((?:make|monty|monty-refactor) [^`]+)`")
NOT_RUN = re.compile(r"# (needs (a GPU|data|a download|a checkout)|takes minutes)\b")

PROGRAMS = {"monty": monty, "monty-refactor": refactor.main}
PLANNED = functools.cache(refactor.make_plan)
"""Planning all steps takes seconds, and several commands do it."""


def text_of(page: Path) -> str:
    """Return a page without its blocks."""
    return BLOCK.sub("", page.read_text("utf-8"))


def commands(text: str) -> Iterator[tuple[tuple[str, ...], bool]]:
    """Yield the words of each command, and whether it is to be run."""
    for language, block in BLOCK.findall(text):
        for line in block.replace("\\\n", " ").splitlines() if language == "sh" else ():
            words = shlex.split(line, comments=True)
            if words:
                yield tuple(words), NOT_RUN.search(line) is None


def anchors(page: Path) -> set[str]:
    """Return GitHub's anchors of the headings of a page."""
    headings = re.findall(r"^#+ (.*)$", text_of(page), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", one.lower()).replace(" ", "-") for one in headings}


def ran(program: str, *arguments: str) -> tuple[int, str]:
    """Run a program; our own programs run in this process.

    Returns:
        The exit status and what was printed.
    """
    if program not in PROGRAMS:
        command = [program, *arguments]
        done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
        return done.returncode, done.stdout + done.stderr
    output = io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(output):
        try:
            return PROGRAMS[program](arguments), output.getvalue()
        except SystemExit as stop:
            return stop.code, output.getvalue()


def parsed(program: str, *arguments: str) -> tuple[int, str]:
    """Let a program parse its arguments, but not run."""
    if program == "monty":
        count = 2 if " ".join(arguments[:2]) in COMMANDS else 1
        command = command_named(" ".join(arguments[:count]))
        with patch.dict(os.environ):  # in which --trust leaves a path
            options = command.parser().read(arguments[count:])
        known = {None, UPSTREAM, *known_backends()}
        named = {*named_sides(options), getattr(options, "backend", None)}
        return len(named - known), f"{options}"
    if program in ("monty-refactor", "python"):
        named = refactor
        if program == "python":
            _, module, *arguments = arguments
            named = importlib.import_module(module)
        return 0, str(named._parser().parse_args(arguments))
    if program == "make":
        return ran("make", "--dry-run", *arguments)
    if program == "pip":
        asked = re.fullmatch(r"\.\[(.*)\]", arguments[-1])[1].split(",")
        return len({*asked} - {*extras()}), f"extras {asked}"
    if program == "pytest":
        (file,) = [ROOT / one for one in arguments if one.endswith(".py")]
        selected = arguments[arguments.index("-k") + 1] if "-k" in arguments else ""
        return int(selected not in file.read_text("utf-8")), f"{file}: {selected}"
    return 1, f"this test does not know {program}"


def fault_of_mentioned(program: str, *arguments: str) -> str:
    """Return what is wrong with a command that need not be complete."""
    if program == "make":
        return "" if parsed(program, *arguments)[0] == 0 else "no such target"
    options = [one.partition("=")[0] for one in arguments if one.startswith("--")]
    names = [one for one in arguments if not one.startswith("--")]
    status, output = ran(program, *names, "--help")
    unknown = [one for one in options if not re.search(rf"{one}\b", output)]
    return f"{unknown} in {output}" if status or unknown else ""


class ReadmeTest(unittest.TestCase):
    def test_links_to_every_page(self) -> None:
        pages = {page.relative_to(ROOT).as_posix() for page in PAGES}
        self.assertLessEqual(pages - {"README.md"}, {*LINK.findall(README)})

    def test_quotes_three_figures_with_their_commands_from_the_benchmarks(self) -> None:
        figures = re.findall(r"\| \*\*(.*)\*\*(.*) \|$", README, re.MULTILINE)
        self.assertEqual(len(figures), 3)
        for figure in map("".join, figures):
            self.assertRegex(BENCHMARKS, rf"\| {re.escape(figure)}[ ;,]")
        measuring = {*commands(README[: README.index("## Install")])}
        self.assertGreaterEqual(len(measuring), 3)
        self.assertLessEqual(measuring, {*commands(BENCHMARKS)})

    def test_a_figure_lies_within_its_spread(self) -> None:
        for page in (README, BENCHMARKS):
            found = SPREAD.findall(page)
            self.assertTrue(found)
            for figure, low, high in found:
                with self.subTest(f"{figure} ({low} to {high})"):
                    self.assertLessEqual(float(low), float(figure))
                    self.assertLessEqual(float(figure), float(high))

    def test_lists_the_backends(self) -> None:
        listed = re.findall(r"^\| `([\w-]+)` \|", README, re.MULTILINE)
        self.assertEqual(sorted(listed), sorted(known_backends()))


class PagesTest(unittest.TestCase):
    def test_links_lead_somewhere(self) -> None:
        for page in PAGES:
            for link in LINK.findall(text_of(page)):
                with self.subTest(page=page.name, link=link):
                    path, _, anchor = link.partition("#")
                    if not path.startswith("https:"):
                        target = page.parent / path if path else page
                        self.assertTrue(target.is_file())
                        self.assertTrue(not anchor or anchor in anchors(target))

    def test_blocks_name_their_language(self) -> None:
        for page in WITH_COMMANDS:
            with self.subTest(page.name):
                found = {one for one, _ in BLOCK.findall(page.read_text("utf-8"))}
                self.assertLessEqual(found, {"sh", "python", "text", "toml", "yaml"})
                self.assertNotRegex(text_of(page), r"\n\n {4}|\n\t|```")

    def test_commands_run_or_are_marked_and_parse(self) -> None:
        found = {one for page in WITH_COMMANDS for one in commands(page.read_text())}
        self.assertGreater(sum(is_run for _, is_run in found), 5)
        self.addCleanup(os.chdir, Path.cwd())
        self.enterContext(
            patch.object(refactor, "make_plan", lambda *args, **_: PLANNED(*args))
        )
        for words, is_run in sorted(found):
            with self.subTest(shlex.join(words)), tempfile.TemporaryDirectory() as here:
                os.chdir(here)
                Path("module.py").write_text("from tbp import monty\n", "utf-8")
                status, output = (ran if is_run else parsed)(*words)
                self.assertEqual(status, 0, output)
                if words[0] == "monty":  # which hands unknown options to Hydra
                    self.assertEqual(fault_of_mentioned(*words), "")
                for name in re.findall(r"experiment=(?!NAME)(\S+)", " ".join(words)):
                    self.assertTrue((EXPERIMENTS / f"{name}.yaml").is_file(), name)

    def test_commands_mentioned_in_the_text_exist(self) -> None:
        for page in CURRENT:
            for command in MENTIONED.findall(text_of(page)):
                with self.subTest(page=page.name, command=command):
                    self.assertEqual(fault_of_mentioned(*command.split()), "")
