# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.log_lazily import LogLazily
from monty_tools.refactor.failures import MissingAnchor
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(class_name="Bird", method="sing")

AFTER = """
    class Bird:
        def sing(self):
            if self.awake:
                logger.debug("{song} of %s: 100%% %s", self.name, notes)
                logger.info(f"{len(notes)} notes by {self.name}")
            logger.warning("no more")

        def fly(self):
            logger.debug(f"flying at {height}")
"""


class LogLazilyTest(CodemodTestCase):
    TRANSFORM = LogLazily

    def test_names_become_arguments_and_all_else_stays(self) -> None:
        before = AFTER.replace(
            '"{song} of %s: 100%% %s", self.name, notes',
            'f"{{song}} of {self.name}: 100% {notes}"',
        )
        self.assertCodemod(before, AFTER, **ARGUMENTS)

    def test_formats_and_conversions_are_left_alone(self) -> None:
        before = """
            class Bird:
                def sing(self):
                    logger.debug(f"{song!r} {pitch:.2f}")
                    logger.debug(f"{song}")
        """
        after = before.replace('f"{song}"', '"%s", song')
        self.assertCodemod(before, after, **ARGUMENTS)

    def test_long_messages_are_laid_out_as_ruff_does(self) -> None:
        before = """
            class Bird:
                def sing(self):
                    logger.info(
                        "a song that many have sung before, 100% "
                        f"{self.name}, and notes: {notes}"
                    )
                    logger.info(
                        f"a song of {self.name}, sung by {birds}, and with {notes}"
                    )
                    logger.info("two lines " "without a name: 100%")
        """
        after = """
            class Bird:
                def sing(self):
                    logger.info(
                        "a song that many have sung before, 100%% %s, and notes: %s",
                        self.name,
                        notes,
                    )
                    logger.info(
                        "a song of %s, sung by %s, and with %s", self.name, birds, notes
                    )
                    logger.info("two lines " "without a name: 100%")
        """
        self.assertCodemod(before, after, **ARGUMENTS)
        self.assertCodemod(after, after, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_a_method_that_logs_no_names_is_named(self) -> None:
        silent = """
            class Bird:
                def sing(self):
                    logger.debug("la")
        """
        with self.assertRaises(MissingAnchor) as caught:
            self.assertCodemod(silent, silent, **ARGUMENTS)
        self.assertIn("sing", str(caught.exception))
