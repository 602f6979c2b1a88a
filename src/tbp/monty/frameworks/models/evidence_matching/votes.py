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

from collections import UserList
from typing import Any, Iterable, Mapping, NamedTuple, Sequence

import numpy as np
import numpy.typing as npt

from tbp.monty.backends.hypotheses import likely_hypotheses
from tbp.monty.cmp import Message
from tbp.monty.frameworks.models.evidence_matching.hypotheses import Hypotheses
from tbp.monty.frameworks.utils.graph_matching_utils import get_scaled_evidences
from tbp.monty.frameworks.utils.spatial_arithmetics import align_orthonormal_vectors
from tbp.monty.geometry import OrientationMatrix

__all__ = ["Votes", "are_arrays", "combine_votes", "vote_arrays", "votes_to_send"]

SentVote = Mapping[str, Any]
"""What a learning module sends out: its votes, and the pose it senses."""


class _Sender(NamedTuple):
    """Who sent a vote, and how its pose is rotated for the receiver, if it is."""

    lm_id: str
    rotation: npt.NDArray[np.float64] | None


class _VoteArrays(NamedTuple):
    """Votes as rows of arrays.

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


class Votes(UserList[Message]):
    """The votes for one object: a list of messages that is made when it is read.

    Attributes:
        arrays: The votes; None once somebody has read messages, which can be changed.
            From then on the messages are the votes.
        are_dispatched: Whether a backend has them, and whoever receives them need not
            add them.
    """

    are_dispatched = False

    def __init__(self, votes: _VoteArrays | Iterable[Message]) -> None:
        self.arrays = votes if isinstance(votes, _VoteArrays) else None
        self._messages = [] if isinstance(votes, _VoteArrays) else list(votes)

    @property
    def data(self) -> list[Message]:
        """The votes as messages: the list that the methods of a list work on."""
        if self.arrays is not None:
            rows = range(len(self.arrays.confidences))
            self._messages = [self.arrays.message(row) for row in rows]
            self.arrays = None
        return self._messages

    @data.setter
    def data(self, messages: list[Message]) -> None:
        self.arrays, self._messages = None, messages

    def __len__(self) -> int:
        return len(self.data if self.arrays is None else self.arrays.confidences)

    def __copy__(self) -> Votes:
        return Votes(self)


def votes_to_send(
    hypotheses: Mapping[str, Hypotheses], threshold: float, sender_id: str
) -> dict[str, Votes]:
    """Return the hypotheses of a learning module that it votes for.

    Args:
        hypotheses: Its hypotheses by graph.
        threshold: How much evidence a hypothesis needs, on the scale from -1 to 1.
        sender_id: The learning module.
    """
    chosen = _chosen_in_table(hypotheses, threshold)
    if chosen is None:
        chosen = _chosen(hypotheses, threshold)
    sent_by = [_Sender(sender_id, None)]
    votes = {}
    for graph_id, of_graph in chosen.items():
        senders = np.zeros(len(of_graph.confidences), dtype=np.intp)
        arrays = _VoteArrays(*of_graph, senders, sent_by)
        if not np.all(arrays.confidences >= 0):
            arrays.message(int(np.argmin(arrays.confidences)))  # refuses it
        votes[graph_id] = Votes(arrays)
    return votes


class _Chosen(NamedTuple):
    """Hypotheses of a graph to vote for; see `_VoteArrays`."""

    locations: npt.NDArray[np.float64]
    poses: npt.NDArray[np.float64]
    confidences: npt.NDArray[np.float64]


def _chosen(
    hypotheses: Mapping[str, Hypotheses], threshold: float
) -> dict[str, _Chosen]:
    scaled = get_scaled_evidences(
        {graph_id: of_graph.evidence for graph_id, of_graph in hypotheses.items()}
    )
    chosen = {}
    for graph_id, evidence in scaled.items():
        rows = np.flatnonzero(evidence > threshold)
        if len(rows):
            of_graph = hypotheses[graph_id]
            chosen[graph_id] = _Chosen(
                of_graph.locations[rows], of_graph.poses[rows], evidence[rows]
            )
    return chosen


def _chosen_in_table(
    hypotheses: Mapping[str, Hypotheses], threshold: float
) -> dict[str, _Chosen] | None:
    """Let a backend's table choose; None if not all hypotheses are as it holds them."""
    likely = likely_hypotheses(hypotheses, threshold)
    if likely is None or not np.isfinite(likely.highest - likely.lowest):
        return None
    # With the extremes among them, these are scaled as all of them would be.
    extremes = [likely.lowest, likely.highest]
    scaled = get_scaled_evidences({"": np.append(likely.evidence, extremes)})[""][:-2]
    chosen, start = {}, 0
    for graph_id, count in zip(hypotheses, likely.counts, strict=True):
        rows = start + np.flatnonzero(scaled[start : start + count] > threshold)
        if len(rows):
            chosen[graph_id] = _Chosen(
                likely.locations[rows], likely.poses[rows], scaled[rows]
            )
        start += count
    return chosen


def are_arrays(votes_per_lm: Iterable[SentVote | None]) -> bool:
    """Return whether all learning modules that vote sent arrays, still unread."""
    return all(
        isinstance(votes, Votes) and votes.arrays is not None
        for sent in votes_per_lm
        if sent is not None
        for votes in sent["possible_states"].values()
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
    sent = [
        _SentVotes(one) if one is not None and one["possible_states"] else None
        for one in votes_per_lm
    ]
    combined = []
    for receiver, senders in zip(votes_per_lm, vote_matrix, strict=True):
        voting = [sent[j] for j in senders]
        combined.append(
            {}
            if receiver is None
            else _received(
                receiver["sensed_pose_rel_body"], [one for one in voting if one]
            )
        )
    return combined


class _SentVotes:
    """All votes that a learning module sent.

    Attributes:
        arrays: The votes for the first object, then those for the second, ...
        counts: How many votes there are for each object.
    """

    def __init__(self, sent: SentVote) -> None:
        states = sent["possible_states"]
        self._pose = sent["sensed_pose_rel_body"]
        self.arrays = _joined([votes.arrays for votes in states.values()])
        self.counts = {object_id: len(votes) for object_id, votes in states.items()}

    def moved_to(self, pose: npt.NDArray[np.float64]) -> _VoteArrays:
        """Return the votes as a receiver with a sensed pose gets them."""
        sent, own_pose = self.arrays, self._pose
        displacement = np.array(pose[0]) - np.array(own_pose[0])
        rotation, _ = align_orthonormal_vectors(own_pose[1:], pose[1:], as_scipy=False)
        rotated = np.matmul(sent.poses.transpose(0, 2, 1), displacement)
        return sent._replace(
            locations=sent.locations + rotated,
            sent_by=[_Sender(one.lm_id, rotation) for one in sent.sent_by],
        )


def _received(
    pose: npt.NDArray[np.float64], senders: Sequence[_SentVotes]
) -> dict[str, Votes]:
    """Join votes, so that those for an object are together, in the order of senders."""
    if not senders:
        return {}
    index: dict[str, int] = {}
    for sender in senders:
        for object_id in sender.counts:
            index.setdefault(object_id, len(index))
    objects = np.repeat(
        [index[object_id] for sender in senders for object_id in sender.counts],
        [count for sender in senders for count in sender.counts.values()],
    )
    joined = _joined([sender.moved_to(pose) for sender in senders])
    sorted_by_object = joined.rows(np.argsort(objects, kind="stable"))
    ends = np.cumsum(np.bincount(objects)).tolist()
    starts = [0, *ends]
    return {
        object_id: Votes(sorted_by_object.rows(slice(starts[i], ends[i])))
        for object_id, i in index.items()
    }


def _joined(parts: Sequence[_VoteArrays]) -> _VoteArrays:
    counts = [len(part.sent_by) for part in parts]
    firsts = np.cumsum([0, *counts])
    return _VoteArrays(
        np.concatenate([part.locations for part in parts]),
        np.concatenate([part.poses for part in parts]),
        np.concatenate([part.confidences for part in parts]),
        np.concatenate(
            [first + part.senders for first, part in zip(firsts, parts, strict=False)]
        ),
        [sender for part in parts for sender in part.sent_by],
    )


def vote_arrays(
    votes: Sequence[Message],
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    """Return the locations, shape (n, 3), and confidences, shape (n,), of votes."""
    if isinstance(votes, Votes) and votes.arrays is not None:
        return votes.arrays.locations, votes.arrays.confidences
    locations, confidences = np.zeros((len(votes), 3)), np.zeros(len(votes))
    for i, message in enumerate(votes):
        locations[i], confidences[i] = message.location, message.confidence
    return locations, confidences
