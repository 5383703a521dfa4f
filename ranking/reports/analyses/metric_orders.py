"""Rank systems by each metric beside people, and list the pairs and segments where they disagree."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypedDict

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from campaign.texts.languages import without_spaces
from ranking.core.metrics.orders import (
    PLACES,
    MetricOrder,
    PeopleRow,
    RangeKind,
    metric_order,
    people_order,
)
from ranking.core.metrics.people import Metric
from ranking.core.metrics.texts import (
    CorpusStatistics,
    corpus_statistics,
    language_tokens,
)
from ranking.reports.analyses.compared_metrics import (
    SEGMENTS,
    comparing,
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
)
from ranking.reports.correlations import interval_columns
from ranking.reports.inputs import Input, report_on
from ranking.reports.metric_agreement import machine_name
from ranking.reports.plots import PointPlot
from ranking.reports.tables import (
    Column,
    Report,
    Table,
    ranks_in_orders,
    system_column,
    with_rows,
)
from ranking.reports.wording.methods import METHOD_WORDS
from ranking.reports.wording.numbers import in_figures, percent
from ranking.reports.wording.ranges import rows_by_system, systems_of

UNSEEN: Final = Option(
    name="unseen_in",
    label=gettext_lazy("Unseen words in"),
    default="",
    help=gettext_lazy(
        "Name of another test set. Counts words that do not occur in it.",
    ),
)
#: Number of segments listed for a metric.
_MOST_SEGMENTS: Final = 10


class PeopleOrder(TypedDict):
    """The human ranking of systems, and the pairs that people separate, better system first."""

    order: list[PeopleRow]
    separated: list[list[str]]


class CountedTexts(TypedDict):
    """Counts of the words of sources, references or outputs, named as in `Corpora`."""

    texts: str
    counts: CorpusStatistics


@dataclass(frozen=True, kw_only=True)
class OrdersFindings:
    """Rankings of systems by people and by each metric, and counts of words."""

    people: PeopleOrder
    metrics: Sequence[MetricOrder]
    corpus: Sequence[CountedTexts]
    method: str
    segments: str
    confidence: float
    resamples: int
    seed: int


def _find_orders(
    inputs: Input,
    options: AnalysisOptions,
    begin: Begin,
) -> OrdersFindings:
    metrics = with_machines(inputs)
    if not metrics:
        raise ValueError(_("No metrics yet. Compute metrics or import scores."))
    with comparing(options[COUNTS_METHOD]):
        people = judged_side(inputs, options).people()
    progress = begin(_("Metrics"))
    orders = []
    for number, metric in enumerate(labelled(metrics)):
        progress(number, len(metrics))
        compared = metric
        if options[SEGMENTS] == "judged":
            compared = metric.within(people.segments)
        compared = replace(compared, name=_metric_label(metric))
        orders.append(metric_order(compared, people, most=_MOST_SEGMENTS))
    separated = []
    for better, worse in np.argwhere(people.better).tolist():
        separated.append([people.systems[better], people.systems[worse]])
    return OrdersFindings(
        people={"order": people_order(people), "separated": separated},
        metrics=orders,
        corpus=_corpus(inputs, options[UNSEEN]),
        method=options[COUNTS_METHOD],
        segments=options[SEGMENTS],
        confidence=options[CONFIDENCE],
        resamples=options[RESAMPLES],
        seed=options[SEED],
    )


def _metric_label(metric: Metric) -> str:
    """Return the name of a metric, which marks human scores and machine judges."""
    if metric.is_human:
        return _("%(name)s (human)") % {"name": metric.name}
    if metric.is_machine:
        return machine_name(metric.name)
    return metric.name


def _corpus(inputs: Input, unseen_in: str) -> list[CountedTexts]:
    """Count the words of sources, references and outputs, compared with those of another test set if named."""
    corpora = inputs.corpora
    source, target = inputs.read.languages
    if corpora is None:
        return []
    other = corpora.sides(unseen_in) if unseen_in else None
    counted: list[CountedTexts] = []
    for side, texts in corpora.sides().items():
        if not texts:
            continue
        language = target if side else source
        beside = None
        if other is not None:
            beside = list(_tokenize_texts(_texts_beside(side, other), language))
        counts = corpus_statistics(list(_tokenize_texts(texts, language)), beside)
        counted.append({"texts": side, "counts": counts})
    return counted


def _texts_beside(side: str, other: Mapping[str, Sequence[str]]) -> Sequence[str]:
    """Return the texts of another test set to compare with: outputs with references."""
    if side and not side.isdigit():
        side = "1"
    return other.get(side) or other.get("1", ())


def _tokenize_texts(texts: Iterable[str], language: str) -> Iterable[list[str]]:
    tokens = language_tokens(language, of_words=True)
    counts_characters = without_spaces(language) and tokens != "none"
    for text in texts:
        words = text.split()
        yield list("".join(words)) if counts_characters else words


def _metrics_table(answer: OrdersFindings) -> Table:
    ranges: dict[RangeKind, str] = {
        "exact": _("ratio estimator"),
        "resampled": _("resampled segments"),
        "mean": _("spread of segment scores"),
        "none": pgettext("interval", "none"),
    }
    directions = {True: _("Higher is better"), False: _("Lower is better")}
    rows = []
    for order in answer.metrics:
        scored = [row for row in order["rows"] if row["value"] is not None]
        separated = [pair["is_separated"] for pair in order["contradictions"]]
        cells = {
            "metric": order["name"],
            "direction": directions[order["is_higher_better"]],
            "systems": len(scored),
            "missing": order["missing"] if order["segments"] else None,
            "ranges": ranges[order["range_kind"]],
            "contradicting": len(separated),
            "separated": sum(separated),
        }
        rows.append(order | cells)
    number = len(answer.people["separated"])
    message = ngettext(
        "People separate %(number)s pair of systems.",
        "People separate %(number)s pairs of systems.",
        number,
    )
    return Table.of(
        rows,
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
        notes=[message % {"number": number_format(number)}],
    )


def _people_first(answer: OrdersFindings) -> list[str]:
    """Return all systems in the human order, unranked ones last."""
    ranked = systems_of(answer.people["order"])
    others: set[str] = set()
    for order in answer.metrics:
        others.update(systems_of(order["rows"]))
    return [*ranked, *sorted(others.difference(ranked))]


def _places_table(answer: OrdersFindings) -> Table:
    headings = {"people": _("People")}
    by_people: dict[str, int | None] = {}
    for person_row in answer.people["order"]:
        by_people[person_row["system"]] = person_row["rank"]
    ranks = [by_people]
    for number, order in enumerate(answer.metrics, 1):
        headings[f"metric_{number}"] = order["name"]
        ranks.append({row["system"]: row["rank"] for row in order["rows"]})
    return ranks_in_orders(
        headings,
        ranks,
        systems=_people_first(answer),
        title=_("Rank by people and by each metric"),
    )


def _metric_and_people_table(answer: OrdersFindings, number: int) -> Table:
    """Return a table that compares a metric with people, system by system."""
    order = answer.metrics[number - 1]
    confidence = answer.confidence
    people = rows_by_system(answer.people["order"])
    by_metric = rows_by_system(order["rows"])
    if order["range_kind"] in ("exact", "resampled"):
        decimals = 2
    else:
        decimals = 4
    rows = []
    for system in _people_first(answer):
        by_people: Mapping[str, Any] = people.get(system, {})
        row = dict(by_metric.get(system, {}), system=system)
        row["people"] = by_people.get("score")
        for rank in PLACES:
            row[f"people_{rank}"] = by_people.get(rank)
        rows.append(row)
    return Table.of(
        rows,
        name=f"metric_{number}",
        title=_("%(metric)s and people") % {"metric": order["name"]},
        columns=(
            system_column(),
            Column("people_rank", _("Human rank")),
            Column("people_rank_low", _("Rank from")),
            Column("people_rank_high", _("To")),
            *interval_columns("people", _("Human score"), confidence),
            Column("rank", _("Metric rank")),
            Column("rank_low", _("Rank from")),
            Column("rank_high", _("To")),
            *interval_columns(
                "value",
                order["name"],
                confidence,
                ends="",
                decimals=decimals,
            ),
        ),
        plot=PointPlot(
            label="system",
            value="value",
            x="people",
            bars=("people_low", "people_high", "low", "high"),
        ),
    )


def _contradictions_table(answer: OrdersFindings) -> Table:
    confidence = answer.confidence
    rows = []
    for order in answer.metrics:
        for pair in order["contradictions"]:
            rows.append(pair | {"by_metric": pair["difference"]})
    return Table.of(
        rows,
        name="contradictions",
        title=_("Contradicted pairs"),
        columns=(
            Column("metric", _("Metric"), is_text=True),
            Column("better", _("Preferred by people"), is_text=True, names="system"),
            Column("worse", _("Preferred by the metric"), is_text=True, names="other"),
            *interval_columns(
                "by_people",
                _("Human difference"),
                confidence,
                ends="people_",
            ),
            *interval_columns("by_metric", _("Metric difference"), confidence, ends=""),
        ),
        keys=3,
        notes=[
            _(
                "Pairs that people separate and a metric reverses. Differences are the score of the system that people prefer minus that of the other. If the metric’s interval excludes 0, the metric separates the pair too.",
            ),
        ],
    )


def _segments_table(answer: OrdersFindings) -> Table:
    rows = []
    for order in answer.metrics:
        for discord in order["discords"]:
            rows.append(discord | {"metric": order["name"]})
    return Table.of(
        rows,
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
        keys=2,
        notes=[
            _(
                "Differences are in units of the root mean square difference between two outputs of a segment. Each segment appears once per metric, with its largest disagreement.",
            ),
        ],
    )


def _corpus_table(answer: OrdersFindings, unseen_in: str) -> Table:
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
    rows = []
    for counted in answer.corpus:
        texts = _side_in_words(counted["texts"])
        rows.append({"texts": texts, **counted["counts"]})
    return Table.of(
        rows,
        name="corpus",
        title=_("Text statistics"),
        columns=columns,
        notes=[
            _(
                "Words are separated by spaces; in languages without spaces, characters are counted. Sources are compared with sources, references and outputs with references.",
            ),
        ],
    )


def _side_in_words(side: str) -> str:
    if not side:
        return _("Source")
    if side.isdigit():
        return _("Reference %(number)s") % {"number": side}
    return side


def _tell_orders(
    inputs: Input,
    options: AnalysisOptions,
    answer: OrdersFindings,
) -> Report:
    level = round(1 - options[CONFIDENCE], 12)
    notes = [
        _("Judgments: %(judgments)s.") % {"judgments": (inputs.beside or ())[0].name},
        _("%(method)s; %(confidence)s intervals that account for segments and judges.")
        % {
            "method": METHOD_WORDS[options[COUNTS_METHOD]],
            "confidence": percent(options[CONFIDENCE]),
        },
        _(
            "People separate two systems if a two-sided t-test of the difference of their scores gives p ≤ %(level)s.",
        )
        % {"level": in_figures(level)},
        _(
            "Ranges of WER, PER and TER are exact (ratio estimator). BLEU and chrF use the same resampled segments as human rankings. A rank range includes all systems that do not differ significantly, pair by pair.",
        ),
    ]
    if any(order["range_kind"] == "none" for order in answer.metrics):
        notes.append(
            _(
                "No intervals for metrics that have no segment scores or whose system scores are not means of segment scores.",
            ),
        )
    tables = [
        _metrics_table(answer),
        _places_table(answer),
        *(
            _metric_and_people_table(answer, number)
            for number, _order in enumerate(answer.metrics, 1)
        ),
        _contradictions_table(answer),
        _segments_table(answer),
        _corpus_table(answer, options[UNSEEN]),
    ]
    return report_on(inputs, notes=notes, tables=with_rows(tables), data=vars(answer))


METRIC_ORDERS = AnalysisKind(
    name="metric_orders",
    title=gettext_lazy("Metrics and human ranking"),
    question=gettext_lazy(
        "How does each metric rank the systems, and where does it contradict people?",
    ),
    options=(SEGMENTS, UNSEEN, COUNTS_METHOD, CONFIDENCE, RESAMPLES, SEED),
    page="metrics",
    needs=frozenset({Need.OTHER_TASKS, Need.METRICS, Need.MACHINES}),
    find=_find_orders,
    tell=_tell_orders,
)
