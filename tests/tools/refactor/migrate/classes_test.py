# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import unittest
from pathlib import Path

from monty_tools.refactor.migrate.classes import Classes, ProjectClass
from monty_tools.refactor.migrate.kinds import Kind

LMS = "tbp.monty.frameworks.models.evidence_matching.learning_module"
ROOT = Path("/project")


def kind(class_name: str, file: str = "lm.py", **more: str) -> Kind:
    texts = {ROOT / name.replace("__", "/"): text for name, text in more.items()}
    texts = {path.with_name(f"{path.name}.py"): text for path, text in texts.items()}
    return Classes(texts).kind(ProjectClass(ROOT / file, class_name))


class ClassesTest(unittest.TestCase):
    def test_upstreams_classes_are_known_from_any_module(self) -> None:
        for module in (LMS, "tbp.monty.frameworks.models.evidence_matching"):
            text = (
                f"from {module} import EvidenceGraphLM\nclass A(EvidenceGraphLM): ..."
            )
            self.assertIs(kind("A", lm=text), Kind.EVIDENCE_LM)

    def test_learning_modules_of_other_families_are_told_apart(self) -> None:
        text = "from tbp.monty.x import FeatureGraphLM\nclass A(FeatureGraphLM): ..."
        self.assertIs(kind("A", lm=text), Kind.LM)

    def test_an_upstream_class_that_is_no_learning_module(self) -> None:
        text = "from tbp.monty.cmp import Message\nclass A(Message): ..."
        self.assertIs(kind("A", lm=text), Kind.OTHER)

    def test_a_foreign_class_of_the_same_name(self) -> None:
        text = "from theirs import EvidenceGraphLM\nclass A(EvidenceGraphLM): ..."
        self.assertIs(kind("A", lm=text), Kind.UNKNOWN)
        text = "class EvidenceGraphLM: ...\nclass A(EvidenceGraphLM): ..."
        self.assertIs(kind("A", lm=text), Kind.OTHER)

    def test_a_name_means_its_nearest_class(self) -> None:
        text = f"""
from {LMS} import EvidenceGraphLM as Base

class Outer:
    class Base: ...
    class Inner(Base): ...

class Other(Base): ...
"""
        self.assertIs(kind("Outer.Inner", lm=text), Kind.OTHER)
        self.assertIs(kind("Other", lm=text), Kind.EVIDENCE_LM)

    def test_the_module_next_to_the_importer_is_imported(self) -> None:
        lm = f"from {LMS} import EvidenceGraphLM\nclass B(EvidenceGraphLM): ..."
        files = dict(
            one__bases=lm,
            one__lm="from bases import B\nclass A(B): ...",
            two__bases="class B: ...",
            two__lm="from bases import B\nclass A(B): ...",
        )
        self.assertIs(kind("A", "one/lm.py", **files), Kind.EVIDENCE_LM)
        self.assertIs(kind("A", "two/lm.py", **files), Kind.OTHER)

    def test_relative_imports(self) -> None:
        files = dict(
            pkg__bases=f"import {LMS} as x\nclass B(x.EvidenceGraphLM): ...",
            pkg__sub__lm="from ..bases import B\nclass A(B): ...",
        )
        self.assertIs(kind("A", "pkg/sub/lm.py", **files), Kind.EVIDENCE_LM)

    def test_circular_imports(self) -> None:
        files = dict(
            a="from b import X\nclass A(X): ...",
            b="from a import X\n",
            lm="class A(A): ...\nB = C\nC = B\nclass D(B): ...",
        )
        self.assertIs(kind("A", "a.py", **files), Kind.UNKNOWN)
        self.assertIs(kind("A", "lm.py", **files), Kind.OTHER)
        self.assertIs(kind("D", "lm.py", **files), Kind.UNKNOWN)

    def test_a_mixin_of_learning_modules_and_of_others_is_neither(self) -> None:
        text = f"""
from {LMS} import EvidenceGraphLM

class Mixin: ...
class A(Mixin, EvidenceGraphLM): ...
class B(Mixin, dict): ...
"""
        self.assertIs(kind("Mixin", lm=text), Kind.OTHER)
        only = text.replace("class B(Mixin, dict): ...", "")
        self.assertIs(kind("Mixin", lm=only), Kind.EVIDENCE_LM)

    def test_the_family_of_a_class(self) -> None:
        text = """
from enum import Enum
from theirs import Mixin

class A(Enum): ...
class B(A): ...
class C(Mixin, A): ...
class D(B, C): ...
class E(E, f()): ...
class F: ...
"""
        texts = {
            ROOT / "a.py": text,
            ROOT / "b.py": "from a import B as Base\nclass G(Base): ...",
        }
        classes = Classes(texts)

        def family(name: str) -> set[str]:
            found = classes.family(ProjectClass(ROOT / "a.py", name))
            return {one if isinstance(one, str) else one.name for one in found}

        everything = {*"ABCDG", "theirs.Mixin", "enum.Enum"}
        self.assertEqual(family("A"), everything)
        self.assertEqual(family("B"), everything)
        self.assertEqual(family("C"), everything - {"G"})
        self.assertEqual(family("E"), {"E", ""})
        self.assertEqual(family("F"), {"F"})
        for name, unknown in (("D", ["theirs.Mixin"]), ("E", [""]), ("F", [])):
            one = ProjectClass(ROOT / "a.py", name)
            self.assertEqual(classes.unknown_bases(one), unknown)

    def test_members_are_also_bound_in_branches(self) -> None:
        text = """
class B:
    if x:
        def step(self): ...
    begin = other
"""
        one = ProjectClass(ROOT / "a.py", "B")
        self.assertEqual(Classes({ROOT / "a.py": text}).members(one), {"step", "begin"})

    def test_a_file_that_does_not_parse_defines_nothing(self) -> None:
        files = dict(lm="from broken import B\nclass A(B): ...", broken="class B(")
        self.assertIs(kind("A", **files), Kind.UNKNOWN)
