"""Measure each judge of a running campaign: a value for each `JudgeMeasure`, with its evidence.

It combines statistics of the core with the measures of `annotation`, so it cannot be in
`ranking.core`, which imports neither annotation nor Django.
"""

from collections.abc import Collection, Iterable
from itertools import islice
from typing import NamedTuple

import numpy as np

from annotation.models.judge_measures import SCALES, JudgeMeasure, Scale
from ranking.core.agreement.statistics import scott_chance
from ranking.core.agreement.tallies import AgreementTallies
from ranking.core.judges.clicking import (
    DAMAGE_ODDS,
    JUDGES_ALLOWED_FOR,
    REFERENCE_ODDS,
    ClickingEvidence,
    ReferenceMargins,
    StraightLining,
    reference_ignored,
    reference_margins,
    reference_preferences,
    straight_lining,
    typed_in_order,
)
from ranking.core.judges.diagnosis import disagreement
from ranking.core.judges.patterns import PositionBias, position_bias, tie_sums
from ranking.core.judges.repeats import repeat_sums
from ranking.core.judges.shares import Share, shares_of_sums
from ranking.core.judges.tallies import (
    JudgeTallies,
    MedianTime,
    median_times_of_tallies,
)

#: Confidence level of the intervals.
_CONFIDENCE = 0.95
#: Above this p-value, even a perfect judge could not be distinguished from one who clicks at random.
_MAX_LOWEST_P = 0.05

#: Measures that are probabilities: they have no interval, and are compared with thresholds directly.
PROBABILITIES = frozenset(
    measure for measure, scale in SCALES.items() if scale == Scale.PROBABILITY
)


class MeasureResult(NamedTuple):
    """The value of a measure for one judge, with its evidence.

    Attributes
    ----------
    value : float
        A share, a κ, seconds, or for the measures in `PROBABILITIES` a probability.
    evidence : int
        Number of observations: comparisons for preferences, agreement and ties, segments for `DISAGREES`,
        blocks for the others.
    low, high : float or None
        Ends of the interval of an estimate; None for probabilities.
    p_value : float or None
        p-value of the associated test.
    """

    value: float
    evidence: int
    low: float | None = None
    high: float | None = None
    p_value: float | None = None


#: Results by judge, then by measure.
MeasuresByJudge = dict[str, dict[str, MeasureResult]]


def measures_of_tallies(
    tallies: JudgeTallies,
    *,
    judges: Collection[str] | None = None,
    best_worst: bool = False,
) -> MeasuresByJudge:
    """Measure judges by their tallies, without resampling: all measures except `JudgeMeasure.DISAGREES`.

    P(E) of a judge's agreement with themselves is Scott's, from their own ties in all comparisons, taken as known.

    Parameters
    ----------
    tallies : JudgeTallies
        Tallies of all judges, because p-values depend on their number.
    judges : collection of str or None
        Judges to measure, see `judges_to_measure`; all by default.
    best_worst : bool
        As in `Blocks`.

    Returns
    -------
    dict
        Results by judge, then by `JudgeMeasure`. Measures without evidence are left out.

    Raises
    ------
    ValueError
        If a count is negative, because more was subtracted from the tallies than added.
    """
    for sums in tallies.sums().values():
        counts = sums.values[:, 0]
        if np.any(counts < 0):
            raise ValueError("tallies: more was subtracted than had been added")
    judged, checked = _numbers_of_judges(tallies)
    own = tallies if judges is None else tallies.only(judges)
    measured = _MeasuredJudges(own.judges)
    count = len(own.judges)
    margins = reference_margins(own.places, count)
    damaged = reference_margins(own.damaged_places, count)
    sums_of_shares = (
        margins.sums,
        damaged.sums,
        tie_sums(own.lines, count, best_worst=best_worst),
        repeat_sums(own.repeats, count),
    )
    # All at once, because the overhead of a call exceeds the cost of the quantiles.
    sums_at_once = np.concatenate(sums_of_shares)
    shares = iter(shares_of_sums(sums_at_once, confidence=_CONFIDENCE))
    preferred = list(islice(shares, count))
    rejected = list(islice(shares, count))
    ties = list(islice(shares, count))
    intra = list(islice(shares, count))
    measured.keep_preferences(JudgeMeasure.REFERENCE, margins, preferred)
    ignored = reference_ignored(margins, odds=REFERENCE_ODDS)
    measured.keep_evidence(JudgeMeasure.REFERENCE_IGNORED, ignored, judged)
    measured.keep_preferences(JudgeMeasure.BAD_REFERENCE, damaged, rejected)
    ignored = reference_ignored(damaged, odds=DAMAGE_ODDS)
    measured.keep_evidence(JudgeMeasure.DAMAGE_IGNORED, ignored, checked)
    measured.keep(JudgeMeasure.TIES, map(_result_of_share, ties))
    measured.keep(JudgeMeasure.INTRA, map(_kappa, intra, ties))
    lines = straight_lining(own.lines, count, confidence=_CONFIDENCE)
    one_label = [_result_of_share(line.one_label) for line in lines]
    measured.keep(JudgeMeasure.ONE_LABEL, one_label)
    measured.keep(JudgeMeasure.SHOWN_ORDER, map(_shown_order, lines))
    typed = typed_in_order(own.lines, count)
    measured.keep_evidence(JudgeMeasure.TYPED_IN_ORDER, typed, judged)
    biases = position_bias(own.positions, count)
    measured.keep(JudgeMeasure.POSITION, map(_result_of_bias, biases))
    times = median_times_of_tallies(own.times, count, confidence=_CONFIDENCE)
    measured.keep(JudgeMeasure.SECONDS, map(_result_of_time, times))
    return measured.results


class _MeasuredJudges:
    """The results of judges, in their order; judges without evidence for a measure have no result."""

    def __init__(self, judges: Iterable[str]) -> None:
        self.results: MeasuresByJudge = {name: {} for name in judges}

    def keep(
        self,
        measure: JudgeMeasure,
        results: Iterable[MeasureResult | None],
    ) -> None:
        """Add the results of a measure."""
        for own, result in zip(self.results.values(), results, strict=True):
            if result is not None:
                own[measure] = result

    def keep_evidence(
        self,
        measure: JudgeMeasure,
        evidence: Iterable[ClickingEvidence],
        judges: int,
    ) -> None:
        """Add the p-values of a measure of clicking, corrected for a number of judges."""
        results = []
        for row in evidence:
            result = None
            if row.blocks:
                result = MeasureResult(row.p_value(judges), row.blocks)
            results.append(result)
        self.keep(measure, results)

    def keep_preferences(
        self,
        measure: JudgeMeasure,
        margins: ReferenceMargins,
        shares: list[Share],
    ) -> None:
        """Add the shares of a preference, and the p-values of judges who click at random."""
        preferred = []
        at_random = []
        preferences = reference_preferences(margins)
        for preference, share in zip(preferences, shares, strict=True):
            result = random = None
            p_random = preference.p_random
            if p_random is not None and preference.p_lowest is not None:
                result = _result_of_share(share, p_random)
                if preference.p_lowest <= _MAX_LOWEST_P:
                    random = MeasureResult(p_random, preference.comparisons)
            preferred.append(result)
            at_random.append(random)
        self.keep(measure, preferred)
        self.keep(JudgeMeasure(f"{measure}_random"), at_random)


def judges_to_measure(before: JudgeTallies, after: JudgeTallies) -> frozenset[str]:
    """Return the judges whose `measures_of_tallies` can differ between two tallies.

    These are the judges whose tallies differ or are absent in one; or all judges if the
    number of judges in p-values differs.
    """
    if _judges_allowed_for(before) != _judges_allowed_for(after):
        return frozenset(before.judges) | frozenset(after.judges)
    return after.changed_from(before)


def _judges_allowed_for(tallies: JudgeTallies) -> list[int]:
    """Return the numbers of judges for which p-values are corrected."""
    return [max(number, JUDGES_ALLOWED_FOR) for number in _numbers_of_judges(tallies)]


def add_pace(results_by_judge: MeasuresByJudge, words: float | None) -> None:
    """Add `JudgeMeasure.PACE` for known times, given the words of an average block; does nothing if they are None."""
    if not words:
        return
    for results in results_by_judge.values():
        time = results.get(JudgeMeasure.SECONDS)
        if time is None or not time.value or not time.low or not time.high:
            continue
        results[JudgeMeasure.PACE] = MeasureResult(
            words / time.value,
            time.evidence,
            low=words / time.high,
            high=words / time.low,
        )


def add_disagreement(
    results_by_judge: MeasuresByJudge,
    agreement: AgreementTallies,
) -> None:
    """Add `JudgeMeasure.DISAGREES` to the measures of judges, who must all be in `results_by_judge`."""
    rows = disagreement(agreement)
    for name, row in zip(agreement.judges, rows, strict=True):
        p_value = row.p_value(len(rows))
        if p_value is not None:
            results_by_judge[name][JudgeMeasure.DISAGREES] = MeasureResult(
                p_value,
                row.segments,
            )


def _numbers_of_judges(tallies: JudgeTallies) -> tuple[int, int]:
    """Return the number of judges with judgments that count, and with attention checks."""
    judged = np.unique(tallies.lines.judge)
    checked = np.unique(tallies.damaged_places.judge)
    return len(judged), len(checked)


def _result_of_share(
    share: Share,
    p_value: float | None = None,
) -> MeasureResult | None:
    if share.value is None:
        return None
    return MeasureResult(share.value, share.trials, share.low, share.high, p_value)


def _shown_order(line: StraightLining) -> MeasureResult | None:
    return _result_of_share(line.shown_order, line.p_shuffled)


def _result_of_bias(bias: PositionBias) -> MeasureResult | None:
    if bias.p_value is None:
        return None
    return MeasureResult(bias.p_value, bias.blocks)


def _result_of_time(time: MedianTime | None) -> MeasureResult | None:
    if time is None:
        return None
    return MeasureResult(time.seconds, time.blocks, time.low, time.high)


def _kappa(share: Share, tied: Share) -> MeasureResult | None:
    """Return κ of a judge with themselves, with P(E) of Scott's π from their ties; None if it is undefined."""
    if tied.value is None:
        return None
    if share.value is None or share.low is None or share.high is None:
        return None
    p_chance = float(scott_chance(np.asarray(tied.value)))
    if p_chance >= 1:
        return None

    def kappa(agreeing: float) -> float:
        return (agreeing - p_chance) / (1 - p_chance)

    return MeasureResult(
        kappa(share.value),
        share.trials,
        low=kappa(share.low),
        high=kappa(share.high),
    )
