# Copyright 2026 Thousand Brains Project
#
# Copyright may exist in Contributors' modifications
# and/or contributions to the work.
#
# Use of this source code is governed by the MIT
# license that can be found in the LICENSE file or at
# https://opensource.org/licenses/MIT.
"""Votes as arrays, and as messages for those who read messages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import (
    Any,
    Dict,
    Iterable,
    Mapping,
    MutableSequence,
    NamedTuple,
    Sequence,
)

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.stacked.resident_rows import likely_rows
from tbp.monty.cmp import Message
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.utils.graph_matching_utils import get_scaled_evidences
from tbp.monty.frameworks.utils.spatial_arithmetics import align_orthonormal_vectors
from tbp.monty.geometry import OrientationMatrix

__all__ = [
    "Votes",
    "VotesByObject",
    "are_arrays",
    "combine_votes",
    "vote_arrays",
    "votes_to_send",
]

SentVote = Mapping[str, Any]
"""What a learning module sends out: its votes, and the pose it senses."""


class _Sender(NamedTuple):
    """Who sent a vote, and how its pose is rotated for the receiver, if it is."""

    lm_id: str
    rotation: npt.NDArray[np.float64] | None


@dataclass(frozen=True, eq=False)
class _VoteArrays:
    """Votes for any number of objects.

    Attributes:
        locations: Shape (n, 3).
        poses: The rotation matrices of the hypotheses that were sent, shape (n, 3, 3).
        confidences: Shape (n,).
        senders: For each vote, which of `sent_by`.
        sent_by: The senders.
    """

    locations: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]
    confidences: npt.NDArray[np.float64]
    senders: npt.NDArray[np.intp]
    sent_by: Sequence[_Sender]

    def rows(self, which: Any) -> _VoteArrays:
        """Return some of the votes."""
        return _VoteArrays(
            self.locations[which],
            self.poses[which],
            self.confidences[which],
            self.senders[which],
            self.sent_by,
        )

    def message(self, row: int) -> Message:
        """Return a vote as a message."""
        sender = self.sent_by[self.senders[row]]
        message = Message(
            location=self.locations[row].copy(),
            morphological_features={
                "pose_vectors": OrientationMatrix(self.poses[row].T.copy("K")),
                "pose_fully_defined": True,
            },
            non_morphological_features=None,  # type: ignore[arg-type]
            confidence=self.confidences[row],
            pass_message=True,
            process_features_in_lm=True,
            sender_id=sender.lm_id,
            sender_type="LM",
        )
        message.transform_morphological_features(rotation=sender.rotation)
        return message


class Votes(MutableSequence[Message]):
    """The votes for one object: a list of messages that is made when it is read.

    Until then the votes are rows of arrays.

    Attributes:
        are_dispatched: Whether a backend has them, and whoever receives them need not
            add them.
    """

    are_dispatched = False

    def __init__(self, arrays: _VoteArrays, rows: slice) -> None:
        """Take rows of arrays.

        Args:
            arrays: Votes for this object and others.
            rows: Those for this object.
        """
        self._count = rows.stop - rows.start
        self._rows = rows
        self._arrays: _VoteArrays | None = arrays
        self._messages: list[Message] = []

    @property
    def are_arrays(self) -> bool:
        """Whether nobody has read messages, which can be changed."""
        return self._arrays is not None

    @property
    def arrays(self) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
        """Locations, shape (n, 3), and confidences, shape (n,)."""
        if self._arrays is not None:
            rows = self._rows
            return self._arrays.locations[rows], self._arrays.confidences[rows]
        return _arrays_of(self._messages)

    @property
    def messages(self) -> list[Message]:
        """The votes as messages; from now on these are the votes."""
        if self._arrays is not None:
            rows = range(self._rows.start, self._rows.stop)
            self._messages = [self._arrays.message(row) for row in rows]
            self._arrays = None
        return self._messages

    def __len__(self) -> int:
        return self._count if self._arrays is not None else len(self._messages)

    def __getitem__(self, at: Any) -> Any:
        return self.messages[at]

    def __setitem__(self, at: Any, message: Any) -> None:
        self.messages[at] = message

    def __delitem__(self, at: Any) -> None:
        del self.messages[at]

    def insert(self, at: int, message: Message) -> None:
        self.messages.insert(at, message)

    def __eq__(self, other: object) -> bool:
        return self.messages == other

    def __repr__(self) -> str:
        return f"Votes({self.messages!r})"

    __hash__ = None  # type: ignore[assignment]


class VotesByObject(Dict[str, Votes]):
    """Votes for several objects, as rows of the same arrays."""

    def __init__(self, arrays: _VoteArrays, counts: Mapping[str, int]) -> None:
        """Divide arrays among objects.

        Args:
            arrays: The votes for the first object, then those for the second, ...
            counts: How many votes there are for each object.
        """
        ends = np.cumsum(list(counts.values())).tolist()
        super().__init__(
            (object_id, Votes(arrays, slice(end - counts[object_id], end)))
            for object_id, end in zip(counts, ends, strict=True)
        )
        self._votes = arrays
        self._made = list(self.items())

    @property
    def arrays(self) -> _VoteArrays | None:
        """All votes; None if somebody may have changed some."""
        now = list(self.items())
        is_same = len(now) == len(self._made) and all(
            before[0] == after[0] and before[1] is after[1] and after[1].are_arrays
            for before, after in zip(self._made, now, strict=True)
        )
        return self._votes if is_same else None


def votes_to_send(
    hypotheses: Mapping[str, Hypotheses], threshold: float, sender_id: str
) -> VotesByObject:
    """Return the hypotheses of a learning module that it votes for.

    Args:
        hypotheses: Its hypotheses by graph.
        threshold: How much evidence a hypothesis needs, on the scale from -1 to 1.
        sender_id: The learning module.
    """
    found = _likely_in_table(hypotheses, threshold)
    arrays, counts = _chosen(hypotheses, threshold) if found is None else found
    votes = VotesByObject(
        _VoteArrays(
            *arrays,
            senders=np.zeros(len(arrays.confidences), dtype=np.intp),
            sent_by=[_Sender(sender_id, None)],
        ),
        counts,
    )
    if len(arrays.confidences) and not arrays.confidences.min() >= 0:
        # A message refuses a confidence below 0.
        for of_object in votes.values():
            of_object.messages  # noqa: B018
    return votes


class _Chosen(NamedTuple):
    """Hypotheses to vote for; see `_VoteArrays`."""

    locations: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]
    confidences: npt.NDArray[np.float64]


def _chosen(
    hypotheses: Mapping[str, Hypotheses], threshold: float
) -> tuple[_Chosen, dict[str, int]]:
    """Return the hypotheses to vote for, and how many each graph has."""
    scaled = get_scaled_evidences(
        {graph_id: of_graph.evidence for graph_id, of_graph in hypotheses.items()}
    )
    chosen = {
        graph_id: np.flatnonzero(evidence > threshold)
        for graph_id, evidence in scaled.items()
    }
    chosen = {graph_id: rows for graph_id, rows in chosen.items() if len(rows)}
    counts = {graph_id: len(rows) for graph_id, rows in chosen.items()}
    arrays = _Chosen(
        locations=_joined(
            [hypotheses[one].locations[rows] for one, rows in chosen.items()], (0, 3)
        ),
        poses=_joined(
            [hypotheses[one].poses[rows] for one, rows in chosen.items()], (0, 3, 3)
        ),
        confidences=_joined([scaled[one][rows] for one, rows in chosen.items()], (0,)),
    )
    return arrays, counts


def _likely_in_table(
    hypotheses: Mapping[str, Hypotheses], threshold: float
) -> tuple[_Chosen, dict[str, int]] | None:
    """Let a backend's table choose; None if not all hypotheses are as it holds them."""
    likely = likely_rows(hypotheses, threshold)
    if likely is None or not np.isfinite(likely.highest - likely.lowest):
        return None
    # With the extremes among them, these are scaled as all of them would be.
    extremes = [likely.lowest, likely.highest]
    scaled = get_scaled_evidences({"": np.append(likely.evidence, extremes)})[""][:-2]
    is_chosen = scaled > threshold
    owners = np.repeat(np.arange(len(hypotheses)), likely.counts)[is_chosen]
    counts = np.bincount(owners, minlength=len(hypotheses)).tolist()
    arrays = _Chosen(
        likely.locations[is_chosen], likely.poses[is_chosen], scaled[is_chosen]
    )
    counted = zip(hypotheses, counts, strict=True)
    return arrays, {graph_id: count for graph_id, count in counted if count}


def are_arrays(votes_per_lm: Iterable[SentVote | None]) -> bool:
    """Return whether all learning modules that vote sent arrays."""
    votes = [one["possible_states"] for one in votes_per_lm if one is not None]
    return all(
        isinstance(one, VotesByObject) and one.arrays is not None for one in votes
    )


def combine_votes(
    votes_per_lm: Sequence[SentVote | None], vote_matrix: Sequence[Iterable[int]]
) -> list[dict[str, Votes]]:
    """Return the votes that each learning module receives.

    Votes are moved to where the receiving sensor is: if the sending sensor is at a
    location of the object, the receiving one is at the location displaced by what is
    between the two, in the pose that was voted for.

    Args:
        votes_per_lm: What each learning module sent, as arrays; None if it did not
            vote, and then it receives no votes either.
        vote_matrix: From which others each learning module receives votes.
    """
    return [
        {}
        if receiver is None
        else _received(receiver, [votes_per_lm[j] for j in vote_matrix[i]])
        for i, receiver in enumerate(votes_per_lm)
    ]


def vote_arrays(
    votes: Sequence[Message],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the locations, shape (n, 3), and confidences, shape (n,), of votes."""
    return votes.arrays if isinstance(votes, Votes) else _arrays_of(votes)


def _arrays_of(
    messages: Sequence[Message],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    locations, confidences = np.zeros((len(messages), 3)), np.zeros(len(messages))
    for i, message in enumerate(messages):
        locations[i], confidences[i] = message.location, message.confidence
    return locations, confidences


def _moved(sender: SentVote, pose: npt.NDArray[np.float64]) -> _VoteArrays:
    """Return sent votes as a receiver with a sensed pose gets them."""
    sent: _VoteArrays = sender["possible_states"].arrays
    own_pose = sender["sensed_pose_rel_body"]
    displacement = np.array(pose[0]) - np.array(own_pose[0])
    rotation, _ = align_orthonormal_vectors(own_pose[1:], pose[1:], as_scipy=False)
    rotated = np.matmul(sent.poses.transpose(0, 2, 1), displacement)
    sent_by = [_Sender(one.lm_id, rotation) for one in sent.sent_by]
    return replace(sent, locations=sent.locations + rotated, sent_by=sent_by)


def _received(receiver: SentVote, senders: Iterable[SentVote | None]) -> VotesByObject:
    """Join votes, so that those for an object are together, in the order of senders."""
    voting = [sender for sender in senders if sender is not None]
    parts = [_moved(sender, receiver["sensed_pose_rel_body"]) for sender in voting]
    totals: dict[str, int] = {}
    for sender in voting:
        for object_id, votes in sender["possible_states"].items():
            totals[object_id] = totals.get(object_id, 0) + len(votes)
    index = {object_id: i for i, object_id in enumerate(totals)}
    states = [one for sender in voting for one in sender["possible_states"].items()]
    objects = np.repeat(
        np.array([index[object_id] for object_id, _ in states], dtype=np.intp),
        [len(votes) for _, votes in states],
    )
    joined = _VoteArrays(
        _joined([part.locations for part in parts], (0, 3)),
        _joined([part.poses for part in parts], (0, 3, 3)),
        _joined([part.confidences for part in parts], (0,)),
        np.repeat(np.arange(len(parts)), [len(part.senders) for part in parts]),
        [part.sent_by[0] for part in parts],
    )
    return VotesByObject(joined.rows(np.argsort(objects, kind="stable")), totals)


def _joined(
    parts: Sequence[npt.NDArray[np.float64]], shape: tuple[int, ...]
) -> npt.NDArray[np.float64]:
    return np.concatenate(parts) if parts else np.zeros(shape)
