"""Prediction-powered ranking: human judgments on some segments, completed by a metric's scores of all."""

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from math import isnan
from operator import attrgetter
from typing import Final, NamedTuple

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.joining import comma_list
from ranking.core.estimates import Estimate
from ranking.core.metrics.people import Metric, NothingComparedError
from ranking.core.metrics.predicted_ranking import (
    PredictedRanking,
    RankedScores,
    predicted_ranking,
)
from ranking.reports.analyses.compared_metrics import (
    HumanSide,
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
    OptionError,
)
from ranking.reports.analyses.ranking import unit_counts
from ranking.reports.correlations import interval_columns
from ranking.reports.inputs import Input, report_on
from ranking.reports.plots import interval_plot
from ranking.reports.predicted_ranking import completed_by, predicted_notes
from ranking.reports.tables import Column, Report, Table, plain, system_column

METRIC: Final = Option(
    name="metric",
    label=gettext_lazy("Metric or machine judge"),
    default="",
    help=gettext_lazy("Leave empty for the one that saves the most judgments."),
)
_METHOD: Final = "expected_wins"


@dataclass(frozen=True, slots=True, kw_only=True)
class PredictedSystem:
    """A system in the completed ranking, and by people alone."""

    system: str
    score: Estimate
    rank: int
    rank_low: int
    rank_high: int
    cluster: int
    people_score: Estimate
    people_rank: int
    people_rank_low: int
    people_rank_high: int
    people_cluster: int


@dataclass(frozen=True, kw_only=True)
class PredictedFindings:
    """The ranking completed by a metric or a machine judge."""

    metric: str
    is_machine: bool
    systems: Sequence[PredictedSystem]
    left_out: Sequence[str]
    weight: float
    judgments_saved: Estimate
    judged: int
    segments: int
    sample_p: float | None
    is_drawn_at_random: bool | None
    limits: Sequence[str]
    confidence: float
    resamples: int
    seed: int


def _find(inputs: Input, options: AnalysisOptions, begin: Begin) -> PredictedFindings:
    side = judged_side(inputs, options.replaced({COUNTS_METHOD.name: _METHOD}))
    judged = set(side.ratings.systems) if side.ratings else _compared_systems(inputs)
    candidates = _candidates(with_machines(inputs), options[METRIC])
    metric, ranking = _best(_rankings(inputs, side, candidates, begin))
    return PredictedFindings(
        metric=metric.name,
        is_machine=metric.is_machine,
        systems=_systems(ranking),
        left_out=sorted(judged.difference(ranking.systems)),
        weight=ranking.weight,
        judgments_saved=ranking.saved,
        judged=ranking.judged,
        segments=ranking.segments,
        sample_p=None if isnan(ranking.sample_p) else ranking.sample_p,
        is_drawn_at_random=inputs.is_drawn_at_random,
        limits=list(ranking.completed.limits),
        confidence=options[CONFIDENCE],
        resamples=options[RESAMPLES],
        seed=options[SEED],
    )


#: A metric or machine judge, and the ranking that it completes.
_Completed = tuple[Metric, PredictedRanking]


def _best(rankings: Sequence[_Completed]) -> _Completed:
    """Return the ranking of the most systems; of these, the first that can save judgments and saves the most."""

    def quality(completed: _Completed) -> tuple[int, bool, float]:
        _metric, ranking = completed
        return len(ranking.systems), ranking.can_save, ranking.saved.value

    return max(rankings, key=quality)


def _systems(ranking: PredictedRanking) -> list[PredictedSystem]:
    """Return the systems, best first; those that share a rank by name."""
    systems = []
    completed = _ranked_scores(ranking.completed)
    people = _ranked_scores(ranking.people)
    for system, one, other in zip(ranking.systems, completed, people, strict=True):
        systems.append(
            PredictedSystem(
                system=system,
                score=one.score,
                rank=one.rank,
                rank_low=one.rank_low,
                rank_high=one.rank_high,
                cluster=one.cluster,
                people_score=other.score,
                people_rank=other.rank,
                people_rank_low=other.rank_low,
                people_rank_high=other.rank_high,
                people_cluster=other.cluster,
            ),
        )
    return sorted(systems, key=attrgetter("rank", "system"))


def _rankings(
    inputs: Input,
    side: HumanSide,
    candidates: Sequence[Metric],
    begin: Begin,
) -> list[_Completed]:
    """Return the rankings completed by each candidate that scores judged outputs."""
    documents = _documents(inputs)
    begin(_("Ranking"))
    rankings: list[_Completed] = []
    with comparing(_METHOD):
        for metric in candidates:
            with suppress(NothingComparedError):
                people = side.people(systems=metric.scored)
                machine = metric.take(people.systems)
                ranking = predicted_ranking(people, machine, documents)
                rankings.append((metric, ranking))
        if not rankings:
            raise NothingComparedError(
                "no metric scores the judged outputs of two systems",
            )
    return rankings


def _compared_systems(inputs: Input) -> set[str]:
    tallies = inputs.tallies
    return {tallies.systems[index] for index in tallies.compared.tolist()}


def _candidates(metrics: Sequence[Metric], name: str) -> list[Metric]:
    """Return the metric with this name, or all without one; human scores are none."""
    automatic = [metric for metric in labelled(metrics) if not metric.is_human]
    if not automatic:
        raise ValueError(_("No metrics yet. Compute metrics or import scores."))
    candidates = [metric for metric in automatic if name in ("", metric.name)]
    if not candidates:
        message = _("Metric “%(name)s” not found. Available: %(known)s.")
        names = comma_list(metric.name for metric in automatic)
        raise OptionError(message % {"name": name, "known": names}, field=METRIC.name)
    return candidates


def _documents(inputs: Input) -> dict[int, int] | None:
    """Return the number of the document of each segment; None if ranges do not account for documents."""
    if inputs.document_of is None or inputs.blocks.document is None:
        return None
    names = sorted(set(inputs.document_of.values()))
    return {number: names.index(name) for number, name in inputs.document_of.items()}


class _RankedScore(NamedTuple):
    score: Estimate
    rank: int
    rank_low: int
    rank_high: int
    cluster: int


def _ranked_scores(ranked: RankedScores) -> list[_RankedScore]:
    """Return the score and the rank of each system."""
    columns = (
        map(
            Estimate,
            ranked.scores.tolist(),
            ranked.low.tolist(),
            ranked.high.tolist(),
        ),
        ranked.rank.tolist(),
        ranked.ranges.low.tolist(),
        ranked.ranges.high.tolist(),
        ranked.cluster.tolist(),
    )
    return list(map(_RankedScore, *columns))


def _tell(inputs: Input, options: AnalysisOptions, answer: PredictedFindings) -> Report:
    table = Table.of(
        answer.systems,
        name="systems",
        title=completed_by(plain(answer)),
        columns=(
            Column("rank", _("Rank")),
            system_column(),
            *interval_columns("score", _("Score"), options[CONFIDENCE]),
            Column("rank_low", _("Rank from")),
            Column("rank_high", _("To")),
            Column("cluster", _("Cluster")),
            *interval_columns(
                "people_score",
                _("By people alone"),
                options[CONFIDENCE],
            ),
            Column("people_rank", _("Human rank")),
            Column("people_rank_low", _("Rank from")),
            Column("people_rank_high", _("To")),
        ),
        plot=interval_plot("system", "score", "score_"),
    )
    counts = unit_counts(inputs, _METHOD, judges=inputs.read.judges)
    notes = predicted_notes(plain(answer), counts)
    return report_on(inputs, notes=notes, tables=[table], data=vars(answer))


PREDICTED_RANKING = AnalysisKind(
    name="predicted_ranking",
    title=gettext_lazy("Prediction-powered ranking"),
    question=gettext_lazy(
        "How do systems rank if a metric completes the human judgments, and how many judgments does it save?",
    ),
    options=(METRIC, CONFIDENCE, RESAMPLES, SEED),
    page="metrics",
    needs=frozenset({Need.OTHER_TASKS, Need.METRICS, Need.MACHINES}),
    find=_find,
    tell=_tell,
)
