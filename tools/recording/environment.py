# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Records what an environment answers, and answers from a recording.

Both pass on the decoded copy of what is in the recording. So the arrays that Monty
computes with have the same values *and* the same memory layout on both sides.
"""

from __future__ import annotations

import builtins
import json
import sys
from collections.abc import Callable, Iterator
from typing import Any

from ..ending import describe_exception
from .codec import Arrays, NotEncodable, decode, encode, plain
from .difference import delta
from .fault import own_work
from .file import Recording, RecordingWriter, UnreadableRecording

__all__ = ["Divergence", "RecordingEnvironment", "ReplayEnvironment"]


class Divergence(Exception):
    """The run called the environment differently from the recorded run."""

    def __init__(self, episode: int, step: int, expected: str, found: str) -> None:
        super().__init__(
            f"the run left the recording in episode {episode}, step {step}: "
            f"expected {expected}, found {found}"
        )
        self.episode = episode
        self.step = step
        self.expected = expected
        self.found = found


class RecordingEnvironment:
    """Passes every call on to an environment and records it with its result."""

    def __init__(
        self, env: Any, writer: RecordingWriter, *, observations: bool = True
    ) -> None:
        """Wraps an environment.

        Args:
            env: The environment.
            writer: Where the calls are recorded.
            observations: Whether results are stored too. Without them the recording
                can be compared, but not replayed.
        """
        self._env = env
        self._writer = writer
        self._observations = observations

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = getattr(self._env, name)
        if callable(value):
            return lambda *args, **kwargs: self._call(name, *args, **kwargs)
        return self._note({"event": "attribute", "name": name}, Arrays(), value)

    def _call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        arrays = Arrays()
        event = _asked(method, args, kwargs, arrays)
        try:
            result = getattr(self._env, method)(*args, **kwargs)
        except Exception as error:
            with own_work():
                event["raised"] = _encode_error(error, arrays)
                self._writer.add(event, arrays)
            raise
        return self._note(event, arrays, result)

    @own_work()
    def _note(self, event: dict[str, Any], arrays: Arrays, result: Any) -> Any:
        seen = Arrays()
        encoded = encode(result, seen, f"the result of {_name(event)}")
        if self._observations:
            event["result"] = encoded
            arrays.members.update(seen.members)
        self._writer.add(event, arrays)
        return decode(encoded, seen.get)


class ReplayEnvironment:
    """Answers calls from a recording, as long as they are the recorded ones.

    Attributes:
        recording: The recording.
        divergence: The first call that was not the recorded one, if any.
    """

    def __init__(self, recording: Recording, *, tolerance: float = 0.0) -> None:
        """Starts at the beginning of a recording.

        Args:
            recording: The recording; it must hold observations.
            tolerance: How much floats in the arguments may differ. With 0 their bits
                must be equal.

        Raises:
            UnreadableRecording: If it holds no observations.
        """
        if not recording.manifest.get("observations"):
            raise UnreadableRecording(
                f"{recording.path} cannot be replayed: it holds no observations; "
                "record the run again with them"
            )
        self.recording = recording
        self._tolerance = tolerance
        self._episode = 0
        self._step = 0
        self.divergence: Divergence | None = None
        self._calls = self._recorded_calls()
        self._ahead: dict[str, Any] | None = None

    def close(self) -> None:
        # The experiment also closes its environment when an exception ends the run;
        # a divergence here would hide it.
        if sys.exc_info()[0] is None and self.divergence is None:
            self._call("close")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        ahead = self._next()
        if ahead and ahead.get("name") == name:
            self._take()
            return self._answer(ahead)
        return lambda *args, **kwargs: self._call(name, *args, **kwargs)

    def _call(self, method: str, *args: Any, **kwargs: Any) -> Any:
        arrays = Arrays()
        asked = _asked(method, args, kwargs, arrays)
        event = self._take()
        if event is None:
            raise self._divergence("the end of the run", _show(asked, arrays.get))
        if not self._is_recorded(asked, arrays, event):
            raise self._divergence(
                _show(event, self.recording.array), _show(asked, arrays.get)
            )
        return self._answer(event)

    def _answer(self, event: dict[str, Any]) -> Any:
        if "raised" in event:
            raise _decode_error(event["raised"], self.recording)
        with own_work():
            if "result" not in event:
                raise UnreadableRecording(
                    f"{self.recording.path}: no answer to {_name(event)} is recorded"
                )
            return self.recording.decode(event["result"])

    @own_work()
    def _is_recorded(self, asked: dict, arrays: Arrays, event: dict) -> bool:
        if event.get("method") != asked["method"]:
            return False
        return delta(
            [event["args"], event["kwargs"]],
            [asked["args"], asked["kwargs"]],
            self.recording.array,
            arrays.get,
            self._tolerance,
        ).equal

    @own_work()
    def _next(self) -> dict[str, Any] | None:
        if self._ahead is None:
            self._ahead = next(self._calls, None)
        return self._ahead

    def _take(self) -> dict[str, Any] | None:
        event, self._ahead = self._next(), None
        return event

    def _recorded_calls(self) -> Iterator[dict[str, Any]]:
        for event in self.recording.events():
            if event["event"] == "step":
                self._step = event["step"] + 1
            elif event["event"] == "episode":
                self._episode, self._step = event["index"] + 1, 0
            elif event["event"] in ("call", "attribute"):
                yield event

    def _divergence(self, expected: str, found: str) -> Divergence:
        self.divergence = Divergence(self._episode, self._step, expected, found)
        return self.divergence


def _name(event: dict[str, Any]) -> str:
    return event.get("method") or event["name"]


@own_work()
def _asked(method: str, args: tuple, kwargs: dict, arrays: Arrays) -> dict[str, Any]:
    return {
        "event": "call",
        "method": method,
        "args": encode(list(args), arrays, "the arguments"),
        "kwargs": encode(kwargs, arrays, "the arguments"),
    }


def _show(event: dict[str, Any], read_array: Callable) -> str:
    """Writes a call out, with arrays as lists, for a person to read."""
    if event["event"] == "attribute":
        return f"a look at {event['name']}"
    words = [json.dumps(plain(item, read_array)) for item in event["args"]]
    for name, item in event["kwargs"].items():
        words.append(f"{name}={json.dumps(plain(item, read_array))}")
    return f"{event['method']}({', '.join(words)})"


def _encode_error(error: Exception, arrays: Arrays) -> dict[str, Any]:
    described = describe_exception(error)
    try:
        return {**described, "args": encode(list(error.args), arrays)}
    except NotEncodable:
        return {**described, "args": [described["message"]]}


def _decode_error(data: dict[str, Any], recording: Recording) -> Exception:
    module, _, name = data["type"].rpartition(".")
    home = builtins if module == "builtins" else sys.modules.get(module)
    kind = getattr(home, name, None)
    if not (isinstance(kind, type) and issubclass(kind, Exception)):
        # Its module belongs to the simulator, which a replay does not import.
        kind = type(name, (RuntimeError,), {"__module__": module})
    # Not through __init__, whose parameters differ from those of the message.
    return kind.__new__(kind, *recording.decode(data["args"]))
