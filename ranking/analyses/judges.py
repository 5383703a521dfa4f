"""Compare each judge with the others, and rank without outliers."""

import math
from collections.abc import Mapping, Sequence
from operator import attrgetter
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from ranking.analyses.agreement_by import POOLED_CHANCE
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.options import CONFIDENCE, KAPPA_LEVEL, METHOD, RESAMPLES, SEED, Option
from ranking.core.agreement.report import JudgeChance
from ranking.core.agreement.statistics import Chance
from ranking.core.judges.diagnosis import JudgeDiagnosis, diagnose_judges
from ranking.core.judges.outliers import (
    RankingWithout,
    Rule,
    RuleOutcome,
    outliers,
    ranking_without,
)
from ranking.core.judges.repeats import SelfAgreement, agreement_with_themselves
from ranking.core.methods.registry import METHODS
from ranking.reports.correlations import (
    correlation_columns,
    interval_notes,
    kappa_columns,
    kappa_plot,
)
from ranking.reports.inputs import Input, report_on
from ranking.reports.tables import Column, Report, Table, of_part
from ranking.wording.agreement import strength_caution

DEVIATIONS = Option(
    name="deviations",
    label=gettext_lazy("Outlier threshold (standard deviations from the mean)"),
    default=1.0,
    low=0,
    high=10,
)
LEVEL = Option(
    name="level",
    label=gettext_lazy("Significance level of the random-clicking test"),
    default=0.05,
    low=0,
    high=1,
    is_open=True,
)
MINIMUM = Option(
    name="minimum",
    label=gettext_lazy("Minimum items per judge for a rule"),
    default=10,
    low=1,
    high=math.inf,
)
JUDGE_CHANCE = Option(
    name="chance_of_judges",
    label=gettext_lazy("Chance agreement of a judge from the ties of"),
    default=JudgeChance.OWN.value,
    choices={
        JudgeChance.OWN.value: gettext_lazy("This judge"),
        JudgeChance.POOLED.value: gettext_lazy("All judges"),
    },
)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> dict[str, Any]:
    """Return measures of judges, self-agreement, outliers by each rule, and rankings without them.

    Rankings are keyed by rule, and "any" for outliers by any rule.
    """
    begin(_("Measuring agreement"))
    method, seed, confidence = METHODS[options["method"]], options["seed"], options["confidence"]
    parameters = method.complete(None)
    durations = given.read.duration_ms
    judges = diagnose_judges(
        # Include the reference: preferring it is the most informative measure of a judge.
        given.read.blocks,
        reference=given.reference,
        seconds=np.where(durations < 0, np.nan, durations / 1000)
        if (durations >= 0).any()
        else None,
        seed=seed,
        chance=Chance(options["chance"]),
        chance_of_judges=JudgeChance(options["chance_of_judges"]),
        **{name: options[name] for name in ("resample", "resamples", "confidence")},
    )
    rules = outliers(judges, **{name: options[name] for name in ("deviations", "level", "minimum")})
    left_out = {str(rule.rule): rule.outliers for rule in rules}
    left_out["any"] = tuple({name: None for rule in rules for name in rule.outliers})
    without = {
        name: ranking_without(
            given.blocks,
            names,
            lambda blocks: method.score(blocks, seed=seed, **parameters),
            confidence=confidence,
        )
        for name, names in left_out.items()
    }
    return {
        "judges": judges,
        "themselves": agreement_with_themselves(given.read.blocks, confidence=confidence),
        "skipped": given.read.skipped_by,
        "outliers": rules,
        "ranking_without": without,
    }


def _tell(given: Input, options: Mapping[str, Any], found: Mapping[str, Any]) -> Report:
    """Report outliers by each rule, the ranking without them, and self-agreement of judges."""
    rules = found["outliers"]
    return report_on(
        given,
        notes=[
            _("An outlier is a reason to look closer, not proof of bad work."),
        ],
        tables=[
            _judges(found["judges"], rules, found["skipped"]),
            *_themselves(found["themselves"]),
            _rules(rules, found["ranking_without"], options["confidence"]),
        ],
        data=found,
    )


def _judges(
    judges: Sequence[JudgeDiagnosis], rules: Sequence[RuleOutcome], skipped: dict[str, int]
) -> Table:
    return Table.of(
        judges,
        name="judges",
        title=_("Judges"),
        columns=(
            Column("judge", _("Judge"), is_text=True, names="judge"),
            Column("blocks", _("Blocks"), counts="judgments"),
            Column(
                "skipped",
                _("Skipped"),
                counts="skipped",
                of=lambda row: skipped.get(row.judge, 0),
            ),
            *of_part(
                attrgetter("agreement"), kappa_columns(_("κ with others"), key="kappa_", places=2)
            ),
            *of_part(
                attrgetter("labels"),
                (
                    Column("deviation", _("Mean label − others"), decimals=2),
                    Column("distance", _("Distance"), decimals=2),
                ),
            ),
            Column(
                "easy_missed",
                _("Easy sentences missed"),
                decimals=2,
                of=attrgetter("easy.share_missed"),
            ),
            Column(
                "reference_preferred",
                _("Reference"),
                decimals=2,
                of=lambda row: row.reference and row.reference.share,
            ),
            Column(
                "p_random", _("p (random)"), of=lambda row: row.reference and row.reference.p_random
            ),
            Column(
                "median_seconds",
                _("Seconds"),
                decimals=0,
                of=lambda row: row.time and row.time.median,
            ),
            Column(
                "stands_out",
                _("Outlier by"),
                is_text=True,
                of=lambda row: ", ".join(
                    outlier_rule_in_words(rule.rule) for rule in rules if row.judge in rule.outliers
                ),
            ),
        ),
        notes=[strength_caution()],
        plot=kappa_plot("judge", key="kappa_"),
    )


def _themselves(found: Sequence[SelfAgreement]) -> list[Table]:
    rows = [row for row in found if row.comparable]
    if not rows:
        return []
    return [
        Table.of(
            rows,
            name="themselves",
            title=_("Self-agreement"),
            columns=(
                Column("judge", _("Judge"), is_text=True, names="judge"),
                *kappa_columns(_("Self-agreement κ"), places=2),
                Column("p_agree", "P(A)"),
                Column("p_chance", "P(E)"),
                Column("tie_rate", _("Ties"), of=lambda row: row.ties / row.comparisons),
                Column("comparable", _("Comparable"), counts="judgments"),
            ),
            notes=[_("P(E) uses the judge’s own share of ties (Bojar et al. 2011, §2.2.2).")],
            plot=kappa_plot("judge"),
        )
    ]


def _rules(
    rules: Sequence[RuleOutcome], without: dict[str, RankingWithout], confidence: float
) -> Table:
    by_rule = {str(rule.rule): rule for rule in rules}
    return Table.of(
        without.items(),
        name="rules",
        title=_("Ranking without outliers"),
        columns=(
            Column("rule", _("Rule"), is_text=True, of=lambda row: outlier_rule_in_words(row[0])),
            Column(
                "judged",
                _("Judges checked"),
                of=lambda row: by_rule[row[0]].judged if row[0] in by_rule else None,
            ),
            Column("left_out", _("Left out"), of=lambda row: len(row[1].judges)),
            Column("blocks", _("Remaining blocks"), of=lambda row: row[1].blocks),
            *of_part(lambda row: row[1].correlation, correlation_columns(confidence)),
        ),
        notes=interval_notes([each.correlation for each in without.values()], confidence),
    )


def outlier_rule_in_words(rule: str) -> str:
    """Return a `Rule` or "any" in words; other names are returned unchanged."""
    return {
        Rule.AGREEMENT.value: _("Agreement"),
        Rule.MEAN_LABEL.value: _("Mean label − others"),
        Rule.DISTANCE.value: _("Distance"),
        Rule.EASY_ITEMS.value: _("Easy sentences"),
        Rule.REFERENCE.value: _("Reference"),
        Rule.TIME.value: _("Time"),
        Rule.SUSPECT.value: pgettext("rule for judges", "suspect"),
        "any": pgettext("rule for judges", "any of them"),
    }.get(rule, rule)


JUDGES = AnalysisKind(
    name="judges",
    title=gettext_lazy("Outliers"),
    page="judges",
    question=gettext_lazy(
        "Which judges are outliers, and how does the ranking change without them?"
    ),
    options=(
        *(METHOD, DEVIATIONS, LEVEL, MINIMUM, POOLED_CHANCE, JUDGE_CHANCE),
        *(KAPPA_LEVEL, CONFIDENCE, RESAMPLES, SEED),
    ),
    find=_find,
    tell=_tell,
)
