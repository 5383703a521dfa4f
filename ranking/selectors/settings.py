"""Read how test sets are to be ranked."""

from datetime import datetime

from ranking.models import RankingSettings


def ranking_settings_in_force(*, task_id: int) -> RankingSettings:
    """Return the newest settings of a test set; the defaults, unsaved, where there are none."""
    newest = (
        RankingSettings.objects.of(task_id).select_related("judge_group").order_by("-id").first()
    )
    # Unsaved, it has no time; the field would offer the database's.
    return newest or RankingSettings(task_id=task_id, created_at=None)  # type: ignore[misc]


def ranking_settings_history(
    *, task_id: int, until: datetime | None = None
) -> list[RankingSettings]:
    """Return all settings that were chosen, the newest first; none where nobody chose. One query."""
    rows = RankingSettings.objects.of(task_id).select_related("judge_group", "changed_by")
    if until is not None:
        rows = rows.filter(created_at__lte=until)
    return list(rows.order_by("-id"))
