# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

from monty_tools.refactor.codemods.import_where_used import ImportWhereUsed
from monty_tools.refactor.failures import MissingAnchor
from tests.tools.refactor.codemod_case import CodemodTestCase

BEFORE = '''
    import wings

    import feathers.long as Feather
    import numpy as np

    class Bird:
        def fly(self):
            """Fly."""
            return [Feather(), self.Feather]

        def sing(self, key: Feather):
            return self.Feather

    def pluck(bird):
        if bird:
            if bird.is_large:
                bird.give(Feather)
        return bird

    def compare(bird):
        import feathers.wide
        if Feather is bird:
            def same():
                return Feather
'''

AFTER = '''
    import wings

    import numpy as np

    class Bird:
        def fly(self):
            """Fly."""
            import feathers.long as Feather  # noqa: PLC0415

            return [Feather(), self.Feather]

        def sing(self, key: Feather):
            return self.Feather

    def pluck(bird):
        if bird:
            if bird.is_large:
                import feathers.long as Feather  # noqa: PLC0415

                bird.give(Feather)
        return bird

    def compare(bird):
        import feathers.long as Feather  # noqa: PLC0415
        import feathers.wide
        if Feather is bird:
            def same():
                return Feather
'''

ANNOTATED = """
    from typing import Any

    import feathers.long as Feather
    import numpy as np

    wing: Feather
"""

CHECKED = """
    from typing import TYPE_CHECKING, Any

    import numpy as np

    if TYPE_CHECKING:
        import feathers.long as Feather

    wing: Feather
"""


class ImportWhereUsedTest(CodemodTestCase):
    TRANSFORM = ImportWhereUsed
    LINE = "import feathers.long as Feather"

    def test_functions_and_their_branches_import_what_they_use(self) -> None:
        self.assertCodemod(BEFORE, AFTER, line=self.LINE)

    def test_again_changes_nothing(self) -> None:
        self.assertCodemod(AFTER, AFTER, line=self.LINE)

    def test_type_checkers_find_what_annotations_name(self) -> None:
        self.assertCodemod(ANNOTATED, CHECKED, line=self.LINE, annotates=True)

    def test_an_import_that_is_not_there(self) -> None:
        with self.assertRaisesRegex(MissingAnchor, "import feathers.short"):
            self.assertCodemod(BEFORE, AFTER, line="import feathers.short")
