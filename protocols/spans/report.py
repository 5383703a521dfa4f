"""Report on scored judgments, for page, REST and command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from typing import Any, get_args

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from protocols.spans.contradictions import ContradictionRule, contradictions
from protocols.spans.files.answers import scores_read
from protocols.spans.files.formats import SpansFormat, SpansRead, of_one_language_pair, read_spans
from protocols.spans.records import MAX_SCORE
from protocols.spans.statistics.agreement import score_agreement
from protocols.spans.statistics.columns import Measure, given_measure, score_columns
from protocols.spans.statistics.comparisons import blocks_of_scores
from protocols.spans.statistics.rules import ClusterRule, apply_rule
from protocols.spans.statistics.span_agreement import span_agreement
from protocols.spans.tables import SpanAnalysis, spans_report
from ranking.analyses.kind import AnalysisKind, Begin, ChosenJudgments
from ranking.analyses.options import CONFIDENCE, METHOD, RESAMPLES, SEED, Option, OptionError
from ranking.core.rankings.rank import rank
from ranking.core.scored.additive import Level, fit_additive
from ranking.core.scored.means import system_means
from ranking.files.records import JudgmentSelection
from ranking.files.sources import ReadingProgress
from ranking.reports.inputs import AnswersOfFiles, Input
from ranking.wording.pair_tests import LEVEL_WORDS

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
    label=gettext_lazy("Resampling unit of means"),
    default="segments",
    choices={"segments": gettext_lazy("Segments"), "documents": gettext_lazy("Documents")},
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


#: When scores contradict errors: of a task, its rules say it.
_THRESHOLDS = tuple(
    Option(name=name, default=float(threshold), low=0, high=MAX_SCORE)
    for name, threshold in asdict(ContradictionRule()).items()
)
_OF_FILES = (
    *_THRESHOLDS,
    Option(name="input_format", default="", choices=dict.fromkeys(["", *SpansFormat], "")),
    Option(name="source_language", default=""),
    Option(name="target_language", default=""),
)


def _read(
    task: Task, watermark: int, judgments: ChosenJudgments, _options: Mapping[str, Any]
) -> SpansRead:
    return scores_read(task=task, watermark=watermark, judgments=judgments)


def _read_files(
    names: Sequence[str],
    options: Mapping[str, Any],
    excluded: Sequence[str],
    progress: ReadingProgress,
) -> SpansRead:
    if excluded:
        raise OptionError("judges cannot be excluded from scores.", field="exclude_judge")
    source, target = options["source_language"], options["target_language"]
    given = options["input_format"]
    read = read_spans(
        names,
        input_format=SpansFormat(given) if given else None,
        source_language=source,
        target_language=target,
        progress=progress,
    )
    of_pair = of_one_language_pair(read, JudgmentSelection(source or None, target or None))
    rule = ContradictionRule(**{each.name: options[each.name] for each in _THRESHOLDS})
    return replace(of_pair, asked_about=rule)


def _find(given: Input | AnswersOfFiles, options: Mapping[str, Any], begin: Begin) -> SpanAnalysis:
    begin(_("Counting"))
    read: SpansRead = given.answers
    judgments = read.judgments
    if not judgments:
        raise ValueError(_("No judgments match these options."))
    measure = Measure(options[MEASURE.name])
    if measure is Measure.SCORE and read.files:
        measure = given_measure(judgments)
    asked = any(output.spans is not None for each in judgments for output in each.outputs)
    if measure is Measure.MQM and not asked:
        raise ValueError(_("This task has scores only, without error spans."))
    columns = score_columns(judgments, measure=measure)
    drawing = {option.name: options[option.name] for option in (RESAMPLES, CONFIDENCE, SEED)}
    seed, confidence = options[SEED.name], options[CONFIDENCE.name]
    level, drawn, compared = (options[option.name] for option in (LEVEL, DRAWN, COMPARED))
    rule, method = ClusterRule(options[RULE.name]), options[METHOD.name]
    blocks, additive, not_additive = None, None, ""
    with suppress(ValueError):
        blocks = blocks_of_scores(judgments, measure=measure, compared=compared)
    try:
        additive = fit_additive(columns, level=level, confidence=confidence, seed=seed)
    except ValueError as error:
        not_additive = str(error)
    found = [contradictions(judgment, read.asked_about) for judgment in judgments]
    return SpanAnalysis(
        options={
            "measure": measure,
            "rule": rule,
            "level": level,
            "drawn": drawn,
            "compared": compared,
            "method": method,
            **drawing,
        },
        columns=columns,
        means=system_means(columns, drawn=drawn, **drawing),
        rule=apply_rule(columns, rule, seed=seed),
        additive=additive,
        not_additive=not_additive,
        blocks=blocks,
        ranking=None if blocks is None else rank(blocks, method, **drawing),
        scores=score_agreement(judgments, measure=measure, **drawing),
        spans=span_agreement(judgments, confidence=confidence),
        contradictions=Counter(each.kind for one in found for each in one),
        contradicting=sum(map(bool, found)),
    )


ANALYSIS = AnalysisKind(
    name="spans",
    title=gettext_lazy("Error spans and scores"),
    question=gettext_lazy("How do systems score, and how far do judges agree?"),
    options=(MEASURE, RULE, LEVEL, DRAWN, COMPARED, METHOD, RESAMPLES, CONFIDENCE, SEED),
    protocols=frozenset({Protocol.SPANS}),
    stands_for_ranking=True,
    read=_read,
    find=_find,
    tell=spans_report,
    read_files=_read_files,
    file_options=_OF_FILES,
)
