"""Store the current ranking of a task, and keep milestones permanently instead of every ranking.

Whatever is not kept follows again, bit for bit, from its watermark and parameters.
"""

from datetime import UTC, datetime, time

from django.db import transaction
from django.db.models.functions import Now

from campaign.database.transactions import named_lock, named_lock_try
from campaign.models import Task, TestSet, WebhookEvent
from campaign.services.webhooks.outbox import webhook_event_record
from ranking.models import KeptFor, LatestRanking, RankingRun
from ranking.models.ranking_run import Ranking
from ranking.range_choices import recorded_choice
from ranking.selectors.runs import judges_not_counted

_STANDINGS = (
    *("system", "rank", "last_rank", "rank_low", "rank_high", "cluster", "score"),
    *("group", "shortage"),
)


def latest_ranking_replace(
    *,
    run: RankingRun,
    latest: LatestRanking | None,
    is_asked: bool = False,
    has_webhooks: bool = True,
) -> None:
    """Store a new ranking as the latest of its task, and keep milestones.

    The ranking before it is kept if it was the last of its day, the new one by `kept_for`; then
    `run` is saved. Call it in the transaction that read `latest`, under the lock of the test set's
    ranking. Without `has_webhooks`, no webhook messages are queued, and no query looks for
    endpoints.
    """
    last = latest.last_kept if latest else None
    if (
        latest is not None
        and not latest.is_kept
        and is_last_of_its_day(latest.finished_at, now=run.started_at)
    ):
        last = _keep(latest.as_run(), KeptFor.DAY, has_webhooks=has_webhooks)
    rule = run.parameters.get("stopping_rule", {})
    met = latest.rule_met if latest is not None and latest.rule == rule else None
    criteria = run.result.get("stopping", {}).get("criteria", []) if met is None else []
    reason = kept_for(run, last=last, is_asked=is_asked, is_first_of_rule=bool(criteria))
    if reason is not None:
        last = _keep(run, reason, has_webhooks=has_webhooks)
    else:
        run.finished_at = Task.objects.values_list(Now(), flat=True).get(pk=run.task_id)
    if criteria:
        # Only the first one that meets it is kept for that, so it has a number.
        met = {
            "run": run.pk,
            "judgments": run.result["input"]["blocks"],
            "at": run.started_at.isoformat().replace("+00:00", "Z"),
            "criteria": criteria,
        }
    run.rule_met = met
    LatestRanking(
        task_id=run.task_id,
        choice=recorded_choice(run.parameters).recorded,
        without=judges_not_counted(run.parameters),
        rule=rule,
        rule_met=met,
        last_kept=last,
        is_kept=reason is not None,
        **{field.name: getattr(run, field.name) for field in Ranking._meta.local_fields},
    ).save(force_insert=latest is None, force_update=latest is not None)


@transaction.atomic
def latest_ranking_keep(*, task_id: int) -> RankingRun | None:
    """Keep the current ranking of a task permanently, at a user's request; return it.

    One that is kept already is unchanged. Waits for a running ranking, so that its result is kept,
    not the ranking shown before. Returns None if there is no ranking yet.
    """
    named_lock(_lock_name(task_id))
    latest = LatestRanking.objects.select_related("last_kept").filter(pk=task_id).first()
    if latest is None:
        return None
    if not latest.is_kept:
        _keep_latest(latest, KeptFor.ASKED)
    return latest.last_kept


def rankings_of_days_keep() -> int:
    """Keep the last ranking of each past day; return the number of newly kept ones.

    This keeps the last ranking of closed and idle tasks. A running ranking keeps the previous one
    by itself.
    """
    now = Task.objects.values_list(Now(), flat=True).first()
    if now is None:
        return 0
    midnight = datetime.combine(now.astimezone(UTC).date(), time(), UTC)
    resting = LatestRanking.objects.filter(is_kept=False, finished_at__lt=midnight)
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
    """Take the lock on rankings of a test set until the transaction ends; False if another has it."""
    return named_lock_try(_lock_name(task_id))


def _lock_name(task_id: int) -> str:
    return f"ranking run of test set {task_id}"


def _keep_latest(latest: LatestRanking, reason: KeptFor) -> None:
    latest.last_kept = _keep(latest.as_run(), reason)
    latest.is_kept = True
    latest.save(update_fields=["last_kept", "is_kept"])


def _keep(run: RankingRun, reason: KeptFor, *, has_webhooks: bool = True) -> RankingRun:
    run.kept_for = reason
    run.comparisons = run.result["input"]["comparisons"]
    run.standings = [
        {name: row[name] for name in _STANDINGS if name in row} for row in run.result["systems"]
    ]
    run.save(force_insert=True)
    if has_webhooks:
        _webhooks_record(run, reason)
    return run


def _webhooks_record(run: RankingRun, reason: KeptFor) -> None:
    test_set = TestSet.objects.get(tasks=run.task_id)
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


def kept_for(
    run: RankingRun,
    *,
    last: RankingRun | None,
    is_asked: bool = False,
    is_first_of_rule: bool = False,
) -> KeptFor | None:
    """Return why a new ranking is kept, or None; `last` is the newest one kept.

    `is_first_of_rule`: no ranking before met the stopping rule that this one meets.

    With N judgments, growth keeps at most 50 + ln(N / 50) / ln(1.02) of them: 550 for a million.
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
    """Return whether a ranking that was the latest until now is the last of its day, by UTC."""
    return finished_at.astimezone(UTC).date() < now.astimezone(UTC).date()
