"""Reports on scored judgments, for page, REST and command, and on file conversions."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass, fields, replace
from operator import attrgetter, itemgetter
from typing import Any, get_args

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, pgettext_lazy

from campaign.formats.errors import Loss
from campaign.models import Protocol, Task
from campaign.texts.counted import counted
from campaign.texts.joining import comma_list
from protocols.frame.scale.mean_tables import means_table
from protocols.frame.scale.statistics.means import MeanRatings
from protocols.frame.tables import AnalysisOptions, report_of_answers, rules_between
from protocols.spans.contradictions import (
    ContradictionKind,
    ContradictionRule,
    contradictions,
)
from protocols.spans.files.answers import scores_read
from protocols.spans.files.formats import (
    SpansFormat,
    SpansRead,
    of_one_language_pair,
    read_spans,
)
from protocols.spans.marked_errors import SEVERITIES, marked_errors
from protocols.spans.records import MAX_SCORE, ScoredJudgment
from protocols.spans.statistics.agreement import (
    JudgePairScores,
    ScoreAgreement,
    score_agreement,
)
from protocols.spans.statistics.columns import score_columns, scores_of
from protocols.spans.statistics.comparisons import blocks_of_scores
from protocols.spans.statistics.one_system import mean_of_one
from protocols.spans.statistics.rules import (
    FEWEST_COMMON,
    ClusterRule,
    RuleResult,
    apply_rule,
)
from protocols.spans.statistics.span_agreement import SpanAgreement, span_agreement
from protocols.spans.statistics.suggestions import (
    Difference,
    SuggestionEffects,
    suggestion_effects,
)
from ranking.core.judged.blocks import Blocks
from ranking.core.rankings.rank import Ranking, rank
from ranking.core.scored.additive import AdditiveFit, Level, fit_additive
from ranking.core.scored.columns import ScoreColumns
from ranking.core.scored.means import SystemMeans, system_means
from ranking.core.scores import Shortage
from ranking.files.records import FileRead, JudgmentSelection, JudgmentsRead
from ranking.files.sources import ReadingProgress
from ranking.reports.analyses.kind import Begin, ChosenJudgments, ProtocolAnalysis
from ranking.reports.analyses.options import (
    CONFIDENCE,
    METHOD,
    RESAMPLES,
    SEED,
    AnyOption,
    Option,
    OptionError,
)
from ranking.reports.analyses.ranking import rankings_report
from ranking.reports.inputs import AnswersOfFiles, Input
from ranking.reports.plots import interval_plot
from ranking.reports.tables import (
    BETWEEN,
    Column,
    Report,
    Table,
    Value,
    end_columns,
    plain,
    system_column,
)
from ranking.reports.wording.methods import not_yet_in_words, shortages_in_words
from ranking.reports.wording.numbers import all_in_figures
from ranking.reports.wording.pair_tests import LEVEL_WORDS
from version import code_version

MEASURE = Option(
    name="measure",
    label=gettext_lazy("Scores"),
    default="score",
    choices={
        "score": gettext_lazy("given by judges"),
        "mqm": gettext_lazy("from errors (MQM)"),
    },
)
RULE = Option(
    name="rule",
    label=gettext_lazy("Clusters of means"),
    default="permutation",
    choices={
        "permutation": gettext_lazy("permutation tests"),
        "wmt25": "WMT25",
        "wmt26": "WMT26",
        "wmt26_bootstrap": gettext_lazy("bootstrap (WMT26)"),
    },
)
LEVEL = Option(
    name="level",
    label=gettext_lazy("Intervals account for"),
    default="two_way",
    choices={level: LEVEL_WORDS[level] for level in get_args(Level)},
)
DRAWN = Option(
    name="draw",
    label=gettext_lazy("Units of the intervals of means"),
    default="segments",
    choices={
        "segments": gettext_lazy("Segments"),
        "documents": gettext_lazy("Documents"),
    },
)
COMPARED = Option(
    name="compare",
    label=gettext_lazy("Score pairs"),
    default="screen",
    choices={
        "screen": gettext_lazy("Outputs side by side"),
        "judge": gettext_lazy("Same judge and sentence"),
    },
)


#: Thresholds for scores that contradict errors in files; a task has its own in its rules.
_THRESHOLDS = tuple(
    Option(name=name, default=float(threshold), low=0, high=MAX_SCORE)
    for name, threshold in asdict(ContradictionRule()).items()
)
_OF_FILES: tuple[AnyOption, ...] = (
    *_THRESHOLDS,
    Option(
        name="input_format",
        default="",
        choices=dict.fromkeys(["", *SpansFormat], ""),
    ),
    Option(name="source_language", default=""),
    Option(name="target_language", default=""),
)


def losses_table(losses: Sequence[Loss]) -> Table:
    """Report the losses of a reader or writer; the phrases are those of the formats, in English."""
    return Table.of(
        losses,
        name="losses",
        title=_("Not carried over"),
        columns=(
            Column("what", _("Loss"), is_text=True),
            Column("count", _("Count")),
            Column("first", _("First occurrence"), is_text=True),
        ),
    )


def conversion_report(
    read: SpansRead,
    written: str,
    output_format: str,
    lost: Sequence[Loss],
) -> Report:
    """Report the written judgments, and the losses in reading and writing."""
    losses = (*read.losses, *lost)
    return Report(
        notes=[
            _("%(judgments)s judgments from %(before)s to %(after)s.")
            % {
                "judgments": number_format(len(read.judgments)),
                "before": read.input_format,
                "after": output_format,
            },
            *([] if losses else [_("Nothing lost.")]),
        ],
        tables=[losses_table(losses)] if losses else [],
        data={
            "files": read.files,
            "written": written,
            "input_format": read.input_format,
            "output_format": output_format,
            "judgments": len(read.judgments),
            "lost_reading": read.losses,
            "lost_writing": lost,
            "version": code_version(),
        },
    )


_KINDS = {
    ContradictionKind.LOW_WITHOUT_ERROR: gettext_lazy("Low score without errors"),
    ContradictionKind.PERFECT_WITH_ERROR: gettext_lazy("Perfect score with an error"),
    ContradictionKind.HIGH_WITH_MAJOR: gettext_lazy("High score with a major error"),
    ContradictionKind.BETTER_WITH_MORE_ERRORS: gettext_lazy(
        "Higher score with more errors",
    ),
}
#: Number of pairs of judges listed; machine-readable data contain all pairs.
_MOST_PAIRS = 50


@dataclass(frozen=True, eq=False, kw_only=True)
class SpanAnalysis:
    """Results of analysing scored judgments.

    Attributes
    ----------
    options : mapping
    columns : ScoreColumns
    means : SystemMeans
    rule : RuleResult
    additive : AdditiveFit or None
    not_additive : str or None
        Error message if there is no fit.
    blocks : Blocks or None
        The comparisons implied by scores; None if no two scores can be compared.
    ranking : Ranking or None
        The ranking computed from them.
    score_agreement : ScoreAgreement
    span_agreement : SpanAgreement
    contradictions : mapping of ContradictionKind to int
        Number of occurrences of each kind.
    contradicting : int
        Number of judgments with any contradiction.
    suggestions : SuggestionEffects
    alone : MeanRatings or None
        The mean of a system that is alone, over segments and judges.
    """

    options: Mapping[str, object]
    columns: ScoreColumns
    means: SystemMeans
    rule: RuleResult
    additive: AdditiveFit | None = None
    not_additive: str | None = None
    blocks: Blocks | None = None
    ranking: Ranking | None = None
    score_agreement: ScoreAgreement
    span_agreement: SpanAgreement
    contradictions: Mapping[ContradictionKind, int]
    contradicting: int
    suggestions: SuggestionEffects
    alone: MeanRatings | None = None


def _read_files(
    names: Sequence[str],
    options: AnalysisOptions,
    excluded: Sequence[str],
    progress: ReadingProgress,
) -> SpansRead:
    if excluded:
        raise OptionError(
            "judges cannot be excluded from scores.",
            field="exclude_judge",
        )
    source = options["source_language"]
    target = options["target_language"]
    input_format = options["input_format"]
    read = read_spans(
        names,
        input_format=SpansFormat(input_format) if input_format else None,
        source_language=source,
        target_language=target,
        progress=progress,
    )
    of_pair = of_one_language_pair(
        read,
        JudgmentSelection(source or None, target or None),
    )
    rule = ContradictionRule(
        **{threshold.name: options[threshold.name] for threshold in _THRESHOLDS},
    )
    return replace(of_pair, asked_about=rule)


def _find(
    analysis_input: Input | AnswersOfFiles,
    options: AnalysisOptions,
    begin: Begin,
) -> SpanAnalysis:
    begin(_("Counting"))
    read: SpansRead = analysis_input.answers
    judgments = read.judgments
    if not judgments:
        raise ValueError(_("No judgments match these options."))
    is_mqm = options["measure"] == "mqm" or not scores_of(judgments)
    has_answers_about_edits = any(
        output.spans is not None
        for judgment in judgments
        for output in judgment.outputs
    )
    if is_mqm and not has_answers_about_edits:
        raise ValueError(_("This task has scores only, without error spans."))
    weights = read.weights if is_mqm else None
    columns = score_columns(judgments, weights=weights)
    seed = options["seed"]
    confidence = options["confidence"]
    level = options["level"]
    drawing = {
        "resamples": options["resamples"],
        "confidence": confidence,
        "seed": seed,
    }
    implied: dict[str, Any] = {}
    with suppress(ValueError):
        blocks = blocks_of_scores(
            judgments,
            weights=weights,
            compared=options["compare"],
        )
        implied = {
            "blocks": blocks,
            "ranking": rank(blocks, options["method"], **drawing),
        }
    try:
        fit = fit_additive(columns, level=level, confidence=confidence, seed=seed)
        implied["additive"] = fit
    except ValueError as error:
        implied["not_additive"] = str(error)
    if len(columns.systems) == 1:
        implied["alone"] = mean_of_one(
            columns,
            is_on_scale=weights is None,
            confidence=confidence,
            seed=seed,
        )
    kinds: Counter[ContradictionKind] = Counter()
    contradicting = 0
    for judgment in judgments:
        questions = contradictions(judgment, read.asked_about)
        kinds.update(question.kind for question in questions)
        if questions:
            contradicting += 1
    rule = ClusterRule(options["rule"])
    measured: dict[str, object] = {"measure": "score"}
    scale = (0.0, float(MAX_SCORE))
    if weights is not None:
        measured = {"measure": "mqm", "weights": weights.lines}
        scale = (-np.inf, np.inf)
    return SpanAnalysis(
        options={
            **measured,
            "rule": rule,
            "level": level,
            "drawn": options["draw"],
            "compared": options["compare"],
            "method": options["method"],
            **drawing,
        },
        columns=columns,
        means=system_means(
            columns,
            drawn=options["draw"],
            scale=scale,
            confidence=confidence,
            seed=seed,
        ),
        rule=apply_rule(columns, rule, seed=seed),
        score_agreement=score_agreement(
            judgments,
            weights=weights,
            confidence=confidence,
        ),
        span_agreement=span_agreement(judgments, confidence=confidence),
        contradictions={kind: kinds[kind] for kind in ContradictionKind},
        contradicting=contradicting,
        suggestions=suggestion_effects(
            judgments,
            weights=weights,
            confidence=confidence,
        ),
        **implied,
    )


def _tell(
    analysis_input: Input | AnswersOfFiles,
    _options: object,
    result: SpanAnalysis,
) -> Report:
    """Report on scored judgments from files or a task."""
    read: SpansRead = analysis_input.answers
    columns = result.columns
    counted = {}
    for name in ("systems", "segments", "judges"):
        counted[name] = len(getattr(columns, name))
    notes = [
        _(
            "Scores: %(scores)s; systems: %(systems)s; segments: %(segments)s; judges: %(judges)s.",
        )
        % all_in_figures(scores=len(columns), **counted),
    ]
    data = {}
    for field in fields(result):
        data[field.name] = getattr(result, field.name)
    for name in ("columns", "blocks", "ranking", "alone"):
        del data[name]
    data |= {
        **counted,
        "scores": len(columns),
        "systems": columns.systems,
        "rankings": None,
    }
    tables = _tables_of_systems(result, notes)
    if result.ranking is not None and result.blocks is not None:
        given_blocks = _input(read.judgments[0], result.blocks, read.files)
        ranked = rankings_report(given_blocks, [result.ranking], pairs=False)
        tables += ranked.tables
        data["rankings"] = ranked.data["rankings"]
    data |= _data_of_systems(result)
    tables += [
        _score_agreement(result.score_agreement),
        _span_agreement(result.span_agreement),
        # Errors alone contradict no score.
        *(
            [_contradictions(result.contradictions)]
            if scores_of(read.judgments)
            else []
        ),
        _differences(result.suggestions),
        _outcomes(result.suggestions),
    ]
    if result.options["measure"] == "mqm":
        tables.append(_errors(read.judgments))
    if not read.files:
        tables = [table for table in tables if table.rows]
        number = {"systems": len(columns.systems)}
        return report_of_answers(
            analysis_input=analysis_input,
            counted=number,
            notes=notes,
            tables=tables,
            data=data,
        )
    if read.losses:
        tables.append(losses_table(read.losses))
    about = {"files": read.files, "format": read.input_format, "losses": read.losses}
    return Report(
        notes=notes,
        tables=tables,
        data={**about, **data, "version": code_version()},
    )


def _tables_of_systems(result: SpanAnalysis, notes: list[str]) -> list[Table]:
    """Return the tables of means and differences; `notes` get the reason for one that is missing."""
    if result.alone is not None:
        # The others compare systems.
        return [means_table(_("Mean score"), result.alone, name="means")]
    tables = []
    if result.additive is not None:
        tables.append(_additive(result.additive))
    else:
        notes.append(
            _("No scores by system, segment and judge: %(reason)s.")
            % {"reason": result.not_additive},
        )
    return [*tables, _means(result.means), _rule(result.rule)]


def _data_of_systems(result: SpanAnalysis) -> dict[str, object]:
    if result.alone is not None:
        return {"means": result.alone, "additive": None, "rule": None}
    additive = None
    if result.additive is not None:
        additive = _estimable(result.additive)
    return {
        "means": _estimable(result.means),
        "additive": additive,
        "rule": _estimable(result.rule),
    }


def _input(first: ScoredJudgment, blocks: Blocks, files: tuple[FileRead, ...]) -> Input:
    return Input(
        read=JudgmentsRead(
            files=files,
            input_format=None,
            languages=(first.source_language, first.target_language),
            skipped=0,
            blank_labels=0,
            judges=len(blocks.judges),
            blocks=blocks,
            duration_ms=np.full(len(blocks), -1, dtype=np.int64),
        ),
        blocks=blocks,
        reference=None,
    )


def _system() -> Column:
    return Column(
        "system",
        _("System"),
        is_text=True,
        names="system",
        of=itemgetter("systems"),
    )


def _ranks() -> tuple[Column, ...]:
    return (
        Column("rank_low", _("Rank from")),
        Column("rank_high", _("Rank to")),
        Column("cluster", _("Cluster")),
    )


def _errors(judgments: Sequence[ScoredJudgment]) -> Table:
    errors = []
    for error in marked_errors(judgments):
        errors.append((error.system, error.span.category, error.span.severity))
    counts = Counter(errors)
    rows = []
    for (system, category, severity), count in sorted(counts.items()):
        rows.append((system, category, str(SEVERITIES[severity]), count))
    return Table(
        name="errors",
        title=_("Errors"),
        columns=(
            system_column(),
            Column("category", _("Category"), is_text=True),
            Column("severity", _("Severity"), is_text=True),
            Column("count", _("Count")),
        ),
        rows=rows,
    )


def _rank(number: int) -> int | None:
    """Return a rank or cluster; None for 0, which means none."""
    return int(number) or None


def _estimable(result: AdditiveFit | SystemMeans | RuleResult) -> dict[str, Any]:
    """Return numbers as plain data, with null for ranges and clusters that cannot be estimated
    yet.
    """
    data: dict[str, Any] = plain(result)
    for end, ranks in data["ranges"].items():
        data["ranges"][end] = [*map(_rank, ranks)]
    return {**data, "cluster": [*map(_rank, data["cluster"])]}


def _rows(
    result: AdditiveFit | SystemMeans | RuleResult,
    order: Iterable[int],
    **more: list[Value],
) -> list[dict[str, Any]]:
    """Return a row for each system in `order`, keyed by the names of the results."""
    data = {**_estimable(result), **more}
    data |= {f"rank_{end}": ranks for end, ranks in data["ranges"].items()}
    columns = {}
    for name, values in data.items():
        if isinstance(values, list) and len(values) == len(result.systems):
            columns[name] = values
    rows = []
    for index in order:
        rows.append({name: values[index] for name, values in columns.items()})
    return rows


def _order_by_rank(
    ranks: Sequence[int] | np.ndarray[Any, np.dtype[np.int64]],
) -> list[int]:
    """Return the systems best first; those without a rank, 0, last."""
    rank = np.asarray(ranks)
    order: list[int] = np.lexsort((rank, rank == 0)).tolist()
    return order


_RANK_PLOT = interval_plot("system", "score")


def _group_from_1(row: Mapping[str, int]) -> int:
    return row["group"] + 1


def _additive(fit: AdditiveFit) -> Table:
    order = _order_by_rank(fit.rank)
    notes = [
        _(
            "Scores are adjusted for segment difficulty and judge severity. Only differences are meaningful.",
        ),
    ]
    if fit.level == "segments":
        notes.append(_fixed_judges_note())
    notes += shortages_in_words(fit.shortages, len(fit.systems))
    fitted = []
    for index in order:
        if (
            fit.estimable[index]
            and not np.isfinite(fit.error[index])
            and fit.systems[index] not in fit.shortages
        ):
            fitted.append(fit.systems[index])
    if fitted:
        notes.append(
            _(
                "No intervals or rank ranges for %(systems)s yet: there must be more scores than systems, segments and judges combined.",
            )
            % {"systems": comma_list(fitted)},
        )
    if not fit.estimable.all() or len(set(fit.group[fit.estimable].tolist())) > 1:
        notes.append(
            _(
                "Systems in different groups share no segments or judges and cannot be compared.",
            ),
        )
    return Table.of(
        _rows(fit, order),
        name="additive",
        title=_("Scores by system, segment and judge"),
        columns=(
            _system(),
            Column("adjusted", _("Score"), decimals=1),
            Column("score", _("Difference"), decimals=2, of=itemgetter("effect")),
            *end_columns(decimals=2),
            Column("error", _("Standard error"), decimals=2),
            *_ranks(),
            Column("group", _("Group"), of=_group_from_1),
        ),
        rules=rules_between([int(fit.cluster[index]) for index in order]),
        notes=notes,
        plot=_RANK_PLOT,
    )


def _means(means: SystemMeans) -> Table:
    order = _order_by_rank(means.rank)
    notes = [
        _(
            "Means are comparable only if the same judges scored all systems on the same segments.",
        ),
    ]
    if means.judges > 1:
        notes.append(
            _(
                "No intervals or rank ranges for means of several judges, because judges differ. Use the scores by system, segment and judge.",
            ),
        )
    elif means.shortage is not None:
        notes += shortages_in_words(
            dict.fromkeys(means.systems, means.shortage),
            len(means.systems),
        )
    else:
        notes.append(_fixed_judges_note())
    if means.unscaled_judges:
        notes.append(
            # Published beside the table, so without names.
            counted(
                "%(count)s judge has no standardised scores, because all scores given are equal.",
                "%(count)s judges have no standardised scores, because all scores given are equal.",
                len(means.unscaled_judges),
            ),
        )
    return Table.of(
        _rows(means, order),
        name="means",
        title=_("Mean score"),
        columns=(
            _system(),
            Column("scores", _("Scores")),
            Column("units", _("Segments")),
            Column("score", _("Mean score"), decimals=1, of=itemgetter("mean")),
            *end_columns(decimals=1),
            Column("z", "z"),
            *end_columns("z_"),
            *_ranks(),
        ),
        rules=rules_between([int(means.cluster[index]) for index in order]),
        notes=notes,
        plot=_RANK_PLOT,
    )


def _fixed_judges_note() -> str:
    return _("Intervals and rank ranges hold for these judges only.")


def _rule(result: RuleResult) -> Table:
    last = len(result.systems) - 1
    most = np.where(np.eye(last + 1, dtype=np.bool_), 0, result.common).max(axis=0)
    shortages = {}
    for index, system in enumerate(result.systems):
        if not result.cluster[index]:
            shortages[system] = Shortage(
                "shared_segments",
                int(most[index]),
                FEWEST_COMMON,
            )
    notes = shortages_in_words(
        shortages,
        len(result.systems),
    )
    if result.rule is not ClusterRule.PERMUTATION:
        notes.append(
            _(
                "This published rule is not corrected for the number of pairs and separates equal systems too often, so there are no rank ranges.",
            ),
        )
    rows = _rows(
        result,
        range(last + 1),
        p_next=[*(_p_next(result, index) for index in range(last)), None],
        shared=[*(int(result.common[index, index + 1]) for index in range(last)), None],
    )
    return Table.of(
        rows,
        name="rule",
        title=_("Clusters of means: %(rule)s")
        % {"rule": RULE.choices[result.rule.value]},
        columns=(
            _system(),
            Column("score", _("Mean score"), decimals=1, of=itemgetter("mean")),
            *_ranks(),
            Column("p_next", _("p vs. next")),
            Column("common", _("Shared"), of=itemgetter("shared")),
        ),
        rules=rules_between([int(cluster) for cluster in result.cluster]),
        notes=notes,
    )


def _p_next(result: RuleResult, index: int) -> Value:
    shared = int(result.common[index, index + 1])
    if not shared:
        return _("no shared segments")
    if shared < FEWEST_COMMON:
        return not_yet_in_words(Shortage("shared_segments", shared, FEWEST_COMMON))
    return float(result.p[index, index + 1])


def _score_agreement(scores: ScoreAgreement) -> Table:
    pairs = sorted(scores.pairs, key=attrgetter("shared"), reverse=True)[:_MOST_PAIRS]
    # The row for all judges together has fewer figures.
    unknown = dict.fromkeys(field.name for field in fields(JudgePairScores))
    pair_rows = []
    for pair in pairs:
        pair_rows.append({**plain(pair), "judges": f"{pair.one}{BETWEEN}{pair.other}"})
    return Table.of(
        [
            {**unknown, **plain(replace(scores, pairs=())), "judges": _("All judges")},
            *pair_rows,
        ],
        name="score_agreement",
        title=_("Agreement of scores on shared outputs"),
        columns=(
            Column("judges", _("Judges"), is_text=True, names="judges"),
            Column("shared", _("Shared")),
            Column("pearson", _("Pearson")),
            *end_columns(),
            Column("spearman", _("Spearman")),
            *end_columns("spearman_"),
            Column("kendall", _("Kendall’s τ")),
            *end_columns("kendall_"),
            Column("difference", _("Difference"), decimals=1),
            Column("distance", _("Mean distance"), decimals=1),
        ),
    )


def _span_agreement(agreement: SpanAgreement) -> Table:
    return Table.of(
        [agreement],
        name="span_agreement",
        title=_("Agreement of marked characters on shared outputs"),
        columns=(
            Column("shared", _("Shared")),
            Column("f1", "F1"),
            *end_columns(),
            Column("unweighted", _("F1 without severity")),
            *end_columns("unweighted_"),
            Column("both_free", _("Neither marked errors")),
            Column("one_free", _("Only one marked errors")),
        ),
    )


def _contradictions(counts: Mapping[ContradictionKind, int]) -> Table:
    rows = []
    for kind, label in _KINDS.items():
        rows.append((str(label), counts[kind]))
    return Table(
        name="contradictions",
        title=_("Contradictions between scores and errors"),
        columns=(
            Column("kind", _("Kind"), is_text=True),
            Column("count", _("Count")),
        ),
        rows=rows,
    )


_SUGGESTIONS = {
    "score": gettext_lazy("Score"),
    "errors": gettext_lazy("Errors"),
    "seconds": gettext_lazy("Seconds"),
    "f1": gettext_lazy("F1 of two judges"),
    "kept": pgettext_lazy("suggested errors", "kept"),
    "changed": pgettext_lazy("suggested errors", "changed"),
    "removed": pgettext_lazy("suggested errors", "removed"),
    "planted": pgettext_lazy("suggested errors", "planted and removed"),
}


def _differences(effects: SuggestionEffects) -> Table:
    return Table.of(
        effects.differences,
        name="suggestion_differences",
        title=_("With and without suggested errors"),
        columns=(
            Column(
                "measure",
                _("Mean"),
                is_text=True,
                of=_measure_in_words,
            ),
            Column("shown", _("With suggestions"), decimals=2),
            Column("withheld", _("Without suggestions"), decimals=2),
            Column("difference", _("Difference"), decimals=2),
            *end_columns(decimals=2),
        ),
        notes=[_fixed_judges_note()],
    )


def _measure_in_words(row: Difference) -> str:
    return str(_SUGGESTIONS[row.measure])


def _outcomes(effects: SuggestionEffects) -> Table:
    rows = []
    for name, share in effects.outcomes.items():
        rows.append({"outcome": str(_SUGGESTIONS[name]), **asdict(share)})
    return Table.of(
        rows,
        name="suggestion_outcomes",
        title=_("Suggested errors"),
        columns=(
            Column("outcome", _("Outcome"), is_text=True),
            Column("successes", _("Count")),
            Column("trials", _("Total")),
            Column("value", _("Share"), decimals=2),
            *end_columns(decimals=2),
        ),
        notes=[
            _("Errors added by judges: %(count)s.")
            % all_in_figures(count=effects.added),
        ],
    )


def _read(
    task: Task,
    watermark: int,
    judgments: ChosenJudgments,
    _options: AnalysisOptions,
) -> SpansRead:
    return scores_read(task=task, watermark=watermark, judgments=judgments)


ANALYSIS = ProtocolAnalysis(
    name="spans",
    title=gettext_lazy("Scores and errors"),
    question=gettext_lazy("How do systems score, and how well do judges agree?"),
    options=(
        MEASURE,
        RULE,
        LEVEL,
        DRAWN,
        COMPARED,
        METHOD,
        RESAMPLES,
        CONFIDENCE,
        SEED,
    ),
    protocols=frozenset({Protocol.SPANS}),
    stands_for_ranking=True,
    read=_read,
    find=_find,
    tell=_tell,
    read_files=_read_files,
    file_options=_OF_FILES,
)
