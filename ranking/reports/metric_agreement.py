"""Tables of the agreement between metrics and people, from the data of the analysis `metrics` or of a published result."""

from collections.abc import Mapping, Sequence
from typing import Final, Literal, NamedTuple, NotRequired, TypedDict

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.reports.correlations import interval_columns
from ranking.reports.plots import interval_plot
from ranking.reports.tables import Column, Table, with_rows
from ranking.reports.wording.published_content import (
    AgreementData,
    Limit,
    MetricAgreement,
)


class GroupAgreement(TypedDict):
    """The agreement of metrics with people in a group of segments."""

    group: str
    segments: int
    metrics: Mapping[str, Limit]


class MetricPair(TypedDict):
    """Tests of the difference between two metrics."""

    metric: str
    other: str


PeopleData = TypedDict(
    "PeopleData",
    {
        "from": str,
        "segments": int,
        "systems": Mapping[str, float],
        "outputs": int,
        "missing": NotRequired[int],
        "common": NotRequired[int | None],
    },
)


class MetricsData(AgreementData):
    """The answer of the analysis `metrics`, as plain values."""

    people: PeopleData
    left_out: list[str]
    tests: list[MetricPair]
    groups: list[GroupAgreement]


_SAVED: Final = "judgments_saved"
_OF_SYSTEMS: Final[dict[str, str | Promise]] = {
    "soft_pairwise": gettext_lazy("Soft pairwise accuracy"),
    "pairwise": gettext_lazy("Pairwise accuracy"),
    "pairwise_separated": gettext_lazy("Accuracy on significant pairs"),
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": gettext_lazy("Kendall’s τ-b"),
    _SAVED: gettext_lazy("Judgments saved"),
}
_OF_SEGMENTS: Final[dict[str, str | Promise]] = {
    "acc_eq": gettext_lazy("acc_eq, ties tuned on the same data"),
    "acc_eq_folds": gettext_lazy("acc_eq, ties tuned on other folds"),
    "tau_wmt14": gettext_lazy("τ, WMT14"),
    "tau_wmt13": gettext_lazy("τ, WMT13"),
    "tau_wmt12": gettext_lazy("τ, WMT12"),
    "kendall_by_segment": gettext_lazy("τ-b by segment"),
    "kendall_by_system": gettext_lazy("τ-b by system"),
    "kendall_pooled": gettext_lazy("τ-b, all outputs"),
    "pearson": gettext_lazy("Pearson, all outputs"),
}


class _Part(NamedTuple):
    """A part of the agreement, in words, with the figures that it may have; the first one orders the metrics."""

    name: Literal["systems", "segments"]
    title: str
    ceiling: str
    note: str
    figures: Mapping[str, str | Promise]

    @property
    def best(self) -> str:
        return next(iter(self.figures))


def agreement_tables(data: AgreementData, confidence: float) -> list[Table]:
    """Return the tables of systems and of segments, best metric first, with the ceiling and the floor.

    `confidence` is the level of the intervals.
    """
    of_systems = _Part(
        "systems",
        _("System-level agreement"),
        _("Ceiling: one half of the judges against the other"),
        _(
            "Clusters group metrics by paired permutation tests of soft pairwise accuracy. The ceiling uses half of the judgments, so a metric can exceed it. The floor’s range comes from random scores.",
        ),
        _OF_SYSTEMS,
    )
    of_segments = _Part(
        "segments",
        _("Segment-level agreement"),
        _("Ceiling: each judge against the others"),
        _(
            "acc_eq is the share of pairs of outputs that a metric orders, or ties, as people do. Differences up to the tie threshold count as ties; the threshold is tuned on the same pairs, as at WMT, or on other segments. Clusters are based on the former.",
        ),
        _OF_SEGMENTS,
    )
    counts = [
        Column("threshold", _("Tie threshold"), decimals=4),
        Column("missing", _("Missing scores")),
    ]
    return [
        _agreement(data, confidence, of_systems),
        _agreement(data, confidence, of_segments, counts),
    ]


def _agreement(
    data: AgreementData,
    confidence: float,
    part: _Part,
    counts: Sequence[Column] = (),
) -> Table:
    clusters = data["clusters"].get(part.best, {})

    def best_first(metric: MetricAgreement) -> tuple[float, str]:
        figure = metric[part.name].get(part.best)
        value = -2.0 if figure is None else figure["value"]
        return -value, metric["metric"]

    rows: list[Mapping[str, object]] = []
    for metric in sorted(data["metrics"], key=best_first):
        cluster = clusters.get(metric["metric"])
        names = {"cluster": cluster, "metric": metric_label(metric)}
        rows.append({**metric, **metric[part.name], **names})
    last = len(rows) - 1
    floor = _("Floor: random scores")
    for label, limit in ((part.ceiling, data["ceiling"]), (floor, data["floor"])):
        if limit and limit[part.name]:
            rows.append({"metric": label, **limit[part.name]})
    figures = _figures_with_values(part.figures, rows)
    notes = [part.note]
    if _SAVED in figures:
        notes.append(
            _(
                "Judgments saved: the share of human judgments that a metric’s scores of unjudged outputs make unnecessary for comparing systems.",
            ),
        )
    plot = None
    if part.best in figures:
        end = 1 if part.best in _OF_SYSTEMS else None
        plot = interval_plot("metric", part.best, f"{part.best}_", end=end)
    return Table.of(
        rows,
        name=part.name,
        title=part.title,
        columns=(
            Column("metric", _("Metric"), is_text=True),
            Column("cluster", _("Cluster")),
            *counts,
            *_columns(figures, confidence),
        ),
        notes=notes,
        rules=frozenset({last}) if data["metrics"] else frozenset(),
        plot=plot,
    )


def metric_label(metric: MetricAgreement) -> str:
    """Return the name of a metric, which marks a machine judge. Older answers have none."""
    if metric.get("is_machine"):
        return machine_name(metric["metric"])
    return metric["metric"]


def machine_name(name: str) -> str:
    """Return the name of a machine judge among metrics."""
    return _("%(name)s (machine judge)") % {"name": name}


def metrics_tables(data: MetricsData, confidence: float) -> list[Table]:
    """Return the agreement tables, and those of tests between metrics and of groups of segments, if any."""
    labels = {metric["metric"]: metric_label(metric) for metric in data["metrics"]}
    tests = _tests_between(data["tests"], labels, confidence)
    groups = _groups_table(data["groups"], labels, confidence)
    return [*agreement_tables(data, confidence), *with_rows([tests, groups])]


def _groups_table(
    groups: Sequence[GroupAgreement],
    labels: Mapping[str, str],
    confidence: float,
) -> Table:
    figures = {
        name: _OF_SYSTEMS[name] for name in ("soft_pairwise", "pairwise", _SAVED)
    }
    figures["acc_eq"] = _OF_SEGMENTS["acc_eq"]
    rows: list[Mapping[str, object]] = []
    for group in groups:
        for metric, agreement in group["metrics"].items():
            values = {**agreement["segments"], **agreement["systems"]}
            rows.append({**values, **group, "metric": labels[metric]})
    return Table.of(
        rows,
        name="groups",
        title=_("Agreement by group of segments"),
        columns=(
            Column("group", _("Group"), is_text=True),
            Column("metric", _("Metric"), is_text=True),
            Column("segments", _("Segments")),
            *_columns(_figures_with_values(figures, rows), confidence),
        ),
        keys=2,
    )


def _tests_between(
    pairs: Sequence[MetricPair],
    labels: Mapping[str, str],
    confidence: float,
) -> Table:
    rows = []
    for pair in pairs:
        names = {"metric": labels[pair["metric"]], "other": labels[pair["other"]]}
        rows.append({**pair, **names})
    return Table.of(
        rows,
        name="tests",
        title=_("Tests between metrics"),
        columns=(
            Column("metric", _("Metric"), is_text=True),
            Column("other", _("Other metric"), is_text=True),
            *interval_columns(
                "difference_soft_pairwise",
                _("Difference, soft pairwise accuracy"),
                confidence,
            ),
            Column("p_soft_pairwise", _("p, soft pairwise accuracy")),
            *interval_columns("difference_acc_eq", _("Difference, acc_eq"), confidence),
            Column("p_acc_eq", _("p, acc_eq")),
            Column("wmt_p_soft_pairwise", _("p as in WMT, soft pairwise accuracy")),
            Column("wmt_p_acc_eq", _("p as in WMT, acc_eq")),
        ),
        keys=2,
        notes=[
            _(
                "Two-sided p-values, from swapping the two metrics in random segments; WMT’s are one-sided, for “the first metric agrees better”. They are not corrected for the number of pairs, and hold for these systems only. Intervals of differences account for segments and, where known, judges.",
            ),
        ],
    )


def _figures_with_values(
    figures: Mapping[str, str | Promise],
    rows: Sequence[Mapping[str, object]],
) -> dict[str, str | Promise]:
    """Return the figures that some row has."""
    names = set().union(*rows)
    return {name: heading for name, heading in figures.items() if name in names}


def _columns(figures: Mapping[str, str | Promise], confidence: float) -> list[Column]:
    """Return columns of figures, each with its interval."""
    columns: list[Column] = []
    for name, heading in figures.items():
        columns += interval_columns(name, str(heading), confidence)
    return columns
