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
    reference_ignored,
    reference_margins,
    reference_preferences,
    straight_lining,
    typed_in_order,
)
from ranking.core.judges.diagnosis import disagreement
from ranking.core.judges.patterns import position_bias, tie_sums
from ranking.core.judges.repeats import repeat_sums
from ranking.core.judges.shares import Share, shares_of_sums
from ranking.core.judges.tallies import JudgeTallies, median_times_of_tallies

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
    if any(np.any(sums.values[:, 0] < 0) for sums in tallies.sums().values()):
        raise ValueError("tallies: more was subtracted than had been added")
    judged, checked = _numbers_of_judges(tallies)
    own = tallies if judges is None else tallies.only(judges)
    found: MeasuresByJudge = {name: {} for name in own.judges}
    count = len(found)
    margins = reference_margins(own.places, count)
    damaged = reference_margins(own.damaged_places, count)
    tied_sums = tie_sums(own.lines, count, best_worst=best_worst)
    sums = margins.sums, damaged.sums, tied_sums, repeat_sums(own.repeats, count)
    # All at once, because the overhead of a call exceeds the cost of the quantiles.
    shares = iter(shares_of_sums(np.concatenate(sums), confidence=_CONFIDENCE))
    preferred = list(islice(shares, count))
    rejected = list(islice(shares, count))
    ties = list(islice(shares, count))
    intra = list(islice(shares, count))
    _preferences(found, JudgeMeasure.REFERENCE, margins, preferred)
    ignored = reference_ignored(margins, odds=REFERENCE_ODDS)
    _keep_evidence(found, JudgeMeasure.REFERENCE_IGNORED, ignored, judged)
    _preferences(found, JudgeMeasure.BAD_REFERENCE, damaged, rejected)
    ignored = reference_ignored(damaged, odds=DAMAGE_ODDS)
    _keep_evidence(found, JudgeMeasure.DAMAGE_IGNORED, ignored, checked)
    for results, tied, again in zip(found.values(), ties, intra, strict=True):
        _keep(results, JudgeMeasure.TIES, _result_of_share(tied))
        _keep(results, JudgeMeasure.INTRA, _kappa(again, tied))
    _order_of_labels(found, own, judged)
    times = median_times_of_tallies(own.times, count, confidence=_CONFIDENCE)
    for results, time in zip(found.values(), times, strict=True):
        if time is not None:
            results[JudgeMeasure.SECONDS] = MeasureResult(
                time.seconds, time.blocks, time.low, time.high
            )
    return found


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


def add_pace(found: MeasuresByJudge, words: float | None) -> None:
    """Add `JudgeMeasure.PACE` for known times, given the words of an average block; does nothing if they are None."""
    if not words:
        return
    for results in found.values():
        time = results.get(JudgeMeasure.SECONDS)
        if time is None or not time.value or not time.low or not time.high:
            continue
        pace = words / time.value
        low, high = words / time.high, words / time.low
        results[JudgeMeasure.PACE] = MeasureResult(pace, time.evidence, low, high)


def add_disagreement(found: MeasuresByJudge, agreement: AgreementTallies) -> None:
    """Add `JudgeMeasure.DISAGREES` to the measures of judges, who must all be in `found`."""
    rows = disagreement(agreement)
    for name, row in zip(agreement.judges, rows, strict=True):
        p_value = row.p_value(len(rows))
        if p_value is not None:
            found[name][JudgeMeasure.DISAGREES] = MeasureResult(p_value, row.segments)


def _numbers_of_judges(tallies: JudgeTallies) -> tuple[int, int]:
    """Return the number of judges with judgments that count, and with attention checks."""
    judged = np.unique(tallies.lines.judge)
    checked = np.unique(tallies.damaged_places.judge)
    return len(judged), len(checked)


def _keep(
    results: dict[str, MeasureResult],
    measure: JudgeMeasure,
    result: MeasureResult | None,
) -> None:
    if result is not None:
        results[measure] = result


def _keep_evidence(
    found: MeasuresByJudge,
    measure: JudgeMeasure,
    evidence: Iterable[ClickingEvidence],
    judges: int,
) -> None:
    for results, row in zip(found.values(), evidence, strict=True):
        if row.blocks:
            results[measure] = MeasureResult(row.p_value(judges), row.blocks)


def _result_of_share(
    share: Share, p_value: float | None = None
) -> MeasureResult | None:
    if share.value is None:
        return None
    return MeasureResult(share.value, share.trials, share.low, share.high, p_value)


def _preferences(
    found: MeasuresByJudge,
    measure: JudgeMeasure,
    margins: ReferenceMargins,
    shares: list[Share],
) -> None:
    random = JudgeMeasure(f"{measure}_random")
    preferences = reference_preferences(margins)
    for results, preference, share in zip(
        found.values(), preferences, shares, strict=True
    ):
        if preference.p_random is None or preference.p_lowest is None:
            continue
        _keep(results, measure, _result_of_share(share, preference.p_random))
        if preference.p_lowest <= _MAX_LOWEST_P:
            results[random] = MeasureResult(preference.p_random, preference.comparisons)


def _order_of_labels(
    found: MeasuresByJudge, tallies: JudgeTallies, judges: int
) -> None:
    lines = straight_lining(tallies.lines, len(found), confidence=_CONFIDENCE)
    for results, line in zip(found.values(), lines, strict=True):
        _keep(results, JudgeMeasure.ONE_LABEL, _result_of_share(line.one_label))
        shown_order = _result_of_share(line.shown_order, line.p_shuffled)
        _keep(results, JudgeMeasure.SHOWN_ORDER, shown_order)
    typed = typed_in_order(tallies.lines, len(found))
    _keep_evidence(found, JudgeMeasure.TYPED_IN_ORDER, typed, judges)
    biases = position_bias(tallies.positions, len(found))
    for results, bias in zip(found.values(), biases, strict=True):
        if bias.p_value is not None:
            results[JudgeMeasure.POSITION] = MeasureResult(bias.p_value, bias.blocks)


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

    low, high = kappa(share.low), kappa(share.high)
    return MeasureResult(kappa(share.value), share.trials, low, high)
