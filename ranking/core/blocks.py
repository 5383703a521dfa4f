"""Judged blocks as columns: the one input of every method of the core."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

Int8Array = npt.NDArray[np.int8]
Int32Array = npt.NDArray[np.int32]
UInt64Array = npt.NDArray[np.uint64]

#: Labels run from 1 (best) to 5 (worst); 0 stands for "no label".
MAX_LABEL = 5


@dataclass(frozen=True, eq=False)
class Blocks:
    """B judged blocks of one test set over n systems, one row per block.

    Results never depend on the order of the rows: whatever needs an order takes it from
    `systems` (sorted by name when built by `blocks_from_rows`) or from `key`.

    Attributes
    ----------
    systems : tuple of str, length n
        Names of the systems, the columns below in this order.
    labels : int8, shape (B, n)
        Rank label of each system in each block, 1 best … 5 worst; 0 where the system was not
        shown or its label was left blank.
    candidates : int8, shape (B, n)
        Shown position (from 0) of the candidate that stands for the system in the block; -1 where
        the system was not shown. Systems with identical outputs share a candidate, and its label.
    judge : int32, shape (B,)
        Who judged the block: an index into `judges`.
    judges : tuple of str
        Pseudonyms of the judges.
    segment : int32, shape (B,)
        Number of the block's segment in the test set.
    key : uint64, shape (B,)
        Content key of each judgment, see `ranking.core.content_key`.

    Raises
    ------
    ValueError
        If a column has the wrong type or shape, or says something impossible. The message names
        the column and the first offending row.
    """

    systems: tuple[str, ...]
    labels: Int8Array
    candidates: Int8Array
    judge: Int32Array
    judges: tuple[str, ...]
    segment: Int32Array
    key: UInt64Array

    def __post_init__(self) -> None:
        if len(set(self.systems)) != len(self.systems):
            raise ValueError(f"systems: a name occurs twice in {self.systems!r}")
        if len(set(self.judges)) != len(self.judges):
            raise ValueError("judges: a pseudonym occurs twice")
        blocks, systems = len(self.judge), len(self.systems)
        self._freeze("labels", np.int8, (blocks, systems))
        self._freeze("candidates", np.int8, (blocks, systems))
        self._freeze("judge", np.int32, (blocks,))
        self._freeze("segment", np.int32, (blocks,))
        self._freeze("key", np.uint64, (blocks,))
        self._validate()

    def _freeze(self, name: str, dtype: type[np.generic], shape: tuple[int, ...]) -> None:
        column = getattr(self, name)
        if not isinstance(column, np.ndarray) or column.dtype != dtype:
            found = getattr(column, "dtype", type(column).__name__)
            raise ValueError(f"{name}: expected an array of {dtype.__name__}, got {found}")
        if column.shape != shape:
            raise ValueError(f"{name}: expected shape {shape}, got {column.shape}")
        view = column.view()
        view.flags.writeable = False
        object.__setattr__(self, name, view)

    def _validate(self) -> None:
        stray = (self.judge < 0) | (self.judge >= len(self.judges))
        _refuse("judge", "is not an index into judges", stray)
        wrong = (self.labels < 0) | (self.labels > MAX_LABEL)
        _refuse("labels", f"is not between 0 and {MAX_LABEL}", wrong)
        _refuse("candidates", "is below -1", self.candidates < -1)
        unseen = (self.labels > 0) & (self.candidates < 0)
        _refuse("labels", "labels a system that was not shown", unseen)
        for position in range(self.positions):
            here = self.candidates == position
            highest = np.max(self.labels, axis=1, where=here, initial=0)
            split = here & (self.labels != highest[:, np.newaxis])
            _refuse("labels", f"gives candidate {position} two different labels", split)

    def __len__(self) -> int:
        """Return the number of blocks, B."""
        return len(self.judge)

    @property
    def positions(self) -> int:
        """Number of shown positions: one more than the highest in `candidates`."""
        return int(self.candidates.max(initial=-1)) + 1

    def without(self, systems: Collection[str]) -> Blocks:
        """Leave systems out, for instance the reference.

        A candidate that stands for a system left out and for another one stays, standing for the
        other one only. All blocks stay, with their keys and shown positions, even those that no
        longer compare anything.

        Parameters
        ----------
        systems : collection of str
            Names of the systems to leave out.

        Returns
        -------
        Blocks
            The same B blocks over the remaining systems.

        Raises
        ------
        ValueError
            If a name is not among `systems`: a misspelt reference must not be ranked silently.
        """
        names = {systems} if isinstance(systems, str) else set(systems)
        unknown = sorted(names.difference(self.systems))
        if unknown:
            raise ValueError(f"cannot leave out unknown systems: {', '.join(unknown)}")
        kept = [index for index, name in enumerate(self.systems) if name not in names]
        return replace(
            self,
            systems=tuple(self.systems[index] for index in kept),
            labels=np.ascontiguousarray(self.labels[:, kept]),
            candidates=np.ascontiguousarray(self.candidates[:, kept]),
        )

    def take(self, rows: slice | npt.NDArray[Any] | Sequence[int]) -> Blocks:
        """Select blocks, for instance one shard or the blocks of some judges.

        Parameters
        ----------
        rows : slice or array of int or array of bool, shape (B,)
            Anything that indexes the rows of an array.

        Returns
        -------
        Blocks
            The selected blocks, with all systems and judges and unchanged keys.
        """
        index = rows if isinstance(rows, slice) else np.asarray(rows)
        return replace(
            self,
            labels=self.labels[index],
            candidates=self.candidates[index],
            judge=self.judge[index],
            segment=self.segment[index],
            key=self.key[index],
        )


def _refuse(column: str, problem: str, wrong: npt.NDArray[np.bool_]) -> None:
    if np.any(wrong):
        raise ValueError(f"{column}: row {int(np.argwhere(wrong)[0, 0])} {problem}")
