"""What files of judgments have no place for."""

from annotation.models import Judgment
from annotation.models.judgment import JudgmentQuerySet
from annotation.selectors import excluded_judges
from campaign.formats.losses import Loss
from campaign.models import Task


def judgments_written(*, task: Task, watermark: int) -> JudgmentQuerySet:
    """Return the judgments that files hold: current among 1…`watermark`, by number, not of excluded judges. One query."""
    excluded = excluded_judges(campaign_id=task.test_set.campaign_id)
    judgments = Judgment.objects.of(task.pk).counted().current(watermark=watermark)
    return judgments.exclude(judge__pseudonym__in=excluded).order_by("numbered__number")


def judgments_lost(what: str, judgments: JudgmentQuerySet) -> list[Loss]:
    """Return that something of these judgments is lost; nothing if there are none. One query."""
    numbers = list(judgments.values_list("numbered__number", flat=True))
    return [Loss(what, len(numbers), f"judgment {numbers[0]}")] if numbers else []


def comments_lost(*, task: Task, watermark: int) -> list[Loss]:
    """Return that the comments of the judgments 1…`watermark` are lost. Two queries."""
    written = judgments_written(task=task, watermark=watermark)
    return judgments_lost("comments", written.exclude(comment=""))
