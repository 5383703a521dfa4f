"""Access to organisers' pages: lookup of the campaign and the user's rights."""

from collections.abc import Mapping
from typing import Any, TypedDict, TypeVar, cast

from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.utils import timezone

from campaign.models import Campaign, Task, User
from campaign.pages.desk import role_remember
from campaign.services.members import change_demand, owner_demand

_SAFE = frozenset({"GET", "HEAD"})
_Subject = TypeVar("_Subject", Campaign, Task)


def user_of(request: HttpRequest) -> User:
    """Return the user of a page that only members see."""
    return cast("User", request.user)


def organised_campaign(request: HttpRequest, slug: str) -> Campaign:
    """Return the campaign if the user is a member; else raise a 404.

    Raises `NotAllowedError`, which is answered with 403, if the request would change something and they only read.
    """
    return _require_change_role(request, joined_campaign(request, slug))


def joined_campaign(request: HttpRequest, slug: str) -> Campaign:
    """Return the campaign as above, for settings of their own that members in any role may change."""
    mine = Campaign.objects.present().with_role_of(user_of(request))
    return _remember_role_and_zone(request, get_object_or_404(mine, slug=slug))


def changed_campaign(request: HttpRequest, slug: str) -> Campaign:
    """Return the campaign as above, for pages hidden from members with read-only access."""
    campaign: Any = joined_campaign(request, slug)
    change_demand(campaign.role)
    return cast("Campaign", campaign)


def owned_campaign(request: HttpRequest, slug: str) -> Campaign:
    """Return the campaign as above if the user owns it, also for the page that asks for confirmation."""
    campaign = organised_campaign(request, slug)
    owner_demand(campaign=campaign, by=user_of(request))
    return campaign


def organised_task(request: HttpRequest, slug: str, task_id: int) -> Task:
    """Return the task if the user is a member of its campaign; else raise a 404.

    Raises `NotAllowedError` as above.
    """
    return _require_change_role(request, joined_task(request, slug, task_id))


def joined_task(request: HttpRequest, slug: str, task_id: int) -> Task:
    """Return the task as above, for requests that members in any role may make, also by POST."""
    mine = Task.objects.with_role_of(user_of(request)).named()
    tasks = mine.select_related("test_set__campaign")
    return _remember_role_and_zone(
        request,
        get_object_or_404(tasks, pk=task_id, test_set__campaign__slug=slug),
    )


class TaskContext(TypedDict):
    """The context shared by the pages of a task's section."""

    campaign: Campaign
    task: Task
    section: str


def of_task(task: Task, section: str) -> TaskContext:
    """Return the context shared by the pages of a task's section."""
    return {"campaign": task.test_set.campaign, "task": task, "section": section}


def _remember_role_and_zone(request: HttpRequest, subject: _Subject) -> _Subject:
    role_remember(request, subject.role)  # type: ignore[attr-defined]  # annotated
    if isinstance(subject, Task):
        campaign = subject.test_set.campaign
    else:
        campaign = subject
    # Until the end of the request (`TimeZoneMiddleware`).
    timezone.activate(campaign.zone)
    return subject


def _require_change_role(request: HttpRequest, campaign: _Subject) -> _Subject:
    if request.method not in _SAFE:
        change_demand(campaign.role)  # type: ignore[attr-defined]
    return campaign


def form_page(
    request: HttpRequest,
    template: str,
    context: Mapping[str, Any],
) -> HttpResponse:
    """Render a page with a form, with status 400 if the form has errors."""
    status = 200
    if context["form"].errors:
        status = 400
    return render(request, template, context, status=status)
