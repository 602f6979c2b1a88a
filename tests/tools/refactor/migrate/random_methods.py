# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Random methods, and the object they run on."""

from __future__ import annotations

from typing import Any, Callable, Sequence

__all__ = ["MethodWriter", "Recorder"]

NAMES = ("a", "b", "k", "x", "y", "z")


class Recorder:
    """Records what is done to it, and fails where its plan says so.

    Every call in a generated method has a number. With it, `plan` decides which calls
    raise, which conditions hold and which contexts swallow exceptions.
    """

    swallows = True

    def __init__(self, plan: int) -> None:
        self.plan = plan
        self.log: list[Any] = []
        self.kept: Any = None

    def step(self, number: int, *values: Any, **named: Any) -> int:
        self.log.append(("step", number, values, named))
        self._fail_if_planned(number, 7)
        return number + sum(value for value in values if isinstance(value, int))

    def holds(self, number: int) -> bool:
        self.log.append(("holds", number))
        return self._planned(number, 2)

    def some(self, number: int) -> range:
        return range(self.plan % (number + 2) % 3)

    def _planned(self, number: int, one_in: int) -> bool:
        return hash((self.plan, number, one_in)) % one_in == 0

    def _fail_if_planned(self, number: int, one_in: int) -> None:
        if self.plan % 4 and self._planned(number, one_in):
            raise ValueError(number)


class MethodWriter:
    """Writes random statements; one of them is the call where a method is split."""

    def __init__(
        self,
        choose: Callable[[Sequence], Any],
        forms: Sequence[str],
        first_number: int,
    ) -> None:
        """Set up the writer.

        Args:
            choose: Chooses one of several options.
            forms: The forms that the statement with the call may have.
            first_number: The numbers of the calls start after it.
        """
        self._choose = choose
        self._forms = forms
        self._number = first_number

    def assignments(self) -> list[str]:
        """Give most names a value, so that most methods can be split."""
        unassigned = self._choose((None, None, "x", "y", "z"))
        lines = [f"{name} = 0" for name in "xyz" if name != unassigned]
        lines.append("held = lambda: 0")
        if unassigned and self._choose((True, False)):
            lines += [f"if self.holds({self._next()}):", f"    {unassigned} = 1"]
        return lines

    def block_with_split(self, depth: int) -> list[str]:
        before, after = (self._block(depth, at_least=0) for _ in range(2))
        holder = (
            "split"
            if depth > 2
            else self._choose(
                ("split", "split", "if", "elif", "else", "with", "with two")
            )
        )
        if holder == "split":
            form = self._choose(self._forms)
            call = form.format(
                x=self._name(),
                y=self._name(),
                arguments=f"{self._value()}, {self._value()}",
            )
            return [*before, *call.split("\n"), *after]
        inner = self.block_with_split(depth + 1)
        return [*before, *self._holding(holder, inner, depth), *after]

    def _holding(self, holder: str, inner: list[str], depth: int) -> list[str]:
        if holder == "with":
            return [f"with self.context({self._next()}):", *_indented(inner)]
        if holder == "with two":
            first = f"self.context({self._next()}) as {self._name()}"
            second = f"self.context({self._next()})"
            return [f"with {first}, {second}:", *_indented(inner)]
        blocks = [self._block(depth + 1), self._block(depth + 1)]
        blocks.insert(("if", "elif", "else").index(holder), inner)
        has_else = holder == "else" or self._choose((True, False))
        first, second, third = blocks
        lines = [
            f"if self.holds({self._next()}):",
            *_indented(first),
            f"elif self.holds({self._next()}):",
            *_indented(second),
        ]
        return [*lines, "else:", *_indented(third)] if has_else else lines

    def _block(self, depth: int, at_least: int = 1, in_loop: bool = False) -> list[str]:
        count = self._choose(range(at_least, 3))
        return [
            line for _ in range(count) for line in self._statement(depth + 1, in_loop)
        ]

    def _statement(self, depth: int, in_loop: bool) -> list[str]:
        simple = [
            self._assign,
            self._assign,
            self._add,
            self._note,
            self._note,
            self._attribute,
            self._finish,
            self._delete,
            self._close_over,
            self._walrus,
            self._hold,
            self._call_held,
            self._try_to_assign,
        ]
        if in_loop:
            simple.append(self._jump)
        compound = [self._if, self._with, self._for, self._try]
        make = self._choose(simple if depth > 2 else [*simple, *compound])
        return make(depth, in_loop) if make in compound else make()

    def _assign(self) -> list[str]:
        return [f"{self._name()} = {self._value()}"]

    def _add(self) -> list[str]:
        return [f"{self._name()} += {self._value()}"]

    def _note(self) -> list[str]:
        return [f"self.step({self._next()}, {self._value()}, named={self._value()})"]

    def _attribute(self) -> list[str]:
        return [f"self.kept = {self._value()}"]

    def _finish(self) -> list[str]:
        # Mostly on some paths only: otherwise little is left to compare.
        end = self._choose(
            (
                "return",
                f"return {self._value()}",
                f"return {self._value()}, {self._value()}",
                "raise KeyError('k')",
            )
        )
        return [f"if self.holds({self._next()}):", f"    {end}"]

    def _delete(self) -> list[str]:
        name = self._name()
        return [f"del {name}", f"{name} = {self._next()}"]

    def _close_over(self) -> list[str]:
        name, other = self._name(), self._name()
        return self._choose(
            (
                [f"{name} = (lambda: {other})()"],
                [f"{name} = sum(item for item in [{other}] if isinstance(item, int))"],
                [f"{name} = len([{name} for {name} in [{other}]])"],
                [
                    f"def inner({name}=0):",
                    f"    return {name}, {other}",
                    f"{name} = inner()[0]",
                ],
            )
        )

    def _walrus(self) -> list[str]:
        name, other = self._name(), self._name()
        return [
            f"self.step({self._next()}, f'{{({name} := {self._value()})}}', {other})"
        ]

    def _hold(self) -> list[str]:
        return [f"held = lambda: {self._name()}"]

    def _call_held(self) -> list[str]:
        return [f"self.step({self._next()}, held())"]

    def _try_to_assign(self) -> list[str]:
        return [
            "try:",
            f"    {self._name()} = self.step({self._next()}, {self._name()})",
            "except ValueError:",
            "    pass",
        ]

    def _jump(self) -> list[str]:
        return [
            f"if self.holds({self._next()}):",
            f"    {self._choose(('break', 'continue'))}",
        ]

    def _if(self, depth: int, in_loop: bool) -> list[str]:
        lines = [f"if self.holds({self._next()}):"]
        lines += _indented(self._block(depth, in_loop=in_loop))
        if self._choose((True, False)):
            lines += ["else:", *_indented(self._block(depth, in_loop=in_loop))]
        return lines

    def _with(self, depth: int, in_loop: bool) -> list[str]:
        head = f"with self.context({self._next()}) as {self._name()}:"
        return [head, *_indented(self._block(depth, in_loop=in_loop))]

    def _for(self, depth: int, in_loop: bool) -> list[str]:  # noqa: ARG002
        head = f"for {self._name()} in self.some({self._next()}):"
        return [head, *_indented(self._block(depth, in_loop=True))]

    def _try(self, depth: int, in_loop: bool) -> list[str]:
        body, handler, last = (
            _indented(self._block(depth, in_loop=in_loop)) for _ in range(3)
        )
        name = self._choose(("caught", self._name()))
        lines = ["try:", *body, f"except ValueError as {name}:", *handler]
        return [*lines, "finally:", *last] if self._choose((True, False)) else lines

    def _value(self) -> str:
        name = self._name()
        return self._choose(
            (name, name, str(self._next()), f"self.step({self._next()}, {name})")
        )

    def _name(self) -> str:
        return self._choose(NAMES)

    def _next(self) -> int:
        self._number += 1
        return self._number


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]
