# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.

from monty_tools.refactor.codemods.replace_call import ReplaceCall
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from tests.tools.refactor.codemod_case import CodemodTestCase

ARGUMENTS = dict(
    class_name="Bird",
    method="sing",
    function="Song.from_notes",
    by="self.known.of",
    first="key",
    imports=(NeededImport("nest.memory", "key"),),
)

BEFORE = """
    from nest.songs import Song

    class Bird:
        def sing(self):
            # the one it knows best
            song = Song.from_notes(self.notes[0])
            other = Song.from_notes(self.notes, 2), Song.from_noise(self.notes)
            return {"song": Song.from_notes(song.notes)}

        def learn(self):
            return Song.from_notes(self.heard)
"""

AFTER = """
    from nest.memory import key
    from nest.songs import Song

    class Bird:
        def sing(self):
            # the one it knows best
            song = self.known.of(key, self.notes[0])
            other = self.known.of(key, self.notes, 2), Song.from_noise(self.notes)
            return {"song": self.known.of(key, song.notes)}

        def learn(self):
            return Song.from_notes(self.heard)
"""


class ReplaceCallTest(CodemodTestCase):
    TRANSFORM = ReplaceCall

    def test_all_calls_in_the_method_are_replaced(self) -> None:
        self.assertCodemod(BEFORE, AFTER, **ARGUMENTS)

    def test_a_second_run_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, **ARGUMENTS)

    def test_keyword_arguments_are_dropped_and_imports_that_nothing_uses(self) -> None:
        before = """
            import tape

            class Bird:
                def sing(self):
                    return tape.play(self.song, loud=True)
        """
        after = """
            from nest.memory import play

            class Bird:
                def sing(self):
                    return play(self.song)
        """
        arguments = dict(
            class_name="Bird",
            method="sing",
            function="tape.play",
            by="play",
            dropped=("loud",),
            unused=("tape",),
            imports=(NeededImport("nest.memory", "play"),),
        )
        self.assertCodemod(before, after, **arguments)
        later = after.replace("play(self", "replay(self")
        self.assertCodemod(later, later, **arguments, later=("replay",))

    def test_a_method_that_does_not_call_it_is_named(self) -> None:
        for argument, missing in (("method", "fly"), ("function", "Song.hum")):
            with self.subTest(argument), self.assertRaises(MissingAnchor) as caught:
                self.assertCodemod(BEFORE, BEFORE, **{**ARGUMENTS, argument: missing})
            self.assertIn(missing, str(caught.exception))
