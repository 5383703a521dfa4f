"""One comparison X : Y, read in the four ways of Vilar et al. (2007), Table 2 and their figure.

By each judge, by all judges together, by the majority of the judges, and by the majority for each sentence. The paper says
"majority vote" and does not say of what, so both are here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from protocols.sorting.statistics.judgments import PairJudgments, blocks_of
from protocols.sorting.statistics.over_judges import p_over_judges
from protocols.sorting.statistics.preference import Preference, z_of
from ranking.core.judged.blocks import Blocks
from ranking.core.rankings.find_ranges import two_way_resampling

FloatArray = npt.NDArray[np.float64]

#: What the standard error of all judges together takes for independent.
ErrorLevel = Literal["judgments", "segments", "judges", "two_way", "blocks"]
#: "auto": "two_way" where judges share any segment, else "judgments".
ErrorChoice = Literal["auto", "judgments", "two_way"]
TestName = Literal["normal", "exact"]
_RESAMPLES = 1000


@dataclass(frozen=True)
class Pooled:
    """All judges together.

    Attributes
    ----------
    counts : Preference
    error : float
        se[R]: that of independent judgments, or of a bootstrap of what they share if that is larger. It is smaller only
        where few judges agree by chance.
    level : str
        What the error takes for independent: "judgments", or what the bootstrap drew: "two_way" (judges and segments);
        "segments" or "judges" alone where fewer than four of the others are too few to draw, "blocks" (judgments) where
        both are.
    """

    counts: Preference
    error: float
    level: ErrorLevel

    @property
    def z(self) -> float:
        """Return R/se[R]; 0 where R is 0, infinite where only se[R] is, NaN for fewer than two judgments."""
        return z_of(self.counts.mean, self.error)

    def p(self, test: TestName) -> float:
        """Return the two-sided p-value of R by a test; the exact one takes judgments for independent.

        Where se[R] is 0 or judgments are few, the normal test is no smaller than the exact one, see `Preference.normal_p`.
        """
        return self.counts.normal_p(self.error) if test == "normal" else self.counts.p_exact

    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval of R with the confidence 1 − `level`, see `Preference.interval`."""
        return self.counts.interval(self.error, level)


@dataclass(frozen=True)
class ComparisonResult:
    """What the judgments of a comparison say; wins are those of `first`.

    Attributes
    ----------
    first, second : str
    judges : mapping of str to Preference
        By judge, in the order of their names (the rows E1 … E7 of Table 2).
    pooled : Pooled
    of_judges : Preference
        A vote a judge, for the system that the judge preferred more often.
    of_sentences : Preference or None
        A vote for each sentence that several judges judged, for the system that more of them preferred; None if there is none.
    against_majority : tuple of str
        The judges whose vote is not that of all judges together.
    p_judges : float or None
        Of R as a mean over judges, see `p_over_judges`.
    """

    first: str
    second: str
    judges: Mapping[str, Preference]
    pooled: Pooled
    of_judges: Preference
    of_sentences: Preference | None
    against_majority: tuple[str, ...]
    p_judges: float | None


def compare(
    judgments: PairJudgments,
    *,
    error: ErrorChoice = "auto",
    seed: int = 0,
    resamples: int = _RESAMPLES,
) -> ComparisonResult:
    """Read the judgments of a comparison in all ways.

    Parameters
    ----------
    judgments : PairJudgments
    error : "auto", "judgments" or "two_way"
        What the error of all judges together takes for independent. "judgments" are, if judges have samples of their
        own and the same taste; "two_way" is a bootstrap of judges and segments, right without either, and never less
        than the former. "auto" is "two_way" where judges share any segment, be it by chance, because judgments of it
        are alike; else "judgments".
    seed : int
        Of the bootstrap, 0 ≤ seed < 2**64.
    resamples : int
        Of the bootstrap.

    Returns
    -------
    ComparisonResult

    Raises
    ------
    ValueError
        If `seed` is out of range or `resamples` is below 2.
    """
    if resamples < 2:
        raise ValueError("resamples: expected two or more")
    by_judge = {judge: judgments.of_judge(judge) for judge in sorted(set(judgments.judges))}
    is_drawn = error == "two_way" or (error == "auto" and judgments.is_shared())
    pooled = _pooled(judgments, is_drawn, seed, resamples)
    side = np.sign(pooled.counts.lead)
    return ComparisonResult(
        first=judgments.first,
        second=judgments.second,
        judges=by_judge,
        pooled=pooled,
        of_judges=_votes([each.lead for each in by_judge.values()]),
        of_sentences=_of_sentences(judgments),
        against_majority=tuple(
            judge for judge, each in by_judge.items() if side and np.sign(each.lead) == -side
        ),
        p_judges=p_over_judges(judgments),
    )


def _votes(leads: list[int]) -> Preference:
    signs = [int(np.sign(lead)) for lead in leads]
    return Preference(signs.count(1), signs.count(-1), signs.count(0))


def _of_sentences(judgments: PairJudgments) -> Preference | None:
    """Count a vote a segment; identical outputs are no vote of anybody."""
    shown = ~judgments.identical
    numbers, place, times = np.unique(
        judgments.segments[shown], return_inverse=True, return_counts=True
    )
    leads = np.bincount(place, weights=judgments.answers[shown], minlength=len(numbers))
    several = leads[times > 1].astype(int).tolist()
    return _votes(several) if several else None


def _pooled(judgments: PairJudgments, is_drawn: bool, seed: int, resamples: int) -> Pooled:
    counts = judgments.preference()
    if not is_drawn or not counts.wins + counts.losses:
        return Pooled(counts, counts.error, "judgments")
    blocks = blocks_of([judgments], [judgments.first, judgments.second])
    resampling, _limits = two_way_resampling(blocks, seed=seed)
    weights = resampling.weights(blocks, range(resamples)).astype(np.float64)
    total = weights.sum(axis=0)
    drawn = (_signs(blocks, judgments.first) @ weights)[total > 0] / total[total > 0]
    level: ErrorLevel = "judgments" if resampling.level == "pairs" else resampling.level
    return Pooled(counts, max(counts.error, float(drawn.std(ddof=1))), level)


def _signs(blocks: Blocks, first: str) -> FloatArray:
    """Return r of each block; labels of systems with identical outputs are equal."""
    column = blocks.systems.index(first)
    ahead = blocks.labels[:, 1 - column] - blocks.labels[:, column]
    signs: FloatArray = np.sign(ahead).astype(np.float64)
    return signs
