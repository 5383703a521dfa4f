"""Rank ranges of a chosen kind for blocks, for methods that need more than counts too."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from ranking.core.counting.resampling import Resampling
from ranking.core.counting.tallies import tally
from ranking.core.judged.blocks import Blocks
from ranking.core.methods.method import Method
from ranking.core.methods.registry import method_named
from ranking.core.rankings.counted_judgments import count_judgments
from ranking.core.rankings.range_kinds import (
    Progress,
    RangeOptions,
    RangesFound,
    ranges_by_sign_test,
    ranges_of_spread,
    score_resamples,
    spread_around,
    spread_of_resamples,
)
from ranking.core.rankings.ranges_of_counts import find_ranges_of_counts, only_expected_wins
from ranking.core.rankings.two_way_resampling import resampling_at
from ranking.core.scores import Scores
from ranking.core.sharding.marks import on_any_engine
from ranking.core.sharding.shards import Engine


def find_ranges(
    blocks: Blocks,
    method: Method,
    parameters: Mapping[str, Any],
    options: RangeOptions,
    *,
    scores: Scores,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RangesFound:
    """Return rank ranges of the systems, and tests of their pairs.

    Parameters
    ----------
    blocks : Blocks
        Blocks over n systems that the method can score.
    method : Method
    parameters : mapping
        All parameters of the method.
    options : RangeOptions
    scores : Scores of shape (n,)
        The method's scores for these blocks.
    seed : int
        0 ≤ seed < 2**64.
    engine : Engine, optional
        Where to compute; this thread if not given. Does not affect the result.
    progress : callable, optional
        Called with (resamples scored, all resamples).

    Returns
    -------
    RangesFound

    Raises
    ------
    ValueError
        If the method cannot be resampled at this level, or has no anytime ranges.
    """
    if options.is_live(method):
        counted = count_judgments(
            blocks,
            method,
            keeps=options.keeps,
            resamples=options.resamples,
            seed=seed,
            engine=engine,
        )
        return find_ranges_of_counts(
            counted,
            method,
            parameters,
            options,
            scores=scores,
            seed=seed,
            engine=engine,
            progress=progress,
        )
    if options.kind == "sign_test":
        return ranges_by_sign_test(tally(blocks).wins, options)
    if options.kind == "anytime":
        only_expected_wins(method)
    if options.is_closed_form(method):
        covariance = method.score_covariance(blocks, **parameters)
        wins = tally(blocks).wins
        spread = spread_around(scores, wins, covariance, options, seed=seed, progress=progress)
    else:
        resampling, limits = resampling_at(options.resample, blocks, seed=seed)
        resampled = score_resamples(
            partial(_resampled_scores, blocks, method.name, parameters, resampling),
            resamples=options.resamples,
            engine=engine,
            progress_parts=method.progress_parts,
            progress=progress,
        )
        spread = spread_of_resamples(scores, resampled, tuple(str(limit) for limit in limits))
    return ranges_of_spread(spread, options, seed=seed)


@on_any_engine(threads=True)
def _resampled_scores(
    blocks: Blocks,
    method: str,
    parameters: Mapping[str, Any],
    resampling: Resampling,
    ids: range,
) -> Scores:
    return method_named(method).score_resamples(blocks, resampling, ids, **parameters)
