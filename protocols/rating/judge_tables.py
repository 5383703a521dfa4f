"""The tables of a report that tell of judges: who stands out, and what would be without them."""

from __future__ import annotations

from collections.abc import Iterator

from django.utils.translation import gettext as _

from protocols.rating.computed import CriterionFound, RatingsFound
from protocols.rating.files import RatingsRead
from protocols.rating.statistics.outliers import Rule
from protocols.rating.statistics.ratings import Criterion
from protocols.rating.wording import criterion_in_words, rule_in_words
from ranking.reports.correlations import (
    correlation_cells,
    correlation_columns,
    interval_notes,
)
from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Table, Value

CRITERION_COLUMN = "criterion"


def judges_table(criterion: Criterion, found: CriterionFound) -> Table:
    """Return Figures 2 to 5 of Hamon et al. (2007): judges from the lowest mean to the highest."""
    return Table(
        name=f"judges_{criterion}",
        title=_("Judges: %(criterion)s") % {"criterion": criterion_in_words(criterion)},
        columns=(
            Column("judge", _("Judge"), is_text=True, names="judge"),
            Column("ratings", _("Ratings")),
            Column("mean", _("Mean"), decimals=2),
            Column("others", _("Others on the same texts"), decimals=2),
            Column("difference", _("Difference"), decimals=2),
            Column("distance", _("Distance"), decimals=2),
            Column("easy", _("Easy")),
            Column("easy_missed", _("Easy missed"), decimals=2),
            Column("stands_out", _("Stands out by"), is_text=True),
        ),
        rows=[
            (
                row.judge,
                row.ratings,
                row.mean,
                row.others,
                row.difference,
                row.distance,
                row.easy,
                row.easy_share,
                ", ".join(
                    rule_in_words(each.rule)
                    for each in found.outliers
                    if row.judge in each.outliers
                ),
            )
            for row in sorted(found.judges, key=lambda row: (row.mean, row.judge))
        ],
        notes=[_("An outlier is someone to look at, not a culprit.")],
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
        title=_("Judges who stand out, by rule"),
        columns=(
            Column("rule", _("Rule"), is_text=True),
            *(Column(criterion, criterion_in_words(criterion)) for criterion in criteria),
            *([Column("both", _("Both"))] if found.both else []),
        ),
        rows=rows,
        notes=[
            _(
                "%(criterion)s: %(both)s by both mean score and mean agreement, %(upper)s of them above the others and %(lower)s below."
            )
            % {
                "criterion": criterion_in_words(criterion),
                "both": len(each.overlap.both),
                "upper": each.overlap.upper,
                "lower": each.overlap.lower,
            }
            for criterion, each in found.criteria.items()
        ],
    )


def removals_table(found: RatingsFound, confidence: float) -> Table:
    """Return Table 4 of Hamon et al. (2007), and the same of the removed judges alone."""
    return Table(
        name="removals",
        title=_("Means of systems without the judges who stand out"),
        columns=(
            Column(CRITERION_COLUMN, _("Criterion"), is_text=True),
            Column("rule", _("Rule"), is_text=True),
            Column("judges", _("Judges")),
            Column("share", _("Share of ratings"), decimals=2),
            *correlation_columns(confidence),
            *correlation_columns(
                confidence,
                suffix="_alone",
                pearson=_("Pearson, theirs alone"),
                spearman=_("Spearman, theirs alone"),
            ),
            Column("mean_kept", _("Mean without them"), decimals=2),
            Column("mean_removed", _("Their mean"), decimals=2),
        ),
        rows=[
            (
                criterion_in_words(criterion),
                rule_in_words(row.rule),
                len(row.judges),
                row.share,
                *correlation_cells(row.correlation),
                *correlation_cells(row.correlation_alone),
                row.mean_kept,
                row.mean_removed,
            )
            for criterion, each in found.criteria.items()
            for row in each.removals
        ],
        keys=2,
        notes=interval_notes(
            [
                correlation
                for each in found.criteria.values()
                for row in each.removals
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
        title=_("%(criterion)s: mean of each system by all judges, and without those of a rule")
        % {"criterion": criterion_in_words(criterion)},
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


def proposed_items(read: RatingsRead, found: RatingsFound) -> Iterator[tuple[int, list[str]]]:
    items = read.items
    for place in found.proposed_easy.tolist():
        wrote = [name for name, own in zip(items.systems, items.wrote[place], strict=True) if own]
        yield int(items.segment[place]), wrote


def proposed_table(read: RatingsRead, found: RatingsFound) -> Table:
    ratings = next(iter(read.ratings.values())).counts().sum(axis=1)
    return Table(
        name="proposed_easy",
        title=_("Texts that may be easy, to be read: all their judges gave the most points"),
        columns=(
            Column("segment", _("Segment"), is_text=True, names="segment"),
            Column("systems", _("Systems"), is_text=True),
            Column("ratings", _("Ratings")),
        ),
        rows=[
            (str(segment), ", ".join(systems), count)
            for (segment, systems), count in zip(
                proposed_items(read, found), ratings[found.proposed_easy].tolist(), strict=True
            )
        ][:20],
        keys=2,
    )
