"""Outliers among judges by several rules, and rankings with, without and only by some judges."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

import numpy as np

from ranking.core.diagnosis.correlation import SampledCorrelation, correlation_sampled
from ranking.core.judged.blocks import Blocks
from ranking.core.judges.diagnosis import JudgeDiagnosis
from ranking.core.rankings.rank import Ranking
from ranking.core.scores import Scores


class Rule(StrEnum):
    """Rule for detecting outliers."""

    AGREEMENT = "agreement"
    """The judge's κ with the others is low."""

    MEAN_LABEL = "mean_label"
    """The judge is stricter or milder than the others on the same outputs ("mean score" of Hamon et
    al.)."""

    DISTANCE = "distance"
    """The judge's labels are far from those of the others ("mean agreement" of Hamon et al.)."""

    EASY_ITEMS = "easy_items"
    """The judge often disagrees with others who are unanimous."""

    REFERENCE = "reference"
    """The judge does not prefer the reference more often than by clicking at random."""

    TIME = "time"
    """The judge is much quicker than the others."""

    SUSPECT = "suspect"
    """The judge clicks, or agrees less with the others than they do among themselves, allowing for
    ties, all judges and looks. This is the only rule that names no judge in most campaigns of honest
    judges."""


@dataclass(frozen=True)
class RuleOutcome:
    """The outliers by a rule, and the distribution of the judges' values.

    Attributes
    ----------
    rule : Rule
    judged : int
        Number of judges with enough data for the rule.
    mean, deviation : float or None
        Unweighted mean of the judges' values, and the standard deviation (n − 1) around it. None
        for `Rule.REFERENCE` and `Rule.SUSPECT`, which are tests, and with fewer than two judges.
        For `Rule.TIME`, values are natural logarithms of median seconds.
    outliers : tuple of str
        Pseudonyms of the outliers, in the order of the judges.
    """

    rule: Rule
    judged: int
    mean: float | None
    deviation: float | None
    outliers: tuple[str, ...]


def outliers(
    judges: Sequence[JudgeDiagnosis],
    *,
    deviations: float = 0.0,
    level: float = 0.05,
    minimum: int = 10,
) -> tuple[RuleOutcome, ...]:
    """Apply each rule to the judges and return the outliers.

    Hamon et al. (2007, §3.4) call a judge an outlier if their value is more than one standard
    deviation from the mean over judges: on either side for the mean label, and above for the
    distance. We add: above for missed easy items, and below for κ and for time. In a normal
    distribution, one judge in six is that far away on each side, so these rules name an honest judge
    in almost every campaign; so does the test of the reference while judges have few blocks. They
    name judges only if `deviations` is given; `Rule.SUSPECT` always applies.

    Parameters
    ----------
    judges : sequence of JudgeDiagnosis
    deviations : float
        Number of standard deviations from the mean beyond which a judge is an outlier, 1 in the
        paper; 0 for no outliers by any rule but `Rule.SUSPECT`.
    level : float
        Level of the test against clicking at random: a judge with a larger `p_random` is an
        outlier, unless `p_lowest` is also larger. Also the level of `Rule.SUSPECT`: at most this
        share of campaigns flags a judge who reads and judges like the others.
    minimum : int
        Judges with fewer pairs, labels, comparisons or blocks behind a value are left out of its
        rule.

    Returns
    -------
    tuple of RuleOutcome
        One for each rule, in the order of `Rule`.

    Raises
    ------
    ValueError
        If `deviations` is negative or `level` is not between 0 and 1.
    """
    if not deviations >= 0:
        raise ValueError("deviations: expected 0 or a positive number")
    if not 0 < level < 1:
        raise ValueError("level: expected a share between 0 and 1")
    outcomes = []
    for rule in Rule:
        if rule is Rule.REFERENCE:
            is_applied = deviations > 0
            outcomes.append(_random_clickers(judges, level, is_applied=is_applied))
        elif rule is Rule.SUSPECT:
            outcomes.append(_suspected_outliers(judges, level))
        else:
            outcomes.append(_outlying(judges, rule, deviations, minimum))
    return tuple(outcomes)


def _outlying(
    judges: Sequence[JudgeDiagnosis],
    rule: Rule,
    deviations: float,
    minimum: int,
) -> RuleOutcome:
    """Apply a rule about the distance from the mean."""
    measure = _MEASURES[rule]
    values = {}
    for judge in judges:
        measured = measure.of(judge)
        if measured.value is not None and measured.count >= minimum:
            values[judge.judge] = measured.value
    spread = far_from_mean(values, deviations)
    names: set[str] = set()
    if measure.names_low:
        names.update(spread.below)
    if measure.names_high:
        names.update(spread.above)
    return RuleOutcome(
        rule=rule,
        judged=len(values),
        mean=spread.mean,
        deviation=spread.deviation,
        outliers=tuple(name for name in values if name in names),
    )


@dataclass(frozen=True)
class _Measured:
    """A judge's value, and the number of pairs, labels, comparisons or blocks behind it."""

    count: int
    value: float | None


def _agreement(judge: JudgeDiagnosis) -> _Measured:
    return _Measured(judge.agreement.comparable, judge.agreement.kappa)


def _label_deviation(judge: JudgeDiagnosis) -> _Measured:
    return _Measured(judge.labels.labels, judge.labels.deviation)


def _label_distance(judge: JudgeDiagnosis) -> _Measured:
    return _Measured(judge.labels.labels, judge.labels.distance)


def _missed_easy_items(judge: JudgeDiagnosis) -> _Measured:
    return _Measured(judge.easy.comparisons, judge.easy.share_missed)


_ROUNDING = 1e-12


def _log_seconds(judge: JudgeDiagnosis) -> _Measured:
    if judge.time is None or judge.time.median is None:
        return _Measured(0, None)
    # A block judged in 0 seconds is a lost measurement or a script: very quick rather than −∞.
    seconds = max(judge.time.median, 1e-3)
    return _Measured(judge.time.blocks, float(np.log(seconds)))


class _Measure(NamedTuple):
    """A measure of judges, and whether low and high values are outliers."""

    of: Callable[[JudgeDiagnosis], _Measured]
    names_low: bool
    names_high: bool


class Spread(NamedTuple):
    """Mean and standard deviation (n − 1) of values, and the names of those far below and above the mean."""

    mean: float | None
    deviation: float | None
    below: tuple[str, ...]
    above: tuple[str, ...]


_MEASURES: Mapping[Rule, _Measure] = {
    Rule.AGREEMENT: _Measure(_agreement, names_low=True, names_high=False),
    Rule.MEAN_LABEL: _Measure(_label_deviation, names_low=True, names_high=True),
    Rule.DISTANCE: _Measure(_label_distance, names_low=False, names_high=True),
    Rule.EASY_ITEMS: _Measure(_missed_easy_items, names_low=False, names_high=True),
    Rule.TIME: _Measure(_log_seconds, names_low=True, names_high=False),
}


def far_from_mean(values: Mapping[str, float], deviations: float) -> Spread:
    """Return the mean of the values, their standard deviation, and the names of those more than so
    many deviations from the mean; nothing for fewer than two, and no names for 0 deviations.
    """
    if len(values) < 2:
        return Spread(None, None, (), ())
    numbers = np.array(list(values.values()))
    mean = float(numbers.mean())
    deviation = float(numbers.std(ddof=1))
    if not deviations:
        return Spread(mean, deviation, (), ())
    # If all values are equal, rounding of the mean must not make them outliers.
    margin = deviations * deviation + _ROUNDING
    below = []
    above = []
    for name, number in values.items():
        if number < mean - margin:
            below.append(name)
        elif number > mean + margin:
            above.append(name)
    return Spread(mean, deviation, tuple(below), tuple(above))


def _random_clickers(
    judges: Sequence[JudgeDiagnosis],
    level: float,
    *,
    is_applied: bool,
) -> RuleOutcome:
    """Name the judges whose preference for the reference does not differ from clicking at random."""
    judged = 0
    names = []
    for judge in judges:
        preference = judge.reference
        if preference is None or preference.p_random is None:
            continue
        if preference.p_lowest is None or preference.p_lowest > level:
            continue
        judged += 1
        if is_applied and preference.p_random > level:
            names.append(judge.judge)
    return RuleOutcome(
        rule=Rule.REFERENCE,
        judged=judged,
        mean=None,
        deviation=None,
        outliers=tuple(names),
    )


def suspicion(judge: JudgeDiagnosis, judges: int) -> float:
    """Return an upper bound on the probability that any of several judges who read ever looks like
    this.

    It is three times the smallest of three p-values (Bonferroni).
    """
    p_values = [1.0, judge.typed.p_value(judges)]
    p_disagreement = judge.disagreement.p_value(judges)
    if p_disagreement is not None:
        p_values.append(p_disagreement)
    if judge.ignored is not None:
        p_values.append(judge.ignored.p_value(judges))
    return min(1.0, 3 * min(p_values))


def _suspected_outliers(judges: Sequence[JudgeDiagnosis], level: float) -> RuleOutcome:
    names = []
    for judge in judges:
        if suspicion(judge, len(judges)) <= level:
            names.append(judge.judge)
    return RuleOutcome(
        rule=Rule.SUSPECT,
        judged=len(judges),
        mean=None,
        deviation=None,
        outliers=tuple(names),
    )


@dataclass(frozen=True)
class RankingWithout:
    """Scores of all systems with and without some judges.

    Attributes
    ----------
    judges : tuple of str
        Pseudonyms of the judges left out.
    blocks : int
        Number of remaining blocks.
    before, after : dict of str to float or None
        Score of each system with and without them; None if it cannot be estimated.
    correlation : SampledCorrelation
        Correlation of the two scores over the systems that have both.
    """

    judges: tuple[str, ...]
    blocks: int
    before: dict[str, float | None]
    after: dict[str, float | None]
    correlation: SampledCorrelation


def ranking_without(
    blocks: Blocks,
    judges: Collection[str],
    score: Callable[[Blocks], Scores],
    *,
    confidence: float = 0.95,
) -> RankingWithout:
    """Score the systems with and without some judges (Hamon et al. 2007, Table 4).

    Parameters
    ----------
    blocks : Blocks
        The current judgments of one test set, without the reference unless it is to be ranked.
    judges : collection of str
        Names of the judges to leave out.
    score : callable
        Returns the scores of the systems of blocks by any method.
    confidence : float
        Confidence of the intervals of the correlation.

    Returns
    -------
    RankingWithout
    """
    rest = blocks.without_judges(judges)
    before = score(blocks)
    after = score(rest)
    return RankingWithout(
        judges=tuple(name for name in blocks.judges if name in judges),
        blocks=len(rest),
        before=before.by_system(blocks.systems),
        after=after.by_system(blocks.systems),
        correlation=correlation_sampled(
            before.values,
            after.values,
            confidence=confidence,
        ),
    )


@dataclass(frozen=True)
class RankingsWithout:
    """A ranking with and without some judges.

    Attributes
    ----------
    judges : dict of str to int
        Number of blocks of each judge left out who judged something, by pseudonym.
    before, after : Ranking
        With and without them.
    alone : dict of str to float or None
        Score of each system by their judgments alone; None if it cannot be estimated.
    before_and_after : SampledCorrelation
        Correlation of the scores with and without them over the systems that have both.
    alone_and_rest : SampledCorrelation
        Correlation of the scores by them alone and by all others. (Hamon et al. 2007, Table 4,
        compare the ranking with all judges and that without outliers, which hides how much these
        judges differ if they judged little.)
    """

    judges: dict[str, int]
    before: Ranking
    after: Ranking
    alone: dict[str, float | None]
    before_and_after: SampledCorrelation
    alone_and_rest: SampledCorrelation


def rankings_without(
    blocks: Blocks,
    judges: Collection[str],
    *,
    rank: Callable[[Blocks], Ranking],
    score: Callable[[Blocks], Scores],
    confidence: float = 0.95,
) -> RankingsWithout:
    """Rank systems with and without some judges, and score them by these judges alone.

    Parameters
    ----------
    blocks : Blocks
        B blocks over n systems: the current judgments of one test set; without the reference, unless
        it is to be ranked.
    judges : collection of str
        Names of the judges to leave out; those who judged nothing make no difference.
    rank : callable
        Ranks the systems of blocks.
    score : callable
        Returns the systems' scores by the same method.
    confidence : float
        Confidence of the intervals of the correlations.

    Returns
    -------
    RankingsWithout

    Raises
    ------
    ValueError
        If no other judge has judgments.
    """
    chosen = set(judges)
    is_judge_out = np.array([name in chosen for name in blocks.judges], dtype=np.bool_)
    is_out = is_judge_out[blocks.judge]
    if is_out.all():
        raise ValueError("judges: no other judge judged")
    blocks_of_judge = np.bincount(blocks.judge, minlength=len(blocks.judges)).tolist()
    blocks_by_name = {}
    for name, count in zip(blocks.judges, blocks_of_judge, strict=True):
        if count and name in chosen:
            blocks_by_name[name] = count
    rest = blocks.take(~is_out)
    everybody = score(blocks)
    others = score(rest)
    alone = score(blocks.take(is_out))
    return RankingsWithout(
        judges=blocks_by_name,
        before=rank(blocks),
        after=rank(rest),
        alone=alone.by_system(blocks.systems),
        before_and_after=correlation_sampled(
            everybody.values,
            others.values,
            confidence=confidence,
        ),
        alone_and_rest=correlation_sampled(
            alone.values,
            others.values,
            confidence=confidence,
        ),
    )
