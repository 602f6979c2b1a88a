# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
from __future__ import annotations

import copy
import json
import pickle
import unittest

from tbp.monty.backends.stacked.lazy_dict import LATER, LazyDict

PLAIN = {"a": "A", "b": "B", "c": "C"}


class Capitals(LazyDict):
    def make(self, key: str) -> str:
        return key.upper()


def lazy() -> Capitals:
    capitals = Capitals({"a": "other"})
    capitals.put_off("abc")
    return capitals


def pickled(values: dict) -> dict:
    return pickle.loads(pickle.dumps(values))  # noqa: S301, of our own


class LazyDictTest(unittest.TestCase):
    def test_whoever_reads_it_gets_what_a_dict_has(self) -> None:
        reads = {
            "item": lambda d: d["b"],
            "get": lambda d: (d.get("b"), d.get("z"), d.get("z", 1)),
            "items": lambda d: list(d.items()),
            "values": lambda d: list(d.values()),
            "backwards": lambda d: [*reversed(d.items()), *reversed(d.values())],
            "keys": lambda d: (list(d), list(d.keys()), list(reversed(d)), len(d)),
            "in": lambda d: ("a" in d, "z" in d, ("a", "A") in d.items()),
            "equal": lambda d: (d == PLAIN, d != PLAIN, d == {"a": "A"}),
            "equal to it": lambda d: dict(PLAIN) == d,
            "dict": lambda d: [dict(d), {**d}, d.copy(), {} | d, d | {"z": "Z"}],
            "update": lambda d: _updated({"z": "Z"}, d),
            "arguments": lambda d: dict(**d),
            "text": lambda d: (repr(d), str(d), "{a}".format_map(d)),
            "json": json.dumps,
            "copy": lambda d: [copy.copy(d), copy.deepcopy(d)],
            "pickle": pickled,
        }
        for name, read in reads.items():
            with self.subTest(name):
                self.assertEqual(read(lazy()), read(dict(PLAIN)))

    def test_what_is_put_off_again_is_made_again(self) -> None:
        made: list[str] = []

        class Counted(LazyDict):
            def make(self, key: str) -> int:
                made.append(key)
                return len(made)

        counted, keys = Counted({"b": 0}), ["a", "b", "c"]
        for _ in range(3):
            counted.put_off(keys)
            self.assertEqual(sorted(counted.not_asked_for()), keys)
            before = len(made)
            self.assertEqual(counted["b"], before + 1)
            self.assertEqual(counted["b"], before + 1)
        counted["c"] = 7
        del counted["a"]
        counted.put_off(keys)
        self.assertEqual(sorted(counted.not_asked_for()), keys)
        self.assertFalse(counted.is_changed)

    def test_what_is_not_put_off_again_stays(self) -> None:
        capitals, some = lazy(), ["a", "b"]
        capitals.put_off(some)
        value = capitals["c"] = "other"
        for _ in range(3):
            capitals.put_off(some)
            self.assertEqual(capitals["c"], value)
        capitals = lazy()
        capitals.put_off(some)
        self.assertEqual(capitals["c"], "C")
        capitals.put_off(some)
        self.assertEqual(capitals.not_asked_for(), some)

    def test_whoever_changes_it_changes_it_as_a_dict(self) -> None:
        changes = {
            "assign": lambda d: d.__setitem__("b", 1),
            "delete": lambda d: d.__delitem__("b"),
            "pop": lambda d: (d.pop("b"), d.pop("z", 1)),
            "popitem": lambda d: (d.popitem(), d.popitem()),
            "setdefault": lambda d: (d.setdefault("a", 1), d.setdefault("z", 1)),
            "update": lambda d: d.update({"a": 1, "z": 1}),
            "or": lambda d: d.__ior__({"a": 1, "z": 1}) is d,
            "clear": lambda d: d.clear(),
        }
        for name, change in changes.items():
            with self.subTest(name):
                ours, plain = lazy(), dict(PLAIN)
                self.assertEqual(change(ours), change(plain))
                self.assertEqual(list(ours.items()), list(plain.items()))
                self.assertTrue(ours.is_changed)

    def test_copies_are_plain_dicts(self) -> None:
        copies = (copy.copy, copy.deepcopy, pickled)
        for copied in copies:
            self.assertIs(type(copied(lazy())), dict)

    def test_a_value_is_made_once_and_only_if_asked_for(self) -> None:
        capitals = lazy()
        self.assertIs(capitals.peek("a"), LATER)
        self.assertIs(capitals["a"], capitals["a"])
        self.assertEqual(capitals.peek("a"), "A")
        self.assertIs(capitals.peek("b"), LATER)
        self.assertIsNone(capitals.peek("z"))
        self.assertFalse(capitals.is_changed)

    def test_values_are_put_off_again(self) -> None:
        capitals = lazy()
        capitals["a"] = "assigned"
        capitals.put_off("ad")
        self.assertFalse(capitals.is_changed)
        self.assertEqual(capitals, {**PLAIN, "d": "D"})

    def test_it_notes_only_what_is_to_be_put_off_again(self) -> None:
        capitals = Capitals({})
        for _ in range(3):
            dict.__setitem__(capitals, "d", LATER)  # as a subclass may
            self.assertEqual(capitals["d"], "D")
        self.assertEqual(capitals._made, [])

    def test_nothing_is_popped_from_an_empty_one(self) -> None:
        with self.assertRaises(KeyError):
            Capitals({}).popitem()


def _updated(values: dict, others: dict) -> dict:
    values.update(others)
    return values
