"""Rank ranges of a chosen kind from counted judgments."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.anytime.ranges import anytime_ranges_of_moments, number_of_pairs
from ranking.core.counting.counts import Layout
from ranking.core.counting.resampling import Resampling
from ranking.core.methods.method import RESAMPLES_AT_A_TIME, CountsMethod, Method
from ranking.core.methods.registry import counts_method_named
from ranking.core.ranges.pairs import PairTests
from ranking.core.rankings.counted_judgments import CountedJudgments
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
from ranking.core.rankings.shortages import shortages_of_refusals
from ranking.core.scores import Scores
from ranking.core.sharding.marks import on_any_engine
from ranking.core.sharding.shards import Engine


def find_ranges_of_counts(
    counted: CountedJudgments,
    method: CountsMethod,
    parameters: Mapping[str, Any],
    options: RangeOptions,
    *,
    scores: Scores,
    all_systems: int | None = None,
    seed: int = 0,
    engine: Engine | None = None,
    progress: Progress | None = None,
) -> RangesFound:
    """Return rank ranges of the systems, and tests of their pairs.

    Parameters
    ----------
    counted : CountedJudgments
        Over n systems that the method can score, with what `RangeOptions.keeps` says.
    all_systems : int, optional
        Number of systems with those that the method cannot score; n if not given. Anytime ranges need it.
    method, parameters, options, scores, seed, engine, progress
        As for `ranking.core.rankings.find_ranges.find_ranges`.

    Returns
    -------
    RangesFound

    Raises
    ------
    ValueError
        If the method cannot be resampled at this level, or has no anytime ranges.
    """
    if options.kind == "sign_test":
        return ranges_by_sign_test(counted.tallies.wins, options)
    if options.kind == "anytime":
        return _anytime(
            counted,
            method,
            options,
            all_systems=len(counted.systems) if all_systems is None else all_systems,
        )
    layout = method.layout(len(counted.systems))
    if options.resample == "two_way":
        covariance = method.covariance(counted.chosen_moments(method), layout, **parameters)
        wins = counted.tallies.wins
        spread = spread_around(scores, wins, covariance, options, seed=seed, progress=progress)
    else:
        cells = _resampled_cells(counted, method, options, seed=seed)
        resampled = score_resamples(
            partial(_scores_of_counts, method.name, cells, layout, parameters),
            resamples=options.resamples,
            engine=engine,
            progress_parts=method.progress_parts,
            progress=progress,
            at_a_time=RESAMPLES_AT_A_TIME if method.iterates else 1,
        )
        spread = spread_of_resamples(scores, resampled)
    return ranges_of_spread(spread, options, seed=seed)


def only_expected_wins(method: Method) -> None:
    """Raise ValueError for other methods than the one that anytime ranges are of."""
    if method.name != "expected_wins":
        raise ValueError(f"ranges: anytime ranges need the method expected_wins, not {method.name}")


def _anytime(
    counted: CountedJudgments, method: CountsMethod, options: RangeOptions, *, all_systems: int
) -> RangesFound:
    only_expected_wins(method)
    # Segments never replace documents here: with few documents, nothing is told apart.
    moments = counted.chosen_moments(method, fewest_documents=0)
    found = anytime_ranges_of_moments(
        moments, counted.systems, confidence=options.confidence, all_systems=all_systems
    )
    ahead = found.scores.values[:, np.newaxis] > found.scores.values
    p = np.where(ahead, np.minimum(1.0, np.exp(-found.log_evidence)), 1.0)
    adjusted = np.minimum(1.0, p * number_of_pairs(all_systems))
    return RangesFound(
        ranges=found.ranges,
        tests=PairTests(p_value=p, adjusted_p=adjusted),
        limits=tuple(str(reason) for reason in found.refused),
        shortages=shortages_of_refusals(found, documents=counted.documents > 1),
        extra={
            "refusals": {
                name: [str(reason) for reason in reasons]
                for name, reasons in sorted(found.refusals.items())
            }
        },
    )


def _resampled_cells(
    counted: CountedJudgments, method: CountsMethod, options: RangeOptions, *, seed: int
) -> npt.NDArray[np.int64]:
    """Return the counts of all resamples of the level asked for.

    Raises
    ------
    ValueError
        The method cannot be resampled at this level, or its resamples were not counted.
    """
    if options.resample == "pairs":
        layout = method.layout(len(counted.systems))
        if layout.outright:
            raise ValueError(f"{method.name} scores blocks: it cannot be resampled by pairs")
        ids = range(options.resamples)
        return Resampling("pairs", seed).pair_counts(counted.tallies, layout, ids)
    if counted.resampled is None:
        raise ValueError(f"resample: no resamples of {options.resample} were counted")
    return counted.resampled


@on_any_engine(threads=True)
def _scores_of_counts(
    method: str,
    cells: npt.NDArray[np.int64],
    layout: Layout,
    parameters: Mapping[str, Any],
    ids: range,
) -> Scores:
    of_counts = counts_method_named(method)
    return of_counts.score_counted(cells[ids.start : ids.stop], layout, **parameters)
