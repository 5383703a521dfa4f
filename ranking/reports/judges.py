"""The diagnosis of judges as a report."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.judges.diagnosis import JudgeDiagnosis
from ranking.core.judges.outliers import RankingWithout, RuleOutcome
from ranking.core.judges.repeats import SelfAgreement
from ranking.reports.correlations import (
    correlation_cells,
    correlation_columns,
    interval_notes,
)
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.plots import Plot
from ranking.reports.tables import Column, Report, Table, Value
from ranking.wording.agreement import strength_caution, strength_in_words
from ranking.wording.outlier_rules import outlier_rule_in_words


def judges_report(
    given: Input,
    judges: Sequence[JudgeDiagnosis],
    rules: Sequence[RuleOutcome],
    without: dict[str, RankingWithout],
    themselves: Sequence[SelfAgreement],
    *,
    confidence: float,
) -> Report:
    """Tell who stands out, by which rule, what the ranking is without them, and κ of judges with themselves.

    `without` has the rules' names as keys, and "any" for the judges of any rule; `confidence` is that of
    the intervals of their correlations.
    """
    skipped = given.read.skipped_by
    return Report(
        notes=[
            *input_notes(given),
            _("An outlier is someone to look at, not a culprit."),
        ],
        tables=[
            _judges(judges, rules, skipped),
            *_themselves(themselves),
            _rules(rules, without, confidence),
        ],
        data={
            "input": input_data(given),
            "judges": judges,
            "themselves": themselves,
            "skipped": skipped,
            "outliers": rules,
            "ranking_without": without,
            "version": code_version(),
        },
    )


def _judges(
    judges: Sequence[JudgeDiagnosis], rules: Sequence[RuleOutcome], skipped: dict[str, int]
) -> Table:
    return Table(
        name="judges",
        title=_("Judges"),
        columns=(
            Column("judge", _("Judge"), is_text=True, names="judge"),
            Column("blocks", _("Blocks"), counts="judgments"),
            Column("skipped", _("Skipped"), counts="skipped"),
            Column("kappa", _("κ with others"), decimals=2),
            Column("kappa_low", _("From"), decimals=2),
            Column("kappa_high", _("To"), decimals=2),
            Column("strength", _("In words"), is_text=True),
            Column("deviation", _("Label − others'"), decimals=2),
            Column("distance", _("Distance"), decimals=2),
            Column("easy_missed", _("Easy missed"), decimals=2),
            Column("reference_preferred", _("Reference"), decimals=2),
            Column("p_random", _("p (random)")),
            Column("median_seconds", _("Seconds"), decimals=0),
            Column("stands_out", _("Stands out by"), is_text=True),
        ),
        rows=[
            (
                judge.judge,
                judge.blocks,
                skipped.get(judge.judge, 0),
                judge.agreement.kappa,
                judge.agreement.low,
                judge.agreement.high,
                strength_in_words(judge.agreement.kappa, judge.agreement.reason),
                judge.labels.deviation,
                judge.labels.distance,
                judge.easy.share_missed,
                *_reference_and_time(judge),
                ", ".join(
                    outlier_rule_in_words(rule.rule)
                    for rule in rules
                    if judge.judge in rule.outliers
                ),
            )
            for judge in judges
        ],
        notes=[strength_caution()],
        plot=Plot(
            kind="intervals",
            label="judge",
            value="kappa",
            low="kappa_low",
            high="kappa_high",
            mark=0,
        ),
    )


def _themselves(found: Sequence[SelfAgreement]) -> list[Table]:
    rows = [row for row in found if row.comparable]
    if not rows:
        return []
    return [
        Table(
            name="themselves",
            title=_("Judges with themselves"),
            columns=(
                Column("judge", _("Judge"), is_text=True, names="judge"),
                Column("kappa", _("κ with themselves"), decimals=2),
                Column("low", _("From"), decimals=2),
                Column("high", _("To"), decimals=2),
                Column("strength", _("In words"), is_text=True),
                Column("p_agree", _("P(A)")),
                Column("p_chance", _("P(E) of own labels")),
                Column("tie_rate", _("Ties")),
                Column("comparable", _("Comparable"), counts="judgments"),
            ),
            rows=[
                (
                    row.judge,
                    row.kappa,
                    row.low,
                    row.high,
                    strength_in_words(row.kappa, row.reason),
                    row.p_agree,
                    row.p_chance,
                    row.ties / row.comparisons,
                    row.comparable,
                )
                for row in rows
            ],
            notes=[
                _(
                    "P(E) follows from the judge’s own share of ties: whoever often ties agrees with themselves "
                    "more often by chance (Bojar et al. 2011, §2.2.2)."
                )
            ],
            plot=Plot(
                kind="intervals", label="judge", value="kappa", low="low", high="high", mark=0
            ),
        )
    ]


def _reference_and_time(judge: JudgeDiagnosis) -> tuple[Value, Value, Value]:
    return (
        judge.reference.share if judge.reference is not None else None,
        judge.reference.p_random if judge.reference is not None else None,
        judge.time.median if judge.time is not None else None,
    )


def _rules(
    rules: Sequence[RuleOutcome], without: dict[str, RankingWithout], confidence: float
) -> Table:
    by_rule = {str(rule.rule): rule for rule in rules}
    return Table(
        name="rules",
        title=_("Ranking without the judges who stand out"),
        columns=(
            Column("rule", _("Rule"), is_text=True),
            Column("judged", _("Judges looked at")),
            Column("left_out", _("Left out")),
            Column("blocks", _("Blocks left")),
            *correlation_columns(confidence),
        ),
        rows=[
            (
                outlier_rule_in_words(name),
                by_rule[name].judged if name in by_rule else None,
                len(each.judges),
                each.blocks,
                *correlation_cells(each.correlation),
            )
            for name, each in without.items()
        ],
        notes=interval_notes([each.correlation for each in without.values()], confidence),
    )
