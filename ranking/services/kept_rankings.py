"""Keep rankings permanently: milestones, the last one of a day, and those that users save."""

from __future__ import annotations

from datetime import UTC, datetime

from django.db import transaction
from django.db.models.functions import Now, TruncDay

from campaign.database.many_rows import named_lock, named_lock_try
from campaign.models import WebhookEvent
from campaign.services.webhooks import webhook_event_record
from ranking.core.rankings.records import part_of_row
from ranking.models import KeptFor, LatestRanking, RankingRun

#: The columns of a ranked system without counts.
_STANDINGS = (
    "system",
    "rank",
    "last_rank",
    "rank_low",
    "rank_high",
    "cluster",
    "score",
    "group",
    "shortage",
)


def ranking_of_day_keep(*, latest: LatestRanking, now: datetime) -> RankingRun | None:
    """Keep the latest ranking until now if it is the last of its day; return the newest kept one."""
    if latest.is_kept or not is_last_of_its_day(latest.finished_at, now=now):
        return latest.last_kept
    return ranking_keep(run=latest.as_run(), reason=KeptFor.DAY)


@transaction.atomic
def latest_ranking_keep(*, task_id: int) -> RankingRun | None:
    """Keep the current ranking of a task permanently at a user's request; return it.

    A ranking that is kept already stays unchanged. Waits for a running ranking, and then keeps its result,
    not the previous one. Returns None if there is no ranking yet.
    """
    named_lock(_lock_name(task_id))
    rankings = LatestRanking.objects.select_related("last_kept")
    latest = rankings.filter(pk=task_id).first()
    if latest is None:
        return None
    if not latest.is_kept:
        _keep_latest(latest, KeptFor.ASKED)
    return latest.last_kept


def rankings_of_days_keep() -> int:
    """Keep the last ranking of each past day; return the number of rankings newly kept.

    This is for closed and idle tasks: a new ranking keeps the last one of the previous day
    automatically.
    """
    today = TruncDay(Now(), tzinfo=UTC)
    resting = LatestRanking.objects.filter(is_kept=False, finished_at__lt=today)
    return sum(map(_keep_for_its_day, list(resting.values_list("pk", flat=True))))


@transaction.atomic
def _keep_for_its_day(task_id: int) -> bool:
    if not ranking_lock_try(task_id=task_id):
        return False
    latest = LatestRanking.objects.get(pk=task_id)
    if latest.is_kept:
        return False
    _keep_latest(latest, KeptFor.DAY)
    return True


def ranking_lock_try(*, task_id: int) -> bool:
    """Take the lock on rankings of a test set until the transaction ends; return False if it is taken."""
    return named_lock_try(_lock_name(task_id))


def _lock_name(task_id: int) -> str:
    return f"ranking run of test set {task_id}"


def _keep_latest(latest: LatestRanking, reason: KeptFor) -> None:
    latest.last_kept = ranking_keep(run=latest.as_run(), reason=reason)
    latest.is_kept = True
    latest.save(update_fields=["last_kept", "is_kept"])


def ranking_keep(*, run: RankingRun, reason: KeptFor) -> RankingRun:
    """Keep a ranking permanently, and announce it to webhooks; return it."""
    run.kept_for = reason
    run.comparisons = run.result["input"]["comparisons"]
    systems = run.result["systems"]
    run.standings = [part_of_row(row, _STANDINGS) for row in systems]
    run.save(force_insert=True)
    test_set = run.task.test_set
    webhook_event_record(
        campaign_id=test_set.campaign_id,
        event=WebhookEvent.RANKING,
        data={
            "task": run.task_id,
            "test_set": test_set.name,
            "ranking": run.pk,
            "watermark": run.watermark,
            "kept_for": str(reason),
        },
    )
    return run


def kept_for(
    run: RankingRun,
    *,
    last: RankingRun | None,
    is_asked: bool = False,
    is_first_of_rule: bool = False,
) -> KeptFor | None:
    """Return why a new ranking is kept, or None; `last` is the newest one kept.

    `is_first_of_rule` tells whether it is the first ranking that meets the stopping rule.

    With N judgments, growth keeps at most 50 + ln(N / 50) / ln(1.02) rankings: 550 for a million.
    """
    if last is None:
        return KeptFor.FIRST
    if run.recipe != last.recipe:
        return KeptFor.PARAMETERS
    if is_first_of_rule:
        return KeptFor.RULE
    if is_asked:
        return KeptFor.ASKED
    if 100 * run.watermark >= 102 * last.watermark:
        return KeptFor.GROWTH
    return None


def is_last_of_its_day(finished_at: datetime, *, now: datetime) -> bool:
    """Return whether a ranking that was the latest until now is the last of its day (UTC)."""
    return finished_at.astimezone(UTC).date() < now.astimezone(UTC).date()
