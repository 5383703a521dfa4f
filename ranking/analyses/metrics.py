"""Agreement of automatic metrics with judges, between a ceiling and a floor."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
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
from ranking.core.metrics.agreement import Metric, MetricAgreement
from ranking.core.metrics.meta_evaluation import (
    MetaEvaluation,
    Side,
    meta_evaluation,
    ranked_side,
    rated_side,
    scored_side,
)
from ranking.core.metrics.people import NothingComparedError
from ranking.reports.inputs import GivenMetric, Input, report_on
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


def metric_labels(metrics: Sequence[GivenMetric]) -> list[str]:
    """Return a unique name for each metric: with its signature, or a number, where names repeat."""
    names = [each.scores.name for each in metrics]
    labels: list[str] = []
    for each, name in zip(metrics, names, strict=True):
        signature = each.scores.signature
        label = f"{name} ({signature})" if names.count(name) > 1 and signature else name
        labels.append(f"{label} {len(labels) + 1}" if label in labels else label)
    return labels


def _metric(given: GivenMetric, name: str) -> Metric:
    scores = given.scores
    numbers = np.array([int(each.segment) for each in scores.segments], dtype=np.int64)
    order = np.argsort(numbers)
    return Metric(
        name=name,
        systems=scores.systems,
        segments=numbers[order],
        values=scores.values[order] * scores.sign,
        of_systems=scores.of_systems * scores.sign,
        is_human=given.is_human,
    )


def _compared(
    side: Side | None,
    given: Sequence[GivenMetric],
    groups: Mapping[str, Int64Array],
    options: Mapping[str, Any],
    begin: Begin,
    ratings: OutputScores | None = None,
) -> MetaEvaluation:
    """Compare metrics with a side, or with the human scores named by the options."""
    metrics = [_metric(*each) for each in zip(given, metric_labels(given), strict=True)]
    if options["human"] or side is None:
        chosen = [each for each in metrics if each.is_human and each.name == options["human"]]
        if not chosen:
            known = ", ".join(each.name for each in metrics if each.is_human) or "–"
            words = (
                _("No human scores “%(name)s”. Available: %(known)s.")
                if options["human"]
                else _("Name the human scores to compare with. Available: %(known)s.")
            )
            raise OptionError(words % {"name": options["human"], "known": known}, field="human")
        side = scored_side(chosen[0], resamples=options["resamples"], seed=options["seed"])
        metrics.remove(chosen[0])
        ratings = None
    try:
        return meta_evaluation(
            side,
            metrics,
            ratings=ratings,
            confidence=options["confidence"],
            flips=options["resamples"],
            groups=groups,
            progress=begin(_("Comparing metrics")),
        )
    except NothingComparedError as error:
        raise ValueError(_("These judgments compare no two systems.")) from error


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> MetaEvaluation:
    drawing = {"resamples": options["resamples"], "seed": options["seed"]}
    side = ranked_side(given.blocks, options["method"], **drawing)
    # The task itself comes first among those of its test set.
    judged = given.beside[0].judged if given.beside else None
    ratings = None
    if isinstance(judged, ScoredTask):
        side, ratings = rated_side(judged, **drawing), judged.scores
    elif given.beside and judged is None:
        raise ValueError(_("No judgment matches this selection."))
    groups = _groups(given, options["by"])
    with converging(options["method"]):
        return _compared(side, given.metrics or (), groups, options, begin, ratings)


def _groups(given: Input, by: str) -> dict[str, Int64Array]:
    blocks = given.blocks
    if by == "length":
        if given.texts is None:
            raise ValueError(_("Source lengths are not available."))
        words = given.texts.words()
        numbers = np.unique(blocks.segment).astype(np.int64)
        return _by_length(numbers, words[numbers])
    if not by:
        return {}
    if blocks.document is None or not given.documents:
        raise ValueError(_("Documents are not available."))
    numbers, first = np.unique(blocks.segment, return_index=True)
    names = [given.documents[index] for index in blocks.document[first].tolist()]
    if by == "domain":
        names = [name.partition("/")[0] if "/" in name else "" for name in names]
    return _by_name(numbers.astype(np.int64), names)


def _by_name(numbers: Int64Array, names: Sequence[str]) -> dict[str, Int64Array]:
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
    numbers, words = numbers[known], words[known]
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
    human = [_without(each, evalset.references) for each in evalset.human]
    metrics = [_without(each, evalset.references) for each in evalset.metrics]
    given = [
        *(GivenMetric(scores=each) for each in metrics),
        *(GivenMetric(scores=each, is_human=True) for each in human),
    ]
    chosen = dict(options)
    if not chosen["human"] and len(human) == 1:
        chosen["human"] = human[0].name
    numbers = np.arange(1, 1 + max((len(each.segments) for each in human), default=0))
    groups: dict[str, Int64Array] = {}
    by = {"domain": evalset.domains, "document": evalset.documents}.get(chosen["by"])
    if chosen["by"] == "length":
        if not evalset.words:
            raise ValueError(_("Source lengths are not available."))
        groups = _by_length(numbers, np.array(evalset.words, dtype=np.int64))
    elif by is not None:
        if not by:
            raise ValueError(_("Documents are not available."))
        groups = _by_name(numbers, by)
    found = _compared(None, given, groups, chosen, begin)
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


def _without(scores: MetricScores, systems: Iterable[str]) -> MetricScores:
    kept = [index for index, name in enumerate(scores.systems) if name not in set(systems)]
    return replace(
        scores,
        systems=tuple(scores.systems[index] for index in kept),
        values=scores.values[:, kept],
        of_systems=scores.of_systems[kept],
    )


def _notes(found: MetaEvaluation, options: Mapping[str, Any]) -> list[str]:
    people = found.people
    if people.values is None:
        words = _(
            "System score: %(method)s. p-values for soft pairwise accuracy come from resampled segments, the same for judges and metrics."
        )
        notes = [words % {"method": METHOD_WORDS[options["method"]]}]
    else:
        notes = [
            _(
                "p-values for soft pairwise accuracy come from sign flips of segments; ties count in full, as at WMT24 and WMT25."
            )
        ]
    words = _(
        "%(percent)s %% intervals account for segments and, where known, judges, in campaigns of this size. The set of systems is fixed."
    )
    notes.append(words % {"percent": percent_in_figures(options["confidence"])})
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
            numbers = {
                "number": number_format(each.missing),
                "outputs": number_format(each.outputs),
            }
            notes.append(words % {"metric": each.metric.name, **numbers})
    return notes


def _tables(data: Mapping[str, Any], confidence: float) -> list[Table]:
    tables = agreement_tables(data, confidence)
    if data["tests"]:
        tables.append(comparison_table(data))
    if data["groups"]:
        tables.append(groups_table(data, confidence))
    return tables


def _data(found: MetaEvaluation) -> dict[str, Any]:
    def told(each: MetricAgreement | None) -> dict[str, Any] | None:
        names = ("systems", "segments", "threshold", "missing", "outputs")
        return None if each is None else {name: getattr(each, name) for name in names}

    people = found.people
    data: dict[str, Any] = plain(
        {
            "people": {
                "systems": dict(zip(people.systems, people.scores.tolist(), strict=True)),
                "segments": len(people.segments),
                "pairs": len(people.pairs),
                "from": "rankings" if people.values is None else "scores",
            },
            "metrics": [
                {
                    "metric": each.metric.name,
                    "is_human": each.metric.is_human,
                    "scores": dict(zip(each.metric.systems, each.metric.scores, strict=True)),
                    **(told(each) or {}),
                }
                for each in found.metrics
            ],
            "left_out": found.left_out,
            "ceiling": told(found.ceiling),
            "floor": told(found.floor),
            "clusters": {
                figure: dict(zip(found.compared_names, each.cluster, strict=True))
                for figure, each in found.compared.items()
            },
            "tests": _tests(found),
            "groups": [
                {
                    "group": group.name,
                    "segments": group.segments,
                    "metrics": {name: told(each) for name, each in group.agreements.items()},
                }
                for group in found.groups
            ],
        }
    )
    return data


def _tests(found: MetaEvaluation) -> list[dict[str, Any]]:
    """Return the p-values of each pair of metrics, the one with more soft pairwise accuracy first."""
    if not found.compared:
        return []
    names = found.compared_names
    order = np.argsort(-found.compared["soft_pairwise"].values, kind="stable").tolist()
    return [
        {"metric": names[one], "other": names[other]}
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
