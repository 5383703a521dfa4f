"""Compare each judge with the others, rank without outliers, and leave judges out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from operator import attrgetter, itemgetter
from typing import Any, cast

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext

from campaign.texts.joining import comma_list, labelled
from ranking.core.agreement.intervals import Agreement, reported
from ranking.core.agreement.report import (
    AgreementReport,
    JudgeChance,
    inter_judge_agreement,
)
from ranking.core.agreement.statistics import Chance
from ranking.core.judged.blocks import Blocks
from ranking.core.judges.diagnosis import JudgeDiagnosis, diagnose_judges
from ranking.core.judges.outliers import (
    RankingsWithout,
    RankingWithout,
    Rule,
    RuleOutcome,
    outliers,
    ranking_without,
    rankings_without,
)
from ranking.core.judges.repeats import SelfAgreement, agreement_with_themselves
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import Ranking
from ranking.core.rankings.records import RankedRow
from ranking.core.scores import Scores
from ranking.reports.analyses.agreement import POOLED_CHANCE
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need
from ranking.reports.analyses.options import (
    CONFIDENCE,
    KAPPA_LEVEL,
    METHOD,
    RESAMPLES,
    SEED,
    Option,
)
from ranking.reports.analyses.ranking import (
    RANGE_OPTIONS,
    checked,
    group_notes,
    limits_of,
    ranking_asked,
    shown_rows,
    tested_pairs,
    told_apart,
)
from ranking.reports.correlations import (
    correlation_columns,
    interval_notes,
    kappa_columns,
    kappa_plot,
)
from ranking.reports.inputs import Input, report_on
from ranking.reports.plots import IntervalPlot
from ranking.reports.tables import (
    Column,
    Report,
    Table,
    Value,
    judge_column,
    of_part,
)
from ranking.reports.wording.agreement import strength_caution
from ranking.reports.wording.ranges import (
    cluster_rules,
    count_clusters,
    limit_in_words,
    ranges_in_words,
    rank_cell,
    score_tests_in_words,
)

DEVIATIONS = Option(
    "deviations",
    gettext_lazy("Outlier threshold (standard deviations from the mean)"),
    0.0,
    low=0,
    high=10,
    help=gettext_lazy(
        "0 shows figures only. 1 is the rule of Hamon et al. (2007), which also flags about one in six careful judges."
    ),
)
LEVEL = Option(
    "level",
    gettext_lazy("Significance level of the random-clicking test"),
    0.05,
    low=0,
    high=1,
    is_open=True,
)
MINIMUM = Option(
    "minimum",
    gettext_lazy("Minimum items per judge for a rule"),
    10,
    low=1,
    high=math.inf,
)
JUDGE_CHANCE = Option(
    "chance_of_judges",
    gettext_lazy("Ties used for a judge’s chance agreement"),
    JudgeChance.OWN.value,
    choices={
        JudgeChance.OWN.value: gettext_lazy("This judge"),
        JudgeChance.POOLED.value: gettext_lazy("All judges"),
    },
)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> dict[str, Any]:
    """Return measures of judges, self-agreement, outliers by each rule, and rankings without them.

    Rankings are keyed by rule, and "any" for outliers by any rule. Rules that are not applied have none.
    """
    begin(_("Measuring agreement"))
    method = METHODS[options["method"]]
    seed = options["seed"]
    confidence = options["confidence"]
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
    rules = outliers(
        judges, **{name: options[name] for name in ("deviations", "level", "minimum")}
    )
    applied = [
        rule for rule in rules if options["deviations"] or rule.rule is Rule.SUSPECT
    ]
    left_out = {str(rule.rule): rule.outliers for rule in applied}
    if len(applied) > 1:
        left_out["any"] = tuple(
            {name: None for rule in applied for name in rule.outliers}
        )
    without = {
        name: ranking_without(
            given.blocks,
            names,
            lambda blocks: method.score(blocks, seed=seed, **parameters),
            confidence=confidence,
        )
        for name, names in left_out.items()
    }
    themselves = agreement_with_themselves(given.read.blocks, confidence=confidence)
    return {
        "judges": [replace(row, agreement=reported(row.agreement)) for row in judges],
        "themselves": [reported(row) for row in themselves],
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
            _outliers_in_words(rules),
            _("An outlier is a reason to look closer, not proof of bad work."),
            _(
                "Judges with fewer than about 20 to 60 blocks cannot be assessed reliably."
            ),
        ],
        tables=[
            _judges(found["judges"], rules, found["skipped"]),
            *_themselves(found["themselves"]),
            _rules(rules, found["ranking_without"], options["confidence"]),
        ],
        data=found,
    )


def _outliers_in_words(rules: Sequence[RuleOutcome]) -> str:
    names = dict.fromkeys(name for rule in rules for name in rule.outliers)
    if not names:
        return _("No outliers.")
    return _("Outliers: %(judges)s.") % {"judges": comma_list(names)}


def _judges(
    judges: Sequence[JudgeDiagnosis],
    rules: Sequence[RuleOutcome],
    skipped: dict[str, int],
) -> Table:
    return Table.of(
        judges,
        name="judges",
        title=_("Judges"),
        columns=(
            judge_column(),
            Column("blocks", _("Blocks"), counts="judgments"),
            Column(
                "skipped",
                _("Skipped"),
                counts="skipped",
                of=lambda row: skipped.get(row.judge, 0),
            ),
            *of_part(
                attrgetter("agreement"),
                kappa_columns(_("κ with others"), key="kappa_", places=2),
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
                "p_random",
                _("p (random)"),
                of=lambda row: row.reference and row.reference.p_random,
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
                of=lambda row: comma_list(
                    outlier_rule_in_words(rule.rule)
                    for rule in rules
                    if row.judge in rule.outliers
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
                judge_column(),
                *kappa_columns(_("Self-agreement κ"), places=2),
                Column("p_agree", "P(A)"),
                Column("p_chance", "P(E)"),
                Column(
                    "tie_rate", _("Ties"), of=lambda row: row.ties / row.comparisons
                ),
                Column("comparable", _("Comparable"), counts="judgments"),
            ),
            notes=[
                _(
                    "P(E) uses the judge’s own share of ties (Bojar et al. 2011, §2.2.2)."
                )
            ],
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
            Column(
                "rule",
                _("Rule"),
                is_text=True,
                of=lambda row: outlier_rule_in_words(row[0]),
            ),
            Column(
                "judged",
                _("Judges checked"),
                of=lambda row: by_rule[row[0]].judged if row[0] in by_rule else None,
            ),
            Column("left_out", _("Left out"), of=lambda row: len(row[1].judges)),
            Column("blocks", _("Remaining blocks"), of=lambda row: row[1].blocks),
            *of_part(lambda row: row[1].correlation, correlation_columns(confidence)),
        ),
        notes=interval_notes(
            [each.correlation for each in without.values()], confidence
        ),
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
        METHOD,
        DEVIATIONS,
        LEVEL,
        MINIMUM,
        POOLED_CHANCE,
        JUDGE_CHANCE,
        KAPPA_LEVEL,
        CONFIDENCE,
        RESAMPLES,
        SEED,
    ),
    find=_find,
    tell=_tell,
)


LEAVE_OUT = Option(
    "leave_out",
    gettext_lazy("Leave out"),
    (),
    help=gettext_lazy(
        "Leave empty for all excluded or flagged judges. “Before” includes them."
    ),
)


#: Remaining judgments, rankings with and without the judges, and agreement of judges.
_Found = tuple[Input, RankingsWithout, AgreementReport]


def _find_without(given: Input, options: Mapping[str, Any], begin: Begin) -> _Found:
    if given.leave_out is None:
        names = options[LEAVE_OUT.name]
    else:
        names = given.leave_out
    method = METHODS[options["method"]]

    def ranked(blocks: Blocks) -> Ranking:
        return ranking_asked(blocks, options, begin)

    def scored(blocks: Blocks) -> Scores:
        return method.score(blocks, seed=options["seed"], **method.complete(None))

    if set(given.blocks.judges) <= set(names):
        raise ValueError(
            _("No judgments match these options.")
            if options[LEAVE_OUT.name]
            else _("All judges are excluded or flagged. Enter the judges to leave out.")
        )
    return (
        replace(given, blocks=given.blocks.without_judges(names)),
        rankings_without(
            given.blocks,
            names,
            rank=ranked,
            score=scored,
            confidence=options["confidence"],
        ),
        inter_judge_agreement(given.blocks, confidence=options["confidence"]),
    )


def _tell_without(given: Input, options: Mapping[str, Any], found: _Found) -> Report:
    """Report the changes when judges are left out."""
    (rest, rankings, agreement), confidence = found, options["confidence"]
    notes = _without_notes(rankings, are_named=bool(options[LEAVE_OUT.name]))
    tables: list[Table] = []
    # Otherwise nothing changes.
    if rankings.judges:
        notes += _ranges(rest, rankings.after)
        tables = [
            _systems(rankings),
            _correlations(rankings, confidence),
            _judges_left_out(rankings, agreement),
            _pairs(rankings),
        ]
    return report_on(
        given,
        notes=notes,
        tables=tables,
        data={
            "left_out": rankings.judges,
            "agreement": _agreements(rankings, agreement),
            "before": _data(rankings.before),
            "after": _data(rankings.after),
            "alone": rankings.alone,
            "before_and_after": rankings.before_and_after,
            "alone_and_rest": rankings.alone_and_rest,
            "clusters": [
                count_clusters(ranking.rows())
                for ranking in (rankings.before, rankings.after)
            ],
        },
    )


def _data(ranking: Ranking) -> dict[str, object]:
    return {
        "method": ranking.method,
        "seed": ranking.seed,
        "resamples": ranking.resamples,
        **ranking.options.recorded,
        "limits": ranking.limits,
        "blocks": ranking.blocks,
        "comparisons": ranking.comparisons,
        "judges": ranking.judges,
        "systems": shown_rows(ranking),
        "pairs": tested_pairs(ranking.pairs, ranking.shortages),
        "groups": ranking.groups,
        "not_estimable": ranking.not_estimable,
    }


def _without_notes(found: RankingsWithout, *, are_named: bool) -> list[str]:
    if not found.judges:
        return [
            _("These judges have no counted judgments, so nothing changes.")
            if are_named
            else _("No judges are excluded or flagged. Enter the judges to leave out.")
        ]
    before = found.before
    after = found.after
    words = {
        "names": comma_list(found.judges),
        "blocks": number_format(before.blocks - after.blocks),
        "all": number_format(before.blocks),
    }
    return [
        _("Left out: %(names)s (%(blocks)s of %(all)s blocks).") % words,
        _("Clusters: %(before)s before, %(after)s after.")
        % {"before": _clusters_in_words(before), "after": _clusters_in_words(after)},
        *(
            [_same_first(before, after)]
            if max(len(before.groups), len(after.groups)) < 2
            else []
        ),
        _(
            "A judge who differs is not necessarily wrong: check their judgments before you exclude them."
        ),
    ]


def _ranges(given: Input, ranking: Ranking) -> list[str]:
    """Return notes on the rank ranges for the remaining judgments, and on their limits."""
    choice = ranking.options
    limits = limits_of(given, ranking)
    codes = limits.codes
    counts = limits.counts
    return [
        *ranges_in_words(
            choice, resamples=ranking.resamples, limits=codes, counts=counts
        ),
        *(
            limit_in_words(code, counts, ranges=choice.ranges)
            for code in codes
            if ranking.systems
        ),
    ]


def _clusters_in_words(ranking: Ranking) -> str:
    count = count_clusters(ranking.rows())
    if count is None:
        return "–"
    return number_format(count)


def _same_first(before: Ranking, after: Ranking) -> str:
    firsts = [
        comma_list(row.system for row in ranking.systems if row.rank == 1) or "–"
        for ranking in (before, after)
    ]
    if firsts[0] == firsts[1]:
        return _("First place unchanged: %(system)s.") % {"system": firsts[0]}
    return _("First place: %(before)s before, %(after)s after.") % {
        "before": firsts[0],
        "after": firsts[1],
    }


def _systems(found: RankingsWithout) -> Table:
    sides: dict[str, dict[str, RankedRow]] = {}
    for when, ranking in (("before", found.before), ("after", found.after)):
        sides[when] = {row["system"]: row for row in shown_rows(ranking)}
    several = max(len(found.before.groups), len(found.after.groups)) > 1

    def column(when: str, key: str, heading: str) -> Column:
        def cell(system: str) -> Value:
            row = sides[when].get(system)
            if row is None:
                return None
            value: Any = rank_cell(row) if key == "rank" else row.get(key)
            return cast("Value", value)

        return Column(f"{key.removeprefix('rank_')}_{when}", heading, of=cell)

    return Table.of(
        dict.fromkeys([*sides["after"], *sides["before"]]),
        name="systems",
        title=_("Ranking before and after"),
        columns=(
            Column("system", _("System"), is_text=True, names="system", of=str),
            *(
                each
                for when in sides
                for each in (
                    *(
                        (column(when, "group", _when(when, _("Group"))),)
                        if several
                        else ()
                    ),
                    column(when, "score", _when(when, _("Score"))),
                    column(when, "rank", _when(when, _("Rank"))),
                    column(when, "rank_low", _("From")),
                    column(when, "rank_high", _("To")),
                    column(when, "cluster", _when(when, _("Cluster"))),
                )
            ),
            Column("score_alone", _("Score from judges left out"), of=found.alone.get),
        ),
        rules=cluster_rules(list(sides["after"].values())),
        notes=[
            labelled(when, note)
            for when, ranking in (
                (_("Before"), found.before),
                (_("After"), found.after),
            )
            for note in group_notes(ranking)
        ],
        plot=IntervalPlot(
            label="system",
            value="rank_after",
            low="low_after",
            high="high_after",
            start=1,
            is_whole=True,
        ),
    )


def _when(when: str, heading: str) -> str:
    """Return a column heading for values before or after judges are left out."""
    if when == "before":
        words = _("%(column)s before")
    else:
        words = _("%(column)s after")
    return words % {"column": heading}


def _correlations(found: RankingsWithout, confidence: float) -> Table:
    return Table.of(
        (
            (_("before and after"), found.before_and_after),
            (_("judges left out and the rest"), found.alone_and_rest),
        ),
        name="correlations",
        title=_("Correlation of scores"),
        columns=(
            Column("scores", _("Scores"), is_text=True, of=itemgetter(0)),
            *of_part(itemgetter(1), correlation_columns(confidence)),
            Column("systems", _("Systems"), of=lambda row: row[1].pairs),
        ),
        notes=[
            _(
                "Leaving out judges with few blocks changes little. The second row compares those judges with the rest."
            ),
            *interval_notes([found.before_and_after, found.alone_and_rest], confidence),
        ],
    )


def _agreements(
    found: RankingsWithout, agreement: AgreementReport
) -> dict[str, Agreement]:
    """Return κ of each left-out judge with the others."""
    return {
        row.judge: reported(row.agreement)
        for row in agreement.judges
        if row.judge in found.judges
    }


def _judges_left_out(found: RankingsWithout, agreement: AgreementReport) -> Table:
    kappas = _agreements(found, agreement)
    return Table.of(
        found.judges.items(),
        name="left_out",
        title=_("Judges left out"),
        columns=(
            Column("judge", _("Judge"), is_text=True, names="judge", of=itemgetter(0)),
            Column("blocks", _("Blocks"), counts="judgments", of=itemgetter(1)),
            *of_part(
                lambda row: kappas[row[0]],
                (
                    *kappa_columns(_("κ with others"), places=2),
                    Column("comparable", _("Comparable")),
                ),
            ),
        ),
        notes=[strength_caution()],
        plot=kappa_plot("judge"),
    )


def _pairs(found: RankingsWithout) -> Table:
    """Return the pairs whose order or separation changes."""
    before, after = (
        {
            frozenset((pair["better"], pair["worse"])): pair
            for pair in tested_pairs(ranking.corrected_pairs, ranking.shortages)
        }
        for ranking in (found.before, found.after)
    )
    places = []
    for ranking in (found.before, found.after):
        places.append({row.system: row.rank for row in ranking.systems})
    rows: list[tuple[Value, ...]] = []
    for names, pair in before.items():
        other = after.get(names)
        if other is None:
            continue
        # Systems with equal scores have no order.
        is_swapped = other["better"] != pair["better"] and all(
            len({ranks[name] for name in names}) > 1 for ranks in places
        )
        if is_swapped or other["significant"] != pair["significant"]:
            rows.append(
                (
                    pair["better"],
                    pair["worse"],
                    pair["adjusted_p"],
                    other["adjusted_p"],
                    told_apart(pair),
                    told_apart(other),
                    _("yes") if is_swapped else _("no"),
                )
            )
    return Table(
        name="changed_pairs",
        title=_("Changed pairs"),
        columns=(
            Column(
                "better", _when("before", _("Better")), is_text=True, names="system"
            ),
            Column("worse", _when("before", _("Worse")), is_text=True, names="other"),
            Column("p_before", _when("before", _("Corrected p"))),
            Column("p_after", _when("after", _("Corrected p"))),
            Column(
                "significant_before", _when("before", _("Significant")), is_text=True
            ),
            Column("significant_after", _when("after", _("Significant")), is_text=True),
            Column("swapped", _("Order reversed"), is_text=True),
        ),
        rows=rows,
        keys=2,
        notes=score_tests_in_words(
            found.before.options,
            found.before.options.correction_of_pairs,
            limits=found.before.limits,
        ),
    )


WITHOUT_JUDGES = AnalysisKind(
    name="without",
    title=gettext_lazy("Leave judges out"),
    page="judges",
    question=gettext_lazy("How does the ranking change without some judges?"),
    options=(LEAVE_OUT, METHOD, *RANGE_OPTIONS),
    check=checked,
    needs=frozenset({Need.RULE}),
    find=_find_without,
    tell=_tell_without,
)
