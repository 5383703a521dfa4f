"""The work of each judge of a test set, and their agreement with the others."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, NamedTuple

from django.db.models import (
    F,
    FloatField,
    OrderBy,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
)
from django.db.models.fields.json import KeyTextTransform, KeyTransform
from django.db.models.functions import Cast

from annotation.judge_measures import JudgeMeasure
from annotation.models import JudgeTally
from annotation.selectors import JudgeStatus, judge_statuses
from campaign.models import Judge, Task
from ranking.models import JudgeMeasures, RankingRun

# Level of the test for low agreement, over all judges and all looks.
LOW_AGREEMENT_LEVEL = 0.05
# Of each kind on the dashboard: a page that is made anew every second shows no thousand of them.
JUDGES_SHOWN: Final = 20


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


@dataclass(frozen=True, slots=True)
class JudgeRow:
    """A judge in a test set. Times are of first judgments of blocks: active time if measured.

    `median_seconds` is as of the judges' latest measurement, which follows each ranking.

    A judge has low agreement if they agree with the others less than these do; the test allows for
    the number of judges and for repeated looks (`ranking.core.judges.diagnosis`).
    """

    judge_id: int
    pseudonym: str
    origin: str
    note: str
    judged: int
    skipped: int
    median_seconds: float | None
    last_seen: datetime
    agreement: JudgeKappa
    status: JudgeStatus
    has_low_agreement: bool

    @property
    def is_simulated(self) -> bool:
        return self.origin == Judge.Origin.SIMULATED


class TallyRow(NamedTuple):
    """What a test set counts of a judge, and what was last measured of them.

    `standing` are the skips not taken back, `disagrees` is p of the test for low agreement.
    """

    judge_id: int
    pseudonym: str
    origin: str
    note: str
    judged: int
    standing: int
    seconds: float | None
    last_at: datetime
    disagrees: float | None


def judge_tallies(*, task: Task) -> QuerySet[JudgeTally, Any]:
    """Return a `TallyRow` of each judge with a judgment or a skip that stands, by pseudonym.

    `judge_rows` takes all of them, or a page.
    """
    return _tallies(task.pk)


def judges_present(task_id: int) -> QuerySet[JudgeTally]:
    """Return the tallies of judges of a test set with a judgment or a skip that stands."""
    present = Q(judged__gt=0) | Q(skipped__gt=F("taken_back"))
    return JudgeTally.objects.filter(present, task=task_id)


def _tallies(task_id: int, *order: OrderBy) -> QuerySet[JudgeTally, Any]:
    rows: QuerySet[Any, Any] = judges_present(task_id).annotate(
        pseudonym=F("judge__pseudonym"),
        origin=F("judge__origin"),
        note=F("judge__note"),
        standing=F("skipped") - F("taken_back"),
        seconds=_measured(task_id, JudgeMeasure.SECONDS),
        disagrees=_measured(task_id, JudgeMeasure.DISAGREES),
    )
    return rows.order_by(*order, "pseudonym").values_list(*TallyRow._fields, named=True)


def _measured(task_id: int, measure: JudgeMeasure) -> Subquery:
    rows = JudgeMeasures.objects.filter(task=task_id, judge=OuterRef("judge"))
    value = KeyTextTransform("value", KeyTransform(measure, "measures"))
    return Subquery(rows.values(number=Cast(value, FloatField())))


def tallies_seen_last(*, task: Task) -> tuple[list[TallyRow], bool]:
    """Return those of `judge_tallies` who were seen last, and whether there are more. One query."""
    found = list(_tallies(task.pk, F("last_at").desc())[: JUDGES_SHOWN + 1])
    return found[:JUDGES_SHOWN], len(found) > JUDGES_SHOWN


def tallies_with_low_agreement(*, task: Task) -> list[TallyRow]:
    """Return the first of `judge_tallies` whose judges agree with the others less than these do. One query."""
    is_low = {f"measures__{JudgeMeasure.DISAGREES}__value__lt": LOW_AGREEMENT_LEVEL}
    low = JudgeMeasures.objects.filter(task=task, **is_low).values("judge")
    return list(_tallies(task.pk).filter(judge__in=low)[:JUDGES_SHOWN])


def judge_rows(
    *, task: Task, run: RankingRun | None, tallies: Iterable[TallyRow] | None = None
) -> list[JudgeRow]:
    """Return the judges of a test set by pseudonym, or those of some `judge_tallies` in their order.

    Two queries, of which one is for `judge_tallies`. Agreement comes from `run`, low agreement and times from the stored measures; both may
    be a moment behind the counts, which are of what has a number. No judgment is looked at.
    """
    found: Sequence[TallyRow] = list(judge_tallies(task=task) if tallies is None else tallies)
    if not found:
        return []
    statuses = judge_statuses(*(tally.judge_id for tally in found))
    agreement = _agreement(run, {tally.pseudonym for tally in found})
    return [
        JudgeRow(
            judge_id=tally.judge_id,
            pseudonym=tally.pseudonym,
            origin=tally.origin,
            note=tally.note,
            judged=tally.judged,
            skipped=tally.standing,
            median_seconds=tally.seconds,
            last_seen=tally.last_at,
            agreement=agreement.get(tally.pseudonym, _NOT_YET),
            status=statuses.get(tally.judge_id, JudgeStatus.GOOD),
            has_low_agreement=_is_low(tally.disagrees),
        )
        for tally in found
    ]


def _is_low(disagrees: float | None) -> bool:
    return disagrees is not None and disagrees < LOW_AGREEMENT_LEVEL


def _agreement(run: RankingRun | None, names: set[str]) -> dict[str, JudgeKappa]:
    if run is None:
        return {}
    return {
        row["judge"]: JudgeKappa(
            kappa=row["kappa"],
            low=row["low"],
            high=row["high"],
            agreeing=row["agreeing"],
            comparable=row["comparable"],
            no_interval=row.get("no_interval"),
        )
        for row in run.result["agreement"]["judges"]
        if row["judge"] in names
    }


def judges_by_pseudonym(campaign_id: int, names: Collection[str]) -> tuple[list[Judge], list[str]]:
    """Return the judges of a campaign with these pseudonyms, and the names without a judge. One query."""
    # A null is in no text of the database.
    asked = {name for name in names if "\0" not in name}
    found = list(Judge.objects.filter(campaign=campaign_id, pseudonym__in=asked))
    return found, sorted(set(names) - {judge.pseudonym for judge in found})
