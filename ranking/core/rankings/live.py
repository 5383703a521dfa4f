"""A live ranking: judgments are added and removed without reading the others again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from ranking.core.counting.bootstrap import bootstrap_counts, poisson_weights
from ranking.core.counting.counts import Counts, Layout, count
from ranking.core.counting.live_moments import LiveMoments
from ranking.core.counting.moments import Moments
from ranking.core.counting.resampling import Resampling, unit_keys
from ranking.core.counting.tallies import Tallies
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import CountsMethod
from ranking.core.methods.registry import method_named
from ranking.core.ranges.clusters import RankRanges, rank_ranges
from ranking.core.rankings.drawn_scores import draw_around
from ranking.core.scores import Scores

Int64Array = npt.NDArray[np.int64]

#: The number of blocks up to which adding them one by one is fastest.
_FEW = 32


class LiveState:
    """Counts of judgments and of all their bootstrap resamples, updated with each judgment.

    The state of a set of judgments is the same, bit for bit, for any order in which they were
    added, and also if other judgments were added and removed or shards were merged. Its rank ranges
    are those of `ranking.core.rankings.rank.rank`. Adding or removing a block takes time in
    proportion to the resamples and to the comparisons of the block. Memory is R m counts of 8 bytes
    for R resamples of m cells, with m = 2 n² + 3 n at most (`Layout`). Ranges over segments and
    judges need no resamples: see `LiveMoments` for their cost.

    A judgment is identified by its content key. If a judge judges the same block again (same
    segment, same candidates in the same order), there are several judgments of the same content,
    which are numbered by their labels (see `ranking.core.judged.content_key`). Then remove the old
    ones, and add all of them, old and new, together; both times, make the blocks by
    ``blocks_from_rows`` of this group alone. Other judgments do not change.

    Parameters
    ----------
    systems : tuple of str
        Names of the n systems to be ranked, as in the blocks to come.
    resampling : Resampling
        Any level; "two_way" for methods with influence values. Pairs are drawn from the counts when
        ranges are asked for.
    resamples : int
        Number R of resamples.
    ties, outright : bool
        Whether to keep the counts for methods that use ties, or blocks won outright (`Layout`).
        Ties are always kept at the level of pairs, because they are drawn with the other
        comparisons.
    documents : bool
        Whether all blocks to come name their documents, for "two_way". The numbers of documents
        must be the same for all of them.
    """

    def __init__(
        self,
        systems: tuple[str, ...],
        resampling: Resampling | None = None,
        *,
        resamples: int = 1000,
        ties: bool = True,
        outright: bool = False,
        documents: bool = False,
    ) -> None:
        self.systems = systems
        self.resampling = resampling or Resampling()
        self.resamples = resamples
        self.blocks = 0
        by_pairs = self.resampling.level == "pairs"
        by_moments = self.resampling.level == "two_way"
        if by_pairs and outright:
            raise ValueError("resample: blocks won outright cannot be resampled by pairs")
        self.layout = Layout(len(systems), ties=ties or by_pairs, outright=outright)
        self._cells = np.zeros(self.layout.size, dtype=np.int64)
        # One row for each cell: a judgment changes few rows, each as a whole.
        rows = 0 if by_pairs or by_moments else self.layout.size
        self._resampled = np.zeros((rows, resamples), dtype=np.int64)
        self.documents = documents
        self._moments = LiveMoments(self.layout, documents=documents) if by_moments else None

    @property
    def cells(self) -> Int64Array:
        """The counts, shape (m,), read-only."""
        return _read_only(self._cells)

    @property
    def resampled(self) -> Int64Array:
        """The counts in the resamples, shape (m, R), read-only; (0, R) where none are kept."""
        return _read_only(self._resampled)

    @property
    def moments(self) -> Moments:
        """Second moments of the counts; ValueError at other levels than "two_way"."""
        if self._moments is None:
            raise ValueError("this state keeps moments at the level of segments and judges only")
        return self._moments.moments(self._cells)

    @property
    def tallies(self) -> Tallies:
        """Wins and ties; ValueError if ties are not kept."""
        counts = self.layout.unpack(self._cells)
        if counts.ties is None:
            raise ValueError("this state does not keep ties")
        return Tallies(self.systems, wins=counts.wins, ties=counts.ties)

    def add(self, blocks: Blocks) -> None:
        """Add judgments.

        Parameters
        ----------
        blocks : Blocks
            Over the state's systems, in the same order, without judgments that were already added.

        Raises
        ------
        ValueError
            If the systems differ, or some blocks name documents and some do not.
        """
        self._change(blocks, 1)

    def remove(self, blocks: Blocks) -> None:
        """Remove judgments, as they were when they were added.

        Raises
        ------
        ValueError
            If the systems differ, or the state cannot hold these judgments; then nothing is
            changed. (The state keeps counts instead of judgments, so it cannot detect all
            mistakes.)
        """
        if len(blocks) > self.blocks or np.any(self._cells < self._counted(blocks)):
            raise ValueError("these judgments were never added, or are removed already")
        self._change(blocks, -1)

    def merge(self, other: LiveState) -> None:
        """Add the judgments of another state, for instance of another shard.

        Raises
        ------
        ValueError
            If the states differ in systems, resampling, resamples, layout or documents.
        """
        mine = (self.systems, self.resampling, self.resamples, self.layout, self.documents)
        theirs = (other.systems, other.resampling, other.resamples, other.layout, other.documents)
        if mine != theirs:
            raise ValueError("only states of the same systems and resampling can be merged")
        self.blocks += other.blocks
        self._cells += other.cells
        self._resampled += other.resampled
        if self._moments is not None and other._moments is not None:
            self._moments.merge(other._moments)

    def scores(self, method: str = "expected_wins") -> Scores:
        """Return the scores of the systems by a method that scores counts, shape (n,).

        Raises
        ------
        ValueError
            If the method needs more than counts, or counts that this state does not keep.
        """
        scored: Scores = self._method(method).of_counts(self.layout.unpack(self._cells))
        return scored

    def rank_ranges(self, method: str = "expected_wins", *, confidence: float = 0.95) -> RankRanges:
        """Return rank ranges of the systems by a method that scores counts.

        Unlike in a `Ranking`, ranges are not widened to hold the ranks, and systems never compared
        are not left out: they may have any rank.

        Raises
        ------
        ValueError
            As for `scores`, or if an argument is out of range.
        """
        chosen = self._method(method)
        if self._moments is not None:
            counts, layout = self.counts(), chosen.layout(len(self.systems))
            moments = self._moments.moments(self._cells, layout)
            scores = draw_around(
                chosen.of_counts(counts),
                counts.wins,
                chosen.covariance(moments, layout, **chosen.defaults),
                seed=self.resampling.seed,
                draws=self.resamples,
            )
            return rank_ranges(scores, confidence=confidence)
        if self.resampling.level == "pairs":
            ids = range(self.resamples)
            cells = self.resampling.pair_counts(self.tallies, self.layout, ids)
        else:
            cells = self._resampled.T
        return rank_ranges(chosen.score_counted(cells, self.layout), confidence=confidence)

    def counts(self) -> Counts:
        """Return the counts by name."""
        return self.layout.unpack(self._cells.copy())

    def _method(self, name: str) -> CountsMethod:
        method = method_named(name)
        if not isinstance(method, CountsMethod):
            raise ValueError(f"{name} cannot be scored from counts alone")
        needs = (method.uses_ties > self.layout.ties) or (method.outright > self.layout.outright)
        if needs:
            raise ValueError(f"this state does not keep what {name} needs")
        return method

    def _counted(self, blocks: Blocks) -> Int64Array:
        if blocks.systems != self.systems:
            raise ValueError("the blocks are of other systems than the state")
        return count(blocks, self.layout)

    def _change(self, blocks: Blocks, sign: int) -> None:
        counted = self._counted(blocks)
        if self._moments is not None:
            self._moments.change(blocks, sign)
        self._cells += sign * counted
        self.blocks += sign * len(blocks)
        if not len(self._resampled):
            return
        key = unit_keys(blocks, self.resampling.level)
        if len(blocks) > _FEW:
            whole = bootstrap_counts(
                replace(blocks, key=key),
                self.layout,
                resamples=self.resamples,
                seed=self.resampling.seed,
            )
            self._resampled += sign * whole.T
            return
        weights = sign * poisson_weights(
            key, seed=self.resampling.seed, resamples=self.resamples
        ).astype(np.int64)
        columns = self.layout.of_blocks(blocks)
        for block, weight in enumerate(weights):
            cells = columns.indices[columns.indptr[block] : columns.indptr[block + 1]]
            self._resampled[cells] += weight


def _read_only(array: Int64Array) -> Int64Array:
    view = array.view()
    view.flags.writeable = False
    return view
