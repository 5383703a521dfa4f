"""Tables of the agreement between metrics and people, from the data of the analysis `metrics` or of a published result."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.reports.correlations import interval_columns
from ranking.reports.plots import interval_plot
from ranking.reports.tables import Column, Table

Data = Mapping[str, Any]

_SAVED: Final = "judgments_saved"
_OF_SYSTEMS: Final = {
    "soft_pairwise": gettext_lazy("Soft pairwise accuracy"),
    "pairwise": gettext_lazy("Pairwise accuracy"),
    "pairwise_separated": gettext_lazy("Accuracy on significant pairs"),
    "pearson": "Pearson",
    "spearman": "Spearman",
    "kendall": gettext_lazy("Kendall’s τ-b"),
    _SAVED: gettext_lazy("Judgments saved"),
}
_OF_SEGMENTS: Final = {
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


def agreement_tables(data: Data, confidence: float) -> list[Table]:
    """Return the tables of systems and of segments, best metric first, with the ceiling and the floor.

    Parameters
    ----------
    data : mapping
        With `metrics`, `ceiling`, `floor` and `clusters`, as plain values.
    confidence : float
        Confidence level of the intervals.
    """
    of_systems = (
        _("System-level agreement"),
        _("Ceiling: one half of the judges against the other"),
        _(
            "Clusters group metrics by paired permutation tests of soft pairwise accuracy. The ceiling uses half of the judgments, so a metric can exceed it. The ceiling’s range comes from random halves, the floor’s range from random scores."
        ),
    )
    of_segments = (
        _("Segment-level agreement"),
        _("Ceiling: each judge against the others"),
        _(
            "acc_eq is the share of pairs of outputs that a metric orders, or ties, as people do. Differences up to the tie threshold count as ties; the threshold is tuned on the same pairs, as at WMT, or on other segments. Clusters are based on the former."
        ),
    )
    more = [Column("threshold", _("Tie threshold"), decimals=4)]
    more.append(Column("missing", _("Missing scores")))
    return [
        _agreement(data, confidence, "systems", _OF_SYSTEMS, of_systems, []),
        _agreement(data, confidence, "segments", _OF_SEGMENTS, of_segments, more),
    ]


def _agreement(
    data: Data,
    confidence: float,
    part: str,
    names: Mapping[str, Any],
    words: tuple[str, str, str],
    more: Sequence[Column],
) -> Table:
    best = next(iter(names))
    title, ceiling, note = words
    clusters = data["clusters"].get(best, {})
    metrics = sorted(
        data["metrics"],
        key=lambda each: (
            -each[part].get(best, {"value": -2})["value"],
            each["metric"],
        ),
    )
    limits = [(ceiling, data["ceiling"]), (_("Floor: random scores"), data["floor"])]
    rows = [
        {
            **metric,
            **metric[part],
            "cluster": clusters.get(metric["metric"]),
            "metric": shown_name(metric),
        }
        for metric in metrics
    ]
    rows += [
        {"metric": label, **each[part]} for label, each in limits if each and each[part]
    ]
    known = _known(names, rows)
    notes = [note]
    if _SAVED in known:
        notes.append(
            _(
                "Judgments saved: the share of human judgments that a metric’s scores of unjudged outputs make unnecessary for comparing systems."
            )
        )
    end = 1 if best in _OF_SYSTEMS else None
    plot = interval_plot("metric", best, f"{best}_", end=end)
    return Table.of(
        rows,
        name=part,
        title=title,
        columns=(
            Column("metric", _("Metric"), is_text=True),
            Column("cluster", _("Cluster")),
            *more,
            *_columns(known, confidence),
        ),
        notes=notes,
        rules=frozenset({len(metrics) - 1} if metrics else ()),
        plot=plot if best in known else None,
    )


def shown_name(metric: Data) -> str:
    """Return the name of a metric, which marks a machine judge. Older answers have none."""
    name: str = metric["metric"]
    if not metric.get("is_machine"):
        return name
    return _("%(name)s (machine judge)") % {"name": name}


def metrics_tables(data: Data, confidence: float) -> list[Table]:
    """Return the agreement tables, and those of tests between metrics and of groups of segments, if any."""
    names = {name: _OF_SYSTEMS[name] for name in ("soft_pairwise", "pairwise", _SAVED)}
    names["acc_eq"] = _OF_SEGMENTS["acc_eq"]
    rows = []
    for group in data["groups"]:
        for metric, each in group["metrics"].items():
            rows.append(
                {**each["segments"], **each["systems"], **group, "metric": metric}
            )
    groups = Table.of(
        rows,
        name="groups",
        title=_("Agreement by group of segments"),
        columns=(
            Column("group", _("Group"), is_text=True),
            Column("metric", _("Metric"), is_text=True),
            Column("segments", _("Segments")),
            *_columns(_known(names, rows), confidence),
        ),
        keys=2,
    )
    more = [
        each
        for each in (_tests_between(data["tests"], confidence), groups)
        if each.rows
    ]
    return [*agreement_tables(data, confidence), *more]


def _tests_between(pairs: Sequence[Data], confidence: float) -> Table:
    return Table.of(
        pairs,
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
                "Two-sided p-values, from swapping the two metrics in random segments; WMT’s are one-sided, for “the first metric agrees better”. They are not corrected for the number of pairs, and hold for these systems only. Intervals of differences account for segments and, where known, judges."
            )
        ],
    )


def _known(names: Mapping[str, Any], rows: Sequence[Data]) -> dict[str, Any]:
    """Return the names of the figures that some row has."""
    return {
        key: words for key, words in names.items() if any(key in row for row in rows)
    }


def _columns(names: Mapping[str, Any], confidence: float) -> list[Column]:
    """Return columns of figures, each with its interval."""
    return [
        column
        for key, heading in names.items()
        for column in interval_columns(key, str(heading), confidence)
    ]
