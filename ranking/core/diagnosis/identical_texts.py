"""Identical texts that were shown as different candidates of one block and ranked differently."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from ranking.core.judged.blocks import Blocks


@dataclass(frozen=True)
class RankedDifferently:
    """Two systems with one text and two labels.

    Attributes
    ----------
    segment : int
    judge : str
    systems : tuple of two str
    labels : tuple of two int
    """

    segment: int
    judge: str
    systems: tuple[str, str]
    labels: tuple[int, int]


@dataclass(frozen=True)
class IdenticalTexts:
    """Comparisons of identical texts.

    Attributes
    ----------
    compared : int
        Pairs of systems with the same text that were shown as two labelled candidates of a block.
    differently : tuple of RankedDifferently
        Pairs that got different labels, in the order of segment, judge, systems and labels.
    """

    compared: int
    differently: tuple[RankedDifferently, ...]


def identical_texts(blocks: Blocks, texts: Mapping[str, Sequence[str | None]]) -> IdenticalTexts:
    """Find identical texts that one judge ranked differently (Bojar et al. 2011, Table 9).

    Texts are identical if they are equal character by character. Collapsed outputs are shown once
    and cannot be ranked differently, so a campaign that collapses outputs has none.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems.
    texts : mapping of str to sequence of str or None
        Texts of a system's outputs, with the text of segment number s at index s − 1; None if
        unknown. Systems without texts are ignored.

    Returns
    -------
    IdenticalTexts

    References
    ----------
    O. Bojar et al. (2011), A Grain of Salt for the WMT Manual Evaluation, §2.5.2.
    """
    compared = 0
    found: list[RankedDifferently] = []
    for a, b in combinations(range(len(blocks.systems)), 2):
        names = (blocks.systems[a], blocks.systems[b])
        if names[0] not in texts or names[1] not in texts:
            continue
        same = _same(texts[names[0]], texts[names[1]])
        inside = (blocks.segment >= 1) & (blocks.segment <= len(same))
        apart = blocks.candidates[:, a] != blocks.candidates[:, b]
        both = (blocks.labels[:, a] > 0) & (blocks.labels[:, b] > 0) & apart & inside
        rows = np.flatnonzero(both)
        rows = rows[same[blocks.segment[rows] - 1]]
        compared += len(rows)
        found += [
            RankedDifferently(
                segment=int(blocks.segment[row]),
                judge=blocks.judges[int(blocks.judge[row])],
                systems=names,
                labels=(int(blocks.labels[row, a]), int(blocks.labels[row, b])),
            )
            for row in rows[blocks.labels[rows, a] != blocks.labels[rows, b]].tolist()
        ]
    found.sort(key=lambda row: (row.segment, row.judge, row.systems, row.labels))
    return IdenticalTexts(compared=compared, differently=tuple(found))


def _same(
    one: Sequence[str | None], other: Sequence[str | None]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    pairs = zip(one, other, strict=False)
    return np.array([a is not None and a == b for a, b in pairs], dtype=np.bool_)
