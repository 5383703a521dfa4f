"""Compare automatic metrics with judges: agreement between a ceiling and a floor, and rankings of systems."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, NamedTuple, TypedDict, cast

import numpy as np
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext, pgettext

from campaign.formats.metric_scores import (
    EvalSet,
    MetricScores,
    is_named_as_error_rate,
    segment_rows,
)
from campaign.texts.joining import comma_list
from campaign.texts.languages import without_spaces
from ranking.core.arrays import Int64Array
from ranking.core.beside import OutputScores, ScoredTask
from ranking.core.metrics.figures import Drawing
from ranking.core.metrics.machine_judges import metric_of_blocks, metric_of_scores
from ranking.core.metrics.meta_evaluation import meta_evaluation
from ranking.core.metrics.orders import (
    PLACES,
    MetricOrder,
    PeopleRow,
    RangeKind,
    metric_order,
    people_order,
)
from ranking.core.metrics.people import (
    Metric,
    NothingComparedError,
    People,
    people_of_blocks,
    people_of_ratings,
    people_of_scores,
)
from ranking.core.metrics.texts import (
    CorpusStatistics,
    corpus_statistics,
    language_tokens,
)
from ranking.reports.analyses.beside import task_in_words
from ranking.reports.analyses.firmness import COUNTS_METHOD
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need, converging
from ranking.reports.analyses.options import (
    CONFIDENCE,
    RESAMPLES,
    SEED,
    AnalysisOptions,
    Option,
    OptionError,
)
from ranking.reports.correlations import interval_columns
from ranking.reports.inputs import Input, report_on
from ranking.reports.metric_agreement import (
    MetricsData,
    PeopleData,
    machine_name,
    metrics_tables,
)
from ranking.reports.plots import PointPlot
from ranking.reports.tables import (
    Column,
    Report,
    Table,
    plain,
    ranks_in_orders,
    system_column,
    with_rows,
)
from ranking.reports.wording.methods import METHOD_WORDS
from ranking.reports.wording.numbers import (
    decimals,
    in_figures,
    percent,
    percent_in_figures,
)
from ranking.reports.wording.published_content import MetricAgreement
from ranking.reports.wording.ranges import rows_by_system, systems_of
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
SEGMENTS: Final = Option(
    name="segments",
    label=gettext_lazy("Segments"),
    default="all",
    choices={
        "all": gettext_lazy("All"),
        "judged": gettext_lazy("Judged segments only"),
    },
    help=gettext_lazy("Segments that metrics are computed on."),
)
#: Correlation with people below which a metric seems to have the wrong sign.
_OPPOSED: Final = -0.5
#: Maximum number of groups in a breakdown.
_MOST_GROUPS = 100


def labelled(metrics: Sequence[Metric]) -> list[Metric]:
    """Return metrics with unique names; repeated ones get their signatures or a number."""
    names = unique_names([(metric.name, metric.signature) for metric in metrics])
    unique = []
    for metric, name in zip(metrics, names, strict=True):
        unique.append(replace(metric, name=name))
    return unique


def unique_names(signatures: Sequence[tuple[str, str]]) -> list[str]:
    """Return unique names of metrics that have these names and signatures."""
    names = [name for name, _signature in signatures]
    unique: list[str] = []
    for number, (name, signature) in enumerate(signatures, 1):
        label = name
        if names.count(name) > 1 and signature:
            label = f"{name} ({signature})"
        if label in unique:
            label = f"{label} {number}"
        unique.append(label)
    return unique


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


def _drawing(options: AnalysisOptions) -> Drawing:
    """Return the settings for resampling and significance from complete options."""
    return Drawing(options[RESAMPLES], options[SEED], options[CONFIDENCE])


class HumanSide(NamedTuple):
    """The human side of comparisons with metrics, and the scores by judge if outputs are scored."""

    people: Callable[..., People]
    ratings: OutputScores | None = None


def judged_side(inputs: Input, options: AnalysisOptions) -> HumanSide:
    """Return the judges of a task as the human side of comparisons with metrics."""
    drawing = _drawing(options)
    judged = inputs.judged
    if isinstance(judged, ScoredTask):
        people = partial(people_of_ratings, judged, drawing)
        return HumanSide(people, judged.scores)
    method = options[COUNTS_METHOD]
    return HumanSide(partial(people_of_blocks, inputs.blocks, method, drawing))


@contextmanager
def comparing(method: str) -> Iterator[None]:
    """Raise a readable ValueError if no judgments compare systems, or the method did not converge."""
    try:
        with converging(method):
            yield
    except NothingComparedError as error:
        raise ValueError(_("These judgments do not compare any systems.")) from error


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
        side = HumanSide(partial(people_of_scores, human, _drawing(options)))
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


def with_machines(inputs: Input) -> list[Metric]:
    """Return the metrics, and the scores by machine judges."""
    metrics = list(inputs.metrics or ())
    for machine in inputs.machines or ():
        if not isinstance(inputs.judged, ScoredTask):
            metrics.append(metric_of_blocks(machine.name, machine.blocks))
        elif machine.scores is not None:
            metrics.append(metric_of_scores(machine.name, machine.scores))
    return metrics


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
        _("Judgments: %(judgments)s.")
        % {"judgments": task_in_words((inputs.beside or ())[0].protocol)},
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
