"""Compare each judge with the others, rank without outliers, and leave judges out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import attrgetter, itemgetter
from typing import Literal, cast

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
from ranking.core.arrays import FloatArray
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
from ranking.reports.analyses.agreement_by_part import POOLED_CHANCE
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need
from ranking.reports.analyses.options import (
    CONFIDENCE,
    KAPPA_LEVEL,
    METHOD,
    RESAMPLES,
    SEED,
    AnalysisOptions,
    Option,
    kappa_options,
)
from ranking.reports.analyses.ranking import (
    RANGE_OPTIONS,
    TestedPair,
    checked,
    estimable_rows,
    group_notes,
    limits_of,
    ranking_by_options,
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
    ReportData,
    Table,
    Value,
    judge_column,
    of_optional,
    of_part,
)
from ranking.reports.wording.agreement import strength_caution
from ranking.reports.wording.ranges import (
    cluster_rules,
    count_clusters,
    ranges_in_words,
    rank_cell,
    rows_by_system,
    score_tests_in_words,
)

DEVIATIONS = Option(
    "deviations",
    gettext_lazy("Outlier threshold (standard deviations from the mean)"),
    0.0,
    low=0,
    high=10,
    help=gettext_lazy(
        "0 shows figures only. 1 is the rule of Hamon et al. (2007), which also flags about one in six careful judges.",
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


@dataclass(frozen=True, kw_only=True)
class JudgesFindings:
    """Measures of judges, self-agreement, outliers by each rule, and rankings without them.

    Rankings are keyed by rule, and "any" for outliers by any rule. Rules that are not applied have none.
    """

    judges: Sequence[JudgeDiagnosis]
    themselves: Sequence[SelfAgreement]
    skipped: Mapping[str, int]
    outliers: Sequence[RuleOutcome]
    ranking_without: Mapping[str, RankingWithout]

    def rules_of(self, judge: str) -> list[Rule]:
        """Return the rules by which a judge is an outlier."""
        return [outcome.rule for outcome in self.outliers if judge in outcome.outliers]


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> JudgesFindings:
    begin(_("Measuring agreement"))
    method = METHODS[options[METHOD]]
    seed = options[SEED]
    confidence = options[CONFIDENCE]
    parameters = method.complete(None)

    def score(blocks: Blocks) -> Scores:
        return method.score(blocks, seed=seed, **parameters)

    judges = diagnose_judges(
        # Include the reference: preferring it is the most informative measure of a judge.
        inputs.read.blocks,
        reference=inputs.reference,
        seconds=_seconds(inputs),
        chance=Chance(options[POOLED_CHANCE]),
        chance_of_judges=JudgeChance(options[JUDGE_CHANCE]),
        **kappa_options(options),
    )
    rules = outliers(
        judges,
        deviations=options[DEVIATIONS],
        level=options[LEVEL],
        minimum=options[MINIMUM],
    )
    left_out: dict[str, Sequence[str]] = {}
    for outcome in rules:
        if options[DEVIATIONS] or outcome.rule is Rule.SUSPECT:
            left_out[str(outcome.rule)] = outcome.outliers
    if len(left_out) > 1:
        left_out["any"] = tuple(dict.fromkeys(chain(*left_out.values())))
    without = {}
    for rule, names in left_out.items():
        without[rule] = ranking_without(
            inputs.blocks,
            names,
            score,
            confidence=confidence,
        )
    themselves = agreement_with_themselves(inputs.read.blocks, confidence=confidence)
    return JudgesFindings(
        judges=[replace(row, agreement=reported(row.agreement)) for row in judges],
        themselves=[reported(row) for row in themselves],
        skipped=inputs.read.skipped_by,
        outliers=rules,
        ranking_without=without,
    )


def _seconds(inputs: Input) -> FloatArray | None:
    """Return the duration of each judgment, NaN where unknown; None if all are unknown."""
    durations = inputs.read.duration_ms
    if not (durations >= 0).any():
        return None
    return np.where(durations < 0, np.nan, durations / 1000)


def _tell(inputs: Input, options: AnalysisOptions, answer: JudgesFindings) -> Report:
    """Report outliers by each rule, the ranking without them, and self-agreement of judges."""
    return report_on(
        inputs,
        notes=[
            _outliers_in_words(answer.outliers),
            _("An outlier is a reason to look closer, not proof of bad work."),
            _(
                "Judges with fewer than about 20 to 60 blocks cannot be assessed reliably.",
            ),
        ],
        tables=[
            _judges(answer),
            *_themselves(answer.themselves),
            _rules(answer, options[CONFIDENCE]),
        ],
        data=vars(answer),
    )


def _outliers_in_words(rules: Sequence[RuleOutcome]) -> str:
    names = dict.fromkeys(chain.from_iterable(rule.outliers for rule in rules))
    if not names:
        return _("No outliers.")
    return _("Outliers: %(judges)s.") % {"judges": comma_list(names)}


def _judges(answer: JudgesFindings) -> Table:
    def skipped(row: JudgeDiagnosis) -> int:
        return answer.skipped.get(row.judge, 0)

    def rules(row: JudgeDiagnosis) -> str:
        return comma_list(map(outlier_rule_in_words, answer.rules_of(row.judge)))

    return Table.of(
        answer.judges,
        name="judges",
        title=_("Judges"),
        columns=(
            judge_column(),
            Column("blocks", _("Blocks"), counts="judgments"),
            Column("skipped", _("Skipped"), counts="skipped", of=skipped),
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
                of=of_optional("reference", "share"),
            ),
            Column(
                "p_random",
                _("p (random)"),
                of=of_optional("reference", "p_random"),
            ),
            Column(
                "median_seconds",
                _("Seconds"),
                decimals=0,
                of=of_optional("time", "median"),
            ),
            Column("stands_out", _("Outlier by"), is_text=True, of=rules),
        ),
        notes=[strength_caution()],
        plot=kappa_plot("judge", key="kappa_"),
    )


def _tie_rate(row: SelfAgreement) -> float:
    return row.ties / row.comparisons


def _themselves(agreements: Sequence[SelfAgreement]) -> list[Table]:
    rows = [row for row in agreements if row.comparable]
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
                Column("tie_rate", _("Ties"), of=_tie_rate),
                Column("comparable", _("Comparable"), counts="judgments"),
            ),
            notes=[
                _(
                    "P(E) uses the judge’s own share of ties (Bojar et al. 2011, §2.2.2).",
                ),
            ],
            plot=kappa_plot("judge"),
        ),
    ]


@dataclass(frozen=True, slots=True, kw_only=True)
class _RuleRow:
    """A rule, the ranking without its outliers, and how many judges it checks; None for any rule."""

    rule: str
    judged: int | None
    without: RankingWithout

    @property
    def rule_in_words(self) -> str:
        return outlier_rule_in_words(self.rule)

    @property
    def left_out(self) -> int:
        return len(self.without.judges)


def _rules(answer: JudgesFindings, confidence: float) -> Table:
    judged = {str(outcome.rule): outcome.judged for outcome in answer.outliers}
    rows = []
    for rule, without in answer.ranking_without.items():
        rows.append(_RuleRow(rule=rule, judged=judged.get(rule), without=without))
    correlations = [row.without.correlation for row in rows]
    return Table.of(
        rows,
        name="rules",
        title=_("Ranking without outliers"),
        columns=(
            Column("rule", _("Rule"), is_text=True, of=attrgetter("rule_in_words")),
            Column("judged", _("Judges checked")),
            Column("left_out", _("Left out")),
            Column("blocks", _("Remaining blocks"), of=attrgetter("without.blocks")),
            *of_part(
                attrgetter("without.correlation"),
                correlation_columns(confidence),
            ),
        ),
        notes=interval_notes(correlations, confidence),
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
        "Which judges are outliers, and how does the ranking change without them?",
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


LEAVE_OUT: Option[tuple[str, ...]] = Option(
    "leave_out",
    gettext_lazy("Leave out"),
    (),
    help=gettext_lazy(
        "Leave empty for all excluded or flagged judges. “Before” includes them.",
    ),
)


@dataclass(frozen=True, kw_only=True)
class JudgesLeftOut:
    """Remaining judgments, rankings with and without the judges, and agreement of judges."""

    rest: Input
    rankings: RankingsWithout
    agreement: AgreementReport

    @property
    def agreements(self) -> dict[str, Agreement]:
        """κ of each left-out judge with the others."""
        agreements = {}
        for row in self.agreement.judges:
            if row.judge in self.rankings.judges:
                agreements[row.judge] = reported(row.agreement)
        return agreements


def _find_without(
    inputs: Input,
    options: AnalysisOptions,
    begin: Begin,
) -> JudgesLeftOut:
    names = options[LEAVE_OUT] if inputs.leave_out is None else inputs.leave_out
    method = METHODS[options[METHOD]]

    def ranked(blocks: Blocks) -> Ranking:
        return ranking_by_options(blocks, options, begin)

    def scored(blocks: Blocks) -> Scores:
        return method.score(blocks, seed=options[SEED], **method.complete(None))

    if set(inputs.blocks.judges) <= set(names):
        if options[LEAVE_OUT]:
            raise ValueError(_("No judgments match these options."))
        raise ValueError(
            _("All judges are excluded or flagged. Enter the judges to leave out."),
        )
    confidence = options[CONFIDENCE]
    return JudgesLeftOut(
        rest=replace(inputs, blocks=inputs.blocks.without_judges(names)),
        rankings=rankings_without(
            inputs.blocks,
            names,
            rank=ranked,
            score=scored,
            confidence=confidence,
        ),
        agreement=inter_judge_agreement(inputs.blocks, confidence=confidence),
    )


def _tell_without(
    inputs: Input,
    options: AnalysisOptions,
    answer: JudgesLeftOut,
) -> Report:
    """Report the changes when judges are left out."""
    rankings = answer.rankings
    notes = _left_out_notes(rankings, are_named=bool(options[LEAVE_OUT]))
    tables: list[Table] = []
    # Otherwise nothing changes.
    if rankings.judges:
        notes += _ranges(answer.rest, rankings.after)
        tables = [
            _systems(rankings),
            _correlations(rankings, options[CONFIDENCE]),
            _judges_left_out(answer),
            _pairs(rankings),
        ]
    return report_on(
        inputs,
        notes=notes,
        tables=tables,
        data={
            "left_out": rankings.judges,
            "agreement": answer.agreements,
            "before": _data(rankings.before),
            "after": _data(rankings.after),
            "alone": rankings.alone,
            "before_and_after": rankings.before_and_after,
            "alone_and_rest": rankings.alone_and_rest,
            "clusters": [
                count_clusters(rankings.before.rows()),
                count_clusters(rankings.after.rows()),
            ],
        },
    )


def _data(ranking: Ranking) -> ReportData:
    return {
        "method": ranking.method,
        "seed": ranking.seed,
        "resamples": ranking.resamples,
        **ranking.options.recorded,
        "limits": ranking.limits,
        "blocks": ranking.blocks,
        "comparisons": ranking.comparisons,
        "judges": ranking.judges,
        "systems": estimable_rows(ranking),
        "pairs": tested_pairs(ranking.pairs, ranking.shortages),
        "groups": ranking.groups,
        "not_estimable": ranking.not_estimable,
    }


def _left_out_notes(rankings: RankingsWithout, *, are_named: bool) -> list[str]:
    if not rankings.judges:
        if are_named:
            return [_("These judges have no counted judgments, so nothing changes.")]
        return [_("No judges are excluded or flagged. Enter the judges to leave out.")]
    before = rankings.before
    after = rankings.after
    counts = {
        "names": comma_list(rankings.judges),
        "blocks": number_format(before.blocks - after.blocks),
        "all": number_format(before.blocks),
    }
    notes = [
        _("Left out: %(names)s (%(blocks)s of %(all)s blocks).") % counts,
        _("Clusters: %(before)s before, %(after)s after.")
        % {"before": _clusters_in_words(before), "after": _clusters_in_words(after)},
    ]
    if len(before.groups) < 2 and len(after.groups) < 2:
        notes.append(_same_first(before, after))
    notes.append(
        _(
            "A judge who differs is not necessarily wrong: check their judgments before you exclude them.",
        ),
    )
    return notes


def _ranges(inputs: Input, ranking: Ranking) -> list[str]:
    """Return notes on the rank ranges for the remaining judgments, and on their limits."""
    choice = ranking.options
    limits = limits_of(inputs, ranking)
    notes = ranges_in_words(
        choice,
        resamples=ranking.resamples,
        limits=limits.codes,
        counts=limits.counts,
    )
    if ranking.systems:
        return [*notes, *limits.in_words(choice)]
    return notes


def _clusters_in_words(ranking: Ranking) -> str:
    count = count_clusters(ranking.rows())
    if count is None:
        return "–"
    return number_format(count)


def _same_first(before: Ranking, after: Ranking) -> str:
    first_before = _first_in_words(before)
    first_after = _first_in_words(after)
    if first_before == first_after:
        return _("First place unchanged: %(system)s.") % {"system": first_before}
    return _("First place: %(before)s before, %(after)s after.") % {
        "before": first_before,
        "after": first_after,
    }


def _first_in_words(ranking: Ranking) -> str:
    first = [row.system for row in ranking.systems if row.rank == 1]
    return comma_list(first) or "–"


def _systems(rankings: RankingsWithout) -> Table:
    before = rows_by_system(estimable_rows(rankings.before))
    after = rows_by_system(estimable_rows(rankings.after))
    several = max(len(rankings.before.groups), len(rankings.after.groups)) > 1
    notes = []
    for time, ranking in ((_("Before"), rankings.before), (_("After"), rankings.after)):
        notes += [labelled(time, note) for note in group_notes(ranking)]
    return Table.of(
        dict.fromkeys([*after, *before]),
        name="systems",
        title=_("Ranking before and after"),
        columns=(
            Column("system", _("System"), is_text=True, names="system", of=str),
            *_side_columns("before", before, with_groups=several),
            *_side_columns("after", after, with_groups=several),
            Column(
                "score_alone",
                _("Score from judges left out"),
                of=rankings.alone.get,
            ),
        ),
        rules=cluster_rules(list(after.values())),
        notes=notes,
        plot=IntervalPlot(
            label="system",
            value="rank_after",
            low="low_after",
            high="high_after",
            start=1,
            is_whole=True,
        ),
    )


def _side_columns(
    time: Literal["before", "after"],
    rows: Mapping[str, RankedRow],
    *,
    with_groups: bool,
) -> list[Column]:
    """Return the columns of a ranking before or after judges are left out; table rows are names of systems."""

    def column(key: str, heading: str) -> Column:
        def cell(system: str) -> Value:
            row = rows.get(system)
            if row is None:
                return None
            if key == "rank":
                return rank_cell(row)
            return cast("Value", row.get(key))

        return Column(f"{key.removeprefix('rank_')}_{time}", heading, of=cell)

    columns = [
        column("score", _when(time, _("Score"))),
        column("rank", _when(time, _("Rank"))),
        column("rank_low", _("From")),
        column("rank_high", _("To")),
        column("cluster", _when(time, _("Cluster"))),
    ]
    if with_groups:
        columns.insert(0, column("group", _when(time, _("Group"))))
    return columns


def _when(time: str, heading: str) -> str:
    """Return a column heading for values before or after judges are left out."""
    if time == "before":
        return _("%(column)s before") % {"column": heading}
    return _("%(column)s after") % {"column": heading}


def _correlations(rankings: RankingsWithout, confidence: float) -> Table:
    correlations = [rankings.before_and_after, rankings.alone_and_rest]
    scores = (_("before and after"), _("judges left out and the rest"))
    return Table.of(
        zip(scores, correlations, strict=True),
        name="correlations",
        title=_("Correlation of scores"),
        columns=(
            Column("scores", _("Scores"), is_text=True, of=itemgetter(0)),
            *of_part(
                itemgetter(1),
                (
                    *correlation_columns(confidence),
                    Column("systems", _("Systems"), of=attrgetter("pairs")),
                ),
            ),
        ),
        notes=[
            _(
                "Leaving out judges with few blocks changes little. The second row compares those judges with the rest.",
            ),
            *interval_notes(correlations, confidence),
        ],
    )


def _judges_left_out(answer: JudgesLeftOut) -> Table:
    kappas = answer.agreements
    rows = []
    for judge, blocks in answer.rankings.judges.items():
        rows.append((judge, blocks, kappas[judge]))
    return Table.of(
        rows,
        name="left_out",
        title=_("Judges left out"),
        columns=(
            Column("judge", _("Judge"), is_text=True, names="judge", of=itemgetter(0)),
            Column("blocks", _("Blocks"), counts="judgments", of=itemgetter(1)),
            *of_part(
                itemgetter(2),
                (
                    *kappa_columns(_("κ with others"), places=2),
                    Column("comparable", _("Comparable")),
                ),
            ),
        ),
        notes=[strength_caution()],
        plot=kappa_plot("judge"),
    )


def _pairs_by_systems(ranking: Ranking) -> dict[frozenset[str], TestedPair]:
    pairs = {}
    for pair in tested_pairs(ranking.corrected_pairs, ranking.shortages):
        pairs[frozenset((pair["better"], pair["worse"]))] = pair
    return pairs


def _have_order(pair: TestedPair, ranking: Ranking) -> bool:
    """Return whether two systems have different ranks; those with equal scores have no order."""
    ranks = {row.system: row.rank for row in ranking.systems}
    return ranks[pair["better"]] != ranks[pair["worse"]]


def _pairs(rankings: RankingsWithout) -> Table:
    """Return the pairs whose order or separation changes."""
    after = _pairs_by_systems(rankings.after)
    rows: list[tuple[Value, ...]] = []
    for systems, pair in _pairs_by_systems(rankings.before).items():
        other = after.get(systems)
        if other is None:
            continue
        is_swapped = (
            other["better"] != pair["better"]
            and _have_order(pair, rankings.before)
            and _have_order(pair, rankings.after)
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
                ),
            )
    return Table(
        name="changed_pairs",
        title=_("Changed pairs"),
        columns=(
            Column(
                "better",
                _when("before", _("Better")),
                is_text=True,
                names="system",
            ),
            Column("worse", _when("before", _("Worse")), is_text=True, names="other"),
            Column("p_before", _when("before", _("Corrected p"))),
            Column("p_after", _when("after", _("Corrected p"))),
            Column(
                "significant_before",
                _when("before", _("Significant")),
                is_text=True,
            ),
            Column("significant_after", _when("after", _("Significant")), is_text=True),
            Column("swapped", _("Order reversed"), is_text=True),
        ),
        rows=rows,
        keys=2,
        notes=score_tests_in_words(
            rankings.before.options,
            rankings.before.options.correction_of_pairs,
            limits=rankings.before.limits,
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
