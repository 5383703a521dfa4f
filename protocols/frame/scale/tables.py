"""Ratings as tables with explanations: means, agreement, judges, outliers, and the results without them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from operator import attrgetter, itemgetter
from typing import Any

from django.utils.formats import number_format
from django.utils.translation import gettext as _

from campaign.models.system import system_label
from protocols.frame.lines import AnswersRead
from protocols.frame.scale.computed import AgreementOf, CriterionFound, RatingsFound
from protocols.frame.scale.statistics.means import MeanRatings
from protocols.frame.scale.statistics.outliers import Rule
from protocols.frame.tables import files_data, rules_between
from protocols.models import Criterion
from ranking.code_version import code_version
from ranking.core.diagnosis.correlation import SampledCorrelation
from ranking.core.ranges import Correction
from ranking.reports.correlations import (
    correlation_columns,
    in_figures_with_interval,
    interval_notes,
)
from ranking.reports.inputs import AnswersOfFiles, Input, excluded_notes, input_data
from ranking.reports.tables import Column, Plot, Report, Table, Value, of_part
from ranking.wording.agreement import kappa_shown, strength_caution, strength_in_words
from ranking.wording.methods import shortages_in_words
from ranking.wording.numbers import percent_in_figures


def rule_in_words(rule: Rule) -> str:
    """Return the name that Hamon et al. (2007) give a rule."""
    return {
        Rule.MEAN_SCORE: _("Mean score"),
        Rule.MEAN_AGREEMENT: _("Mean agreement"),
        Rule.EASY_ITEMS: _("Easy sentences"),
    }[rule]


def ranges_in_words(found: MeanRatings) -> list[str]:
    """Describe the intervals and rank ranges of mean ratings, and their limits, in sentences."""
    shortages = {row.system: row.shortage for row in found.systems if row.shortage}
    said = shortages_in_words(shortages, len(found.systems))
    if len(shortages) == len(found.systems):
        return said
    said.append(
        _("Intervals: Student’s t over segments and judges (%(confidence)s%% confidence).")
        % {"confidence": percent_in_figures(found.confidence)}
    )
    if found.correction is Correction.HOLM:
        said.append(_("Ranks: simultaneous confidence sets."))
    else:
        said.append(_("Ranks: a separate confidence set for each system."))
    unsure = [
        row.system for row in found.systems if row.standard_error is None and row.shortage is None
    ]
    if unsure:
        said.append(
            _(
                "Warning: no intervals for %(systems)s, because there are too few ratings or all are equal."
            )
            % {"systems": ", ".join(unsure)}
        )
    return said


def ratings_report(
    given: Input | AnswersOfFiles, found: RatingsFound, options: Mapping[str, Any]
) -> Report:
    """Report means, agreement, judges, outliers, and the results without them."""
    tables = [_means(criterion, each) for criterion, each in found.criteria.items()]
    if len(found.criteria) > 1:
        tables.append(_both_means(found))
    tables += [_n_agreement(found), _kappas(found)]
    tables += [judges_table(criterion, each) for criterion, each in found.criteria.items()]
    tables += [outliers_table(found), removals_table(found, options["confidence"])]
    tables += [without_table(criterion, each) for criterion, each in found.criteria.items()]
    if len(found.proposed_easy):
        tables.append(proposed_table(found))
    return Report(
        about=_input_notes(found, given),
        notes=list(_notes(found, options)),
        tables=tables,
        data={
            "input": {
                **(input_data(given) if isinstance(given, Input) else {}),
                **_input_data(found, given.answers),
            },
            "options": options,
            "criteria": found.criteria,
            "agreement": found.agreement,
            "outliers_by_both": found.both,
            "adequacy_and_fluency": found.correlated,
            "proposed_easy": list(proposed_items(found)),
            "version": code_version(),
        },
    )


def _input_data(found: RatingsFound, read: AnswersRead[Any]) -> dict[str, Any]:
    items = found.items
    return {
        "files": files_data(read.files),
        "ratings": {criterion: len(each) for criterion, each in found.ratings.items()},
        "items": len(items),
        "segments": len(set(items.segment.tolist())),
        "systems": len(items.systems),
        "judges": len(next(iter(found.ratings.values())).judges),
        "conditions": list(items.conditions),
        "met_again": {criterion: each.met_again for criterion, each in found.ratings.items()},
        "excluded_judges": list(read.excluded_judges),
    }


def _input_notes(found: RatingsFound, given: Input | AnswersOfFiles) -> list[str]:
    data = _input_data(found, given.answers)
    numbers = ", ".join(
        f"{criterion.label}: {number_format(number)}"
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
                    "Warning: %(criterion)s: ratings by judges who rated another text of the same segment: %(count)s."
                )
                % {"criterion": criterion.label, "count": number_format(number)}
            )
    if isinstance(given, Input) and given.is_reference_excluded:
        notes.append(_("Left out: %(systems)s.") % {"systems": system_label(str(given.reference))})
    return [*notes, *excluded_notes(given.answers.excluded_judges)]


def _notes(found: RatingsFound, options: Mapping[str, Any]) -> Iterator[str]:
    if options["merge"]:
        yield _("Points are merged: 1–2, 3, 4–5.")
    if options["standardise"]:
        yield _(
            "Means of values standardized by judge, z = (x − mean) / standard deviation (not in Hamon et al. 2007)."
        )
        for criterion, each in found.criteria.items():
            if each.not_standardised:
                yield _(
                    "%(criterion)s: judges whose ratings are all equal are left out: %(names)s."
                ) % {
                    "criterion": criterion.label,
                    "names": ", ".join(each.not_standardised),
                }
    correlated = found.correlated
    if correlated is not None and correlated.of_ratings.pearson is not None:
        yield _(
            "Adequacy and fluency: Pearson’s r is %(ratings)s for single ratings and %(systems)s for system means."
        ) % {
            "ratings": _with_interval(correlated.of_ratings),
            "systems": _with_interval(correlated.of_systems),
        }
        yield from interval_notes([correlated.of_systems], options["confidence"])


def _with_interval(found: SampledCorrelation) -> str:
    if found.pearson is None:
        return "–"
    return in_figures_with_interval(found.pearson, found.pearson_low, found.pearson_high, 2)


def _means(criterion: Criterion, found: CriterionFound) -> Table:
    means = found.means
    return Table.of(
        means.systems,
        name=f"means_{criterion}",
        title=str(criterion.label),
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
        notes=ranges_in_words(means),
        rules=rules_between([row.cluster for row in means.systems]),
        plot=Plot(kind="intervals", label="system", value="mean", low="low", high="high"),
    )


def _both_means(found: RatingsFound) -> Table:
    """Return Figure 1 of Hamon et al. (2007): adequacy against fluency."""
    fluency, adequacy = (
        {row.system: row for row in found.criteria[criterion].means.systems}
        for criterion in (Criterion.FLUENCY, Criterion.ADEQUACY)
    )
    return Table.of(
        [name for name in fluency if name in adequacy],
        name="both",
        title=_("Adequacy against fluency"),
        columns=(
            Column("system", _("System"), is_text=True, names="system", of=lambda name: name),
            Column("fluency", str(Criterion.FLUENCY.label), of=lambda name: fluency[name].mean),
            Column("fluency_low", _("From"), of=lambda name: fluency[name].low),
            Column("fluency_high", _("To"), of=lambda name: fluency[name].high),
            Column("adequacy", str(Criterion.ADEQUACY.label), of=lambda name: adequacy[name].mean),
            Column("adequacy_low", _("From"), of=lambda name: adequacy[name].low),
            Column("adequacy_high", _("To"), of=lambda name: adequacy[name].high),
        ),
        plot=Plot(kind="points", label="system", value="adequacy", low="fluency"),
    )


def _part(of: Callable[[Any], AgreementOf]) -> tuple[Column, ...]:
    """Return columns that name the part of the ratings a row describes."""
    return (
        Column(
            "criterion",
            _("Criterion"),
            is_text=True,
            of=lambda row: str(of(row).criterion.label),
        ),
        Column(
            "condition", _("Condition"), is_text=True, of=lambda row: of(row).condition or _("All")
        ),
        Column("points", _("Points"), of=lambda row: of(row).points),
    )


def _n_agreement(found: RatingsFound) -> Table:
    """Return Table 1 of Hamon et al. (2007) with intervals and the values expected by chance."""
    return Table.of(
        [(each, step) for each in found.agreement for step in each.agreement.n_agreement],
        name="n_agreement",
        title=_("Ratings of the same text that differ by at most n points"),
        columns=(
            *_part(lambda row: row[0]),
            Column("n", _("n"), is_text=True, of=lambda row: str(row[1].n)),
            Column("share", _("Agreeing"), decimals=2, of=lambda row: row[1].share.value),
            Column("low", _("From"), decimals=2, of=lambda row: row[1].share.low),
            Column("high", _("To"), decimals=2, of=lambda row: row[1].share.high),
            Column("chance", _("Chance"), decimals=2, of=lambda row: row[1].expected),
            Column("beyond", _("Beyond chance"), decimals=2, of=lambda row: row[1].corrected.value),
            Column("beyond_low", _("From"), decimals=2, of=lambda row: row[1].corrected.low),
            Column("beyond_high", _("To"), decimals=2, of=lambda row: row[1].corrected.high),
        ),
        keys=4,
        notes=[
            _(
                "With five equally used points, chance gives 0.20, 0.52, 0.76, 0.92 and 1. Beyond chance: (agreeing − chance) / (1 − chance)."
            ),
            *_few_judges(found),
        ],
    )


def _few_judges(found: RatingsFound) -> list[str]:
    if all(each.agreement.for_judges or not each.agreement.pairs for each in found.agreement):
        return []
    return [_("No intervals for agreement yet: at least 3 judges must share texts.")]


def _kappas(found: RatingsFound) -> Table:
    return Table.of(
        found.agreement,
        name="kappa",
        title=_("Agreement between judges"),
        columns=(
            *_part(lambda each: each),
            Column(
                "kappa",
                _("κ"),
                of=lambda each: kappa_shown(each.agreement.kappa.value, each.agreement.p_chance),
            ),
            Column("low", _("From"), of=lambda each: each.agreement.kappa.low),
            Column("high", _("To"), of=lambda each: each.agreement.kappa.high),
            Column(
                "strength",
                _("Strength"),
                is_text=True,
                of=lambda each: strength_in_words(each.agreement.kappa.value),
            ),
            Column("p_observed", _("P(A)"), of=lambda each: each.agreement.p_observed),
            Column("p_chance", _("P(E)"), of=lambda each: each.agreement.p_chance),
            Column(
                "alpha",
                _("ordinal α"),
                of=lambda each: kappa_shown(each.agreement.alpha.value, each.agreement.p_chance),
            ),
            Column("alpha_low", _("From"), of=lambda each: each.agreement.alpha.low),
            Column("alpha_high", _("To"), of=lambda each: each.agreement.alpha.high),
            Column("items", _("Texts"), of=lambda each: each.agreement.items),
        ),
        keys=3,
        notes=[strength_caution(), *_few_judges(found)],
    )


def judges_table(criterion: Criterion, found: CriterionFound) -> Table:
    """Return Figures 2 to 5 of Hamon et al. (2007): judges from the lowest mean to the highest."""
    return Table.of(
        sorted(found.judges, key=lambda row: (row.mean, row.judge)),
        name=f"judges_{criterion}",
        title=_("Judges: %(criterion)s") % {"criterion": criterion.label},
        columns=(
            Column("judge", _("Judge"), is_text=True, names="judge"),
            Column("ratings", _("Ratings")),
            Column("mean", _("Mean"), decimals=2),
            Column("others", _("Others on the same texts"), decimals=2),
            Column("difference", _("Difference"), decimals=2),
            Column("distance", _("Distance"), decimals=2),
            Column("easy", _("Easy texts")),
            Column(
                "easy_missed", _("Easy texts missed"), decimals=2, of=lambda row: row.easy_share
            ),
            Column(
                "stands_out",
                _("Outlier by"),
                is_text=True,
                of=lambda row: ", ".join(
                    rule_in_words(each.rule)
                    for each in found.outliers
                    if row.judge in each.outliers
                ),
            ),
        ),
        notes=[_("An outlier is a reason to look closer, not proof of bad work.")],
        plot=Plot(kind="line", label="judge", value="mean"),
    )


def outliers_table(found: RatingsFound) -> Table:
    """Return Table 3 of Hamon et al. (2007)."""
    criteria = list(found.criteria)
    rows: list[tuple[Value, ...]] = []
    for place, rule in enumerate(Rule):
        outcomes = [each.outliers[place] for each in found.criteria.values()]
        both = [len(found.both[rule])] if found.both else []
        rows.append((rule_in_words(rule), *(len(each.outliers) for each in outcomes), *both))
    return Table(
        name="outliers",
        title=_("Outliers by rule"),
        columns=(
            Column("rule", _("Rule"), is_text=True),
            *(Column(criterion, str(criterion.label)) for criterion in criteria),
            *([Column("both", _("Both"))] if found.both else []),
        ),
        rows=rows,
        notes=[
            _(
                "%(criterion)s: %(both)s outliers by both mean score and mean agreement (%(upper)s above, %(lower)s below)."
            )
            % {
                "criterion": criterion.label,
                "both": len(each.overlap.both),
                "upper": each.overlap.upper,
                "lower": each.overlap.lower,
            }
            for criterion, each in found.criteria.items()
        ],
    )


def removals_table(found: RatingsFound, confidence: float) -> Table:
    """Return Table 4 of Hamon et al. (2007), with the same for the removed judges alone."""
    removals = [
        (str(criterion.label), row)
        for criterion, each in found.criteria.items()
        for row in each.removals
    ]
    return Table.of(
        removals,
        name="removals",
        title=_("System means without outliers"),
        columns=(
            Column("criterion", _("Criterion"), is_text=True, of=itemgetter(0)),
            *of_part(
                itemgetter(1),
                (
                    Column("rule", _("Rule"), is_text=True, of=lambda row: rule_in_words(row.rule)),
                    Column("judges", _("Judges"), of=lambda row: len(row.judges)),
                    Column("share", _("Share of ratings"), decimals=2),
                    *of_part(attrgetter("correlation"), correlation_columns(confidence)),
                    *of_part(
                        attrgetter("correlation_alone"),
                        correlation_columns(
                            confidence,
                            suffix="_alone",
                            pearson=_("Pearson, outliers only"),
                            spearman=_("Spearman, outliers only"),
                        ),
                    ),
                    Column("mean_kept", _("Mean without outliers"), decimals=2),
                    Column("mean_removed", _("Mean of outliers"), decimals=2),
                ),
            ),
        ),
        keys=2,
        notes=interval_notes(
            [
                correlation
                for _criterion, row in removals
                for correlation in (row.correlation, row.correlation_alone)
            ],
            confidence,
        ),
    )


def without_table(criterion: Criterion, found: CriterionFound) -> Table:
    """Return Figure 7 of Hamon et al. (2007) as a table."""
    official = found.removals[0].official
    ordered = sorted(official, key=lambda name: (-(official[name] or 0.0), name))
    return Table(
        name=f"without_{criterion}",
        title=_("%(criterion)s: system means with and without outliers")
        % {"criterion": criterion.label},
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            Column("official", _("All judges"), decimals=2),
            *(
                Column(f"without_{each.rule}", rule_in_words(each.rule), decimals=2)
                for each in found.removals
            ),
        ),
        rows=[
            (name, official[name], *(each.without[name] for each in found.removals))
            for name in ordered
            if official[name] is not None
        ],
    )


def proposed_items(found: RatingsFound) -> Iterator[tuple[int, list[str]]]:
    items = found.items
    for place in found.proposed_easy.tolist():
        wrote = [name for name, own in zip(items.systems, items.wrote[place], strict=True) if own]
        yield int(items.segment[place]), wrote


def proposed_table(found: RatingsFound) -> Table:
    ratings = next(iter(found.ratings.values())).counts().sum(axis=1)
    return Table(
        name="proposed_easy",
        title=_("Candidates for easy texts: every judge gave the highest rating"),
        columns=(
            Column("segment", _("Segment"), is_text=True, names="segment"),
            Column("systems", _("Systems"), is_text=True),
            Column("ratings", _("Ratings")),
        ),
        rows=[
            (str(segment), ", ".join(systems), count)
            for (segment, systems), count in zip(
                proposed_items(found), ratings[found.proposed_easy].tolist(), strict=True
            )
        ][:20],
        keys=2,
    )
