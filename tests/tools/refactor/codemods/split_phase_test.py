# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import textwrap

import libcst as cst
from libcst.codemod import CodemodContext, CodemodTest

from monty_tools.refactor.codemods.split_phase import SplitPhase, split_chain
from monty_tools.refactor.failures import MissingAnchor
from monty_tools.refactor.imports import NeededImport
from monty_tools.refactor.phases.refusal import CannotSplit

AT_WORK = dict(class_name="A", method="m", call="self.work")

IMPORTS = """\
from __future__ import annotations

from dataclasses import dataclass
from typing import Any
"""

PENDING = '''\
@dataclass(frozen=True)
class _PendingM:
    """A call of `m` that waits for its results."""
'''

FINISHED = '''\
@dataclass(frozen=True)
class _FinishedM:
    """What a call of `m` returns that had no work to dispatch."""
'''


def module(*parts: str) -> str:
    """Put the parts of a module together, two lines apart."""
    return "\n\n\n".join(textwrap.dedent(part).strip("\n") for part in parts) + "\n"


def pending(*fields: str) -> str:
    return PENDING + "\n" + "".join(f"    {field}\n" for field in fields)


def unsplit(body: str, signature: str = "self, a") -> str:
    body = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    method = f"def m({signature}):\n{body}"
    return module(
        "from __future__ import annotations",
        f"class A:\n{textwrap.indent(method, '    ')}",
    )


class SplitPhaseTest(CodemodTest):
    TRANSFORM = SplitPhase

    def assert_split(self, before: str, after: str, **arguments: object) -> None:
        arguments = {**AT_WORK, **arguments}
        self.assertCodemod(before, after, **arguments)
        self.assertCodemod(after, after, **arguments)

    def test_the_whole_can_be_made_of_the_halves_of_its_own_class(self) -> None:
        before = unsplit("self.work(a)", "self, a, *, b=1")
        after = module(
            IMPORTS,
            pending("work: Any"),
            '''
            class A:
                def m(self, a, *, b=1):
                    pending = A.dispatch_m(self, a, b=b)
                    A.process_m(self, pending)

                def dispatch_m(self, a, *, b=1) -> _PendingM:
                    """Dispatch the work of `m`."""
                    work = self.dispatch_work(a)
                    return _PendingM(work=work)

                def process_m(self, pending: _PendingM):
                    """Process the results of `m`."""
                    self.process_work(pending.work)
            ''',
        )
        self.assert_split(before, after, own_halves=True)

    def test_what_comes_after_needs_travels(self) -> None:
        before = unsplit(
            '''
            """Documented."""
            # first
            b = a + 1

            c = b
            # the work
            x = self.work(b, key=c)  # done

            # then
            return x + b
            '''
        )
        after = module(
            IMPORTS,
            pending("work: Any", "b: Any"),
            '''
            class A:
                def m(self, a):
                    """Documented."""
                    pending = self.dispatch_m(a)
                    return self.process_m(pending)

                def dispatch_m(self, a) -> _PendingM:
                    """Dispatch the work of `m`."""
                    # first
                    b = a + 1

                    c = b
                    # the work
                    work = self.dispatch_work(b, key=c)  # done
                    return _PendingM(work=work, b=b)

                def process_m(self, pending: _PendingM):
                    """Process the results of `m`."""
                    b = pending.b
                    x = self.process_work(pending.work)

                    # then
                    return x + b
            ''',
        )
        self.assert_split(before, after)

    def test_every_kind_of_parameter_is_passed_on(self) -> None:
        before = module(
            "from __future__ import annotations",
            """
            class A:
                @override
                def _m(self, a: int, /, b: str = "b", *c: int, d: X, e=1, **f) -> Y:
                    return self._work(), a, b, c, d, e, f
            """,
        )
        after = module(
            IMPORTS,
            pending(
                "work: Any",
                "a: int",
                "b: str",
                "c: tuple[int, ...]",
                "d: X",
                "e: Any",
                "f: dict[str, Any]",
            ).replace("`m`", "`_m`"),
            """
            class A:
                @override
                def _m(self, a: int, /, b: str = "b", *c: int, d: X, e=1, **f) -> Y:
                    pending = self._dispatch_m(a, b, *c, d=d, e=e, **f)
                    return self._process_m(pending)

                def _dispatch_m(
                    self, a: int, /, b: str = "b", *c: int, d: X, e=1, **f
                ) -> _PendingM:
                    \"\"\"Dispatch the work of `_m`.\"\"\"
                    work = self._dispatch_work()
                    return _PendingM(work=work, a=a, b=b, c=c, d=d, e=e, f=f)

                def _process_m(self, pending: _PendingM) -> Y:
                    \"\"\"Process the results of `_m`.\"\"\"
                    a = pending.a
                    b = pending.b
                    c = pending.c
                    d = pending.d
                    e = pending.e
                    f = pending.f
                    return self._process_work(pending.work), a, b, c, d, e, f
            """,
        )
        self.assert_split(before, after, method="_m", call="self._work")

    def test_an_early_return_of_nothing(self) -> None:
        before = unsplit(
            """
            if not a:
                return
            self.work(a)
            """
        )
        after = module(
            IMPORTS,
            pending("work: Any"),
            '''
            class A:
                def m(self, a):
                    pending = self.dispatch_m(a)
                    self.process_m(pending)

                def dispatch_m(self, a) -> _PendingM | None:
                    """Dispatch the work of `m`."""
                    if not a:
                        return None
                    work = self.dispatch_work(a)
                    return _PendingM(work=work)

                def process_m(self, pending: _PendingM | None):
                    """Process the results of `m`."""
                    if pending is None:
                        return

                    self.process_work(pending.work)
            ''',
        )
        self.assert_split(before, after)

    def test_an_early_return_of_a_value(self) -> None:
        before = unsplit(
            """
            for one in a:
                if one:
                    return one  # found
            return self.work(a)
            """
        )
        after = module(
            IMPORTS,
            pending("work: Any"),
            FINISHED + "\n    value: Any\n",
            '''
            class A:
                def m(self, a):
                    pending = self.dispatch_m(a)
                    return self.process_m(pending)

                def dispatch_m(self, a) -> _PendingM | _FinishedM:
                    """Dispatch the work of `m`."""
                    for one in a:
                        if one:
                            return _FinishedM(one)  # found
                    work = self.dispatch_work(a)
                    return _PendingM(work=work)

                def process_m(self, pending: _PendingM | _FinishedM):
                    """Process the results of `m`."""
                    if isinstance(pending, _FinishedM):
                        return pending.value

                    return self.process_work(pending.work)
            ''',
        )
        self.assert_split(before, after)

    def test_a_tuple_is_one_value(self) -> None:
        before = unsplit("if a:\n    return a, 1\nreturn self.work(a)")
        codemod = SplitPhase(CodemodContext(), **AT_WORK)
        after = codemod.transform_module(cst.parse_module(before)).code
        self.assertIn("return _FinishedM((a, 1))", after)

    def test_parameters_that_are_passed_on_are_not_unused(self) -> None:
        before = module(
            "from __future__ import annotations",
            """
            class A:
                def m(
                    self,
                    a,  # noqa: ARG002
                    b,  # what for
                ):
                    self.work(b)
            """,
        )
        codemod = SplitPhase(CodemodContext(), **AT_WORK)
        after = codemod.transform_module(cst.parse_module(before)).code
        whole, half = after.split("def dispatch_m")
        self.assertIn("        a,\n        b,  # what for\n", whole)
        self.assertIn("        a,  # noqa: ARG002\n        b,  # what for\n", half)

    def test_in_a_branch_with_nothing_after_it(self) -> None:
        before = unsplit(
            """
            if a:
                x = self.work(a)
                self.note(x)
            """
        )
        after = module(
            IMPORTS,
            pending("work: Any"),
            '''
            class A:
                def m(self, a):
                    pending = self.dispatch_m(a)
                    self.process_m(pending)

                def dispatch_m(self, a) -> _PendingM | None:
                    """Dispatch the work of `m`."""
                    if a:
                        work = self.dispatch_work(a)
                        return _PendingM(work=work)
                    return None

                def process_m(self, pending: _PendingM | None):
                    """Process the results of `m`."""
                    if pending is None:
                        return

                    x = self.process_work(pending.work)
                    self.note(x)
            ''',
        )
        self.assert_split(before, after)

    def test_what_follows_a_branch_runs_whichever_was_taken(self) -> None:
        before = unsplit(
            """
            # choose
            if a:
                b = 1
                x = self.work(a)
                self.note(b)
            # no work
            else:
                x = 2

            return x
            """
        )
        after = module(
            IMPORTS,
            pending(
                "work: Any = None",
                "b: Any = None",
                "x: Any = None",
                "dispatched: bool = False",
            ),
            '''
            class A:
                def m(self, a):
                    pending = self.dispatch_m(a)
                    return self.process_m(pending)

                def dispatch_m(self, a) -> _PendingM:
                    """Dispatch the work of `m`."""
                    # choose
                    if a:
                        b = 1
                        work = self.dispatch_work(a)
                        return _PendingM(work=work, b=b, dispatched=True)
                    # no work
                    x = 2
                    return _PendingM(x=x)

                def process_m(self, pending: _PendingM):
                    """Process the results of `m`."""
                    if pending.dispatched:
                        b = pending.b
                        x = self.process_work(pending.work)
                        self.note(b)
                    else:
                        x = pending.x

                    return x
            ''',
        )
        self.assert_split(before, after)

    def test_in_nested_branches(self) -> None:
        before = unsplit(
            """
            if a:
                self.one()
            elif self.b:
                if self.c:
                    self.work()
                self.two()
            else:
                self.three()
            self.four()
            """
        )
        after = module(
            IMPORTS,
            pending(
                "work: Any = None",
                "dispatched: bool = False",
                "in_branch: bool = False",
            ),
            '''
            class A:
                def m(self, a):
                    pending = self.dispatch_m(a)
                    self.process_m(pending)

                def dispatch_m(self, a) -> _PendingM:
                    """Dispatch the work of `m`."""
                    if a:
                        self.one()
                    elif self.b:
                        if self.c:
                            work = self.dispatch_work()
                            return _PendingM(work=work, dispatched=True, in_branch=True)
                        return _PendingM(in_branch=True)
                    else:
                        self.three()
                    return _PendingM()

                def process_m(self, pending: _PendingM):
                    """Process the results of `m`."""
                    if pending.in_branch:
                        if pending.dispatched:
                            self.process_work(pending.work)
                        self.two()
                    self.four()
            ''',
        )
        self.assert_split(before, after)

    def test_in_the_condition_of_an_elif(self) -> None:
        before = unsplit(
            """
            if a:
                return 1
            # ask
            elif self.work(a):
                return 2
            else:
                return 3
            """
        )
        after = module(
            IMPORTS,
            pending("work: Any"),
            FINISHED + "\n    value: Any\n",
            '''
            class A:
                def m(self, a):
                    pending = self.dispatch_m(a)
                    return self.process_m(pending)

                def dispatch_m(self, a) -> _PendingM | _FinishedM:
                    """Dispatch the work of `m`."""
                    if a:
                        return _FinishedM(1)
                    else:
                        # ask
                        work = self.dispatch_work(a)
                        return _PendingM(work=work)

                def process_m(self, pending: _PendingM | _FinishedM):
                    """Process the results of `m`."""
                    if isinstance(pending, _FinishedM):
                        return pending.value

                    if self.process_work(pending.work):
                        return 2
                    else:
                        return 3
            ''',
        )
        self.assert_split(before, after)

    def test_a_with_is_entered_by_one_half_and_left_by_the_other(self) -> None:
        before = unsplit(
            """
            with self.first(a) as b, self.second:
                # the work
                self.work(b)
                self.note(b)
                self.note(a)
            self.last()
            """
        )
        after = module(
            """
            from __future__ import annotations

            from contextlib import ExitStack
            from dataclasses import dataclass
            from typing import Any
            """,
            pending(
                "work: Any = None",
                "a: Any = None",
                "b: Any = None",
                "stack: ExitStack | None = None",
                "dispatched: bool = False",
            ),
            '''
            class A:
                def m(self, a):
                    pending = self.dispatch_m(a)
                    self.process_m(pending)

                def dispatch_m(self, a) -> _PendingM:
                    """Dispatch the work of `m`."""
                    with ExitStack() as stack:
                        b = stack.enter_context(self.first(a))
                        stack.enter_context(self.second)
                        # the work
                        work = self.dispatch_work(b)
                        return _PendingM(
                            work=work, a=a, b=b, stack=stack.pop_all(), dispatched=True
                        )
                    return _PendingM()

                def process_m(self, pending: _PendingM):
                    """Process the results of `m`."""
                    if pending.dispatched:
                        a = pending.a
                        b = pending.b
                        with pending.stack:
                            self.process_work(pending.work)
                            self.note(b)
                            self.note(a)
                    self.last()
            ''',
        )
        self.assert_split(before, after)

    def test_a_with_that_swallows_nothing_needs_less(self) -> None:
        before = unsplit(
            """
            with self.first:
                b = 1
                self.work(b)
            return b
            """
        )
        after = module(
            """
            from __future__ import annotations

            from contextlib import ExitStack
            from dataclasses import dataclass
            from typing import Any
            """,
            pending("work: Any", "b: Any", "stack: ExitStack"),
            '''
            class A:
                def m(self, a):
                    pending = self.dispatch_m(a)
                    return self.process_m(pending)

                def dispatch_m(self, a) -> _PendingM:
                    """Dispatch the work of `m`."""
                    with ExitStack() as stack:
                        stack.enter_context(self.first)
                        b = 1
                        work = self.dispatch_work(b)
                        return _PendingM(work=work, b=b, stack=stack.pop_all())

                def process_m(self, pending: _PendingM):
                    """Process the results of `m`."""
                    b = pending.b
                    with pending.stack:
                        self.process_work(pending.work)
                    return b
            ''',
        )
        self.assert_split(before, after, with_swallows=False)

    def test_a_call_of_the_base_class(self) -> None:
        before = module(
            "from __future__ import annotations",
            """
            class A(Base):
                def m(self, a):
                    super().m(a)
                    super().other()
            """,
        )
        after = module(
            IMPORTS,
            pending("m: Any"),
            '''
            class A(Base):
                def m(self, a):
                    pending = self.dispatch_m(a)
                    self.process_m(pending)

                def dispatch_m(self, a) -> _PendingM:
                    """Dispatch the work of `m`."""
                    m = super().dispatch_m(a)
                    return _PendingM(m=m)

                def process_m(self, pending: _PendingM):
                    """Process the results of `m`."""
                    super().process_m(pending.m)
                    super().other()
            ''',
        )
        self.assert_split(before, after, call="super().m")

    def test_a_pair_of_other_callables_with_names_and_types(self) -> None:
        before = unsplit("self.found: list[int] = self.backend.run(a)", "self, a: X")
        after = module(
            """
            from __future__ import annotations

            from dataclasses import dataclass

            from lib.backend import Ticket
            """,
            pending("ticket: Ticket"),
            '''
            class A:
                def m(self, a: X):
                    pending = self.dispatch_m(a)
                    self.process_m(pending)

                def dispatch_m(self, a: X) -> _PendingM:
                    """Queue it."""
                    ticket = self.backend.dispatch(a)
                    return _PendingM(ticket=ticket)

                def process_m(self, pending: _PendingM):
                    """Read it."""
                    self.found: list[int] = self.backend.result(pending.ticket)
            ''',
        )
        self.assert_split(
            before,
            after,
            call="self.backend.run",
            dispatch="self.backend.dispatch",
            process="self.backend.result",
            ticket="ticket",
            ticket_type="Ticket",
            dispatch_docstring="Queue it.",
            process_docstring="Read it.",
            imports=(NeededImport("lib.backend", "Ticket"),),
        )

    def test_a_local_variable_that_is_called_travels(self) -> None:
        before = unsplit("a.run(1)")
        after = module(
            IMPORTS,
            pending("run: Any", "a: Any"),
            '''
            class A:
                def m(self, a):
                    pending = self.dispatch_m(a)
                    self.process_m(pending)

                def dispatch_m(self, a) -> _PendingM:
                    """Dispatch the work of `m`."""
                    run = a.dispatch_run(1)
                    return _PendingM(run=run, a=a)

                def process_m(self, pending: _PendingM):
                    """Process the results of `m`."""
                    a = pending.a
                    a.process_run(pending.run)
            ''',
        )
        self.assert_split(before, after, call="a.run")

    def test_names_that_are_taken_are_left_alone(self) -> None:
        before = unsplit(
            """
            pending = work = a
            self.work(pending)
            return pending, work
            """
        )
        after = module(
            IMPORTS,
            pending("work_2: Any", "pending: Any", "work: Any"),
            '''
            class A:
                def m(self, a):
                    pending_2 = self.dispatch_m(a)
                    return self.process_m(pending_2)

                def dispatch_m(self, a) -> _PendingM:
                    """Dispatch the work of `m`."""
                    pending = work = a
                    work_2 = self.dispatch_work(pending)
                    return _PendingM(work_2=work_2, pending=pending, work=work)

                def process_m(self, pending_2: _PendingM):
                    """Process the results of `m`."""
                    pending = pending_2.pending
                    work = pending_2.work
                    self.process_work(pending_2.work_2)
                    return pending, work
            ''',
        )
        self.assert_split(before, after)

    def test_an_alias_does_not_count_as_the_import(self) -> None:
        before = module(
            """
            from __future__ import annotations

            import os
            from dataclasses import dataclass as record

            from lib import thing
            """,
            "class A:\n    def m(self): self.work()",
        )
        after = module(
            """
            from __future__ import annotations

            import os
            from dataclasses import dataclass, dataclass as record
            from typing import Any

            from lib import thing
            """,
            pending("work: Any"),
            '''
            class A:
                def m(self):
                    pending = self.dispatch_m()
                    self.process_m(pending)

                def dispatch_m(self) -> _PendingM:
                    """Dispatch the work of `m`."""
                    work = self.dispatch_work()
                    return _PendingM(work=work)

                def process_m(self, pending: _PendingM):
                    """Process the results of `m`."""
                    self.process_work(pending.work)
            ''',
        )
        self.assert_split(before, after)

    def test_lines_that_would_be_too_long_are_broken(self) -> None:
        before = module(
            "from __future__ import annotations",
            """
            class A:
                def m(self, first_of_them, second_of_them, third_of_them, fourth=False):
                    if fourth:
                        return
                    results = self.work_that_takes_long(first_of_them, second_of_them)
                    return results, first_of_them, second_of_them, third_of_them, fourth
            """,
        )
        codemod = SplitPhase(
            CodemodContext(), **{**AT_WORK, "call": "self.work_that_takes_long"}
        )
        after = codemod.transform_module(cst.parse_module(before)).code
        self.assertLessEqual(max(map(len, after.split("\n"))), 88)
        self.assertEqual(after.count("\n        self, first_of_them"), 1)

    def test_only_the_class_of_the_module_is_meant(self) -> None:
        nested = "class Outer:\n    class A:\n        def m(self): self.work()\n"
        with self.assertRaisesRegex(MissingAnchor, "the class itself"):
            self.assertCodemod(nested, nested, **AT_WORK)

    def test_each_missing_anchor_is_named(self) -> None:
        whole = unsplit("self.work(a)")
        for name, without in (
            ("a call of self.work", whole.replace("work", "rest")),
            ("the definition of m", whole.replace("def m", "def n")),
            ("import annotations", whole.replace("from __future__", "from x")),
        ):
            with self.subTest(name), self.assertRaisesRegex(MissingAnchor, name):
                self.assertCodemod(without, without, **AT_WORK)

    def test_one_half_without_the_other_is_refused(self) -> None:
        half = unsplit("self.work(a)") + "\n    def process_m(self): pass\n"
        with self.assertRaisesRegex(CannotSplit, "process_m"):
            self.assertCodemod(half, half, **AT_WORK)

    def test_a_refusal_says_where(self) -> None:
        before = unsplit("for b in a:\n    self.work(b)")
        context = CodemodContext(filename="lib/a.py")
        with self.assertRaises(CannotSplit) as raised:
            self.assertCodemod(before, before, context_override=context, **AT_WORK)
        for part in ("lib/a.py", "A", "m", "6", "a for loop"):
            self.assertIn(part, str(raised.exception))

    def test_what_passes_a_method_on_is_noted(self) -> None:
        before = module(
            "from __future__ import annotations",
            """
            class A:
                def m(self):
                    self.work()

                def others(self, name):
                    Thread(target=self.work)
                    getattr(self, "m")()
                    getattr(self, name)()
                    getattr(self, "others")()

                n = m
            """,
            """
            class B(A):
                def m(self): ...
            """,
        )
        codemod = SplitPhase(CodemodContext(), **AT_WORK)
        codemod.transform_module(cst.parse_module(before))
        self.assertEqual(
            codemod.notes,
            [
                "line 9: work is passed and not called",
                "line 10: getattr of m",
                "line 11: getattr of a name that is not known",
                "line 14: another name for m",
                "line 17: B overrides m and not its halves",
            ],
        )
        self.assertEqual(codemod.context.warnings, codemod.notes)


class SplitChainTest(CodemodTest):
    def test_each_half_calls_the_same_half_of_the_next(self) -> None:
        before = module(
            "from __future__ import annotations",
            """
            class A:
                def step(self, a):
                    x = self._find(a)
                    return x + 1

                def _find(self, a):
                    return self.backend.run(a)
            """,
        )
        tree = cst.parse_module(before)
        rewrites = split_chain(
            "a.py",
            "A",
            ("step", "_find"),
            "self.backend.run",
            {"_find": dict(dispatch="self.backend.queue", process="self.backend.read")},
        )
        for rewrite in rewrites:
            self.assertEqual(rewrite.file, "a.py")
            codemod = rewrite.codemod(CodemodContext(), **rewrite.arguments)
            tree = codemod.transform_module(tree)
        after = module(
            IMPORTS,
            '''
            @dataclass(frozen=True)
            class _PendingFind:
                """A call of `_find` that waits for its results."""

                run: Any
            ''',
            '''
            @dataclass(frozen=True)
            class _PendingStep:
                """A call of `step` that waits for its results."""

                find: _PendingFind
            ''',
            '''
            class A:
                def step(self, a):
                    pending = self.dispatch_step(a)
                    return self.process_step(pending)

                def dispatch_step(self, a) -> _PendingStep:
                    """Dispatch the work of `step`."""
                    find = self._dispatch_find(a)
                    return _PendingStep(find=find)

                def process_step(self, pending: _PendingStep):
                    """Process the results of `step`."""
                    x = self._process_find(pending.find)
                    return x + 1

                def _find(self, a):
                    pending = self._dispatch_find(a)
                    return self._process_find(pending)

                def _dispatch_find(self, a) -> _PendingFind:
                    """Dispatch the work of `_find`."""
                    run = self.backend.queue(a)
                    return _PendingFind(run=run)

                def _process_find(self, pending: _PendingFind):
                    """Process the results of `_find`."""
                    return self.backend.read(pending.run)
            ''',
        )
        self.assertEqual(tree.code, after)
