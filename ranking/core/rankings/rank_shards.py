"""Rankings from the counts of shards: those that `rank` returns for all judgments, bit for bit."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ranking.core.counting.moments import Moments
from ranking.core.methods.method import CountsMethod
from ranking.core.rankings.added_counts import AddedCounts
from ranking.core.rankings.counted_judgments import CountedJudgments
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank import rank_counted
from ranking.core.rankings.ranking import Ranking
from ranking.core.sharding.shards import Engine
from ranking.core.uncertainty.standard_errors import errors_by_system, standard_errors_of_counts

Int64Array = npt.NDArray[np.int64]


def rank_added(
    counts: AddedCounts,
    method: CountsMethod,
    parameters: Mapping[str, Any],
    options: RangeOptions,
    *,
    engine: Engine | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Ranking:
    """Rank systems from the added counts of shards.

    Parameters
    ----------
    counts : AddedCounts
        With the method's layout and what `RangeOptions.keeps` says. If documents are known, ranges
        must not account for them: whoever wants that needs all judgments at once.
    method : CountsMethod
        One for which `RangeOptions.is_live` holds.
    parameters : mapping
        All parameters of the method.
    options : RangeOptions
        Of as many resamples as were counted.
    engine, progress
        As for `rank`.

    Returns
    -------
    Ranking
        As from `rank`, standard errors included.
    """
    counted, units = counts.counted(method)
    ranking = rank_counted(
        counted,
        method,
        parameters,
        options,
        seed=counts.wanted.seed,
        engine=engine,
        progress=progress,
    )
    if "standard_errors" in ranking.extra or method.influence is None:
        return ranking
    unranked = {row.system for row in ranking.not_estimable}
    kept = np.flatnonzero([name not in unranked for name in counted.systems]).astype(np.int64)
    ranked = counted.of_systems(kept, method)
    layout, cells = method.layout(len(kept)), ranked.cells_for(method)
    errors = standard_errors_of_counts(
        cells,
        layout,
        method.influence(layout.unpack(cells), **parameters),
        _moments(counted, ranked, method, options, kept, units),
    )
    found = errors_by_system(ranked.systems, options.independent, errors)
    return ranking.with_standard_errors(found)


def _moments(
    counted: CountedJudgments,
    ranked: CountedJudgments,
    method: CountsMethod,
    options: RangeOptions,
    kept: Int64Array,
    units: Int64Array | None,
) -> Moments | Int64Array | None:
    """Return the second moments of the units that are independent, for the kept systems."""
    if options.independent == "pairs":
        return None
    if options.independent == "two_way":
        return ranked.chosen_moments(method)
    if units is None:
        raise ValueError(f"resample: no moments of {options.independent} were counted")
    layout = method.layout(len(counted.systems))
    place = np.full(layout.size, -1, dtype=np.int64)
    place[layout.used] = np.arange(len(layout.used))
    used = place[layout.cells_of(kept)[method.layout(len(kept)).used]]
    return units[np.ix_(used, used)]
