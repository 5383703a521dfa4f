"""Outputs that somebody edited, without source or reference, and what others said of what came out."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import numpy.typing as npt

Int64Array = npt.NDArray[np.int64]
BoolArray = npt.NDArray[np.bool_]


class Outcome(StrEnum):
    """What the editor did."""

    EDITED = "edited"
    UNCHANGED = "unchanged"
    """No corrections were needed."""
    UNABLE = "unable"
    """The output could not be understood, and so not edited."""


OUTCOMES = tuple(Outcome)


@dataclass(frozen=True, eq=False)
class Edits:
    """E edits of outputs of K systems.

    Attributes
    ----------
    systems : tuple of str, length K
    wrote : bool, shape (E, K)
        Which systems wrote the output.
    segment : int64, shape (E,)
        Number of the segment, from 1.
    editor : int64, shape (E,)
        Number of the person who edited it.
    outcome : int64, shape (E,)
        Place in `OUTCOMES`.
    accepted, acceptances : int64, shape (E,)
        Acceptors who said yes, and all of them; 0 where the editor was unable.
    distance : int64, shape (E,)
        Characters changed; -1 where the output is not known, or the editor was unable.
    length : int64, shape (E,)
        Characters of the output; -1 where it is not known.
    active_ms : int64, shape (E,)
        Time of the editor; -1 where it is not known.
    """

    systems: tuple[str, ...]
    wrote: BoolArray
    segment: Int64Array
    editor: Int64Array
    outcome: Int64Array
    accepted: Int64Array
    acceptances: Int64Array
    distance: Int64Array
    length: Int64Array
    active_ms: Int64Array

    def __post_init__(self) -> None:
        columns = (self.editor, self.outcome, self.accepted, self.acceptances, self.distance)
        others = (self.length, self.active_ms, self.wrote)
        if any(len(each) != len(self.segment) for each in (*columns, *others)):
            raise ValueError("expected columns of one length")
        if np.any(self.accepted < 0) or np.any(self.accepted > self.acceptances):
            raise ValueError("accepted: not between 0 and the acceptances")
        if np.any(self.acceptances[self.outcome == OUTCOMES.index(Outcome.UNABLE)]):
            raise ValueError("what nobody could edit cannot be accepted or rejected")

    def __len__(self) -> int:
        return len(self.segment)

    @property
    def of_one_editor(self) -> tuple[str, ...]:
        """Systems whose outputs one person edited."""
        return tuple(
            name
            for name, own in zip(self.systems, self.wrote.T, strict=True)
            if len(np.unique(self.editor[own])) == 1
        )
