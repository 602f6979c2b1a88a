# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""A dict whose values are made when they are asked for."""

from __future__ import annotations

from collections.abc import ItemsView, MutableMapping, ValuesView
from typing import Any, ClassVar, Dict, Iterator, Mapping, Sequence, TypeVar

from typing_extensions import Self

__all__ = ["LATER", "LazyDict"]

T = TypeVar("T")

LATER: Any = object()
"""Stands for a value that nobody has asked for."""


class LazyDict(Dict[str, T]):
    """A dict whose values are made when they are asked for.

    A subclass says in `make` how. A copy or a pickle is a plain dict.

    Attributes:
        is_changed: Whether anything was assigned or removed since `put_off`.
    """

    def __init__(self, values: Mapping[str, T]) -> None:
        super().__init__(values)
        self.is_changed = False
        self._keys: Sequence[str] = ()
        self._put_off: frozenset[str] = frozenset()
        self._made: list[str] = []

    def make(self, key: str) -> T:
        """Return the value of a key that was put off."""
        raise NotImplementedError

    def put_off(self, keys: Sequence[str]) -> None:
        """Let keys have new values, to be made when they are asked for.

        Args:
            keys: The keys. If they are the same object as last time, they are the same.
        """
        if keys is self._keys and not self.is_changed:
            for key in self._made:
                dict.__setitem__(self, key, LATER)
        else:
            dict.update(self, dict.fromkeys(keys, LATER))
            self._keys, self._put_off = keys, frozenset(keys)
            self.is_changed = False
        self._made.clear()

    def make_all(self) -> None:
        """Make all values that nobody has asked for."""
        for key in self.not_asked_for():
            self[key]

    def asked_for(self) -> list[tuple[str, T]]:
        """Return the values that exist, with their keys."""
        return [one for one in super().items() if one[1] is not LATER]

    def not_asked_for(self) -> list[str]:
        """Return the keys whose values nobody has asked for."""
        return [key for key, value in super().items() if value is LATER]

    def peek(self, key: str) -> T | None:
        """Return a value, `LATER` if nobody has asked for it, or None."""
        return super().get(key)

    def __getitem__(self, key: str) -> T:
        value = dict.__getitem__(self, key)
        if value is LATER:
            value = self.make(key)
            if key in self._put_off:
                self._made.append(key)
            dict.__setitem__(self, key, value)
        return value

    def __setitem__(self, key: str, value: T) -> None:
        self.is_changed = True
        super().__setitem__(key, value)

    def __delitem__(self, key: str) -> None:
        self.is_changed = True
        super().__delitem__(key)

    def __iter__(self) -> Iterator[str]:
        # Without this, `dict(self)` copies what is there, `LATER` included.
        return super().__iter__()

    # dict's own methods do not call those above.
    get: Any = MutableMapping.get
    setdefault: Any = MutableMapping.setdefault
    update: Any = MutableMapping.update
    clear: Any = MutableMapping.clear
    __eq__: Any = MutableMapping.__eq__
    __ne__: Any = object.__ne__
    __hash__: ClassVar[Any] = None

    def pop(self, key: str, *default: Any) -> Any:
        self.get(key)  # so that it is made
        self.is_changed = True
        return super().pop(key, *default)

    def popitem(self) -> tuple[str, T]:
        for key in reversed(self):
            return key, self.pop(key)
        raise KeyError("popitem(): dictionary is empty")

    def values(self) -> Any:
        return _Values(self)

    def items(self) -> Any:
        return _Items(self)

    def copy(self) -> dict[str, T]:
        return dict(self)

    def __or__(self, other: Any) -> Any:
        return dict(self) | other

    def __ror__(self, other: Any) -> Any:
        return other | dict(self)

    def __ior__(self, other: Any) -> Self:  # type: ignore[override]
        self.update(other)
        return self

    def __repr__(self) -> str:
        return repr(dict(self))

    def __reduce__(self) -> tuple[type, tuple[dict[str, T]]]:
        return dict, (dict(self),)


class _Values(ValuesView):
    _mapping: LazyDict[Any]

    def __reversed__(self) -> Iterator[Any]:
        return (self._mapping[key] for key in reversed(self._mapping))


class _Items(ItemsView):
    _mapping: LazyDict[Any]

    def __reversed__(self) -> Iterator[Any]:
        return ((key, self._mapping[key]) for key in reversed(self._mapping))
