"""Numbers for the candidates of blocks: one for each set of systems that shares an output."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

Int32Array = npt.NDArray[np.int32]


class CandidateSets:
    """Sets of systems by number: each system alone in the given order, then others as met.

    Attributes
    ----------
    candidates : list of tuples of str
        The systems of each set.
    """

    def __init__(self, systems: Sequence[str]) -> None:
        self._systems = tuple(systems)
        self.candidates: list[tuple[str, ...]] = [(name,) for name in systems]
        self._number_of: dict[tuple[int, ...], int] = {}

    def numbered(self, system: Int32Array, size: npt.NDArray[Any]) -> Int32Array:
        """Return the number of each candidate of B blocks with S candidates of L outputs.

        Parameters
        ----------
        system : int32, shape (B, L)
            The system of each output, those of one candidate side by side.
        size : int, shape (B, S)
            How many of the outputs each candidate stands for, at least one; L in each row.
        """
        start = np.cumsum(size, axis=1) - size
        number = np.take_along_axis(system, start, axis=1).astype(np.int32)
        row, place = np.nonzero(size > 1)
        within = np.arange(int(size.max(initial=1)))
        output = np.minimum(start[row, place][:, np.newaxis] + within, system.shape[1] - 1)
        inside = within < size[row, place][:, np.newaxis]
        members = np.where(inside, system[row[:, np.newaxis], output], -1)
        sets, which = np.unique(np.sort(members, axis=1), axis=0, return_inverse=True)
        numbers = [self._number(tuple(one for one in each if one >= 0)) for each in sets.tolist()]
        number[row, place] = np.array(numbers, dtype=np.int32)[which.reshape(-1)]
        return number

    def _number(self, members: tuple[int, ...]) -> int:
        if members not in self._number_of:
            self._number_of[members] = len(self.candidates)
            self.candidates.append(tuple(self._systems[one] for one in members))
        return self._number_of[members]
