"""Bootstrap of comparisons, blocks, segments, judges, or segments and judges."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Literal, get_args

import numpy as np
import numpy.typing as npt

from ranking.core.counting.bootstrap import bootstrap_counts, poisson_weights, uniform_numbers
from ranking.core.counting.counts import Int64Array, Layout
from ranking.core.counting.tallies import Tallies, chunks, tally
from ranking.core.judged.blocks import Blocks, UInt64Array
from ranking.core.judged.documents import first_segments

Level = Literal["pairs", "blocks", "segments", "judges", "two_way"]
LEVELS: tuple[Level, ...] = get_args(Level)

_MASK = (1 << 64) - 1
#: Outcomes of a comparison in the order of `Resampling.draw_pairs`; the third is a tie.
_FIRST_WON, _SECOND_WON = 0, 1
_BLOCKS_AT_A_TIME = 1024


def unit_keys(blocks: Blocks, level: Level, *, documents: bool = False) -> UInt64Array:
    """Return the key of the resampled unit that each block belongs to.

    Blocks of one segment (judge) are resampled together: they share the unit's key, and so their
    weights. Like the content key, a unit's key depends only on the contents of the file: BLAKE2b, 8
    bytes, little-endian, of the segment's number (8 bytes, signed, little-endian; person
    "quintet-segment") or of the judge's pseudonym (UTF-8; person "quintet-judge").

    Parameters
    ----------
    blocks : Blocks
        B blocks.
    level : "blocks", "segments" or "judges"
    documents : bool
        Whether documents replace segments where they are known. The key of a document is computed
        like that of its first segment among these blocks, with person "quintet-document".

    Returns
    -------
    uint64, shape (B,)
    """
    if level == "blocks":
        return blocks.key
    if level == "segments" and documents and blocks.document is not None:
        return _keys_of_numbers(first_segments(blocks), b"quintet-document")
    if level == "segments":
        return segment_keys(blocks.segment)
    if level == "judges":
        return _keys_of([name.encode() for name in blocks.judges], b"quintet-judge")[blocks.judge]
    raise ValueError(f"there are no units of level {level!r}")


def segment_keys(segments: npt.NDArray[np.integer]) -> UInt64Array:
    """Return the keys of segments by their numbers, shape (B,), whatever was judged of them."""
    return _keys_of_numbers(segments, b"quintet-segment")


def _keys_of_numbers(column: npt.NDArray[np.integer], person: bytes) -> UInt64Array:
    numbers, unit = np.unique(column, return_inverse=True)
    return _keys_of([struct.pack("<q", number) for number in numbers.tolist()], person)[unit]


def _keys_of(contents: list[bytes], person: bytes) -> UInt64Array:
    digests = (blake2b(content, digest_size=8, person=person).digest() for content in contents)
    return np.array([int.from_bytes(digest, "little") for digest in digests], dtype=np.uint64)


@dataclass(frozen=True)
class Resampling:
    """The units to resample, and the seed.

    Each resample is a function of (level, seed, id, data), for any worker and in any order.

    Attributes
    ----------
    level : "pairs", "blocks", "segments", "judges" or "two_way"
        "pairs" draws as many comparisons as there are, with replacement, ties among them (Koehn
        2012, §5.1). "blocks", "segments" and "judges" give each unit a Poisson weight, see
        `ranking.core.counting.bootstrap`. "two_way" gives each block the product of a weight of its segment
        and one of its judge: with probability `share` a Poisson weight, otherwise 1.
    seed : int
        0 ≤ seed < 2**64.
    share : float
        Used by "two_way", between 0 and 1. With 1 it is the product bootstrap of Owen & Eckles
        (2012), which makes ranges too wide; `ranking.core.rankings.two_way_resampling` finds the
        share that gives the right variance.
    documents : bool
        Whether to give weights to documents instead of segments where documents are known.

    References
    ----------
    A. B. Owen, D. Eckles (2012), Bootstrapping Data Arrays of Arbitrary Order, Ann. Appl. Stat. 6.
    """

    level: Level = "two_way"
    seed: int = 0
    share: float = 1.0
    documents: bool = False

    def __post_init__(self) -> None:
        if self.level not in LEVELS:
            raise ValueError(f"resample: {self.level!r} is none of {', '.join(LEVELS)}")
        if not 0 <= self.share <= 1:
            raise ValueError("share: expected a number between 0 and 1")
        if not 0 <= self.seed <= _MASK:
            raise ValueError("seed: expected 0 ≤ seed < 2**64")

    def counts(self, blocks: Blocks, layout: Layout, ids: range) -> Int64Array:
        """Return counts in resamples.

        Parameters
        ----------
        blocks : Blocks
        layout : Layout
            The m cells to count; without `outright` for pairs, which are not drawn by block.
        ids : range
            The resamples, with step 1.

        Returns
        -------
        int64, shape (len(ids), m)

        Raises
        ------
        ValueError
            If blocks won outright are to be counted in resamples of pairs.
        """
        if self.level == "pairs":
            if layout.outright:
                raise ValueError("resample: blocks won outright cannot be counted in pairs")
            return self.pair_counts(tally(blocks), layout, ids)
        if self.level == "two_way":
            return self._two_way_counts(blocks, layout, ids)
        units = blocks
        if self.level != "blocks":
            units = replace(blocks, key=self._keys(blocks, self.level))
        return bootstrap_counts(
            units, layout, resamples=len(ids), seed=self.seed, first_resample=ids.start
        )

    def weights(self, blocks: Blocks, ids: range) -> npt.NDArray[np.int16]:
        """Return weights of B blocks in resamples, shape (B, len(ids)); not for pairs."""
        if self.level == "two_way":
            segments, judges = (self._keys(blocks, unit) for unit in ("segments", "judges"))
            return self._thinned(segments, ids) * self._thinned(judges, ids)
        return poisson_weights(
            self._keys(blocks, self.level),
            seed=self.seed,
            resamples=len(ids),
            first_resample=ids.start,
        )

    def _keys(self, blocks: Blocks, level: Level) -> UInt64Array:
        return unit_keys(blocks, level, documents=self.documents)

    def _thinned(self, key: UInt64Array, ids: range) -> npt.NDArray[np.int16]:
        """Return weights of units that are drawn with probability `share`, and else count once."""
        drawn = {"seed": self.seed, "resamples": len(ids), "first_resample": ids.start}
        chosen = uniform_numbers(key, **drawn) < self.share
        return np.where(chosen, poisson_weights(key, **drawn), np.int16(1))

    def _two_way_counts(self, blocks: Blocks, layout: Layout, ids: range) -> Int64Array:
        total = np.zeros((layout.size, len(ids)), dtype=np.int64)
        # Keys of all blocks at once, because the key of a document depends on its first segment.
        segments, judges = (self._keys(blocks, unit) for unit in ("segments", "judges"))
        for rows in chunks(len(blocks), _BLOCKS_AT_A_TIME):
            cells = layout.of_blocks(blocks.take(rows)).astype(np.int64)
            weights = self._thinned(segments[rows], ids) * self._thinned(judges[rows], ids)
            total += np.asarray(cells @ weights.astype(np.int64))
        return np.ascontiguousarray(total.T)

    def seed_of(self, resample: int) -> int:
        """Return a separate seed for a method that draws random numbers itself."""
        digest = blake2b(struct.pack("<QQ", self.seed, resample), digest_size=8)
        return int.from_bytes(digest.digest(), "little")

    def pair_counts(self, tallies: Tallies, layout: Layout, ids: range) -> Int64Array:
        """Return `counts` at the level of pairs, from tallies: int64, shape (len(ids), m) for the m cells of the layout."""
        n = layout.systems
        first, second = np.triu_indices(n, 1)
        drawn = self.draw_pairs(tallies, ids, ties=layout.ties)
        cells = np.zeros((len(ids), layout.size), dtype=np.int64)
        cells[:, first * n + second] = drawn[:, 0]
        cells[:, second * n + first] = drawn[:, 1]
        if layout.ties:
            cells[:, n * n + first * n + second] = drawn[:, 2]
        return cells

    def draw_pairs(self, tallies: Tallies, ids: range, *, ties: bool = True) -> Int64Array:
        """Draw as many comparisons as there are, with replacement, and return their counts.

        Only the number of draws of each of the n (n − 1) / 2 · 3 outcomes (for a before b: won,
        lost or tied) matters, and these numbers are multinomial. So there is one draw per resample
        for any number of comparisons, with the same distribution as drawing them one by one.

        Parameters
        ----------
        tallies : Tallies of n systems
        ids : range
            The resamples.
        ties : bool
            Whether to count the ties of each pair; without them, wins are the same and all ties are
            0.

        Returns
        -------
        int64, shape (len(ids), 3, n (n − 1) / 2)
            Wins of the first system, wins of the second, and ties, of each pair in the order of
            ``np.triu_indices(n, 1)``.
        """
        above = np.triu_indices(len(tallies.systems), 1)
        kinds = np.stack([tallies.wins[above], tallies.wins.T[above], tallies.ties[above]])
        seen = np.flatnonzero(kinds)
        total = int(kinds.sum())
        drawn = np.zeros((len(ids), kinds.size), dtype=np.int64)
        if total:
            shares = kinds.ravel()[seen] / total
            decided = int(np.searchsorted(seen, 2 * len(above[0])))
            if not ties and decided < len(seen):
                # A multinomial is drawn cell by cell, so the first cells do not depend on how the
                # last are split.
                shares = np.append(shares[:decided], shares[decided:].sum())
                seen = seen[:decided]
            for row, random in enumerate(_generators(self.seed, ids)):
                drawn[row, seen] = random.multinomial(total, shares)[: len(seen)]
        return drawn.reshape(len(ids), *kinds.shape)

    def pair_blocks(self, blocks: Blocks, resample: int) -> Blocks:
        """Draw comparisons for a method that needs blocks, and return a block of two for each.

        Parameters
        ----------
        blocks : Blocks
        resample : int
            Id of the resample.

        Returns
        -------
        Blocks
            As many blocks as there are comparisons in `blocks`, with new keys.
        """
        tallies = tally(blocks)
        n = len(tallies.systems)
        first, second = np.triu_indices(n, 1)
        drawn = self.draw_pairs(tallies, range(resample, resample + 1))[0]
        kind = np.repeat(np.arange(drawn.size), drawn.ravel())
        outcome, pair = np.divmod(kind, max(1, len(first)))
        rows = np.arange(len(kind))
        labels = np.zeros((len(kind), n), dtype=np.int8)
        labels[rows, first[pair]] = np.where(outcome == _SECOND_WON, 2, 1)
        labels[rows, second[pair]] = np.where(outcome == _FIRST_WON, 2, 1)
        candidates = np.full((len(kind), n), -1, dtype=np.int8)
        candidates[rows, first[pair]] = 0
        candidates[rows, second[pair]] = 1
        return Blocks(
            systems=blocks.systems,
            labels=labels,
            candidates=candidates,
            judge=np.zeros(len(kind), dtype=np.int32),
            judges=("resampled",),
            segment=np.zeros(len(kind), dtype=np.int32),
            key=rows.astype(np.uint64),
        )


def _generators(seed: int, ids: range) -> Iterator[np.random.Generator]:
    """Yield a generator for each resample, that of ``Philox(key=[seed, id])``, until the next.

    To set the key of one generator is faster than to make another.
    """
    bits = np.random.Philox(key=np.array([seed, 0], dtype=np.uint64))
    random, start = np.random.Generator(bits), bits.state
    for id_ in ids:
        start["state"]["key"] = np.array([seed, id_], dtype=np.uint64)
        bits.state = start
        yield random
