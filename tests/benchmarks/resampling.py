"""Bootstrap of Expected Wins against its peers.

    python -m tests.benchmarks.resampling [pairs] [blocks] [--rounds 3]

Data in memory, one thread, 1,000 resamples, the same output: rank ranges (evalica: intervals of the
scores) of 15 systems. Times are processor seconds, medians over rounds in which both run in turn.

The floor is what no program that resamples like this can do without, at the speed measured here: for
pairs, drawing the binomials (one multinomial of the counts for all resamples); for blocks, adding each
comparison to each resample, sixteen bits at a time in the fastest memory.

- pairs: `evalica.bootstrap` of the average win rate (percentile intervals; BCa, its default, takes
  longer) at 100,000 comparisons, and drawing indices with numpy at 1,000,000, written plainly and
  tuned; and one multinomial draw of the counts for all resamples, whose numbers depend on how many are
  drawn together, so that no shard can draw its part. All get the decided comparisons listed; we start from
  blocks, and draw the ties, too.
- blocks: drawing indices of blocks with numpy, gathering their wins and counting them, at
  1,000,000 comparisons; the same through weights and a sparse product; and compiled, with eight
  random bits a weight, which is faster than we are and not exact (`tests.benchmarks.short_weights`): a
  weight that eight bits do not decide comes up twelve times in a thousand, and to look those up takes
  longer than sixteen bits. All get the wins of each block listed.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

import evalica
import numpy as np
import numpy.typing as npt
from scipy import sparse

from ranking.core.counting import resampling_kernel
from ranking.core.counting.counts import Layout
from ranking.core.counting.resampling import Level, Resampling
from ranking.core.counting.tallies import chunks
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.expected_wins import expected_wins
from ranking.core.methods.registry import METHODS
from ranking.core.ranges.clusters import RankRanges, rank_ranges
from ranking.core.scores import Scores
from tests.benchmarks import short_weights
from tests.benchmarks.drawn_campaign import drawn_campaign, paired_ratio

RESAMPLES = 1000
Int64Array = npt.NDArray[np.int64]


def say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def ours(blocks: Blocks, level: Level) -> RankRanges:
    scores = METHODS["expected_wins"].score_resamples(blocks, Resampling(level), range(RESAMPLES))
    return rank_ranges(scores)


def listed_wins(blocks: Blocks) -> sparse.csc_array[np.int16]:
    layout = Layout(len(blocks.systems))
    parts = [layout.of_blocks(blocks.take(rows)) for rows in chunks(len(blocks), 10_000)]
    return sparse.csc_array(sparse.hstack(parts))


def by_evalica(first: list[str], second: list[str], won: list[evalica.Winner]) -> object:
    return evalica.bootstrap(
        evalica.average_win_rate,  # type: ignore[arg-type]  # a function, as its documentation says
        first,
        second,
        won,
        tie_weight=0.0,
        n_resamples=RESAMPLES,
        bootstrap_method="percentile",
        random_state=1,
    )


def ranges_of(wins: Int64Array) -> RankRanges:
    parts = [expected_wins(wins[rows]) for rows in chunks(len(wins), 64)]
    return rank_ranges(
        Scores(
            values=np.concatenate([part.values for part in parts]),
            estimable=np.concatenate([part.estimable for part in parts]),
        )
    )


def by_indices(cells: npt.NDArray[np.int16], systems: int) -> RankRanges:
    """Draw comparisons: the winner and the loser of each are one cell."""
    rng = np.random.default_rng(1)
    wins = np.empty((RESAMPLES, systems, systems), dtype=np.int64)
    for table in wins:
        drawn = cells[rng.integers(0, len(cells), len(cells))]
        table[:] = np.bincount(drawn, minlength=systems**2).reshape(systems, systems)
    return ranges_of(wins)


def by_index_arrays(winner: Int64Array, loser: Int64Array, systems: int) -> RankRanges:
    """Draw comparisons as most would write it: rows of a table of winners and losers."""
    rng = np.random.default_rng(1)
    wins = np.zeros((RESAMPLES, systems, systems), dtype=np.int64)
    for table in wins:
        drawn = rng.choice(len(winner), size=len(winner), replace=True)
        np.add.at(table, (winner[drawn], loser[drawn]), 1)
    return ranges_of(wins)


def by_multinomial(cells: npt.NDArray[np.int16], systems: int) -> RankRanges:
    """Draw how often each cell is drawn, for all resamples at once."""
    counts = np.bincount(cells, minlength=systems**2)
    wins = np.random.default_rng(1).multinomial(len(cells), counts / len(cells), size=RESAMPLES)
    return ranges_of(wins.reshape(RESAMPLES, systems, systems))


def binomials(cells: npt.NDArray[np.int16], systems: int) -> Int64Array:
    """Draw all binomials there are: the floor of pairs."""
    counts = np.bincount(cells, minlength=systems**2)
    shares = counts[counts > 0] / len(cells)
    return np.random.default_rng(1).multinomial(len(cells), shares, size=RESAMPLES)


def by_short_weights(starts: Int64Array, cells: Int64Array, systems: int) -> RankRanges:
    """Draw blocks with weights of eight random bits."""
    totals = short_weights.counted(starts, cells, systems**2)[:, :RESAMPLES]
    return ranges_of(np.ascontiguousarray(totals.T).reshape(RESAMPLES, systems, systems))


def by_block_indices(rows: npt.NDArray[np.integer], systems: int) -> RankRanges:
    """Draw blocks: a row of at most ten cells each, the last cell standing for a tie."""
    rng = np.random.default_rng(1)
    wins = np.empty((RESAMPLES, systems, systems), dtype=np.int64)
    for table in wins:
        drawn = rows[rng.integers(0, len(rows), len(rows))].ravel()
        counted = np.bincount(drawn, minlength=systems**2 + 1)[:-1]
        table[:] = counted.reshape(systems, systems)
    return ranges_of(wins)


def by_block_weights(cells: sparse.csc_array[np.int64], systems: int) -> RankRanges:
    """Draw blocks: count how often each was drawn, and weigh its wins so."""
    rng = np.random.default_rng(1)
    blocks = cells.shape[1]
    wins = np.empty((RESAMPLES, systems, systems), dtype=np.int64)
    for table in wins:
        times = np.bincount(rng.integers(0, blocks, blocks), minlength=blocks)
        table[:] = np.asarray(cells @ times).reshape(systems, systems)
    return ranges_of(wins)


def pairs(rounds: int) -> None:
    blocks = drawn_campaign(100_000)
    cells = listed_wins(blocks).indices
    names = np.array(blocks.systems)
    first, second = names[cells // 15].tolist(), names[cells % 15].tolist()
    won = [evalica.Winner.X] * len(first)
    report(
        "pairs, 100,000 comparisons, evalica.bootstrap",
        partial(ours, blocks, "pairs"),
        partial(by_evalica, first, second, won),
        rounds,
        500,
    )
    blocks = drawn_campaign(1_000_000)
    listed = listed_wins(blocks).indices.astype(np.int16)
    winner, loser = (part.astype(np.int64) for part in np.divmod(listed, 15))
    report(
        "pairs, 1,000,000 comparisons, numpy indices",
        partial(ours, blocks, "pairs"),
        partial(by_index_arrays, winner, loser, 15),
        rounds,
        400,
    )
    report(
        "the same, tuned: 16-bit cells, bincount",
        partial(ours, blocks, "pairs"),
        partial(by_indices, listed, 15),
        rounds,
        None,
    )
    for size in (100_000, 1_000_000):
        blocks = drawn_campaign(size)
        listed = listed_wins(blocks).indices.astype(np.int16)
        own = partial(ours, blocks, "pairs")
        rival, floor = partial(by_multinomial, listed, 15), partial(binomials, listed, 15)
        report(f"the same, {size:,}, a multinomial for all", own, rival, rounds, None)
        report(f"floor, {size:,}: the binomials", own, floor, rounds, None)


def blocks_(rounds: int) -> None:
    blocks = drawn_campaign(1_000_000)
    cells = listed_wins(blocks)
    rows = np.full((len(blocks), 10), 15 * 15, dtype=np.int64)
    place = np.arange(cells.nnz) - np.repeat(cells.indptr[:-1], np.diff(cells.indptr))
    rows[np.repeat(np.arange(len(blocks)), np.diff(cells.indptr)), place] = cells.indices
    report(
        "blocks, 1,000,000 comparisons, literal draws",
        partial(ours, blocks, "blocks"),
        partial(by_block_indices, rows, 15),
        rounds,
        50,
    )
    report(
        "the same, tuned: 16-bit cells",
        partial(ours, blocks, "blocks"),
        partial(by_block_indices, rows.astype(np.int16), 15),
        rounds,
        None,
    )
    report(
        "the same, weights and a sparse product",
        partial(ours, blocks, "blocks"),
        partial(by_block_weights, cells.astype(np.int64), 15),
        rounds,
        None,
    )
    starts, listed = cells.indptr.astype(np.int64), cells.indices.astype(np.int64)
    rival = partial(by_short_weights, starts, listed, 15)
    report("the same, eight bits a weight", partial(ours, blocks, "blocks"), rival, rounds, None)
    floor = partial(short_weights.additions, cells.nnz)
    report("floor: the additions", partial(ours, blocks, "blocks"), floor, rounds, None)


def report(
    name: str,
    own: Callable[[], object],
    peer: Callable[[], object],
    rounds: int,
    wanted: int | None,
) -> None:
    mine, theirs, ratio = paired_ratio(own, peer, rounds=rounds)
    goal = "" if wanted is None else f" (wanted: {wanted})"
    digits = 0 if ratio >= 10 else 2
    say(f"{name:48} {1000 * mine:8.1f} ms {1000 * theirs:10.0f} ms {ratio:7.{digits}f} ×{goal}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("which", nargs="*", choices=[[], "pairs", "blocks"], default=[])
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    # As in a long-running worker: the kernel is loaded already.
    say(f"compiled: {resampling_kernel.__name__}; {RESAMPLES:,} resamples; ours, peer, ratio")
    if "pairs" in options.which or not options.which:
        pairs(options.rounds)
    if "blocks" in options.which or not options.which:
        blocks_(options.rounds)


if __name__ == "__main__":
    main()
