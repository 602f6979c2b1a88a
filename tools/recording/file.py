# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""The file of a recorded run: a zip of JSON and ``.npy`` files, no pickle.

manifest.json     what was run, with which versions, and whether it is complete
events.jsonl      what happened, one event per line, in the order of the run
arrays/….npy      the arrays that the events name as {"$array": "arrays/….npy"}
"""

from __future__ import annotations

import json
import zipfile
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from typing_extensions import Self

from ..ending import CouldNotRun, one_line
from ..temporary import temporary_folder
from .archive import UNREADABLE, Archive, TooLarge
from .codec import Arrays, Malformed, checked, decode, encode, load_array
from .schema import check_event, check_manifest

__all__ = [
    "FORMAT",
    "FORMAT_VERSION",
    "MANIFEST",
    "RECORDING",
    "FileKind",
    "Recording",
    "RecordingWriter",
    "UnreadableRecording",
]

FORMAT = "monty-parity-recording"
FORMAT_VERSION = 1
MANIFEST = "manifest.json"
EVENTS = "events.jsonl"


class FileKind(NamedTuple):
    """A kind of file in this format.

    Attributes:
        format: The name that stands in the file.
        version: The version of what its events mean.
        noun: What to call it.
        remedy: How to get another one.
    """

    format: str
    version: int
    noun: str
    remedy: str


RECORDING = FileKind(FORMAT, FORMAT_VERSION, "recorded run", "record the run again")


class UnreadableRecording(CouldNotRun):
    """A file that is no recording, too new, cut off or damaged."""


class RecordingWriter:
    """Writes a recording; the file appears under its name only when it is closed.

    If Ctrl-C ends the ``with`` block, what was recorded so far is kept, marked as
    incomplete, unless there is another file of that name. After an exception nothing
    is kept.
    """

    def __init__(
        self, path: Path, manifest: Mapping[str, Any], kind: FileKind = RECORDING
    ) -> None:
        """Starts a recording.

        Args:
            path: The file to write. An existing one is replaced at the end.
            manifest: What to say about the run.
            kind: What kind of file it is.
        """
        self.path = Path(path)
        self._kind = kind
        self._manifest = dict(manifest)
        self._counts: Counter[str] = Counter()
        self._stored: set[str] = set()
        self.path.parent.mkdir(parents=True, exist_ok=True)
        self._opened = ExitStack()
        folder = self._opened.enter_context(temporary_folder(self.path.parent))
        self._partial = folder / "recording"
        # A zip can write one member at a time, so events go to another file first.
        self._events = self._opened.enter_context((folder / EVENTS).open("w+b"))
        self._zip = zipfile.ZipFile(
            self._partial, "w", zipfile.ZIP_DEFLATED, compresslevel=1
        )

    def add(self, event: Mapping[str, Any], arrays: Arrays | None = None) -> None:
        """Appends an event.

        Args:
            event: The event, already encoded, with its kind under ``event``.
            arrays: The arrays which the event names.
        """
        for name, content in arrays.members.items() if arrays else ():
            if name not in self._stored:
                self._stored.add(name)
                self._zip.writestr(name, content)
        line = json.dumps(event, allow_nan=False, separators=(",", ":"))
        self._events.write(line.encode("ascii") + b"\n")
        self._counts[event["event"]] += 1

    def note(self, event: dict[str, Any]) -> None:
        """Encodes an event and appends it."""
        arrays = Arrays()
        self.add(encode(event, arrays, event["event"]), arrays)

    def close(self, *, complete: bool) -> None:
        """Finishes the file and gives it its name.

        Args:
            complete: Whether the run ended by itself.
        """
        manifest = {
            "format": self._kind.format,
            "format_version": self._kind.version,
            "complete": complete,
            **self._manifest,
            "counts": {**self._counts, "arrays": len(self._stored)},
        }
        with self._opened:
            self._events.seek(0)
            with self._zip as archive:
                with archive.open(EVENTS, "w", force_zip64=True) as member:
                    while block := self._events.read(1 << 20):
                        member.write(block)
                archive.writestr(MANIFEST, json.dumps(manifest, indent=2) + "\n")
            self._partial.replace(self.path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self.close(complete=True)
        elif self._is_worth_keeping(kind):
            self.close(complete=False)
        else:
            with self._opened, suppress(OSError):  # the disk may be full
                self._zip.close()

    def _is_worth_keeping(self, kind: type[BaseException]) -> bool:
        """Returns whether to keep what there is when an exception ends the block."""
        was_interrupted = issubclass(kind, KeyboardInterrupt)
        return was_interrupted and bool(self._counts) and not self.path.exists()


class Recording:
    """Reads a recording; events and arrays are decoded on demand.

    The file is not trusted: whatever it holds, it is read, or refused with a message.
    """

    def __init__(self, path: Path, kind: FileKind = RECORDING) -> None:
        """Opens a recording.

        Args:
            path: The file.
            kind: What kind of file it must be.

        Raises:
            UnreadableRecording: If it cannot be read.
        """
        self.path = Path(path)
        self._kind = kind
        try:
            self._archive = Archive(self.path)
        except TooLarge as error:
            raise UnreadableRecording(f"{self.path} is refused: {error}") from None
        except UNREADABLE as error:
            raise self._no_zip() from error
        try:
            self.manifest: dict[str, Any] = self._read_manifest()
        except BaseException:
            self.close()
            raise

    @property
    def complete(self) -> bool:
        """Whether the recorded run ended by itself."""
        return bool(self.manifest["complete"])

    def events(self) -> Iterator[dict[str, Any]]:
        """Yields the events, encoded, in the order of the run.

        Raises:
            UnreadableRecording: If they cannot be read.
        """
        lines = self._archive.lines(EVENTS)
        while True:
            # What the reader of the events raises is not the file's fault.
            try:
                event = json.loads(next(lines), object_hook=checked)
                check_event(event)
            except StopIteration:
                return
            except (Malformed, *UNREADABLE) as error:
                raise self._corrupt(EVENTS, error) from error
            yield event

    def array(self, name: str) -> np.ndarray:
        """Returns a fresh, writable array.

        Args:
            name: The name of the array in the events.

        Raises:
            UnreadableRecording: If it cannot be read.
        """
        try:
            return load_array(self._archive.read(name))
        except UNREADABLE as error:
            raise self._corrupt(repr(name), error) from error

    def decode(self, data: Any) -> Any:
        """Returns the value of a part of an event.

        Raises:
            UnreadableRecording: If it stands for no value.
        """
        size = 0

        def read(name: str) -> np.ndarray:
            nonlocal size
            array = self.array(name)
            # An array may be named more than once; each time it is another copy.
            size += array.nbytes
            self._archive.check_size(size)
            return array

        try:
            return decode(data, read)
        except (Malformed, *UNREADABLE) as error:
            raise self._corrupt(EVENTS, error) from error

    def incomplete(self) -> UnreadableRecording:
        """Returns the exception that says that not all of it is there."""
        return UnreadableRecording(f"{self.path} is incomplete: {self._kind.remedy}")

    def check_run(self) -> None:
        """Checks that the manifest says what was run.

        Raises:
            UnreadableRecording: If it does not.
        """
        try:
            check_manifest(self.manifest, of_run=True)
        except ValueError as error:
            raise self._corrupt(MANIFEST, error) from error

    def close(self) -> None:
        self._archive.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read_manifest(self) -> dict[str, Any]:
        expected = self._kind
        try:
            manifest = json.loads(self._archive.read(MANIFEST))
            found, version = str(manifest["format"]), int(manifest["format_version"])
        except UNREADABLE as error:
            raise UnreadableRecording(
                f"{self.path} is a zip, but no {expected.noun}: no {MANIFEST} "
                f"that names the format {expected.format}"
            ) from error
        if found != expected.format:
            raise UnreadableRecording(
                f"{self.path} is a {found!r}, not a {expected.format}"
            )
        if version > expected.version:
            raise UnreadableRecording(
                f"{self.path} has format version {version}, this program reads up to "
                f"{expected.version}: update it, or {expected.remedy}"
            )
        try:
            check_manifest(manifest, of_run=False)
        except ValueError as error:
            raise self._corrupt(MANIFEST, error) from error
        return manifest

    def _no_zip(self) -> UnreadableRecording:
        with self.path.open("rb") as file:
            starts_like_one = file.read(4) == b"PK\x03\x04"
        if starts_like_one:
            return UnreadableRecording(f"{self.path} is cut off: {self._kind.remedy}")
        return UnreadableRecording(f"{self.path} is not a {self._kind.noun}")

    def _corrupt(self, member: str, error: Exception) -> UnreadableRecording:
        return UnreadableRecording(
            f"{self.path} is damaged: cannot read {member} ({one_line(error)}); "
            f"{self._kind.remedy}"
        )
