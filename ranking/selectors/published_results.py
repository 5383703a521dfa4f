"""Published results: by their address, those of a test set, and who may see them."""

from typing import Any

from django.db.models import Max, QuerySet
from django.db.models.functions import Left
from django.utils.translation import ngettext

from campaign.models import Campaign, Membership, Task
from ranking.models import ADDRESS_LENGTH, PublishedResult


def published_at(address: str) -> PublishedResult | None:
    """Return the result with this address, with `is_embargoed`; None if there is none. One query."""
    found: PublishedResult | None = (
        PublishedResult.objects.with_state()
        .alias(begins=Left("digest", ADDRESS_LENGTH))
        .filter(begins=address)
        .select_related("bundle")
        .first()
    )
    return found


def is_member(user: Any, result: PublishedResult) -> bool:
    """Return whether a user is a member of the campaign of a result; an anonymous user is not."""
    if not user.is_authenticated:
        return False
    campaign = Task.objects.filter(pk=result.task_id).values("test_set__campaign")
    return Membership.objects.filter(campaign__in=campaign, user=user).exists()


def versions_of(*, task_id: int) -> QuerySet[PublishedResult, Any]:
    """Return all versions of a test set, the newest first, with `is_embargoed`."""
    rows = PublishedResult.objects.of(task_id).with_state()
    return rows.select_related("published_by", "bundle__job").order_by("-version")


def versions_shown(result: PublishedResult, *, with_embargoed: bool) -> list[PublishedResult]:
    """Return the versions that a reader of one may see, the newest first.

    With `with_embargoed`, all; else those that are open, and this one.
    """
    rows = versions_of(task_id=result.task_id)
    return [
        each for each in rows if with_embargoed or not each.is_embargoed or each.pk == result.pk
    ]


def deletion_said(*, campaign: Campaign, **_sent: Any) -> list[str]:
    """Return what the deletion of a campaign does to its published results; a receiver."""
    count = PublishedResult.objects.filter(task__test_set__campaign=campaign).count()
    if not count:
        return []
    said = ngettext(
        "%(count)d published result goes with it: until then its address answers, then it is gone "
        "for all who cite it.",
        "%(count)d published results go with it: until then their addresses answer, then they are "
        "gone for all who cite them.",
        count,
    )
    return [said % {"count": count}]


def next_version(*, task_id: int) -> int:
    """Return which version a test set would publish next."""
    newest = PublishedResult.objects.of(task_id).aggregate(newest=Max("version"))["newest"]
    return (newest or 0) + 1
