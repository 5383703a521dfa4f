"""Rankings of the systems by metrics, compared with the human ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from operator import attrgetter
from typing import Any, Final

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from campaign.texts.languages import without_spaces
from ranking.analyses.beside import task_in_words
from ranking.analyses.firmness import COUNTS_METHOD
from ranking.analyses.kind import AnalysisKind, Begin
from ranking.analyses.metrics import comparing, judged_side, labelled
from ranking.analyses.options import CONFIDENCE, RESAMPLES, SEED, Option
from ranking.core.beside import Estimate
from ranking.core.metrics.orders import (
    MetricOrder,
    PlacedByPeople,
    RangeKind,
    metric_order,
    people_order,
)
from ranking.core.metrics.people import Metric, People
from ranking.core.metrics.texts import CorpusStatistics, corpus_statistics, language_tokens
from ranking.reports.correlations import interval_ends
from ranking.reports.inputs import Corpora, Input, report_on
from ranking.reports.tables import Column, Plot, Report, Table, Value
from ranking.wording.methods import METHOD_WORDS
from ranking.wording.numbers import in_figures, percent_in_figures
from ranking.wording.pair_tests import LEVEL_WORDS

SEGMENTS: Final = Option(
    name="segments",
    label=gettext_lazy("Segments"),
    default="all",
    choices={"all": gettext_lazy("all"), "judged": gettext_lazy("judged segments only")},
    help=gettext_lazy("Segments that metrics are computed on."),
)
UNSEEN: Final = Option(
    name="unseen_in",
    label=gettext_lazy("Unseen words in"),
    default="",
    help=gettext_lazy("Name of another test set. Counts words that do not occur in it."),
)
#: Number of segments listed for a metric.
_MOST_SEGMENTS: Final = 10


@dataclass(frozen=True, eq=False)
class _Found:
    """Result of the analysis; `corpus` is by side and text."""

    people: People
    order: Sequence[PlacedByPeople]
    orders: Sequence[MetricOrder]
    metrics: Mapping[str, Metric]
    corpus: Sequence[tuple[str, CorpusStatistics]]


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> _Found:
    if not given.metrics:
        raise ValueError(_("No metrics yet. Compute metrics or import scores."))
    with comparing(options["method"]):
        people = judged_side(given, options)[0]()
    metrics = [
        replace(each, name=_("%(name)s (human)") % {"name": each.name}) if each.is_human else each
        for each in labelled(given.metrics)
    ]
    progress = begin(_("Metrics"))
    orders = []
    for number, metric in enumerate(metrics):
        progress(number, len(metrics))
        chosen = metric if options["segments"] == "all" else metric.within(people.segments)
        orders.append(metric_order(chosen, people, most=_MOST_SEGMENTS))
    corpus = [] if given.corpora is None else _corpus(given, given.corpora, options["unseen_in"])
    by_name = {metric.name: metric for metric in metrics}
    return _Found(people, people_order(people), orders, by_name, corpus)


def _corpus(given: Input, corpora: Corpora, unseen_in: str) -> list[tuple[str, CorpusStatistics]]:
    """Count the words of sources, references and outputs, each beside the same side of another test set if one is named."""
    source, target = given.read.languages
    sides = corpora.sides()
    other = corpora.sides(unseen_in) if unseen_in else None
    found = []
    for side, texts in sides.items():
        if not texts:
            continue
        language = target if side else source
        beside = None
        if other is not None:
            # Outputs are compared with the references of the other test set.
            same = other.get(side if not side or side.isdigit() else "1") or other.get("1", ())
            beside = list(_tokenized(same, language))
        found.append((side, corpus_statistics(list(_tokenized(texts, language)), beside)))
    return found


def _tokenized(texts: Iterable[str], language: str) -> Iterable[list[str]]:
    characters = without_spaces(language) and language_tokens(language, of_words=True) != "none"
    return (list("".join(text.split())) if characters else text.split() for text in texts)


def _metrics_table(found: _Found, options: Mapping[str, Any]) -> Table:
    ranges: dict[RangeKind, str] = {
        "exact": _("ratio estimator"),
        "resampled": _("resampled segments"),
        "mean": _("spread of segment scores"),
        "none": _("none"),
    }
    rows: list[tuple[Value, ...]] = []
    for order in found.orders:
        metric = found.metrics[order.name]
        missing = metric.missing
        if options["segments"] != "all" or missing is None:
            missing = sum(row.missing for row in order.rows)
        rows.append(
            (
                order.name,
                _("higher is better") if metric.sign > 0 else _("lower is better"),
                metric.signature,
                order.segments,
                sum(row.value is not None for row in order.rows),
                missing if order.segments else None,
                ranges[order.range_kind],
                order.agreeing,
                len(order.contradictions),
                sum(each.is_separated for each in order.contradictions),
            )
        )
    number = int(found.people.better.sum())
    words = ngettext(
        "People separate %(number)s pair of systems.",
        "People separate %(number)s pairs of systems.",
        number,
    )
    return Table(
        name="metrics",
        title=_("Agreement on pairs that people separate"),
        columns=(
            Column("metric", _("Metric"), is_text=True),
            Column("direction", _("Direction"), is_text=True),
            Column("signature", _("Signature"), is_text=True),
            Column("segments", _("Segments")),
            Column("systems", _("Systems")),
            Column("missing", _("Missing scores")),
            Column("ranges", _("Interval method"), is_text=True),
            Column("agreeing", _("Agreeing pairs")),
            Column("contradicting", _("Contradicted pairs")),
            Column("separated", _("Contradicted significantly")),
        ),
        rows=rows,
        notes=[words % {"number": number_format(number)}],
    )


def _people_first(found: _Found) -> list[str]:
    """Return all systems, in the order of people."""
    named = [row.system for row in found.order]
    others = {row.system for order in found.orders for row in order.rows}
    return [*named, *sorted(others.difference(named))]


def _places_table(found: _Found) -> Table:
    by_people = {row.system: row.rank for row in found.order}
    ranks = [{row.system: row.rank for row in order.rows} for order in found.orders]
    return Table(
        name="orders",
        title=_("Rank by people and by each metric"),
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            Column("people", _("People")),
            *(Column(f"metric_{number}", each.name) for number, each in enumerate(found.orders, 1)),
        ),
        rows=[
            (system, by_people.get(system), *(each.get(system) for each in ranks))
            for system in _people_first(found)
        ],
        plot=Plot(kind="bump", label="system", value="people"),
    )


def _beside_table(
    found: _Found, order: MetricOrder, number: int, options: Mapping[str, Any]
) -> Table:
    """Return a metric and people, system by system."""
    people = {row.system: row for row in found.order}
    by_metric = {row.system: row for row in order.rows}
    low, high = interval_ends(options["confidence"])
    decimals = 2 if found.metrics[order.name].kind else 4
    ranks = attrgetter("rank", "rank_low", "rank_high")
    none: tuple[Value, ...] = (None,) * 3
    rows: list[tuple[Value, ...]] = []
    for system in _people_first(found):
        placed, row = people.get(system), by_metric.get(system)
        by_people = (*ranks(placed), *_ends(placed.score)) if placed else none * 2
        rows.append(
            (system, *by_people, *(ranks(row) if row else none), *_ends(row.value if row else None))
        )
    return Table(
        name=f"metric_{number}",
        title=_("%(metric)s and people") % {"metric": order.name},
        columns=(
            Column("system", _("System"), is_text=True, names="system"),
            Column("people_rank", _("Human rank")),
            Column("people_rank_low", _("Rank from")),
            Column("people_rank_high", _("to")),
            Column("people", _("Human score")),
            Column("people_low", low),
            Column("people_high", high),
            Column("rank", _("Metric rank")),
            Column("rank_low", _("Rank from")),
            Column("rank_high", _("to")),
            Column("value", order.name, decimals=decimals),
            Column("low", low, decimals=decimals),
            Column("high", high, decimals=decimals),
        ),
        rows=rows,
        plot=Plot(
            kind="points",
            label="system",
            value="value",
            low="people",
            bars=("people_low", "people_high", "low", "high"),
        ),
    )


def _ends(found: Estimate | None) -> tuple[float | None, ...]:
    return (None,) * 3 if found is None else (found.value, found.low, found.high)


def _contradictions_table(found: _Found, options: Mapping[str, Any]) -> Table:
    low, high = interval_ends(options["confidence"])
    return Table(
        name="contradictions",
        title=_("Contradicted pairs"),
        columns=(
            Column("metric", _("Metric"), is_text=True),
            Column("better", _("Preferred by people"), is_text=True, names="system"),
            Column("worse", _("Preferred by the metric"), is_text=True, names="other"),
            Column("by_people", _("Human difference")),
            Column("people_low", low),
            Column("people_high", high),
            Column("by_metric", _("Metric difference")),
            Column("low", low),
            Column("high", high),
        ),
        rows=[
            (each.metric, each.better, each.worse, *_ends(each.by_people), *_ends(each.difference))
            for order in found.orders
            for each in order.contradictions
        ],
        keys=3,
        notes=[
            _(
                "Pairs that people separate and a metric orders the other way around. Differences are the score of the system that people prefer minus that of the other. If the metric’s interval excludes 0, the metric separates the pair too."
            )
        ],
    )


def _segments_table(found: _Found) -> Table:
    return Table(
        name="segments",
        title=_("Largest disagreements by segment"),
        columns=(
            Column("metric", _("Metric"), is_text=True),
            Column("segment", _("Segment"), names="segment"),
            Column("better", _("Preferred by people"), is_text=True, names="system"),
            Column("worse", _("Preferred by the metric"), is_text=True, names="other"),
            Column("by_people", _("Human difference"), decimals=2),
            Column("by_metric", _("Metric difference"), decimals=2),
        ),
        rows=[
            (order.name, each.segment, each.better, each.worse, each.by_people, each.by_metric)
            for order in found.orders
            for each in order.discords
        ],
        keys=2,
        notes=[
            _(
                "Differences are in units of the root mean square difference between two outputs of a segment. Each segment appears once per metric, with its largest disagreement."
            )
        ],
    )


def _corpus_table(found: _Found, unseen_in: str) -> Table:
    columns = [
        Column("texts", _("Texts"), is_text=True),
        Column("sentences", _("Segments")),
        Column("running_words", _("Words")),
        Column("vocabulary", _("Distinct words")),
        Column("singletons", _("Words occurring once")),
    ]
    if unseen_in:
        name = {"name": unseen_in}
        columns += [
            Column("unseen_words", _("Words not in %(name)s") % name),
            Column("unseen_vocabulary", _("Distinct words not in %(name)s") % name),
        ]
    return Table.of(
        ({"texts": _side_in_words(side), **asdict(counts)} for side, counts in found.corpus),
        name="corpus",
        title=_("Text statistics"),
        columns=columns,
        notes=[
            _(
                "Words are separated by spaces; in languages without spaces, characters are counted. Sources are compared with sources, references and outputs with references."
            )
        ],
    )


def _side_in_words(side: str) -> str:
    if not side:
        return _("Source")
    return _("Reference %(number)s") % {"number": side} if side.isdigit() else side


def _tell(given: Input, options: Mapping[str, Any], found: _Found) -> Report:
    level = round(1 - options["confidence"], 12)
    notes = [
        _("Judgments: %(task)s.") % {"task": task_in_words((given.beside or ())[0].protocol)},
        _("%(method)s; %(confidence)s %% intervals that account for %(level)s.")
        % {
            "method": METHOD_WORDS[options["method"]],
            "confidence": percent_in_figures(options["confidence"]),
            "level": LEVEL_WORDS["two_way"],
        },
        _(
            "People separate two systems if a two-sided t-test of the difference of their scores gives p ≤ %(level)s."
        )
        % {"level": in_figures(level)},
        _(
            "Ranges of WER, PER and TER are exact (ratio estimator). BLEU and chrF use the same resampled segments as human rankings. A rank range includes all systems that do not differ significantly, pair by pair."
        ),
    ]
    if any(order.range_kind == "none" for order in found.orders):
        notes.append(
            _(
                "No intervals for metrics without segment scores, or whose system scores are not means of segment scores."
            )
        )
    tables = [
        _metrics_table(found, options),
        _places_table(found),
        *(
            _beside_table(found, order, number, options)
            for number, order in enumerate(found.orders, 1)
        ),
        _contradictions_table(found, options),
        _segments_table(found),
        _corpus_table(found, options["unseen_in"]),
    ]
    systems = found.people.systems
    data = {
        "people": {
            "order": found.order,
            "separated": [
                [systems[one], systems[other]] for one, other in np.argwhere(found.people.better)
            ],
        },
        "metrics": found.orders,
        "corpus": [{"texts": side, "counts": counts} for side, counts in found.corpus],
        **{
            name: options[name]
            for name in ("method", "segments", "confidence", "resamples", "seed")
        },
    }
    shown = [each for each in tables if each.rows]
    return report_on(given, notes=notes, tables=shown, data=data)


METRIC_ORDERS = AnalysisKind(
    name="metric_orders",
    title=gettext_lazy("Metrics and human ranking"),
    question=gettext_lazy(
        "How does each metric rank the systems, and where does it contradict people?"
    ),
    options=(SEGMENTS, UNSEEN, COUNTS_METHOD, CONFIDENCE, RESAMPLES, SEED),
    page="metrics",
    reads_other_tasks=True,
    needs_metrics=True,
    find=_find,
    tell=_tell,
)
