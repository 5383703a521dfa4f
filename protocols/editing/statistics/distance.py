"""How much an editor changed: Levenshtein's distance in characters."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt


def character_distance(output: str, edit: str) -> int:
    """Return the fewest characters to insert, delete or replace that turn one text into the other.

    Parameters
    ----------
    output, edit : str
        Taken as they are: what is written in two ways in Unicode differs.

    Returns
    -------
    int

    References
    ----------
    V. I. Levenshtein (1966), Binary Codes Capable of Correcting Deletions, Insertions, and Reversals,
    Soviet Physics Doklady 10.
    """
    columns = _code_points(edit)
    steps = np.arange(len(columns) + 1)
    row = steps
    for number, character in enumerate(_code_points(output).tolist(), 1):
        best = np.empty_like(row)
        best[0] = number
        best[1:] = np.minimum(row[1:] + 1, row[:-1] + (columns != character))
        # An insertion costs one step from the left, so each cell is at most its left neighbour and one.
        row = np.minimum.accumulate(best - steps) + steps
    return int(row[-1])


def _code_points(text: str) -> npt.NDArray[np.int64]:
    return np.array([ord(character) for character in text], dtype=np.int64)
