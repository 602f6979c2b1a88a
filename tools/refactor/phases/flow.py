# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The control flow of a function, and what it does to the function's names.

A function's statements become points joined by two kinds of edges: to the next point,
and to the point that an exception leads to. From these we compute, for each point, the
names that are live (read later before they get a new value) and those with a value.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import singledispatchmethod
from typing import Callable, Collection, Sequence

import libcst as cst
import libcst.matchers as m

from ..nodes import Statement
from .names import Names, names_of, target_names
from .refusal import Refused

__all__ = ["Assigned", "Flow", "Point"]

_ALWAYS = m.Name("True") | m.Integer("1")


@dataclass(eq=False)
class Point:
    """A piece of code that runs as a whole or raises."""

    names: Names = field(default_factory=Names)
    after: list[Point] = field(default_factory=list)
    on_exception: tuple[Point, ...] = ()


@dataclass(frozen=True)
class Assigned:
    """The names that have a value at a point, on every path to it or on some paths."""

    surely: frozenset[str]
    possibly: frozenset[str]

    def joined(self, other: Assigned) -> Assigned:
        return Assigned(self.surely & other.surely, self.possibly | other.possibly)


def _outside_of_loop() -> Point:
    raise Refused("a break or continue outside of a loop")


@dataclass(frozen=True)
class _Around:
    """Where the statements of a block can jump to, besides the next one."""

    returning: Callable[[], Point]
    on_exception: tuple[Point, ...] = ()
    breaking: Callable[[], Point] = _outside_of_loop
    continuing: Callable[[], Point] = _outside_of_loop


class Flow:
    """The flow of control through the body of a function.

    It assumes that a `with` may swallow an exception, so an exception raised inside may
    lead to the statement after it.
    """

    def __init__(self, body: Sequence[Statement]) -> None:
        self.end = Point()
        """The point after the last statement."""
        self._returned = Point()
        self._entries: dict[int, Point] = {}
        # We hold references to the statements, so ids are not reused.
        self._body = body
        self._points: list[Point] = [self.end, self._returned]
        self.start = self._block(body, self.end, _Around(lambda: self._returned))
        self._live = self._find_live()

    def entry(self, statement: Statement) -> Point:
        """Return the point at which a statement begins."""
        return self._entries[id(statement)]

    def live(self, point: Point) -> set[str]:
        """Return the names whose value at the point may be read later."""
        return self._live[point]

    def assigned(
        self, parameters: Collection[str], stops: Collection[Point]
    ) -> dict[Point, Assigned]:
        """Find the names that have a value at each point that is reached.

        Args:
            parameters: The names that have a value from the start.
            stops: Points beyond which control is not followed.

        Returns:
            The names by point, for the points that are reached.
        """
        known = frozenset(parameters)
        states = {self.start: Assigned(known, known)}
        todo = [self.start]
        while todo:
            point = todo.pop()
            if point in stops:
                continue
            before, names = states[point], point.names
            bound = names.bound - names.unbound
            after = Assigned(
                (before.surely - names.unbound) | bound,
                (before.possibly - names.unbound) | bound | names.maybe_bound,
            )
            # It is not known where in the point it was raised.
            raised = Assigned(
                before.surely - names.unbound,
                before.possibly | names.bound | names.maybe_bound,
            )
            edges = [(following, after) for following in point.after]
            edges += [(handler, raised) for handler in point.on_exception]
            for following, state in edges:
                earlier = states.get(following)
                joined = state if earlier is None else earlier.joined(state)
                if joined != earlier:
                    states[following] = joined
                    todo.append(following)
        return states

    def _find_live(self) -> dict[Point, set[str]]:
        live: dict[Point, set[str]] = {point: set() for point in self._points}
        changed = True
        while changed:
            changed = False
            # Points are made from the end of the function to its start.
            for point in self._points:
                later: set[str] = set()
                later.update(*(live[following] for following in point.after))
                kept = later - point.names.bound - point.names.unbound
                found = kept | point.names.used
                found.update(*(live[handler] for handler in point.on_exception))
                if found != live[point]:
                    live[point] = found
                    changed = True
        return live

    def _point(self, names: Names, after: list[Point], around: _Around) -> Point:
        point = Point(names, after, around.on_exception)
        self._points.append(point)
        return point

    def _block(
        self, statements: Sequence[cst.CSTNode], following: Point, around: _Around
    ) -> Point:
        for statement in reversed(statements):
            following = self._statement(statement, following, around)
            self._entries[id(statement)] = following
        return following

    @singledispatchmethod
    def _statement(
        self, statement: cst.CSTNode, following: Point, around: _Around
    ) -> Point:
        after = [following]
        if isinstance(statement, cst.Return):
            after = [around.returning()]
        elif isinstance(statement, cst.Raise):
            after = []
        elif isinstance(statement, cst.Break):
            after = [around.breaking()]
        elif isinstance(statement, cst.Continue):
            after = [around.continuing()]
        return self._point(names_of(statement), after, around)

    @_statement.register
    def _line(
        self, statement: cst.SimpleStatementLine, following: Point, around: _Around
    ) -> Point:
        return self._block(statement.body, following, around)

    def _suite(
        self,
        part: cst.If | cst.Else | cst.Finally | None,
        following: Point,
        around: _Around,
    ) -> Point:
        """Follow the block of an `else` or `elif`, if there is one."""
        if part is None:
            return following
        if isinstance(part, cst.If):
            return self._if(part, following, around)
        return self._block(part.body.body, following, around)

    @_statement.register
    def _if(self, statement: cst.If, following: Point, around: _Around) -> Point:
        branches = [
            self._suite(statement.orelse, following, around),
            self._block(statement.body.body, following, around),
        ]
        return self._point(names_of(statement.test), branches, around)

    @_statement.register
    def _while(self, statement: cst.While, following: Point, around: _Around) -> Point:
        head = self._point(names_of(statement.test), [], around)
        inside = replace(around, breaking=lambda: following, continuing=lambda: head)
        head.after.append(self._block(statement.body.body, head, inside))
        if not m.matches(statement.test, _ALWAYS):
            head.after.append(self._suite(statement.orelse, following, around))
        return head

    @_statement.register
    def _for(self, statement: cst.For, following: Point, around: _Around) -> Point:
        head = self._point(Names(), [], around)
        inside = replace(around, breaking=lambda: following, continuing=lambda: head)
        body = self._block(statement.body.body, head, inside)
        head.after += [
            self._point(target_names(statement.target), [body], around),
            self._suite(statement.orelse, following, around),
        ]
        return self._point(names_of(statement.iter), [head], around)

    @_statement.register
    def _with(self, statement: cst.With, following: Point, around: _Around) -> Point:
        inside = replace(around, on_exception=(*around.on_exception, following))
        point = self._block(statement.body.body, following, inside)
        for item in reversed(statement.items):
            if item.asname is not None:
                point = self._point(target_names(item.asname.name), [point], inside)
            entered_in = around if item is statement.items[0] else inside
            point = self._point(names_of(item.item), [point], entered_in)
        return point

    @_statement.register
    def _try(self, statement: cst.Try, following: Point, around: _Around) -> Point:
        def finally_then(target: Point) -> Point:
            # A `finally` is followed separately for each path to it, so that paths are
            # not merged.
            return self._suite(statement.finalbody, target, around)

        leaving = _leaving_through(finally_then, around)
        if statement.finalbody is not None and not leaving.on_exception:
            # The exception leaves the function.
            raised = self._point(Names(), [], around)
            leaving = replace(leaving, on_exception=(finally_then(raised),))
        following = finally_then(following)
        handlers = [
            self._handler(handler, following, leaving) for handler in statement.handlers
        ]
        otherwise = self._suite(statement.orelse, following, leaving)
        inside = replace(leaving, on_exception=(*handlers, *leaving.on_exception))
        return self._block(statement.body.body, otherwise, inside)

    def _handler(
        self, handler: cst.ExceptHandler, following: Point, around: _Around
    ) -> Point:
        types = Names() if handler.type is None else names_of(handler.type)
        if handler.name is None:
            body = self._block(handler.body.body, following, around)
            return self._point(types, [body], around)

        name = target_names(handler.name.name)

        def deleted_then(target: Point) -> Point:
            # Python deletes the name however the handler is left.
            return self._point(Names(unbound=name.bound), [target], around)

        inside = _leaving_through(deleted_then, around)
        body = self._block(handler.body.body, deleted_then(following), inside)
        return self._point(types, [self._point(name, [body], around)], around)


def _leaving_through(via: Callable[[Point], Point], around: _Around) -> _Around:
    return _Around(
        returning=lambda: via(around.returning()),
        on_exception=tuple(via(point) for point in around.on_exception),
        breaking=lambda: via(around.breaking()),
        continuing=lambda: via(around.continuing()),
    )
