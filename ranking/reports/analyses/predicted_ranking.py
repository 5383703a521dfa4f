"""Prediction-powered ranking: human judgments on some segments, completed by a metric's scores of all."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from math import isnan
from typing import Any, Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.joining import comma_list
from ranking.core.estimates import Estimate
from ranking.core.metrics.meta_evaluation import Side
from ranking.core.metrics.people import Metric, NothingComparedError
from ranking.core.metrics.predicted_ranking import (
    PredictedRanking,
    RankedScores,
    predicted_ranking,
)
from ranking.reports.analyses.kind import AnalysisKind, Begin, Need
from ranking.reports.analyses.metrics import (
    comparing,
    judged_side,
    labelled,
    with_machines,
)
from ranking.reports.analyses.options import (
    CONFIDENCE,
    RESAMPLES,
    SEED,
    Option,
    OptionError,
)
from ranking.reports.analyses.ranking import unit_counts
from ranking.reports.correlations import interval_columns
from ranking.reports.inputs import Input, report_on
from ranking.reports.plots import interval_plot
from ranking.reports.predicted_ranking import completed_by, predicted_notes
from ranking.reports.tables import Column, Report, Table, plain

METRIC: Final = Option(
    name="metric",
    label=gettext_lazy("Metric or machine judge"),
    default="",
    help=gettext_lazy("Leave empty for the one that saves the most judgments."),
)
_METHOD: Final = "expected_wins"


def _find(given: Input, options: Mapping[str, Any], begin: Begin) -> dict[str, Any]:
    side, ratings = judged_side(given, {**options, "method": _METHOD})
    if ratings:
        judged = set(ratings.systems)
    else:
        judged = _compared_systems(given)
    rankings = _rankings(given, side, options, begin)
    # Of those that rank the most systems, the first that saves the most judgments.
    name, found = max(
        rankings.items(), key=lambda item: (len(item[1].systems), item[1].saved.value)
    )
    of_people = {
        f"people_{key}": column for key, column in _columns(found.people).items()
    }
    columns = {"system": list(found.systems), **_columns(found.completed), **of_people}
    rows = [
        dict(zip(columns, row, strict=True))
        for row in zip(*columns.values(), strict=True)
    ]
    return {
        "metric": name,
        "systems": sorted(rows, key=lambda row: (row["rank"], row["system"])),
        "left_out": sorted(judged.difference(found.systems)),
        "weight": found.weight,
        "judgments_saved": found.saved,
        "judged": found.judged,
        "segments": found.segments,
        "sample_p": None if isnan(found.sample_p) else found.sample_p,
        "is_drawn_at_random": given.is_drawn_at_random,
        "limits": list(found.completed.limits),
        **{name: options[name] for name in ("confidence", "resamples", "seed")},
    }


def _rankings(
    given: Input, side: Side, options: Mapping[str, Any], begin: Begin
) -> dict[str, PredictedRanking]:
    """Return the rankings completed by each candidate."""
    candidates = _candidates(with_machines(given), options["metric"])
    documents = _documents(given)
    begin(_("Ranking"))
    rankings: dict[str, PredictedRanking] = {}
    with comparing(_METHOD):
        for metric in candidates:
            with suppress(NothingComparedError):
                people = side(systems=metric.scored)
                machine = metric.take(people.systems)
                rankings[metric.name] = predicted_ranking(people, machine, documents)
        if not rankings:
            raise NothingComparedError(
                "no metric scores the judged outputs of two systems"
            )
    return rankings


def _compared_systems(given: Input) -> set[str]:
    tallies = given.tallies
    return {tallies.systems[index] for index in tallies.compared.tolist()}


def _candidates(metrics: Sequence[Metric], name: str) -> list[Metric]:
    """Return the metric with this name, or all without one; human scores are none."""
    automatic = [metric for metric in labelled(metrics) if not metric.is_human]
    if not automatic:
        raise ValueError(_("No metrics yet. Compute metrics or import scores."))
    candidates = [metric for metric in automatic if name in ("", metric.name)]
    if not candidates:
        words = _("Metric “%(name)s” not found. Available: %(known)s.")
        known = comma_list(metric.name for metric in automatic)
        raise OptionError(words % {"name": name, "known": known}, field=METRIC.name)
    return candidates


def _documents(given: Input) -> dict[int, int] | None:
    """Return the number of the document of each segment; None if ranges do not account for documents."""
    if given.document_of is None or given.blocks.document is None:
        return None
    names = sorted(set(given.document_of.values()))
    return {number: names.index(name) for number, name in given.document_of.items()}


def _columns(ranked: RankedScores) -> dict[str, list[Any]]:
    ends = zip(
        ranked.scores.tolist(), ranked.low.tolist(), ranked.high.tolist(), strict=True
    )
    return {
        "score": [Estimate(*end) for end in ends],
        "rank": ranked.rank.tolist(),
        "rank_low": ranked.ranges.low.tolist(),
        "rank_high": ranked.ranges.high.tolist(),
        "cluster": ranked.cluster.tolist(),
    }


def _tell(given: Input, options: Mapping[str, Any], found: Mapping[str, Any]) -> Report:
    table = Table.of(
        found["systems"],
        name="systems",
        title=completed_by(found["metric"]),
        columns=(
            Column("rank", _("Rank")),
            Column("system", _("System"), is_text=True, names="system"),
            *interval_columns("score", _("Score"), options["confidence"]),
            Column("rank_low", _("Rank from")),
            Column("rank_high", _("To")),
            Column("cluster", _("Cluster")),
            *interval_columns(
                "people_score", _("By people alone"), options["confidence"]
            ),
            Column("people_rank", _("Human rank")),
            Column("people_rank_low", _("Rank from")),
            Column("people_rank_high", _("To")),
        ),
        plot=interval_plot("system", "score", "score_"),
    )
    counts = unit_counts(given, _METHOD, judges=given.read.judges)
    notes = predicted_notes(plain(found), counts)
    return report_on(given, notes=notes, tables=[table], data=found)


PREDICTED_RANKING = AnalysisKind(
    name="predicted_ranking",
    title=gettext_lazy("Prediction-powered ranking"),
    question=gettext_lazy(
        "How do systems rank if a metric completes the human judgments, and how many judgments does it save?"
    ),
    options=(METRIC, CONFIDENCE, RESAMPLES, SEED),
    page="metrics",
    needs=frozenset({Need.OTHER_TASKS, Need.METRICS, Need.MACHINES}),
    find=_find,
    tell=_tell,
)
