"""The work of each judge of a test set, and their agreement with the others."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Aggregate, Count, F, FloatField, Max, Q
from django.db.models.functions import Coalesce

from annotation.judge_measures import JudgeMeasure
from annotation.models import Judgment
from annotation.selectors import JudgeStatus, judge_statuses
from campaign.models import Judge, TestSet
from ranking.models import QualityReport, RankingRun
from ranking.selectors.progress import open_skips


class Median(Aggregate):
    """The median, without NULLs."""

    function = "PERCENTILE_CONT"
    template = "%(function)s(0.5) WITHIN GROUP (ORDER BY %(expressions)s)"
    output_field = FloatField()


@dataclass(frozen=True, slots=True)
class JudgeKappa:
    """Agreement of one judge with all others on shared comparisons, as of a ranking run.

    `kappa`, `low` and `high` are None if the run could not estimate them. `no_interval`, a
    `NoInterval`, says why a κ has no interval.
    """

    kappa: float | None
    low: float | None
    high: float | None
    agreeing: int
    comparable: int
    no_interval: str | None = None


# For a judge who is not in the latest run, or without a run.
_NOT_YET = JudgeKappa(kappa=None, low=None, high=None, agreeing=0, comparable=0)

# Level of the test for low agreement, over all judges and all looks.
_LOW_AGREEMENT_LEVEL = 0.05


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """A judge in a test set. Times are of first judgments of blocks: active time if measured.

    A judge has low agreement if they agree with the others less than these do; the test allows for
    the number of judges and for repeated looks (`ranking.core.judges.disagreement`).
    """

    judge_id: int
    pseudonym: str
    origin: str
    note: str
    judged: int
    skipped: int
    median_seconds: float | None
    last_seen: datetime | None
    agreement: JudgeKappa
    status: JudgeStatus
    has_low_agreement: bool

    @property
    def is_simulated(self) -> bool:
        return self.origin == Judge.Origin.SIMULATED


def judge_rows(
    *, test_set: TestSet, run: RankingRun | None, report: QualityReport | None
) -> list[JudgeRow]:
    """Return the judges with a judgment or a skip in a test set, by pseudonym. Four queries.

    Agreement comes from `run`, low agreement from `report`; both may be a moment behind the counts.
    """
    first = Q(supersedes__isnull=True)
    judged = {
        row["judge"]: row
        for row in Judgment.objects.of(test_set.pk)
        .counted()
        .values("judge")
        .annotate(
            judged=Count("pk", filter=first),
            median_ms=Median(Coalesce(F("active_ms"), F("duration_ms")), filter=first),
            last=Max("submitted_at"),
        )
    }
    skipped = {
        row["judge"]: row
        for row in open_skips(test_set_id=test_set.pk)
        .values("judge")
        .annotate(skipped=Count("pk"), last=Max("created_at"))
    }
    agreement, disagreeing = _agreement(run), _disagreeing(report)
    judges = list(Judge.objects.filter(pk__in=judged.keys() | skipped.keys()).order_by("pseudonym"))
    statuses = judge_statuses(*(judge.pk for judge in judges))
    return [
        _row(
            judge,
            judged.get(judge.pk, {}),
            skipped.get(judge.pk, {}),
            agreement,
            statuses.get(judge.pk, JudgeStatus.GOOD),
            has_low_agreement=judge.pseudonym in disagreeing,
        )
        for judge in judges
    ]


def _row(
    judge: Judge,
    judged: Mapping[str, Any],
    skipped: Mapping[str, Any],
    agreement: dict[str, JudgeKappa],
    status: JudgeStatus,
    *,
    has_low_agreement: bool,
) -> JudgeRow:
    median_ms = judged.get("median_ms")
    return JudgeRow(
        judge_id=judge.pk,
        pseudonym=judge.pseudonym,
        origin=judge.origin,
        note=judge.note,
        judged=judged.get("judged", 0),
        skipped=skipped.get("skipped", 0),
        median_seconds=None if median_ms is None else median_ms / 1000,
        last_seen=max(filter(None, [judged.get("last"), skipped.get("last")]), default=None),
        agreement=agreement.get(judge.pseudonym, _NOT_YET),
        status=status,
        has_low_agreement=has_low_agreement,
    )


def _agreement(run: RankingRun | None) -> dict[str, JudgeKappa]:
    if run is None:
        return {}
    report = run.result["agreement"]
    return {
        row["judge"]: JudgeKappa(
            kappa=row["kappa"],
            low=row["low"],
            high=row["high"],
            agreeing=row["agreeing"],
            comparable=row["comparable"],
            no_interval=row.get("no_interval"),
        )
        for row in report["judges"]
    }


def _disagreeing(report: QualityReport | None) -> set[str]:
    measured = report.measures if report else {}
    return {
        name
        for name, rows in measured.items()
        if JudgeMeasure.DISAGREES in rows
        and rows[JudgeMeasure.DISAGREES]["value"] < _LOW_AGREEMENT_LEVEL
    }
