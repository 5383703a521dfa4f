"""Ratings as a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from protocols.rating.computed import CriterionFound, RatingOptions, RatingsFound
from protocols.rating.files import RatingsRead
from protocols.rating.judge_tables import (
    CRITERION_COLUMN,
    judges_table,
    outliers_table,
    proposed_items,
    proposed_table,
    removals_table,
    without_table,
)
from protocols.rating.statistics.agreement import Estimate
from protocols.rating.statistics.ratings import Criterion
from protocols.rating.wording import criterion_in_words, ranges_in_words
from ranking.code_version import code_version
from ranking.core.diagnosis.correlation import SampledCorrelation
from ranking.reports.correlations import in_figures_with_interval, interval_notes
from ranking.reports.inputs import Input, input_data
from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Report, Table, Value
from ranking.wording.agreement import kappa_shown, strength_caution, strength_in_words
from ranking.wording.numbers import decimals


def ratings_report(
    read: RatingsRead, found: RatingsFound, options: RatingOptions, *, given: Input | None = None
) -> Report:
    """Tell means, agreement, judges, outliers and what would be without them; `given` are judgments of a task."""
    tables = [_means(criterion, each) for criterion, each in found.criteria.items()]
    if len(found.criteria) > 1:
        tables.append(_both_means(found))
    tables += [_n_agreement(found), _kappas(found)]
    tables += [judges_table(criterion, each) for criterion, each in found.criteria.items()]
    tables += [outliers_table(found), removals_table(found, options.confidence)]
    tables += [without_table(criterion, each) for criterion, each in found.criteria.items()]
    if len(found.proposed_easy):
        tables.append(proposed_table(read, found))
    return Report(
        notes=[*_input_notes(read, given), *_notes(found, options)],
        tables=tables,
        data={
            "input": {**({} if given is None else input_data(given)), **_input_data(read)},
            "options": options,
            "criteria": {
                criterion: {
                    "means": each.means,
                    "judges": each.judges,
                    "outliers": each.outliers,
                    "overlap": each.overlap,
                    "removals": each.removals,
                    "not_standardised": each.not_standardised,
                }
                for criterion, each in found.criteria.items()
            },
            "agreement": found.agreement,
            "outliers_by_both": found.both,
            "adequacy_and_fluency": found.correlated,
            "proposed_easy": list(proposed_items(read, found)),
            "version": code_version(),
        },
    )


def _input_data(read: RatingsRead) -> dict[str, Any]:
    items = read.items
    return {
        "files": [{"name": file.name, "sha256": file.sha256} for file in read.files],
        "ratings": {criterion: len(each) for criterion, each in read.ratings.items()},
        "items": len(items),
        "segments": len(set(items.segment.tolist())),
        "systems": len(items.systems),
        "judges": len(next(iter(read.ratings.values())).judges),
        "conditions": list(items.conditions),
        "met_again": {criterion: each.met_again for criterion, each in read.ratings.items()},
        "excluded_judges": list(read.excluded_judges),
    }


def _input_notes(read: RatingsRead, given: Input | None) -> list[str]:
    data = _input_data(read)
    numbers = ", ".join(
        f"{criterion_in_words(criterion)}: {number_format(number)}"
        for criterion, number in data["ratings"].items()
    )
    notes = [
        _(
            "Texts: %(items)s; segments: %(segments)s; systems: %(systems)s; judges: %(judges)s. Ratings: %(numbers)s."
        )
        % {
            "numbers": numbers,
            **{
                name: number_format(data[name])
                for name in ("items", "segments", "systems", "judges")
            },
        }
    ]
    for criterion, number in data["met_again"].items():
        if number:
            notes.append(
                _(
                    "Warning: %(criterion)s: ratings by judges who rated another text of the segment: %(count)s."
                )
                % {"criterion": criterion_in_words(criterion), "count": number_format(number)}
            )
    if given is not None and given.is_reference_excluded:
        notes.append(_("Without the reference (%(name)s).") % {"name": given.reference})
    if read.excluded_judges:
        without = ngettext(
            "Without %(count)d judge: %(names)s.",
            "Without %(count)d judges: %(names)s.",
            len(read.excluded_judges),
        )
        names = ", ".join(read.excluded_judges)
        notes.append(without % {"count": len(read.excluded_judges), "names": names})
    return notes


def _notes(found: RatingsFound, options: RatingOptions) -> Iterator[str]:
    if options.merge:
        yield _("Points are merged: 1 and 2, 3, 4 and 5.")
    if options.standardise:
        yield _(
            "Means are of values standardised by judge, z = (x − mean) / standard deviation, which is not in Hamon et al. (2007)."
        )
        for criterion, each in found.criteria.items():
            if each.not_standardised:
                yield _("%(criterion)s, judges without a spread, left out: %(names)s.") % {
                    "criterion": criterion_in_words(criterion),
                    "names": ", ".join(each.not_standardised),
                }
    correlated = found.correlated
    if correlated is not None and correlated.of_ratings.pearson is not None:
        yield _(
            "Adequacy and fluency: Pearson’s r %(ratings)s of one judge’s ratings of one text, %(systems)s of the means of systems."
        ) % {
            "ratings": _with_interval(correlated.of_ratings),
            "systems": _with_interval(correlated.of_systems),
        }
        yield from interval_notes([correlated.of_systems], options.confidence)


def _with_interval(found: SampledCorrelation) -> str:
    if found.pearson is None:
        return "–"
    return in_figures_with_interval(found.pearson, found.pearson_low, found.pearson_high, 2)


def _two_decimals(value: float | None) -> str:
    return "–" if value is None else decimals(value, 2)


def _means(criterion: Criterion, found: CriterionFound) -> Table:
    means = found.means
    return Table(
        name=f"means_{criterion}",
        title=criterion_in_words(criterion),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            Column("mean", _("Mean")),
            Column("low", _("From")),
            Column("high", _("To")),
            Column("rank", _("Rank")),
            Column("rank_low", _("From")),
            Column("rank_high", _("To")),
            Column("cluster", _("Cluster")),
            Column("ratings", _("Ratings")),
            Column("deviation", "s"),
        ),
        rows=[
            (
                row.system,
                row.mean,
                row.low,
                row.high,
                row.rank,
                row.rank_low,
                row.rank_high,
                row.cluster,
                row.ratings,
                row.deviation,
            )
            for row in means.systems
        ],
        notes=ranges_in_words(means),
        rules=frozenset(
            place
            for place in range(len(means.systems) - 1)
            if means.systems[place].cluster != means.systems[place + 1].cluster
        ),
        plot=Plot(kind="intervals", label="system", value="mean", low="low", high="high"),
    )


def _both_means(found: RatingsFound) -> Table:
    """Return Figure 1 of Hamon et al. (2007): adequacy against fluency."""
    fluency, adequacy = (
        {row.system: row for row in found.criteria[criterion].means.systems}
        for criterion in (Criterion.FLUENCY, Criterion.ADEQUACY)
    )
    return Table(
        name="both",
        title=_("Adequacy against fluency"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            Column("fluency", _("Fluency")),
            Column("fluency_low", _("From")),
            Column("fluency_high", _("To")),
            Column("adequacy", _("Adequacy")),
            Column("adequacy_low", _("From")),
            Column("adequacy_high", _("To")),
        ),
        rows=[
            (
                name,
                fluency[name].mean,
                fluency[name].low,
                fluency[name].high,
                adequacy[name].mean,
                adequacy[name].low,
                adequacy[name].high,
            )
            for name in fluency
            if name in adequacy
        ],
        plot=Plot(kind="points", label="system", value="adequacy", low="fluency"),
    )


def _condition(name: str) -> str:
    return name or _("all")


def _n_agreement(found: RatingsFound) -> Table:
    """Return Table 1 of Hamon et al. (2007) with intervals, beside what chance alone would give."""
    return Table(
        name="n_agreement",
        title=_("Ratings of one text that differ by at most n points"),
        columns=(
            Column(CRITERION_COLUMN, _("Criterion"), is_text=True),
            Column("condition", _("Condition"), is_text=True),
            Column("points", _("Points")),
            Column("n", _("n"), is_text=True),
            Column("share", _("Agreeing"), decimals=2),
            Column("low", _("From"), decimals=2),
            Column("high", _("To"), decimals=2),
            Column("chance", _("Chance"), decimals=2),
            Column("beyond", _("beyond chance"), decimals=2),
            Column("beyond_low", _("From"), decimals=2),
            Column("beyond_high", _("To"), decimals=2),
        ),
        rows=[
            (
                criterion_in_words(each.criterion),
                _condition(each.condition),
                each.points,
                str(step.n),
                *_with_ends(step.share),
                step.expected,
                *_with_ends(step.corrected),
            )
            for each in found.agreement
            for step in each.agreement.n_agreement
        ],
        keys=4,
        notes=[
            _(
                "On five points used alike, chance alone gives 0.20, 0.52, 0.76, 0.92 and 1. Beyond chance: (agreeing − chance) / (1 − chance)."
            ),
            *_few_judges(found),
        ],
    )


def _few_judges(found: RatingsFound) -> list[str]:
    if all(each.agreement.for_judges or not each.agreement.pairs for each in found.agreement):
        return []
    return [
        _(
            "Intervals of agreement are not estimable yet where, without one of the judges, no text has two ratings: at least 3 judges are needed."
        )
    ]


def _with_ends(estimate: Estimate) -> tuple[Value, Value, Value]:
    return estimate.value, estimate.low, estimate.high


def _kappas(found: RatingsFound) -> Table:
    return Table(
        name="kappa",
        title=_("Agreement between judges"),
        columns=(
            Column(CRITERION_COLUMN, _("Criterion"), is_text=True),
            Column("condition", _("Condition"), is_text=True),
            Column("points", _("Points")),
            Column("kappa", _("κ")),
            Column("low", _("From")),
            Column("high", _("To")),
            Column("strength", _("In words"), is_text=True),
            Column("p_observed", _("P(A)")),
            Column("p_chance", _("P(E)")),
            Column("alpha", _("ordinal α")),
            Column("alpha_low", _("From")),
            Column("alpha_high", _("To")),
            Column("items", _("Texts")),
        ),
        rows=[
            (
                criterion_in_words(each.criterion),
                _condition(each.condition),
                each.points,
                kappa_shown(each.agreement.kappa.value, each.agreement.p_chance),
                each.agreement.kappa.low,
                each.agreement.kappa.high,
                strength_in_words(each.agreement.kappa.value),
                each.agreement.p_observed,
                each.agreement.p_chance,
                kappa_shown(each.agreement.alpha.value, each.agreement.p_chance),
                each.agreement.alpha.low,
                each.agreement.alpha.high,
                each.agreement.items,
            )
            for each in found.agreement
        ],
        keys=3,
        notes=[strength_caution(), *_few_judges(found)],
    )
