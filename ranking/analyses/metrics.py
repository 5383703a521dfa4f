"""Agreement of automatic metrics with judges, between a ceiling and a floor."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaign.formats.metric_scores import EvalSet, MetricScores
from ranking.analyses.firmness import COUNTS_METHOD
from ranking.analyses.kind import AnalysisKind, Begin, converging
from ranking.analyses.options import CONFIDENCE, RESAMPLES, SEED, Option, OptionError
from ranking.code_version import code_version
from ranking.core.arrays import Int64Array
from ranking.core.beside import OutputScores, ScoredTask
from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.meta_evaluation import Agreement, MetaEvaluation, meta_evaluation
from ranking.core.metrics.people import (
    Metric,
    NothingComparedError,
    People,
    people_of_blocks,
    people_of_ratings,
    people_of_scores,
)
from ranking.reports.inputs import Input, report_on
from ranking.reports.metric_agreement import agreement_tables, comparison_table, groups_table
from ranking.reports.tables import Report, Table, plain
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.numbers import percent_in_figures

HUMAN = Option(
    name="human",
    label=gettext_lazy("Human scores"),
    default="",
    help=gettext_lazy(
        "Name of imported human scores. Leave blank to compare with the judges of this task."
    ),
)
BY = Option(
    name="by",
    label=gettext_lazy("Break down by"),
    default="",
    choices={
        "": gettext_lazy("nothing"),
        "domain": gettext_lazy("domain"),
        "document": gettext_lazy("document"),
        "length": gettext_lazy("source length"),
    },
)
#: Limit of groups in a breakdown.
_MOST_GROUPS = 100


def labelled(metrics: Sequence[Metric]) -> list[Metric]:
    """Return metrics with unique names: with their signatures, or a number, where names repeat."""
    names = [each.name for each in metrics]
    labels: list[str] = []
    for each in metrics:
        repeats = names.count(each.name) > 1 and each.signature
        label = f"{each.name} ({each.signature})" if repeats else each.name
        labels.append(f"{label} {len(labels) + 1}" if label in labels else label)
    return [replace(each, name=label) for each, label in zip(metrics, labels, strict=True)]


def metric_of(scores: MetricScores, *, is_human: bool = False) -> Metric:
    """Return scores of a file, whose segments are named by their numbers, ascending."""
    return Metric(
        name=scores.name,
        systems=scores.systems,
        segments=np.array([int(each.segment) for each in scores.segments], dtype=np.int64),
        values=scores.values * scores.sign,
        of_systems=scores.of_systems * scores.sign,
        sign=scores.sign,
        signature=scores.signature,
        is_human=is_human,
    )


def drawing_of(options: Mapping[str, Any]) -> Drawing:
    """Return how chance is drawn and judged by complete options."""
    return Drawing(options["resamples"], options["seed"], options["confidence"])


def judged_side(
    given: Input, options: Mapping[str, Any]
) -> tuple[Callable[..., People], OutputScores | None]:
    """Return the judgments as metrics are compared with them, and scores by judge where outputs are scored."""
    # The task itself comes first among those of its test set.
    judged = given.beside[0].judged if given.beside else None
    if isinstance(judged, ScoredTask):
        return partial(people_of_ratings, judged, drawing_of(options)), judged.scores
    drawing = drawing_of(options)
    return partial(people_of_blocks, given.blocks, options["method"], drawing), None


@contextmanager
def comparing(method: str) -> Iterator[None]:
    """Raise a readable ValueError if judgments compare no two systems, or the estimate of a method did not converge."""
    try:
        with converging(method):
            yield
    except NothingComparedError as error:
        raise ValueError(_("These judgments compare no two systems.")) from error


def _compared(
    metrics: Sequence[Metric],
    groups: Mapping[str, Int64Array],
    options: Mapping[str, Any],
    begin: Begin,
    side: Callable[..., People] | None = None,
    ratings: OutputScores | None = None,
) -> MetaEvaluation:
    """Compare metrics with a side, or with the human scores named by the options."""
    named = labelled(metrics)
    if options["human"] or side is None:
        chosen = [each for each in named if each.is_human and each.name == options["human"]]
        if not chosen:
            known = ", ".join(each.name for each in named if each.is_human) or "–"
            words = (
                _("No human scores “%(name)s”. Available: %(known)s.")
                if options["human"]
                else _("Name the human scores to compare with. Available: %(known)s.")
            )
            raise OptionError(words % {"name": options["human"], "known": known}, field="human")
        side, ratings = partial(people_of_scores, chosen[0], drawing_of(options)), None
        named.remove(chosen[0])
    with comparing(options["method"]):
        progress = begin(_("Comparing metrics"))
        return meta_evaluation(side, named, ratings=ratings, groups=groups, progress=progress)


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> MetaEvaluation:
    groups = _groups(given, options["by"])
    return _compared(given.metrics or (), groups, options, begin, *judged_side(given, options))


def _groups(given: Input, by: str) -> dict[str, Int64Array]:
    blocks = given.blocks
    segments, first = np.unique(blocks.segment, return_index=True)
    numbers: Int64Array = segments.astype(np.int64)
    if by == "length":
        return _by_length(numbers, given.texts.words()[numbers] if given.texts else numbers[:0])
    if not by:
        return {}
    names = []
    if blocks.document is not None and given.documents:
        names = [given.documents[index] for index in blocks.document[first].tolist()]
    if by == "domain":
        names = [name.partition("/")[0] if "/" in name else "" for name in names]
    return _by_name(numbers, names)


def _by_name(numbers: Int64Array, names: Sequence[str]) -> dict[str, Int64Array]:
    if not names:
        raise ValueError(_("Documents are not available."))
    known = sorted({name for name in names if name})
    if not known:
        raise ValueError(_("Document names contain no domain. Name documents “domain/document”."))
    if len(known) > _MOST_GROUPS:
        raise ValueError(
            _("Too many groups: %(number)s. The limit is %(most)s.")
            % {"number": number_format(len(known)), "most": _MOST_GROUPS}
        )
    column = np.array(names)
    return {name: numbers[column == name] for name in known}


def _by_length(numbers: Int64Array, words: Int64Array) -> dict[str, Int64Array]:
    """Return thirds of the segments by the words of their sources."""
    known = words >= 0
    numbers, words = numbers[: len(words)][known], words[known]
    if not len(words):
        raise ValueError(_("Source lengths are not available."))
    ends = np.unique(np.quantile(words, (1 / 3, 2 / 3, 1), method="lower"))
    found, after = {}, int(words.min())
    for end in ends.tolist():
        inside = (words >= after) & (words <= end)
        if inside.any():
            found[_("%(low)s–%(high)s words") % {"low": after, "high": end}] = numbers[inside]
        after = end + 1
    return found


def evalset_report(evalset: EvalSet, options: Mapping[str, Any], begin: Begin) -> Report:
    """Return the report of an EvalSet folder; the options name its human scores if there are several."""
    metrics = [
        given.take([name for name in given.systems if name not in evalset.references])
        for is_human, every in ((False, evalset.metrics), (True, evalset.human))
        for given in (metric_of(each, is_human=is_human) for each in every)
    ]
    human = [each for each in metrics if each.is_human]
    chosen = dict(options)
    if not chosen["human"] and len(human) == 1:
        chosen["human"] = human[0].name
    numbers = np.arange(1, 1 + max((len(each.segments) for each in human), default=0))
    groups: dict[str, Int64Array] = {}
    by = {"domain": evalset.domains, "document": evalset.documents}.get(chosen["by"])
    if chosen["by"] == "length":
        groups = _by_length(numbers, np.array(evalset.words, dtype=np.int64))
    elif by is not None:
        groups = _by_name(numbers, by)
    found = _compared(metrics, groups, chosen, begin)
    data = _data(found)
    return Report(
        notes=[
            _("%(pair)s: %(segments)s segments with human scores “%(human)s”, %(systems)s systems.")
            % {
                "pair": evalset.languages,
                "segments": number_format(len(found.people.segments)),
                "human": chosen["human"],
                "systems": len(found.people.systems),
            },
            *_notes(found, chosen),
        ],
        tables=_tables(data, chosen["confidence"]),
        data={"human": chosen["human"], **data, "version": code_version()},
    )


def _notes(found: MetaEvaluation, options: Mapping[str, Any]) -> list[str]:
    people = found.people
    if people.values is None:
        words = _(
            "System score: %(method)s. p-values for soft pairwise accuracy come from resampled segments, the same for judges and metrics."
        ) % {"method": METHOD_WORDS[options["method"]]}
    else:
        words = _(
            "p-values for soft pairwise accuracy come from sign flips of segments; ties count in full, as at WMT24 and WMT25."
        )
    intervals = _(
        "%(percent)s %% intervals account for segments and, where known, judges, in campaigns of this size. The set of systems is fixed."
    )
    notes = [words, intervals % {"percent": percent_in_figures(options["confidence"])}]
    if not found.metrics:
        notes.append(_("No metrics yet. Compute metrics or import scores."))
    if found.left_out:
        words = _("Excluded because they score fewer than two of these systems: %(names)s.")
        notes.append(words % {"names": ", ".join(found.left_out)})
    if found.ceiling is None:
        notes.append(_("No ceiling: it needs two judges who judged the same outputs."))
    for each in found.metrics:
        unknown = sorted(set(people.systems) - set(each.metric.systems))
        if unknown:
            words = _(
                "%(metric)s has no scores for %(systems)s and is compared on the other systems."
            )
            notes.append(words % {"metric": each.metric.name, "systems": ", ".join(unknown)})
        if each.missing and each.segments:
            words = ngettext(
                "%(metric)s is missing %(number)s of %(outputs)s judged outputs and is compared on the others.",
                "%(metric)s is missing %(number)s of %(outputs)s judged outputs and is compared on the others.",
                each.missing,
            )
            number, outputs = number_format(each.missing), number_format(each.outputs)
            notes.append(words % {"metric": each.metric.name, "number": number, "outputs": outputs})
    return notes


def _tables(data: Mapping[str, Any], confidence: float) -> list[Table]:
    tables = agreement_tables(data, confidence)
    if data["tests"]:
        tables.append(comparison_table(data))
    if data["groups"]:
        tables.append(groups_table(data, confidence))
    return tables


def _told(each: Agreement) -> dict[str, Any]:
    return {part.name: getattr(each, part.name) for part in fields(Agreement)}


def _data(found: MetaEvaluation) -> dict[str, Any]:
    people = found.people
    data: dict[str, Any] = plain(
        {
            "people": {
                "systems": dict(zip(people.systems, people.scores, strict=True)),
                "segments": len(people.segments),
                "pairs": len(people.pairs),
                "from": "rankings" if people.values is None else "scores",
            },
            "metrics": [
                {
                    "metric": each.metric.name,
                    "is_human": each.metric.is_human,
                    "scores": dict(zip(each.metric.systems, each.metric.scores, strict=True)),
                    **_told(each),
                }
                for each in found.metrics
            ],
            "left_out": found.left_out,
            "ceiling": found.ceiling,
            "floor": found.floor,
            "clusters": {
                figure: dict(zip(each.names, each.cluster, strict=True))
                for figure, each in found.compared.items()
            },
            "tests": _tests(found),
            "groups": [
                {
                    "group": name,
                    "segments": segments,
                    "metrics": {each.metric.name: _told(each) for each in agreements},
                }
                for name, (segments, agreements) in found.groups.items()
            ],
        }
    )
    return data


def _tests(found: MetaEvaluation) -> list[dict[str, Any]]:
    """Return the p-values of each pair of metrics, the one with more soft pairwise accuracy first."""
    if not found.compared:
        return []
    soft = found.compared["soft_pairwise"]
    order = np.argsort(-soft.values, kind="stable").tolist()
    return [
        {"metric": soft.names[one], "other": soft.names[other]}
        | {f"p_{figure}": each.p_value[one, other] for figure, each in found.compared.items()}
        for one, other in combinations(order, 2)
    ]


def _tell(given: Input, options: Mapping[str, Any], found: MetaEvaluation) -> Report:
    data = _data(found)
    tables = _tables(data, options["confidence"])
    return report_on(given, notes=_notes(found, options), tables=tables, data=data)


METRICS = AnalysisKind(
    name="metrics",
    title=gettext_lazy("Agreement of metrics with judges"),
    question=gettext_lazy(
        "How well do automatic metrics agree with the judges, and which metrics agree best?"
    ),
    options=(HUMAN, BY, COUNTS_METHOD, CONFIDENCE, RESAMPLES, SEED),
    page="metrics",
    needs_metrics=True,
    reads_other_tasks=True,
    files_are_enough=True,
    find=_find,
    tell=_tell,
)
