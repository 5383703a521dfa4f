"""Compare automatic metrics with judges: agreement between a ceiling and a floor."""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, Final, cast

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaign.formats.evalset import EvalSet
from campaign.formats.metric_scores import (
    MetricScores,
    is_named_as_error_rate,
    segment_rows,
)
from campaign.texts.joining import comma_list
from ranking.core.arrays import Int64Array
from ranking.core.metrics.meta_evaluation import meta_evaluation
from ranking.core.metrics.people import Metric, people_of_scores
from ranking.reports.analyses.compared_metrics import (
    SEGMENTS,
    HumanSide,
    comparing,
    drawing_of,
    judged_side,
    labelled,
    with_machines,
)
from ranking.reports.analyses.firmness import COUNTS_METHOD
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need
from ranking.reports.analyses.options import (
    CONFIDENCE,
    RESAMPLES,
    SEED,
    AnalysisOptions,
    Option,
    OptionError,
)
from ranking.reports.inputs import Input, report_on
from ranking.reports.metric_agreement import MetricsData, PeopleData, metrics_tables
from ranking.reports.tables import Report, plain
from ranking.reports.wording.methods import METHOD_WORDS
from ranking.reports.wording.numbers import decimals, percent_in_figures
from ranking.reports.wording.published_content import MetricAgreement
from version import code_version

HUMAN = Option(
    name="human",
    label=gettext_lazy("Human scores"),
    default="",
    help=gettext_lazy(
        "Name of imported human scores. Leave empty to compare with the judges of this task.",
    ),
)
BY = Option(
    name="by",
    label=gettext_lazy("Break down by"),
    default="",
    choices={
        "": gettext_lazy("Nothing"),
        "domain": gettext_lazy("Domain"),
        "document": gettext_lazy("Document"),
        "length": gettext_lazy("Source length"),
    },
)
#: Correlation with people below which a metric seems to have the wrong sign.
_OPPOSED: Final = -0.5
#: Maximum number of groups in a breakdown.
_MOST_GROUPS = 100


def metric_of(scores: MetricScores, *, last: int = 0) -> Metric:
    """Return the scores from a file, whose segments are named by their numbers, as a metric.

    `last` is the number of the last judged segment, if known. Raises FormatError as `segment_rows` does.
    """
    rows = segment_rows(scores, last=last)
    return Metric(
        name=scores.name,
        systems=scores.systems,
        segments=np.array(list(rows), dtype=np.int64),
        values=scores.values[list(rows.values())] * scores.sign,
        of_systems=scores.of_systems * scores.sign,
        sign=scores.sign,
        signature=scores.signature,
        is_human=scores.is_human,
    )


def _compare_metrics(
    metrics: Sequence[Metric],
    groups: Mapping[str, Int64Array],
    options: AnalysisOptions,
    begin: Begin,
    side: HumanSide | None = None,
) -> MetricsData:
    """Compare metrics with the human `side`, or with the human scores named by the options."""
    named = labelled(metrics)
    if options[HUMAN] or side is None:
        human = _human_scores(named, options[HUMAN])
        named.remove(human)
        side = HumanSide(partial(people_of_scores, human, drawing_of(options)))
    with comparing(options[COUNTS_METHOD]):
        evaluation = meta_evaluation(
            side.people,
            named,
            ratings=side.ratings,
            groups=groups,
            judged_only=options[SEGMENTS] == "judged",
            progress=begin(_("Comparing metrics")),
        )
    by_name = {metric.name: metric for metric in named}
    for agreement in evaluation["metrics"]:
        agreement["doubt"] = _direction_doubt(by_name[agreement["metric"]], agreement)
    return cast("MetricsData", plain(evaluation))


def _human_scores(metrics: Sequence[Metric], name: str) -> Metric:
    """Return the human scores of this name; raise OptionError if there are none."""
    human = {metric.name: metric for metric in metrics if metric.is_human}
    if name in human:
        return human[name]
    message = _("Enter the human scores to compare with. Available: %(known)s.")
    if name:
        message = _("Human scores “%(name)s” not found. Available: %(known)s.")
    message %= {"name": name, "known": comma_list(human) or "–"}
    raise OptionError(message, field="human")


def _direction_doubt(metric: Metric, agreement: Mapping[str, Any]) -> str:
    """Return the reason to doubt that a metric's direction is right: "correlation", "name", or none."""
    pearson = agreement["systems"].get("pearson")
    if pearson is not None and pearson.value < _OPPOSED:
        return "correlation"
    # Error rates in EvalSet folders are negated.
    is_positive = bool((metric.scores > 0).any())
    counts_as_better = metric.sign > 0 and not metric.is_human
    if counts_as_better and is_positive and is_named_as_error_rate(metric.name):
        return "name"
    return ""


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> MetricsData:
    groups = _groups(inputs, options[BY])
    side = judged_side(inputs, options)
    return _compare_metrics(with_machines(inputs), groups, options, begin, side)


def _groups(inputs: Input, by: str) -> dict[str, Int64Array]:
    blocks = inputs.blocks
    segments, first = np.unique(blocks.segment, return_index=True)
    numbers: Int64Array = segments.astype(np.int64)
    if by == "length":
        words = inputs.texts.words()[numbers] if inputs.texts else numbers[:0]
        return _segments_by_length(numbers, words)
    if not by:
        return {}
    names: Sequence[str] = []
    if inputs.document_of is not None:
        # Unjudged segments count too: metrics score them.
        numbers = np.array(list(inputs.document_of), dtype=np.int64)
        names = list(inputs.document_of.values())
    elif blocks.document is not None and inputs.documents:
        names = [inputs.documents[index] for index in blocks.document[first].tolist()]
    if by == "domain":
        names = list(map(_domain, names))
    return _segments_by_name(numbers, names)


def _domain(document: str) -> str:
    """Return the part of a document's name before “/”; empty without one."""
    domain, slash, _name = document.partition("/")
    return domain if slash else ""


def _segments_by_name(
    numbers: Int64Array,
    names: Sequence[str],
) -> dict[str, Int64Array]:
    if not names:
        raise ValueError(_("Documents are not available."))
    groups = sorted(set(filter(None, names)))
    if not groups:
        raise ValueError(
            _("Document names contain no domain. Name documents “domain/document”."),
        )
    if len(groups) > _MOST_GROUPS:
        raise ValueError(
            _("Too many groups: %(number)s. The limit is %(most)s.")
            % {"number": number_format(len(groups)), "most": _MOST_GROUPS},
        )
    column = np.array(names)
    return {name: numbers[column == name] for name in groups}


def _segments_by_length(
    numbers: Int64Array,
    words: Int64Array,
) -> dict[str, Int64Array]:
    """Return the segments in thirds by the number of source words."""
    has_source = words >= 0
    numbers = numbers[: len(words)][has_source]
    words = words[has_source]
    if not len(words):
        raise ValueError(_("Source lengths are not available."))
    ends = np.unique(np.quantile(words, (1 / 3, 2 / 3, 1), method="lower"))
    groups = {}
    first = int(words.min())
    for last in ends.tolist():
        name = _("%(low)s–%(high)s words") % {"low": first, "high": last}
        groups[name] = numbers[(words >= first) & (words <= last)]
        first = last + 1
    return groups


def evalset_report(evalset: EvalSet, options: AnalysisOptions, begin: Begin) -> Report:
    """Return the report of an EvalSet folder; the options name its human scores if there are several."""
    metrics = []
    for scores in evalset.scores:
        metric = metric_of(scores)
        systems = [name for name in metric.systems if name not in evalset.references]
        metrics.append(metric.take(systems))
    human = [metric for metric in metrics if metric.is_human]
    if not options[HUMAN] and len(human) == 1:
        options = options.replaced({HUMAN.name: human[0].name})
    groups = _groups_of_evalset(evalset, human, options[BY])
    answer = _compare_metrics(metrics, groups, options, begin)
    return Report(
        notes=[
            _(
                "%(pair)s: %(segments)s segments with human scores “%(human)s”, %(systems)s systems.",
            )
            % {
                "pair": evalset.languages,
                "segments": number_format(answer["people"]["segments"]),
                "human": options[HUMAN],
                "systems": len(answer["people"]["systems"]),
            },
            *_notes(answer, options),
        ],
        tables=metrics_tables(answer, options[CONFIDENCE]),
        data={"human": options[HUMAN], **answer, "version": code_version()},
    )


def _groups_of_evalset(
    evalset: EvalSet,
    human: Sequence[Metric],
    by: str,
) -> dict[str, Int64Array]:
    """Return the segments of each group of an EvalSet folder."""
    segments = max((len(metric.segments) for metric in human), default=0)
    numbers = np.arange(1, 1 + segments)
    if by == "length":
        return _segments_by_length(
            numbers,
            np.array(evalset.word_counts, dtype=np.int64),
        )
    if by == "domain":
        return _segments_by_name(numbers, evalset.domains)
    if by == "document":
        return _segments_by_name(numbers, evalset.documents)
    return {}


def _notes(answer: MetricsData, options: AnalysisOptions) -> list[str]:
    if answer["people"]["from"] == "rankings":
        message = _(
            "System score: %(method)s. p-values for soft pairwise accuracy come from resampled segments, the same for judges and metrics.",
        ) % {"method": METHOD_WORDS[options[COUNTS_METHOD]]}
    else:
        message = _(
            "p-values for soft pairwise accuracy come from sign flips of segments; ties count in full, as at WMT24 and WMT25.",
        )
    intervals = _(
        "%(percent)s%% intervals account for segments and, where known, judges, in campaigns of this size. The set of systems is fixed.",
    )
    notes = [message, intervals % {"percent": percent_in_figures(options[CONFIDENCE])}]
    if not answer["metrics"]:
        notes.append(_("No metrics yet. Compute metrics or import scores."))
    if answer["left_out"]:
        message = _(
            "Excluded because they score fewer than two of these systems: %(names)s.",
        )
        notes.append(message % {"names": comma_list(answer["left_out"])})
    if answer["ceiling"] is None:
        notes.append(_("No ceiling: it needs two judges who judged the same outputs."))
    notes += _human_gaps(answer["people"], options[HUMAN])
    for agreement in answer["metrics"]:
        notes += _direction_warning(agreement)
        notes += _compared_segments(agreement)
        notes += _missing_scores(agreement, answer["people"])
    return notes


def _missing_scores(agreement: MetricAgreement, people: PeopleData) -> list[str]:
    """Return sentences about the systems and outputs without a score by a metric."""
    notes = []
    metric = agreement["metric"]
    without_scores = sorted(people["systems"].keys() - agreement["scores"].keys())
    if without_scores:
        message = _(
            "%(metric)s has no scores for %(systems)s and is compared on the other systems.",
        )
        notes.append(
            message % {"metric": metric, "systems": comma_list(without_scores)},
        )
    missing = agreement["missing"]
    if missing and agreement["segments"]:
        message = ngettext(
            "%(metric)s is missing %(number)s of %(outputs)s judged outputs and is compared on the others.",
            "%(metric)s is missing %(number)s of %(outputs)s judged outputs and is compared on the others.",
            missing,
        )
        outputs = number_format(agreement["outputs"])
        counts = {"number": number_format(missing), "outputs": outputs}
        notes.append(message % {"metric": metric, **counts})
    return notes


def _direction_warning(agreement: MetricAgreement) -> list[str]:
    """Return a sentence about a metric whose sign seems to be wrong."""
    doubt = agreement.get("doubt")
    name = agreement["metric"]
    if doubt == "correlation" and agreement.get("is_machine"):
        message = _(
            "%(metric)s reverses the human order of systems (Pearson %(value)s). Check whether its prompt asks for the scale that judges use.",
        )
        pearson = decimals(agreement["systems"]["pearson"]["value"], 2)
        return [message % {"metric": name, "value": pearson}]
    if doubt == "correlation":
        message = _(
            "%(metric)s reverses the human order of systems (Pearson %(value)s). Check whether lower scores are better, and say so when you import it.",
        )
        pearson = decimals(agreement["systems"]["pearson"]["value"], 2)
        return [message % {"metric": name, "value": pearson}]
    if doubt == "name":
        message = _(
            "%(metric)s looks like an error rate, but higher scores count as better. If lower scores are better, say so when you import it.",
        )
        return [message % {"metric": name}]
    return []


def _human_gaps(people: PeopleData, human: str) -> list[str]:
    """Return sentences about outputs of judged segments without a human score."""
    missing = people.get("missing")
    if not missing:
        return []
    message = _(
        "%(number)s of %(outputs)s outputs of the judged segments have no human score. Outputs are compared where both have one.",
    )
    outputs = number_format(people["outputs"])
    gaps = message % {"number": number_format(missing), "outputs": outputs}
    return [gaps, *_common_segments(human, people.get("common"))]


def _common_segments(name: str, common: int | None) -> list[str]:
    """Return a sentence about the segments that figures of systems use, if these are not all."""
    if common is None:
        return []
    if common == 0:
        message = _(
            "%(metric)s scores no segment for all systems, so it has no system figures.",
        )
        return [message % {"metric": name}]
    message = _(
        "%(metric)s does not score all systems on the same segments. Its system figures use the segments on which it does: %(number)s.",
    )
    return [message % {"metric": name, "number": number_format(common)}]


def _compared_segments(agreement: MetricAgreement) -> list[str]:
    """Return sentences about the segments that figures of a metric use."""
    notes = _common_segments(agreement["metric"], agreement.get("common"))
    if agreement.get("unjudged"):
        message = _(
            "%(metric)s also scores segments that people did not judge: %(number)s. Its system scores include them unless you choose “Judged segments only”.",
        )
        unjudged = number_format(agreement["unjudged"])
        notes.append(message % {"metric": agreement["metric"], "number": unjudged})
    return notes


def _tell(inputs: Input, options: AnalysisOptions, answer: MetricsData) -> Report:
    tables = metrics_tables(answer, options[CONFIDENCE])
    return report_on(inputs, notes=_notes(answer, options), tables=tables, data=answer)


METRICS = AnalysisKind(
    name="metrics",
    title=gettext_lazy("Agreement of metrics with judges"),
    question=gettext_lazy(
        "How well do automatic metrics agree with the judges, and which metrics agree best?",
    ),
    options=(HUMAN, BY, SEGMENTS, COUNTS_METHOD, CONFIDENCE, RESAMPLES, SEED),
    page="metrics",
    needs=frozenset({Need.OTHER_TASKS, Need.METRICS, Need.MACHINES}),
    files_are_enough=True,
    find=_find,
    tell=_tell,
)
