"""Tables of judges: their ratings, outliers among them, and the results without these."""

from operator import attrgetter, itemgetter

from django.utils.translation import gettext as _

from campaign.texts.joining import comma_list
from protocols.frame.scale.computed import CriterionResult, RatingsResult
from protocols.frame.scale.mean_tables import TWO_CRITERIA, system_named
from protocols.frame.scale.statistics.judges import RatingJudge
from protocols.frame.scale.statistics.outliers import Removal, Rule
from ranking.core.diagnosis.correlation import SampledCorrelation
from ranking.reports.correlations import correlation_columns, interval_notes
from ranking.reports.plots import LinePlot
from ranking.reports.tables import Column, Table, judge_column, of_part


def _rule_in_words(rule: Rule) -> str:
    """Return the name that Hamon et al. (2007) give a rule."""
    return {
        Rule.MEAN_SCORE: _("Mean score"),
        Rule.MEAN_AGREEMENT: _("Mean agreement"),
        Rule.EASY_ITEMS: _("Easy sentences"),
    }[rule]


def judges_table(criterion: str, name: str, criterion_result: CriterionResult) -> Table:
    """Return Figures 2 to 5 of Hamon et al. (2007): judges from the lowest mean to the highest."""

    def rules(row: RatingJudge) -> str:
        rule_labels = []
        for outlier in criterion_result.outliers:
            if row.judge in outlier.outliers:
                rule_labels.append(_rule_in_words(outlier.rule))
        return comma_list(rule_labels)

    return Table.of(
        sorted(criterion_result.judges, key=attrgetter("mean", "judge")),
        name=f"judges_{criterion}",
        title=_("Judges: %(criterion)s") % {"criterion": name},
        columns=(
            judge_column(),
            Column("ratings", _("Ratings")),
            Column("mean", _("Mean"), decimals=2),
            Column("others", _("Others on the same texts"), decimals=2),
            Column("difference", _("Difference"), decimals=2),
            Column("distance", _("Distance"), decimals=2),
            Column("easy", _("Easy texts")),
            Column(
                "easy_missed",
                _("Easy texts missed"),
                decimals=2,
                of=attrgetter("easy_share"),
            ),
            Column("stands_out", _("Outlier by"), is_text=True, of=rules),
        ),
        notes=[_("An outlier is a reason to look closer, not proof of bad work.")],
        plot=LinePlot(label="judge", value="mean"),
    )


def outliers_table(result: RatingsResult) -> Table:
    """Return Table 3 of Hamon et al. (2007)."""
    columns = [Column("rule", _("Rule"), is_text=True, of=_rule_in_words)]
    notes = []
    for criterion, of_criterion in result.criteria.items():
        counts = {}
        for outcome in of_criterion.outliers:
            counts[outcome.rule] = len(outcome.outliers)
        columns.append(
            Column(criterion, result.names[criterion], of=counts.__getitem__),
        )
        notes.append(
            _(
                "%(criterion)s: %(both)s outliers by both mean score and mean agreement (%(upper)s above, %(lower)s below).",
            )
            % {
                "criterion": result.names[criterion],
                "both": len(of_criterion.overlap.both),
                "upper": of_criterion.overlap.upper,
                "lower": of_criterion.overlap.lower,
            },
        )
    if result.in_all:
        if len(result.criteria) == TWO_CRITERIA:
            heading = _("Both")
        else:
            heading = _("All")
        counts_in_all = {}
        for rule, judges in result.in_all.items():
            counts_in_all[rule] = len(judges)
        columns.append(Column("both", heading, of=counts_in_all.__getitem__))
    return Table.of(
        Rule,
        name="outliers",
        title=_("Outliers by rule"),
        columns=columns,
        notes=notes,
    )


def _rule_of(removal: Removal) -> str:
    return _rule_in_words(removal.rule)


def _number_of_judges(removal: Removal) -> int:
    return len(removal.judges)


def removals_table(result: RatingsResult, confidence: float) -> Table:
    """Return Table 4 of Hamon et al. (2007), with the same for the removed judges alone."""
    removals = []
    for criterion, of_criterion in result.criteria.items():
        for row in of_criterion.removals:
            removals.append((result.names[criterion], row))
    correlations: list[SampledCorrelation] = []
    for _criterion, row in removals:
        correlations.extend((row.correlation, row.correlation_alone))
    return Table.of(
        removals,
        name="removals",
        title=_("System means without outliers"),
        columns=(
            Column("criterion", _("Criterion"), is_text=True, of=itemgetter(0)),
            *of_part(
                itemgetter(1),
                (
                    Column("rule", _("Rule"), is_text=True, of=_rule_of),
                    Column("judges", _("Judges"), of=_number_of_judges),
                    Column("share", _("Share of ratings"), decimals=2),
                    *of_part(
                        attrgetter("correlation"),
                        correlation_columns(confidence),
                    ),
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
            correlations,
            confidence,
        ),
    )


def means_without_outliers_table(
    criterion: str,
    name: str,
    criterion_result: CriterionResult,
) -> Table:
    """Return Figure 7 of Hamon et al. (2007) as a table."""
    official = {}
    for system, mean in criterion_result.removals[0].official.items():
        if mean is not None:
            official[system] = mean
    columns = [
        system_named(),
        Column("official", _("All judges"), decimals=2, of=official.get),
    ]
    for removal in criterion_result.removals:
        columns.append(
            Column(
                f"without_{removal.rule}",
                _rule_in_words(removal.rule),
                decimals=2,
                of=removal.without.get,
            ),
        )
    return Table.of(
        sorted(official, key=lambda system: (-official[system], system)),
        name=f"without_{criterion}",
        title=_("%(criterion)s: system means with and without outliers")
        % {"criterion": name},
        columns=columns,
    )
