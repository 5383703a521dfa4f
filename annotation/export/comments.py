"""Comments of judges, where a format has no place for them."""

from annotation.models import Judgment
from annotation.selectors import excluded_judges
from campaign.formats.losses import Loss
from campaign.models import Task


def comments_lost(*, task: Task, watermark: int) -> list[Loss]:
    """Return that the comments of the current judgments 1…`watermark` are lost; nothing if there are none. Two queries."""
    excluded = excluded_judges(campaign_id=task.test_set.campaign_id)
    commented = (
        Judgment.objects.of(task.pk)
        .counted()
        .current(watermark=watermark)
        .exclude(judge__pseudonym__in=excluded)
        .exclude(comment="")
        .order_by("numbered__number")
        .values_list("numbered__number", flat=True)
    )
    numbers = list(commented)
    return [Loss("comments", len(numbers), f"judgment {numbers[0]}")] if numbers else []
