"""Tables of mean ratings: by criterion, by all criteria, and by weights."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from operator import attrgetter
from typing import Final, NamedTuple

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from campaign.texts.joining import comma_list, labelled
from protocols.frame.scale.computed import RatingsResult, Weighted
from protocols.frame.scale.statistics.means import MeanRating, MeanRatings
from protocols.frame.tables import rules_between
from ranking.core.diagnosis.correlation import SampledCorrelation
from ranking.core.ranges import Correction
from ranking.reports.correlations import correlation_columns, interval_notes
from ranking.reports.plots import PointPlot, interval_plot
from ranking.reports.tables import Column, Table, end_columns, of_part, system_column
from ranking.reports.wording.methods import (
    lowered,
    not_yet_in_words,
    shortages_in_words,
)
from ranking.reports.wording.numbers import percent_in_figures

#: Criteria of which one is compared with the other in a plot and a sentence.
TWO_CRITERIA: Final = 2


def _ranges_in_words(means: MeanRatings) -> Iterator[str]:
    """Describe the intervals and rank ranges of mean ratings, and their limits, in sentences."""
    shortages = {}
    for row in means.systems:
        if row.shortage:
            shortages[row.system] = row.shortage
    if means.is_of_one:
        for shortage in shortages.values():
            yield _("Interval: %(why)s.") % {"why": lowered(not_yet_in_words(shortage))}
    else:
        yield from shortages_in_words(shortages, len(means.systems))
    if len(shortages) == len(means.systems):
        return
    yield _(
        "Intervals: Student’s t over segments and judges (%(confidence)s%% confidence).",
    ) % {"confidence": percent_in_figures(means.confidence)}
    if not means.is_of_one:
        yield _sets_in_words(means)
    unsure = []
    for row in means.systems:
        if row.standard_error is None and row.shortage is None:
            unsure.append(row.system)
    if unsure:
        yield _(
            "Warning: no intervals for %(systems)s, because there are too few ratings or all are equal.",
        ) % {"systems": comma_list(unsure)}


def _sets_in_words(means: MeanRatings) -> str:
    if means.correction is Correction.HOLM:
        return _("Ranks: simultaneous confidence sets.")
    return _("Ranks: a separate confidence set for each system.")


def means_table(title: str, means: MeanRatings, *, name: str) -> Table:
    """Return the mean of each system with its interval and rank; one system alone has no rank."""
    ranks = [Column("rank", _("Rank")), *end_columns("rank_")]
    ranks.append(Column("cluster", _("Cluster")))
    if means.is_of_one:
        ranks = []
    return Table.of(
        means.systems,
        name=name,
        title=title,
        columns=(
            system_column(),
            Column("mean", _("Mean")),
            *end_columns(),
            *ranks,
            Column("ratings", _("Ratings")),
            Column("deviation", "s"),
        ),
        notes=[*_ranges_in_words(means)],
        rules=rules_between([row.cluster for row in means.systems]),
        plot=interval_plot(
            "system",
            "mean",
            start=means.lowest,
            end=means.highest,
            is_whole=means.lowest is not None,
        ),
    )


def weighted_means_table(weighted: Weighted, names: Mapping[str, str]) -> Table:
    """Return the systems in the order of their weighted means."""
    weights_in_words = []
    for key, weight in weighted.weights.items():
        weights_in_words.append(labelled(names[key], number_format(weight)))
    weights = comma_list(weights_in_words)
    table = means_table(_("Ranking by weights"), weighted.means, name="weighted")
    return replace(
        table,
        notes=[_("Weights: %(weights)s.") % {"weights": weights}, *table.notes],
    )


def all_means_table(result: RatingsResult) -> Table:
    """Return the mean of each system by each criterion; for two criteria, with Figure 1 of Hamon et al. (2007)."""
    means = {}
    for criterion, criterion_result in result.criteria.items():
        of_criterion = {}
        for row in criterion_result.means.systems:
            of_criterion[row.system] = row
        means[criterion] = of_criterion
    first, *others = means
    listed = []
    for name in means[first]:
        if all(name in means[other] for other in others):
            listed.append(name)
    columns = [system_named()]
    for criterion, of_systems in means.items():
        columns += _mean_columns(criterion, result.names[criterion], of_systems)
    table = Table.of(
        listed,
        name="systems",
        title=_("Systems by criteria"),
        columns=columns,
    )
    if len(means) > TWO_CRITERIA:
        return table
    [second] = others
    return replace(
        table,
        name="both",
        title=_("%(later)s against %(one)s")
        % {"later": result.names[second], "one": result.names[first]},
        plot=PointPlot(label="system", value=second, x=first),
    )


def system_named() -> Column:
    """Return the column of rows that are names of systems."""
    return Column("system", _("System"), is_text=True, names="system", of=str)


def _mean_columns(
    criterion: str,
    heading: str,
    means: Mapping[str, MeanRating],
) -> tuple[Column, ...]:
    def mean(name: str) -> float:
        return means[name].mean

    return (
        Column(criterion, heading, of=mean),
        *end_columns(f"{criterion}_", of=means.__getitem__),
    )


class _CorrelationRow(NamedTuple):
    one: str
    other: str
    of_ratings: SampledCorrelation
    of_systems: SampledCorrelation


def correlations_table(result: RatingsResult, confidence: float) -> Table:
    """Return the correlation of each two criteria, over ratings and over systems."""
    rows = []
    for (other, one), correlation in result.correlated.items():
        row = _CorrelationRow(
            one=result.names[one],
            other=result.names[other],
            of_ratings=correlation.of_ratings,
            of_systems=correlation.of_systems,
        )
        rows.append(row)
    return Table.of(
        rows,
        name="correlations",
        title=_("Correlation of criteria"),
        columns=(
            Column("one", _("Criterion"), is_text=True),
            Column("other", _("Other criterion"), is_text=True),
            *of_part(
                attrgetter("of_ratings"),
                correlation_columns(
                    confidence,
                    suffix="_ratings",
                    pearson=_("Pearson, ratings"),
                    spearman=_("Spearman, ratings"),
                ),
            ),
            *of_part(
                attrgetter("of_systems"),
                correlation_columns(
                    confidence,
                    suffix="_systems",
                    pearson=_("Pearson, system means"),
                    spearman=_("Spearman, system means"),
                ),
            ),
        ),
        keys=2,
        notes=interval_notes([row.of_systems for row in rows], confidence),
    )
