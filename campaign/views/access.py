"""Access to organisers' pages: lookup of the campaign and the user's rights."""

from typing import Any, cast

from django.http import HttpRequest
from django.shortcuts import get_object_or_404

from campaign.models import Campaign, Task, User
from campaign.models.task import TaskQuerySet
from campaign.pages.rights import role_remember
from campaign.services.members import change_demand, owner_demand

_SAFE = frozenset({"GET", "HEAD"})


def organised_campaign(request: HttpRequest, slug: str) -> Campaign:
    """Return the campaign if the user is a member; else raise a 404.

    Raises `NotAllowedError`, which is answered with 403, if the request would change something and they only read.
    """
    mine = Campaign.objects.kept().with_role_of(cast("User", request.user))
    campaign: Any = get_object_or_404(mine, slug=slug)
    _admit(request, campaign.role)
    return cast("Campaign", campaign)


def joined_campaign(request: HttpRequest, slug: str) -> Campaign:
    """Return the campaign likewise, for a member's own settings, in any role."""
    mine = Campaign.objects.kept().with_role_of(cast("User", request.user))
    campaign: Any = get_object_or_404(mine, slug=slug)
    role_remember(request, campaign.role)
    return cast("Campaign", campaign)


def changed_campaign(request: HttpRequest, slug: str) -> Campaign:
    """Return the campaign likewise, for pages hidden from members with read access."""
    campaign: Any = organised_campaign(request, slug)
    change_demand(campaign.role)
    return cast("Campaign", campaign)


def owned_campaign(request: HttpRequest, slug: str) -> Campaign:
    """Return the campaign likewise, for its owners: before a confirmation that only they may give."""
    campaign = organised_campaign(request, slug)
    owner_demand(campaign=campaign, by=cast("User", request.user))
    return campaign


def organised_task(request: HttpRequest, slug: str, task_id: int) -> Task:
    """Return the test set if the user is a member of its campaign; else raise a 404.

    Raises `NotAllowedError` as above.
    """
    mine = _tasks(request)
    task: Any = get_object_or_404(mine, pk=task_id, test_set__campaign__slug=slug)
    _admit(request, task.role)
    return cast("Task", task)


def asked_task(request: HttpRequest, slug: str, task_id: int) -> Task:
    """Return the test set likewise, for requests that change nothing: members with read access may make them, too."""
    mine = _tasks(request)
    task: Any = get_object_or_404(mine, pk=task_id, test_set__campaign__slug=slug)
    role_remember(request, task.role)
    return cast("Task", task)


def joined_task(request: HttpRequest, slug: str, task_id: int) -> Task:
    """Return the test set likewise, for a member's own settings, in any role."""
    task: Any = get_object_or_404(_tasks(request), pk=task_id, test_set__campaign__slug=slug)
    role_remember(request, task.role)
    return cast("Task", task)


def of_task(task: Task, section: str) -> dict[str, Any]:
    """Return the context shared by the pages of a task's section."""
    return {"campaign": task.test_set.campaign, "task": task, "section": section}


def _tasks(request: HttpRequest) -> TaskQuerySet:
    mine = Task.objects.with_role_of(cast("User", request.user)).named()
    return mine.select_related("test_set__campaign")


def _admit(request: HttpRequest, role: str) -> None:
    if request.method not in _SAFE:
        change_demand(role)
    role_remember(request, role)
