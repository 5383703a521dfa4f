"""Measure how far automatic metrics agree with judges, between a ceiling and a floor."""

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
from ranking.core.beside import Estimate, ScoredTask
from ranking.core.metrics.agreement import MetricAgreement
from ranking.core.metrics.meta_evaluation import (
    MetaEvaluation,
    RankedSide,
    RatedSide,
    ScoredColumn,
    ScoredSide,
    Side,
    meta_evaluation,
)
from ranking.core.metrics.people import NothingComparedError
from ranking.reports.correlations import interval_ends
from ranking.reports.inputs import GivenMetric, Input, report_on
from ranking.reports.tables import Column, Report, Table, Value, interval_plot
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.numbers import percent_in_figures

HUMAN = Option(
    name="human",
    label=gettext_lazy("Human scores"),
    default="",
    help=gettext_lazy(
        "Name of imported human scores to compare metrics with. Leave blank for the judges’ rankings."
    ),
)
BY = Option(
    name="by",
    label=gettext_lazy("Also by"),
    default="",
    choices={
        "": gettext_lazy("no groups"),
        "domain": gettext_lazy("domain"),
        "document": gettext_lazy("document"),
        "length": gettext_lazy("length of the source"),
    },
)
#: More documents than this are not listed one by one.
_MOST_GROUPS = 100
_OF_SYSTEMS = {
    "soft_pairwise": gettext_lazy("Soft pairwise accuracy"),
    "pairwise": gettext_lazy("Pairwise accuracy"),
    "pairwise_separated": gettext_lazy("Accuracy on separated pairs"),
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": gettext_lazy("Kendall’s τ-b"),
}
_OF_SEGMENTS = {
    "acc_eq": gettext_lazy("acc_eq, ties tuned here"),
    "acc_eq_folds": gettext_lazy("acc_eq, ties tuned on other folds"),
    "tau_wmt14": gettext_lazy("τ, WMT14"),
    "tau_wmt13": gettext_lazy("τ, WMT13"),
    "tau_wmt12": gettext_lazy("τ, WMT12"),
    "kendall_by_segment": gettext_lazy("τ-b by segment"),
    "kendall_by_system": gettext_lazy("τ-b by system"),
    "kendall_pooled": gettext_lazy("τ-b, all outputs"),
    "pearson": gettext_lazy("Pearson, all outputs"),
}


def scored_column(given: GivenMetric, name: str) -> ScoredColumn:
    """Return the scores of a metric as the core takes them; segments are named by their numbers."""
    scores = given.scores
    numbers = np.array([int(each.segment) for each in scores.segments], dtype=np.int64)
    order = np.argsort(numbers)
    return ScoredColumn(
        name=name,
        systems=scores.systems,
        segments=numbers[order],
        values=scores.values[order] * scores.sign,
        of_systems=scores.of_systems * scores.sign,
        is_human=given.is_human,
    )


def scored_columns(metrics: Sequence[GivenMetric]) -> list[ScoredColumn]:
    """Return all metrics; those that share a name have their signature behind it."""
    names = [each.scores.name for each in metrics]
    found: list[ScoredColumn] = []
    for each, name in zip(metrics, names, strict=True):
        signature = each.scores.signature
        shown = f"{name} ({signature})" if names.count(name) > 1 and signature else name
        if any(shown == other.name for other in found):
            shown = f"{shown} {len(found) + 1}"
        found.append(scored_column(each, shown))
    return found


def _compared(
    side: Side | None,
    metrics: Sequence[GivenMetric],
    groups: Mapping[str, Int64Array],
    options: Mapping[str, Any],
    begin: Begin,
) -> MetaEvaluation:
    """Compare metrics with a side, or with the human scores among them that the options name."""
    columns = scored_columns(metrics)
    if options["human"] or side is None:
        chosen = [each for each in columns if each.is_human and each.name == options["human"]]
        if not chosen:
            known = ", ".join(each.name for each in columns if each.is_human) or "–"
            words = (
                _("There are no human scores “%(name)s”; there are: %(known)s.")
                if options["human"]
                else _("Name the human scores to compare with; there are: %(known)s.")
            )
            raise OptionError(words % {"name": options["human"], "known": known}, field="human")
        side = ScoredSide(scores=chosen[0], resamples=options["resamples"], seed=options["seed"])
        columns = [each for each in columns if each is not chosen[0]]
    try:
        return meta_evaluation(
            side,
            columns,
            confidence=options["confidence"],
            flips=options["resamples"],
            groups=groups,
            progress=begin(_("Comparing metrics")),
        )
    except NothingComparedError as error:
        raise ValueError(_("No two systems can be compared by these judgments.")) from error


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> MetaEvaluation:
    drawing = {"resamples": options["resamples"], "seed": options["seed"]}
    side: Side = RankedSide(blocks=given.blocks, method=options["method"], **drawing)
    # Of a task whose judges score outputs, this task is first among those of its test set.
    judged = given.beside[0].judged if given.beside else None
    if isinstance(judged, ScoredTask):
        side = RatedSide(task=judged, **drawing)
    elif given.beside and judged is None:
        raise ValueError(_("No judgment counts by this choice."))
    with converging(options["method"]):
        return _compared(side, given.metrics or (), _groups(given, options["by"]), options, begin)


def _groups(given: Input, by: str) -> dict[str, Int64Array]:
    blocks = given.blocks
    if by == "length":
        if given.texts is None:
            raise ValueError(_("The lengths of sources are not known."))
        words = given.texts.words()
        numbers = np.unique(blocks.segment).astype(np.int64)
        return _by_length(numbers, words[numbers])
    if not by:
        return {}
    if blocks.document is None or not given.documents:
        raise ValueError(_("The documents of segments are not known."))
    numbers, first = np.unique(blocks.segment, return_index=True)
    names = [given.documents[index] for index in blocks.document[first].tolist()]
    if by == "domain":
        names = [name.partition("/")[0] if "/" in name else "" for name in names]
    return _by_name(numbers.astype(np.int64), names)


def _by_name(numbers: Int64Array, names: Sequence[str]) -> dict[str, Int64Array]:
    known = sorted({name for name in names if name})
    if not known:
        raise ValueError(_("The names of documents say no domain."))
    if len(known) > _MOST_GROUPS:
        raise ValueError(
            _("There are %(number)s groups; at most %(most)s can be compared.")
            % {"number": number_format(len(known)), "most": _MOST_GROUPS}
        )
    column = np.array(names)
    return {name: numbers[column == name] for name in known}


def _by_length(numbers: Int64Array, words: Int64Array) -> dict[str, Int64Array]:
    """Return thirds of the segments by the words of their sources."""
    known = words >= 0
    numbers, words = numbers[known], words[known]
    if not len(words):
        raise ValueError(_("The lengths of sources are not known."))
    ends = np.unique(np.quantile(words, (1 / 3, 2 / 3, 1), method="lower"))
    found, after = {}, int(words.min())
    for end in ends.tolist():
        inside = (words >= after) & (words <= end)
        if inside.any():
            found[_("%(low)s–%(high)s words") % {"low": after, "high": end}] = numbers[inside]
        after = end + 1
    return found


def evalset_report(evalset: EvalSet, options: Mapping[str, Any], begin: Begin) -> Report:
    """Return the report of an EvalSet folder, whose official human scores are those the options name, or the only ones."""
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
            raise ValueError(_("The lengths of sources are not known."))
        groups = _by_length(numbers, np.array(evalset.words, dtype=np.int64))
    elif by is not None:
        if not by:
            raise ValueError(_("The documents of segments are not known."))
        groups = _by_name(numbers, by)
    found = _compared(None, given, groups, chosen, begin)
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
        tables=_tables(found, chosen),
        data={"human": chosen["human"], **_data(found), "version": code_version()},
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
    percent = percent_in_figures(options["confidence"])
    if people.values is None:
        notes = [
            _(
                "Systems are scored by %(method)s. p-values of soft pairwise accuracy are shares of resamples of segments, the same for judges and metrics."
            )
            % {"method": METHOD_WORDS[options["method"]]}
        ]
    else:
        notes = [
            _(
                "p-values of soft pairwise accuracy come from sign flips of segments, with ties in full, as in WMT24 and WMT25."
            )
        ]
    notes.append(
        _(
            "%(percent)s %% intervals account for segments and, where they are known, judges, and are for campaigns of this size. Systems are taken as they are."
        )
        % {"percent": percent}
    )
    if not found.metrics:
        notes.append(_("No metrics yet. Compute metrics of texts or import scores."))
    if found.left_out:
        notes.append(
            _("Not compared, because they score fewer than two of these systems: %(names)s.")
            % {"names": ", ".join(found.left_out)}
        )
    if found.ceiling is None:
        notes.append(_("No ceiling: no two judges of the same outputs are known."))
    for each in found.metrics:
        unknown = sorted(set(people.systems) - set(each.systems))
        if unknown:
            notes.append(
                _("%(metric)s has no scores of %(systems)s and is compared on the other systems.")
                % {"metric": each.column.name, "systems": ", ".join(unknown)}
            )
        if each.agreement.missing and each.agreement.segments:
            notes.append(
                ngettext(
                    "%(metric)s has no score of %(number)s of %(outputs)s judged outputs and is compared on the others.",
                    "%(metric)s has no scores of %(number)s of %(outputs)s judged outputs and is compared on the others.",
                    each.agreement.missing,
                )
                % {
                    "metric": each.column.name,
                    "number": number_format(each.agreement.missing),
                    "outputs": number_format(each.agreement.outputs),
                }
            )
    return notes


def _figure_columns(names: Mapping[str, Any], confidence: float) -> list[Column]:
    low, high = interval_ends(confidence)
    return [
        column
        for key, heading in names.items()
        for column in (
            Column(key, str(heading)),
            Column(f"{key}_low", low),
            Column(f"{key}_high", high),
        )
    ]


def _figure_cells(names: Iterable[str], figures: Mapping[str, Estimate]) -> list[Value]:
    return [
        value
        for name in names
        for each in (figures.get(name),)
        for value in ((None,) * 3 if each is None else (each.value, each.low, each.high))
    ]


def _ordered(
    found: MetaEvaluation, figure: str, *, of_systems: bool
) -> list[tuple[str, MetricAgreement]]:
    """Return the metrics, those that agree most first."""

    def value(each: MetricAgreement) -> float:
        figures = each.systems if of_systems else each.segments
        return figures[figure].value if figure in figures else -2.0

    rows = [(each.column.name, each.agreement) for each in found.metrics]
    return sorted(rows, key=lambda row: (-value(row[1]), row[0]))


def _clusters(found: MetaEvaluation, figure: str) -> dict[str, int]:
    compared = found.compared.get(figure)  # type: ignore[call-overload]
    if compared is None:
        return {}
    return dict(zip(found.compared_names, compared.cluster.tolist(), strict=True))


def _systems_table(found: MetaEvaluation, confidence: float) -> Table:
    cluster = _clusters(found, "soft_pairwise")
    rows: list[list[Value]] = [
        [name, cluster.get(name), *_figure_cells(_OF_SYSTEMS, each.systems)]
        for name, each in _ordered(found, "soft_pairwise", of_systems=True)
    ]
    if found.ceiling is not None and found.ceiling.systems:
        name = _("Ceiling: half of the judges against the other half")
        rows.append([name, None, *_figure_cells(_OF_SYSTEMS, found.ceiling.systems)])
    if found.floor is not None:
        cells = _figure_cells(_OF_SYSTEMS, found.floor.systems)
        rows.append([_("Floor: random scores"), None, *cells])
    return Table(
        name="systems",
        title=_("Agreement on systems"),
        columns=(
            Column("metric", _("Metric"), is_text=True),
            Column("cluster", _("Cluster")),
            *_figure_columns(_OF_SYSTEMS, confidence),
        ),
        rows=rows,
        notes=[
            _(
                "Clusters group metrics by paired permutation tests of soft pairwise accuracy. The ceiling has half of the judgments, so that a metric may be above it; its ranges are those of random halves, those of the floor of random scores."
            )
        ],
        rules=frozenset({len(found.metrics) - 1} if found.metrics else ()),
        plot=interval_plot(
            "metric", "soft_pairwise", low="soft_pairwise_low", high="soft_pairwise_high", end=1
        ),
    )


def _segments_table(found: MetaEvaluation, confidence: float) -> Table:
    limits = [each for each in (found.ceiling, found.floor) if each is not None]
    known = {name for each in found.metrics for name in each.agreement.segments}
    known.update(name for each in limits for name in each.segments)
    names = {key: words for key, words in _OF_SEGMENTS.items() if key in known}
    cluster = _clusters(found, "acc_eq")
    rows: list[list[Value]] = [
        [
            name,
            cluster.get(name),
            each.threshold,
            each.missing,
            *_figure_cells(names, each.segments),
        ]
        for name, each in _ordered(found, "acc_eq", of_systems=False)
    ]
    if found.ceiling is not None and found.ceiling.segments:
        name = _("Ceiling: each judge against the others")
        rows.append([name, None, None, None, *_figure_cells(names, found.ceiling.segments)])
    if found.floor is not None:
        floor: list[Value] = [_("Floor: random scores"), None, None, None]
        rows.append([*floor, *_figure_cells(names, found.floor.segments)])
    return Table(
        name="segments",
        title=_("Agreement on outputs of a segment"),
        columns=(
            Column("metric", _("Metric"), is_text=True),
            Column("cluster", _("Cluster")),
            Column("threshold", _("Threshold of ties"), decimals=4),
            Column("missing", _("Missing scores")),
            *_figure_columns(names, confidence),
        ),
        rows=rows,
        notes=[
            _(
                "acc_eq is the share of pairs of outputs that a metric orders, or ties, as people do; differences up to the threshold are ties. The threshold is tuned on the same pairs, as in WMT, or on other segments. Clusters are by the former."
            )
        ],
        rules=frozenset({len(found.metrics) - 1} if found.metrics else ()),
        # Without ties to calibrate, the column is left out.
        plot=interval_plot("metric", "acc_eq", low="acc_eq_low", high="acc_eq_high")
        if "acc_eq" in names
        else None,
    )


def _tests(found: MetaEvaluation) -> list[dict[str, Any]]:
    """Return the p-values of each pair of metrics, the one with more soft pairwise accuracy first."""
    if not found.compared:
        return []
    names = found.compared_names
    order = np.argsort(-found.compared["soft_pairwise"].values, kind="stable").tolist()
    rows = []
    for one, other in combinations(order, 2):
        row: dict[str, Any] = {"metric": names[one], "other": names[other]}
        for figure, each in found.compared.items():
            row[f"p_{figure}"] = float(each.p_value[one, other])
        rows.append(row)
    return rows


def _tables(found: MetaEvaluation, options: Mapping[str, Any]) -> list[Table]:
    confidence = options["confidence"]
    tables = [_systems_table(found, confidence), _segments_table(found, confidence)]
    if found.compared:
        tables.append(
            Table.of(
                _tests(found),
                name="tests",
                title=_("Metrics against each other"),
                columns=(
                    Column("metric", _("Metric"), is_text=True),
                    Column("other", _("Other metric"), is_text=True),
                    Column("p_soft_pairwise", _("p, soft pairwise accuracy")),
                    Column("p_acc_eq", _("p, acc_eq")),
                ),
                keys=2,
                notes=[
                    _(
                        "One-sided p-values, for “the first agrees better with people than the other”: the two are swapped in random segments."
                    )
                ],
            )
        )
    if found.groups:
        tables.append(_groups_table(found, confidence))
    return tables


def _groups_table(found: MetaEvaluation, confidence: float) -> Table:
    names = {
        "soft_pairwise": _OF_SYSTEMS["soft_pairwise"],
        "pairwise": _OF_SYSTEMS["pairwise"],
        "acc_eq": _OF_SEGMENTS["acc_eq"],
    }
    rows: list[list[Value]] = [
        [
            group.name,
            metric,
            group.segments,
            *_figure_cells(names, {**each.segments, **each.systems}),
        ]
        for group in found.groups
        for metric, each in group.agreements.items()
    ]
    return Table(
        name="groups",
        title=_("Agreement by groups of segments"),
        columns=(
            Column("group", _("Group"), is_text=True),
            Column("metric", _("Metric"), is_text=True),
            Column("segments", _("Segments")),
            *_figure_columns(names, confidence),
        ),
        rows=rows,
        keys=2,
    )


def _data(found: MetaEvaluation) -> dict[str, Any]:
    def told(each: MetricAgreement) -> dict[str, Any]:
        return {
            "systems": each.systems,
            "segments": each.segments,
            "threshold": each.threshold,
            "missing": each.missing,
            "outputs": each.outputs,
        }

    people = found.people
    return {
        "people": {
            "systems": dict(zip(people.systems, people.scores.tolist(), strict=True)),
            "segments": len(people.segments),
            "pairs": len(people.pairs),
            "from": "rankings" if people.values is None else "scores",
        },
        "metrics": [
            {
                "metric": each.column.name,
                "is_human": each.column.is_human,
                "scores": dict(zip(each.systems, each.agreement.scores.tolist(), strict=True)),
                **told(each.agreement),
            }
            for each in found.metrics
        ],
        "left_out": list(found.left_out),
        "ceiling": None if found.ceiling is None else told(found.ceiling),
        "floor": None if found.floor is None else told(found.floor),
        "clusters": {figure: _clusters(found, figure) for figure in found.compared},
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


def _tell(given: Input, options: Mapping[str, Any], found: MetaEvaluation) -> Report:
    return report_on(
        given,
        notes=_notes(found, options),
        tables=_tables(found, options),
        data=_data(found),
    )


METRICS = AnalysisKind(
    name="metrics",
    title=gettext_lazy("Agreement of metrics with judges"),
    question=gettext_lazy(
        "How far do automatic metrics agree with the judges, and which of them agree better than others?"
    ),
    options=(HUMAN, BY, COUNTS_METHOD, CONFIDENCE, RESAMPLES, SEED),
    page="metrics",
    needs_metrics=True,
    needs_beside=True,
    files_are_enough=True,
    find=_find,
    tell=_tell,
)
