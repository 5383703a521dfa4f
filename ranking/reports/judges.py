"""The diagnosis of judges as a report."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.translation import gettext as _

from ranking.code_version import code_version
from ranking.core.judges.diagnosis import JudgeDiagnosis
from ranking.core.judges.outliers import RankingWithout, RuleOutcome
from ranking.reports.inputs import Input, input_data, input_notes
from ranking.reports.tables import Column, Report, Table, Value


def judges_report(
    given: Input,
    judges: Sequence[JudgeDiagnosis],
    rules: Sequence[RuleOutcome],
    without: dict[str, RankingWithout],
) -> Report:
    """Tell who stands out, by which rule, and what the ranking is without them.

    `without` has the rules' names as keys, and "any" for the judges of any rule.
    """
    skipped = given.read.skipped_by
    return Report(
        notes=[
            *input_notes(given),
            _("An outlier is someone to look at, not a culprit."),
        ],
        tables=[_judges(judges, rules, skipped), _rules(rules, without)],
        data={
            "input": input_data(given),
            "judges": judges,
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
            Column("judge", _("Judge"), is_text=True),
            Column("blocks", _("Blocks")),
            Column("skipped", _("Skipped")),
            Column("kappa", _("κ with others"), decimals=2),
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
                judge.labels.deviation,
                judge.labels.distance,
                judge.easy.share_missed,
                *_reference_and_time(judge),
                ", ".join(rule.rule for rule in rules if judge.judge in rule.outliers),
            )
            for judge in judges
        ],
    )


def _reference_and_time(judge: JudgeDiagnosis) -> tuple[Value, Value, Value]:
    return (
        judge.reference.share if judge.reference is not None else None,
        judge.reference.p_random if judge.reference is not None else None,
        judge.time.median if judge.time is not None else None,
    )


def _rules(rules: Sequence[RuleOutcome], without: dict[str, RankingWithout]) -> Table:
    by_rule = {str(rule.rule): rule for rule in rules}
    return Table(
        name="rules",
        title=_("Ranking without the judges who stand out"),
        columns=(
            Column("rule", _("Rule"), is_text=True),
            Column("judged", _("Judges looked at")),
            Column("left_out", _("Left out")),
            Column("blocks", _("Blocks left")),
            Column("pearson", _("Pearson")),
            Column("spearman", _("Spearman")),
        ),
        rows=[
            (
                name,
                by_rule[name].judged if name in by_rule else None,
                len(each.judges),
                each.blocks,
                each.correlation.pearson,
                each.correlation.spearman,
            )
            for name, each in without.items()
        ],
    )
