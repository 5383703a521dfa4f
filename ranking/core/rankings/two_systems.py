"""A comparison of systems X and Y, evaluated in the four ways of Vilar et al. (2007, Table 2 and
figure).

These are by each judge, by all judges together, by the majority of judges, and by the majority for
each sentence. The paper does not specify the unit of its "majority vote", so both are implemented.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
from scipy.special import ndtr, ndtri, stdtr

from ranking.core.arrays import BoolArray, Int8Array, Int64Array
from ranking.core.judged.blocks import BlockRow, Blocks, blocks_from_rows
from ranking.core.ranges import sign_test
from ranking.core.rankings.range_kinds import two_way_resampling
from ranking.core.uncertainty import variance_of_sum
from ranking.core.words import word_check

#: Minimum number of judgments for the normal interval and test of R: with fewer, they miss 7% to
#: 22% at the 5% level.
FEWEST_NORMAL = 50
#: Minimum number of judgments for a test.
FEWEST_TESTED = 2


#: Unit that a standard error treats as independent.
ErrorLevel = Literal["judgments", "segments", "judges", "two_way", "blocks"]
#: "auto" is "two_way" if judges share any segment, otherwise "judgments".
ErrorChoice = Literal["auto", "judgments", "two_way"]
TestName = Literal["normal", "exact"]


@dataclass(frozen=True)
class Preference:
    """Counts of m judgments on systems X and Y, with rᵢ = +1 if X is better, −1 if Y is better,
    otherwise 0.

    Attributes
    ----------
    wins, losses : int
        Numbers of judgments for X and for Y.
    same : int
        Number of judgments "same quality".
    identical : int
        Number of sentences for which X and Y have the same output, never shown to judges; rᵢ = 0.
    drawn_error : float
        se[R] from a bootstrap of units shared by judgments; 0 without a bootstrap. It is smaller
        than that for independent judgments only if few judges agree by chance.
    level : str
        Units that the error treats as independent: "judgments", or the units drawn by the
        bootstrap: "two_way" (judges and segments); only "segments" or "judges" if there are fewer
        than four of the other; "blocks" (judgments) if there are fewer than four of both.
    """

    wins: int
    losses: int
    same: int = 0
    identical: int = 0
    drawn_error: float = 0.0
    level: ErrorLevel = "judgments"

    @property
    def judgments(self) -> int:
        """Number of judgments, m."""
        return self.wins + self.losses + self.same + self.identical

    @property
    def lead(self) -> int:
        """Lead of X, Σ rᵢ."""
        return self.wins - self.losses

    @property
    def mean(self) -> float:
        """R = (1/m) Σ rᵢ, from −1 to 1; NaN without judgments."""
        if self.judgments:
            return self.lead / self.judgments
        return math.nan

    @property
    def error(self) -> float:
        """se[R] = √(((1/m) Σ rᵢ² − R²)/(m − 1)) for independent judgments, or `drawn_error` if
        larger.

        NaN for fewer than two judgments. It is 0 if all judgments are the same, even if there are
        few: only the exact test is meaningful then, and `p_normal` and `interval` agree with it.
        """
        m = self.judgments
        if m < FEWEST_TESTED:
            return math.nan
        squares = (self.wins + self.losses) / m
        variance = max(0.0, squares - self.mean**2) / (m - 1)
        return max(math.sqrt(variance), self.drawn_error)

    @property
    def z(self) -> float:
        """R/se[R]; 0 if R is 0, infinite if only se[R] is 0, NaN for fewer than two judgments."""
        error = self.error
        if math.isnan(error):
            return math.nan
        if not self.lead:
            return 0.0
        if error > 0:
            return self.mean / error
        return math.copysign(math.inf, self.mean)

    @property
    def p_normal(self) -> float:
        """Two-sided p-value of R from its standard error.

        A standard error of 0 only means that all judgments are the same, so the exact p-value is
        used instead. With fewer than `FEWEST_NORMAL` judgments, the exact p-value is used if it is
        larger. NaN for fewer than two judgments.
        """
        if self.error == 0 or self.judgments < FEWEST_TESTED:
            return self.p_exact
        normal = float(2 * ndtr(-abs(self.z)))
        if self.judgments >= FEWEST_NORMAL:
            return normal
        return max(normal, self.p_exact)

    @cached_property
    def p_exact(self) -> float:
        """Two-sided p-value of the exact sign test on decided judgments; 1 if there are none.

        It treats judgments as independent. NaN for fewer than two judgments.
        """
        if self.judgments < FEWEST_TESTED:
            return math.nan
        wins = np.array(self.wins)
        losses = np.array(self.losses)
        return float(sign_test(wins, losses, sides=2))

    def p(self, test: TestName) -> float:
        """Return the two-sided p-value of R by a test."""
        if test == "normal":
            return self.p_normal
        return self.p_exact

    def interval(self, level: float) -> tuple[float, float]:
        """Return R ∓ z·se[R] with confidence 1 − `level`, clipped to −1 … 1.

        If all judgments are the same, so that the standard error is 0, this is the Clopper–Pearson
        interval, which agrees with the exact test. NaN with fewer than `FEWEST_NORMAL` judgments,
        and without decided ones.
        """
        decided = self.wins + self.losses
        if self.judgments < FEWEST_NORMAL or not decided:
            return math.nan, math.nan
        if self.error == 0:
            nearest: float = 2 * (level / 2) ** (1 / decided) - 1
            if self.wins:
                return (nearest, 1.0)
            return (-1.0, -nearest)
        quantile = float(-ndtri(level / 2))
        reach = quantile * self.error
        low = max(-1.0, self.mean - reach)
        high = min(1.0, self.mean + reach)
        return low, high


#: Labels of two candidates by the answer r.
_LABELS = {1: (1, 2), 0: (1, 1), -1: (2, 1)}


@dataclass(frozen=True, eq=False)
class PairJudgments:
    """m judgments on two systems.

    Attributes
    ----------
    first, second : str
    judges : sequence of str, length m
        Pseudonyms.
    segments : int64, shape (m,)
        Numbers of segments, from 0.
    answers : int8, shape (m,)
        +1 if the first system is better, −1 if the second is better, 0 for the same quality.
    identical : bool, shape (m,)
        Whether the outputs are the same text and so were not shown.
    """

    first: str
    second: str
    judges: Sequence[str]
    segments: Int64Array
    answers: Int8Array
    identical: BoolArray

    @classmethod
    def of_rows(
        cls,
        pair: tuple[str, str],
        rows: Sequence[tuple[str, int, int | None]],
    ) -> PairJudgments:
        """Build from rows of judge, segment and answer for the first system, None for identical
        outputs.
        """
        judges = []
        segments = []
        answers = []
        identical = []
        for judge, segment, answer in rows:
            judges.append(judge)
            segments.append(segment)
            answers.append(answer or 0)
            identical.append(answer is None)
        first, second = pair
        return cls(
            first=first,
            second=second,
            judges=judges,
            segments=np.array(segments, dtype=np.int64),
            answers=np.array(answers, dtype=np.int8),
            identical=np.array(identical, dtype=np.bool_),
        )

    def __len__(self) -> int:
        """Return the number of judgments, m."""
        return len(self.judges)

    def preference(self, rows: BoolArray | None = None) -> Preference:
        """Count all judgments, or those of some rows (bool, shape (m,))."""
        answers = self.answers
        is_identical = self.identical
        if rows is not None:
            answers = answers[rows]
            is_identical = is_identical[rows]
        identical = int(np.count_nonzero(is_identical))
        wins = int(np.count_nonzero(answers == 1))
        losses = int(np.count_nonzero(answers == -1))
        return Preference(
            wins=wins,
            losses=losses,
            same=len(answers) - wins - losses - identical,
            identical=identical,
        )

    def of_judge(self, judge: str) -> Preference:
        """Count the judgments of one judge."""
        rows = [name == judge for name in self.judges]
        return self.preference(np.array(rows, dtype=np.bool_))

    def is_shared(self) -> bool:
        """Return whether any segment was judged by several judges."""
        return len(np.unique(self.segments)) < len(self)

    def reversed(self) -> PairJudgments:
        """Return the same judgments with the systems swapped."""
        return replace(
            self,
            first=self.second,
            second=self.first,
            answers=-self.answers,
        )

    def rows(self) -> list[BlockRow]:
        """Return the judgments as blocks of two candidates in the order of their names, for the methods that rank."""
        names = sorted((self.first, self.second))
        answers = self.answers
        if self.first > self.second:
            answers = -answers
        rows = []
        for index, judge in enumerate(self.judges):
            if self.identical[index]:
                candidates = [names]
                labels: tuple[int, ...] = (1,)
            else:
                candidates = [[name] for name in names]
                labels = _LABELS[int(answers[index])]
            rows.append(
                BlockRow(
                    judge=judge,
                    segment=int(self.segments[index]),
                    candidates=candidates,
                    labels=labels,
                ),
            )
        return rows


def blocks_of(comparisons: Sequence[PairJudgments], systems: Sequence[str]) -> Blocks:
    """Return the judgments of several comparisons as `Blocks`."""
    rows = []
    for comparison in comparisons:
        rows.extend(comparison.rows())
    return blocks_from_rows(rows, systems)


def p_over_judges(judgments: PairJudgments) -> float | None:
    """Return the two-sided p-value of R as a mean over judges, who may have different preferences.

    The variance of R is that over judges plus, if judges share segments, that over segments − that
    over judgments, if positive (Cameron, Gelbach and Miller 2011). The degrees of freedom are the
    number of judges or segments, whichever is smaller, minus one.

    Parameters
    ----------
    judgments : PairJudgments

    Returns
    -------
    float or None
        None with one judge, because differences between judges cannot be estimated, or one segment.
        If judges do not differ at all, the exact sign test with one vote per judge is used instead.

    References
    ----------
    A. C. Cameron, J. B. Gelbach, D. L. Miller (2011), Robust Inference with Multiway Clustering, J. Business & Economic Statistics 29.
    """
    names, judge = np.unique(
        np.asarray(judgments.judges, dtype=str),
        return_inverse=True,
    )
    numbers, segment = np.unique(judgments.segments, return_inverse=True)
    units = min(len(names), len(numbers))
    if units < 2:
        return None
    m = len(judgments)
    answers = judgments.answers.astype(np.float64)
    mean = float(answers.mean())
    influence = (answers - answers.mean()) / m
    judge_variance = variance_of_sum(influence, judge)
    segment_variance = variance_of_sum(influence, segment)
    row_variance = variance_of_sum(influence, np.arange(m))
    variance = judge_variance + max(0.0, segment_variance - row_variance)
    if math.isclose(variance, 0, abs_tol=1e-15):
        votes = np.bincount(judge, weights=answers)
        wins = np.array(np.count_nonzero(votes > 0))
        losses = np.array(np.count_nonzero(votes < 0))
        return float(sign_test(wins, losses, sides=2))
    t = abs(mean) / math.sqrt(variance)
    return float(2 * stdtr(units - 1, -t))


@dataclass(frozen=True)
class ComparisonResult:
    """Result of a comparison; wins are those of `first`.

    Attributes
    ----------
    first, second : str
    judges : mapping of str to Preference
        By judge, in the order of their names (the rows E1 … E7 of Table 2).
    pooled : Preference
        All judges together.
    of_judges : Preference
        One vote per judge, for the system that the judge preferred more often.
    of_sentences : Preference or None
        One vote per sentence that several judges judged, for the system that more of them
        preferred; None without such sentences.
    against_majority : tuple of str
        Judges whose vote differs from that of all judges together.
    p_judges : float or None
        p-value of R as a mean over judges, see `p_over_judges`.
    """

    first: str
    second: str
    judges: Mapping[str, Preference]
    pooled: Preference
    of_judges: Preference
    of_sentences: Preference | None
    against_majority: tuple[str, ...]
    p_judges: float | None


def compare(
    judgments: PairJudgments,
    *,
    error: ErrorChoice = "auto",
    seed: int = 0,
    resamples: int = 1000,
) -> ComparisonResult:
    """Evaluate the judgments of a comparison in all ways.

    Parameters
    ----------
    judgments : PairJudgments
    error : "auto", "judgments" or "two_way"
        Units that the error of all judges together treats as independent. "judgments" is correct if
        judges have separate samples and the same preferences; "two_way" is a bootstrap of judges
        and segments, which does not assume either and never gives a smaller error. "auto" is
        "two_way" if judges share any segment, even by chance, because its judgments are correlated;
        otherwise "judgments".
    seed : int
        Seed of the bootstrap, 0 ≤ seed < 2**64.
    resamples : int
        Number of bootstrap resamples, at least 2.

    Returns
    -------
    ComparisonResult
    """
    word_check("error", error, ErrorChoice)
    pooled = judgments.preference()
    is_correlated = error == "auto" and judgments.is_shared()
    if error == "two_way" or is_correlated:
        pooled = _with_bootstrap_error(
            pooled,
            judgments,
            seed=seed,
            resamples=resamples,
        )
    direction = np.sign(pooled.lead)
    by_judge = {}
    leads = []
    against_majority = []
    for judge in sorted(set(judgments.judges)):
        preference = judgments.of_judge(judge)
        by_judge[judge] = preference
        leads.append(preference.lead)
        if direction and np.sign(preference.lead) == -direction:
            against_majority.append(judge)
    return ComparisonResult(
        first=judgments.first,
        second=judgments.second,
        judges=by_judge,
        pooled=pooled,
        of_judges=_votes_of_leads(leads),
        of_sentences=_sentence_votes(judgments),
        against_majority=tuple(against_majority),
        p_judges=p_over_judges(judgments),
    )


def _votes_of_leads(leads: list[int]) -> Preference:
    signs = np.sign(leads).tolist()
    return Preference(wins=signs.count(1), losses=signs.count(-1), same=signs.count(0))


def _sentence_votes(judgments: PairJudgments) -> Preference | None:
    """Count one vote per segment; identical outputs do not vote."""
    is_shown = ~judgments.identical
    numbers, index, times = np.unique(
        judgments.segments[is_shown],
        return_inverse=True,
        return_counts=True,
    )
    answers = judgments.answers[is_shown]
    leads = np.bincount(index, weights=answers, minlength=len(numbers))
    leads_of_several = leads[times > 1].astype(int).tolist()
    if leads_of_several:
        return _votes_of_leads(leads_of_several)
    return None


def _with_bootstrap_error(
    counts: Preference,
    judgments: PairJudgments,
    *,
    seed: int,
    resamples: int,
) -> Preference:
    """Return a preference with the error of a bootstrap of judges and segments."""
    if not counts.wins + counts.losses:
        return counts
    blocks = blocks_of([judgments], [judgments.first, judgments.second])
    resampling, _limits = two_way_resampling(blocks, seed=seed)
    weights = resampling.weights(blocks, range(resamples)).astype(np.float64)
    totals = weights.sum(axis=0)
    leads = judgments.answers.astype(np.float64) @ weights
    has_weight = totals > 0
    means = leads[has_weight] / totals[has_weight]
    level: ErrorLevel = "judgments"
    if resampling.level != "pairs":
        level = resampling.level
    return replace(counts, drawn_error=float(means.std(ddof=1)), level=level)
