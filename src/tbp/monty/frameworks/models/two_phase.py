# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Methods of learning modules that come whole and in two halves."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any, Callable, Mapping, Sequence

__all__ = ["TWO_PHASE_METHODS", "TwoPhaseMethods", "halves_of"]

TWO_PHASE_METHODS = (
    "matching_step",
    "exploratory_step",
    "_compute_possible_matches",
    "_update_possible_matches",
)


def halves_of(method: str) -> tuple[str, str]:
    """Return the names of the halves of a method.

    The first dispatches the method's work and returns what is pending. The second
    takes that, and processes the results.

    >>> halves_of("_update_possible_matches")
    ('_dispatch_update_possible_matches', '_process_update_possible_matches')
    """
    private, name = ("_", method[1:]) if method.startswith("_") else ("", method)
    return f"{private}dispatch_{name}", f"{private}process_{name}"


class TwoPhaseMethods:
    """Keeps the two forms of a method in step when a subclass overrides one.

    Whoever steps a learning module may call a method whole, or its halves. A subclass
    need not know both:

    - one that overrides the whole method gets halves of which the first only keeps the
      arguments, and the second calls the whole;
    - one that overrides a half gets the whole as one half after the other.

    What is added calls the forms of that very class, not of the instance's class. So
    an override that calls `super()` does not come back to itself. A class that is mixed
    in before a learning module gets its other form, too: it would be passed over
    otherwise by a subclass that has that form.
    """

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        for one in (*_mixed_in(cls), cls):
            for method in TWO_PHASE_METHODS:
                _complete(one, method)


@dataclass(frozen=True)
class _PendingWhole:
    """A call of a whole method that is yet to be made."""

    arguments: Sequence[Any]
    keywords: Mapping[str, Any]


def _mixed_in(cls: type) -> list[type]:
    """Return the classes that come before one which is split, bases first."""
    bases = cls.__mro__
    last = bases.index(TwoPhaseMethods)
    split = [at for at in range(1, last) if issubclass(bases[at], TwoPhaseMethods)]
    before = reversed(bases[1 : max(split, default=1)])
    return [one for one in before if not issubclass(one, TwoPhaseMethods)]


def _complete(cls: type, method: str) -> None:
    dispatch, process = halves_of(method)
    whole_at = _place(cls, method)
    halves_at = min(_place(cls, dispatch), _place(cls, process))
    if whole_at < halves_at:
        _add(cls, dispatch, _keep_arguments)
        _add(cls, process, _call_whole(cls, method))
    elif halves_at < whole_at:
        _add(cls, method, _call_halves(cls, method))


def _place(cls: type, method: str) -> int:
    """Return how far up a method is defined: 0 is the class itself."""
    bases = cls.__mro__
    places = (at for at, base in enumerate(bases) if method in vars(base))
    return next(places, len(bases))


def _add(cls: type, name: str, function: Callable) -> None:
    # Without attributes: an abstract method has one that says so.
    @functools.wraps(getattr(cls, name, function), updated=())
    def added(self, *args: Any, **kwargs: Any) -> Any:
        return function(self, *args, **kwargs)

    added.__name__ = name
    added.__qualname__ = f"{cls.__qualname__}.{name}"
    setattr(cls, name, added)


def _keep_arguments(_self, *args: Any, **kwargs: Any) -> _PendingWhole:
    return _PendingWhole(args, kwargs)


def _call_whole(cls: type, method: str) -> Callable:
    def process(self, pending: _PendingWhole) -> Any:
        return getattr(cls, method)(self, *pending.arguments, **pending.keywords)

    return process


def _call_halves(cls: type, method: str) -> Callable:
    dispatch, process = halves_of(method)

    def half(self, name: str) -> Callable:
        # A class that is mixed in may define one half, and not inherit the other.
        if hasattr(cls, name):
            return functools.partial(getattr(cls, name), self)
        return getattr(super(cls, self), name)

    def whole(self, *args: Any, **kwargs: Any) -> Any:
        pending = half(self, dispatch)(*args, **kwargs)
        return half(self, process)(pending)

    return whole
