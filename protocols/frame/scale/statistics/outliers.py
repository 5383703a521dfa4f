"""Outliers among judges by three rules, their overlap, and the means without them (Hamon et al. 2007, §3.3–3.4)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np

from protocols.frame.scale.statistics.judges import RatingJudge
from protocols.frame.scale.statistics.ratings import Ratings
from ranking.core.arrays import FloatArray, share
from ranking.core.diagnosis.correlation import SampledCorrelation, correlation_sampled
from ranking.core.judges.outliers import far_from_mean
from ranking.core.scores import values_by_name

#: Fewer easy items are not enough to assess a judge.
LEAST_EASY = 5


class Rule(StrEnum):
    """Statistic by which a judge is an outlier: more than one standard deviation from the mean over
    judges.
    """

    MEAN_SCORE = "mean_score"
    """The judge's mean is far from that of the judges, on either side."""

    MEAN_AGREEMENT = "mean_agreement"
    """The judge's ratings are far from those of the others: only above."""

    EASY_ITEMS = "easy_items"
    """The judge misses many of at least five easy items: only above. The paper does not say how many are
    too many."""


@dataclass(frozen=True)
class RuleOutcome:
    """The outliers by one rule and criterion.

    Attributes
    ----------
    rule : Rule
    judged : int
        Number of judges with a value for the rule.
    mean, deviation : float or None
        Mean and standard deviation (n − 1) of their values; None for fewer than two judges.
    low, high : tuple of str
        Outliers below and above the others, in the order of the judges.
    """

    rule: Rule
    judged: int
    mean: float | None
    deviation: float | None
    low: tuple[str, ...]
    high: tuple[str, ...]

    @property
    def outliers(self) -> tuple[str, ...]:
        """All outliers, the lower ones first."""
        return self.low + self.high


def rating_outliers(
    judges: Sequence[RatingJudge],
    *,
    deviations: float = 1.0,
    by_difference: bool = False,
    least_easy: int = LEAST_EASY,
) -> tuple[RuleOutcome, ...]:
    """Apply each rule to the judges of one criterion.

    In a normal distribution, 31.7 % of the values are more than one standard deviation away, and
    15.9 % above it: outliers deserve a look, but every campaign has some.

    Parameters
    ----------
    judges : sequence of RatingJudge
    deviations : float
        Standard deviations beyond which a judge is an outlier.
    by_difference : bool
        For `Rule.MEAN_SCORE`, use a judge's difference from the others on the same items instead of
        the mean.
    least_easy : int
        Judges with fewer easy items have no value for `Rule.EASY_ITEMS`.

    Returns
    -------
    tuple of RuleOutcome
        In the order of `Rule`.
    """
    scores: dict[str, float | None] = {}
    distances: dict[str, float | None] = {}
    easy_shares: dict[str, float | None] = {}
    for judge in judges:
        name = judge.judge
        scores[name] = judge.difference if by_difference else judge.mean
        distances[name] = judge.distance
        easy_shares[name] = judge.easy_share if judge.easy >= least_easy else None
    values = {
        Rule.MEAN_SCORE: scores,
        Rule.MEAN_AGREEMENT: distances,
        Rule.EASY_ITEMS: easy_shares,
    }
    outlier_rules = []
    for rule, of_rule in values.items():
        outlier_rules.append(
            _outcome(rule, of_rule, deviations, low=rule is Rule.MEAN_SCORE),
        )
    return tuple(outlier_rules)


def _outcome(
    rule: Rule,
    values: Mapping[str, float | None],
    deviations: float,
    *,
    low: bool,
) -> RuleOutcome:
    estimable = {}
    for name, value in values.items():
        if value is not None:
            estimable[name] = value
    mean, deviation, below, above = far_from_mean(estimable, deviations)
    return RuleOutcome(
        rule,
        len(estimable),
        mean,
        deviation,
        below if low else (),
        above,
    )


@dataclass(frozen=True)
class RuleOverlap:
    """Judges who are outliers by both mean score and mean agreement.

    Attributes
    ----------
    both : tuple of str
    upper, lower : int
        Numbers of those above and below the others in mean score; they add up to the length of
        `both`.
    """

    both: tuple[str, ...]
    upper: int
    lower: int


def overlap(outcomes: Sequence[RuleOutcome]) -> RuleOverlap:
    """Return the judges who are outliers by both rules (Hamon et al. 2007, below Table 3)."""
    of_rule = {outcome.rule: outcome for outcome in outcomes}
    score = of_rule[Rule.MEAN_SCORE]
    far = set(of_rule[Rule.MEAN_AGREEMENT].outliers)
    upper, lower = (
        tuple(name for name in part if name in far) for part in (score.high, score.low)
    )
    return RuleOverlap(both=lower + upper, upper=len(upper), lower=len(lower))


def by_every_criterion(
    outcomes: Iterable[Sequence[RuleOutcome]],
) -> dict[Rule, tuple[str, ...]]:
    """Return the judges who are outliers by every criterion, by rule (last row of Table 3)."""
    names = {}
    for rule in Rule:
        groups = []
        for of_one in outcomes:
            for outcome in of_one:
                if outcome.rule is rule:
                    groups.append(set(outcome.outliers))
        if groups:
            names[rule] = tuple(sorted(set.intersection(*groups)))
        else:
            names[rule] = ()
    return names


@dataclass(frozen=True)
class Removal:
    """Mean ratings without the outliers of a rule, and by the outliers alone.

    Attributes
    ----------
    rule : Rule
    judges : tuple of str
        The judges removed.
    removed_ratings : int
    share : float
        Share of all ratings given by the removed judges.
    official, without, alone : dict of str to float or None
        Mean rating of each system by all judges, without the removed judges, and by the removed
        judges alone; None without a rating.
    correlation : SampledCorrelation
        Correlation of `official` and `without` (Table 4).
    correlation_alone : SampledCorrelation
        Correlation of `official` and `alone`.
    mean_kept, mean_removed : float or None
        Mean of all ratings by the judges kept, and by those removed.
    """

    rule: Rule
    judges: tuple[str, ...]
    removed_ratings: int
    share: float
    official: dict[str, float | None]
    without: dict[str, float | None]
    alone: dict[str, float | None]
    correlation: SampledCorrelation
    correlation_alone: SampledCorrelation
    mean_kept: float | None
    mean_removed: float | None


def removals(
    ratings: Ratings,
    outcomes: Sequence[RuleOutcome],
    *,
    confidence: float = 0.95,
) -> tuple[Removal, ...]:
    """Remove the outliers of each rule, and compare the means of systems.

    Parameters
    ----------
    ratings : Ratings
        At least one rating.
    outcomes : sequence of RuleOutcome
    confidence : float
        Confidence of the intervals of the correlations.

    Returns
    -------
    tuple of Removal
        In the order of `outcomes`.
    """
    systems = ratings.items.systems
    official = system_means(ratings)
    removal_rows = []
    for outcome in outcomes:
        remaining = ratings.without(outcome.outliers)
        removed = ratings.only(outcome.outliers)
        without = system_means(remaining)
        alone = system_means(removed)
        mean_kept = None
        if len(remaining):
            mean_kept = float(remaining.value.mean())
        mean_removed = None
        if len(removed):
            mean_removed = float(removed.value.mean())
        removal_rows.append(
            Removal(
                rule=outcome.rule,
                judges=tuple(sorted(outcome.outliers)),
                removed_ratings=len(removed),
                share=len(removed) / len(ratings),
                official=values_by_name(systems, official),
                without=values_by_name(systems, without),
                alone=values_by_name(systems, alone),
                correlation=correlation_sampled(
                    official,
                    without,
                    confidence=confidence,
                ),
                correlation_alone=correlation_sampled(
                    official,
                    alone,
                    confidence=confidence,
                ),
                mean_kept=mean_kept,
                mean_removed=mean_removed,
            ),
        )
    return tuple(removal_rows)


def system_means(ratings: Ratings) -> FloatArray:
    """Return the mean rating of each of K systems, NaN without a rating."""
    wrote = ratings.items.wrote[ratings.item]
    number = wrote.sum(axis=0)
    return share((wrote * ratings.value[:, np.newaxis]).sum(axis=0), number)
