"""Access control of the research API: who may read and change what, and lookup of the objects in an address."""

from typing import Any, TypeVar, cast

from django.db.models import Model, QuerySet
from django.utils.translation import gettext as _
from rest_framework.exceptions import NotFound, ValidationError
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from campaign.models import Campaign, JudgeGroup, Task, User
from campaign.services.members import change_demand

_Row = TypeVar("_Row", bound=Model)


def reader(request: Request) -> User:
    """Return the signed-in user; every view requires one."""
    return cast("User", request.user)


def readable_task(request: Request, task_id: int) -> Task:
    """Return the task if the user is a member of its campaign; else raise a 404."""
    mine = Task.objects.with_role_of(reader(request)).select_related("test_set__campaign")
    said = "Test set not found, or you are not a member of its campaign."
    return row_found(mine, said, pk=task_id)


def organised_task(request: Request, task_id: int) -> Task:
    """Return the task as above; a change requested by a member with read-only access gets a 403."""
    task: Any = readable_task(request, task_id)
    _admit(request, task.role)
    return cast("Task", task)


def organised_campaign(request: Request, slug: str) -> Campaign:
    """Return the campaign if the user is a member of it."""
    campaign: Any = joined_campaign(request, slug)
    _admit(request, campaign.role)
    return cast("Campaign", campaign)


def joined_campaign(request: Request, slug: str) -> Campaign:
    """Return the campaign if the user is a member, in any role, for a member's own settings."""
    mine = Campaign.objects.kept().with_role_of(reader(request))
    return row_found(mine, _("Campaign not found, or you are not a member."), slug=slug)


def _admit(request: Request, role: str) -> None:
    if request.method not in SAFE_METHODS:
        change_demand(role)


def row_found(rows: QuerySet[_Row], said: str | None = None, **named: Any) -> _Row:
    """Return the first of these rows that matches the lookups; raise a 404 with this message if none does."""
    row = rows.filter(**named).first()
    if row is None:
        raise NotFound(said)
    return row


def group_asked_for(task: Task, name: str | None) -> JudgeGroup | None:
    """Return the group of a test set's campaign by its name, ignoring case; None for all judges.

    Raises `ValidationError` with a plain message.
    """
    if name is None:
        return None
    present = JudgeGroup.objects.present().filter(campaign=task.test_set.campaign_id)
    group = present.filter(name__iexact=name).first()
    if group is None:
        raise ValidationError(f"Group “{name}” not found in this campaign.")
    return group
