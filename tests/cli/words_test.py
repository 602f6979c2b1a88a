# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""All commands have one set of words: the same option, the same name and meaning."""

from __future__ import annotations

import argparse
import contextlib
import functools
import io
import os
import re
import unittest
from collections import defaultdict
from pathlib import Path
from unittest.mock import patch

from monty_tools.arguments import SHARED, Parser
from tbp.monty.cli import COMMANDS, command_named, main

PAGE = Path(__file__).parents[2] / "docs/commands.md"
ROW = re.compile(r"^\| `(--[\w-]+)[^|]*\| ([^|]+) \|", re.MULTILINE)

SCREEN = (45, 88)
"""Lines and columns that a help text may fill."""

EVERYWHERE = {"--help"}


@functools.cache
def parsers() -> dict[str, Parser]:
    return {name: command_named(name).parser() for name in COMMANDS}


def options(parser: Parser) -> set[str]:
    return {*re.findall(r"^  (?:-\w, )?(--[\w-]+)", parser.format_help(), re.MULTILINE)}


def explained(parser: Parser, option: str) -> str:
    """Return the name of an option's value, and the beginning of its help."""
    pattern = rf"^ .*{option}( .*\n(?: {{8}}.*\n)*)"
    said = re.search(pattern, parser.format_help(), re.MULTILINE)
    assert said is not None
    return " ".join(said[1].split())


class WordsTest(unittest.TestCase):
    def test_the_page_has_the_shared_options_with_their_commands(self) -> None:
        listed = {
            option: {*re.findall("`([^`]+)`", commands)}
            for option, commands in ROW.findall(PAGE.read_text("utf-8"))
        }
        self.assertEqual(listed.keys(), SHARED.keys())
        for option, commands in listed.items():
            found = {n for n, one in parsers().items() if option in options(one)}
            with self.subTest(option):
                self.assertEqual(commands, found)

    def test_an_option_of_several_commands_is_a_shared_one(self) -> None:
        seen: dict[str, str] = {}
        for name, parser in parsers().items():
            for option in options(parser) - EVERYWHERE - SHARED.keys():
                with self.subTest(option):
                    said = explained(parser, option)
                    self.assertEqual(seen.setdefault(option, said), said, name)

    def test_a_shared_option_takes_the_same_kind_of_value_everywhere(self) -> None:
        values = defaultdict(set)
        for parser in parsers().values():
            for option in options(parser) & SHARED.keys():
                values[option].add(explained(parser, option).split()[0].split(",")[0])
        for option, found in values.items():
            with self.subTest(option):
                self.assertEqual(len(found), 1, found)

    def test_help_fits_a_screen(self) -> None:
        lines, columns = SCREEN
        with patch.dict(os.environ, COLUMNS="80"):
            for name, parser in parsers().items():
                with self.subTest(name):
                    text = parser.format_help().splitlines()
                    self.assertLessEqual(len(text), lines)
                    self.assertLessEqual(max(map(len, text)), columns)

    def test_what_is_nearly_an_option_is_answered_with_it(self) -> None:
        for name, parser in parsers().items():
            for option in options(parser) - EVERYWHERE:
                with self.subTest(f"{name} {option}"):
                    typed = option[:-2] + option[-1] + option[-2]
                    status, said = self.said(*name.split(), typed)
                    self.assertEqual(status, 2)
                    self.assertNotIn("Traceback", said)
                    if "required" not in said:
                        self.assertIn(f"did you mean {option}?", said)

    def test_what_is_nearly_a_command_is_answered_with_it(self) -> None:
        for typed, expected in {
            "paritty": "did you mean parity?",
            "bench": "known are bench run, bench lm-phase, bench vote",
            "bench speed": "bench lm-phase",
            "": "name a command",
        }.items():
            with self.subTest(typed):
                status, said = self.said(*typed.split())
                self.assertEqual(status, 2)
                self.assertIn(expected, said)

    def said(self, *words: str) -> tuple[int, str]:
        with contextlib.redirect_stderr(io.StringIO()) as said:
            try:
                status = main(words)
            except SystemExit as stop:
                status = stop.code
        return status, said.getvalue()


class ParserTest(unittest.TestCase):
    def test_options_are_not_abbreviated(self) -> None:
        parser = Parser("command", "")
        parser.add_shared("--episodes")
        with (
            contextlib.redirect_stderr(io.StringIO()) as said,
            self.assertRaises(SystemExit),
        ):
            parser.read(["--episode=3"])
        self.assertIn("did you mean --episodes?", said.getvalue())

    def test_options_may_stand_between_overrides(self) -> None:
        parser = Parser("command", "")
        parser.add_experiment()
        parser.add_shared("--steps")
        found = parser.read(["experiment=one", "--steps=3", "a=b"])
        self.assertEqual(
            found, argparse.Namespace(overrides=["experiment=one", "a=b"], steps=3)
        )


if __name__ == "__main__":
    unittest.main()
