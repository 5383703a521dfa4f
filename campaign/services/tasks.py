"""Further tasks of a test set, in addition to the one it was created with."""

from django.db import transaction
from django.utils.translation import gettext as _

from campaign.models import (
    Campaign,
    CampaignState,
    Membership,
    Protocol,
    Segment,
    Task,
    TestSet,
    User,
)
from campaign.refusals import RefusedError
from campaign.services.members import NotAllowedError, change_demand
from campaign.services.rehearsals import real_check


class TaskRefusedError(RefusedError):
    """The task cannot be added or deleted; the message says why, and `field` names the invalid field, if any."""


@transaction.atomic
def task_create(*, test_set: TestSet, protocol: str, by: User | None, **quotas: int | None) -> Task:
    """Add a task with another protocol to a test set; return it.

    It is open to judges as soon as HITs are planned, and independent of the test set's other tasks. `quotas`
    are its numbers of blocks. Locks the campaign's row. Raises `NotAllowedError` unless `by` may change the
    campaign (None: the server's operator), and `TaskRefusedError` for a protocol that the test set has
    already, a test set without texts, and a campaign that can no longer be changed.
    """
    campaign = task_campaign_lock(test_set, by)
    if Task.objects.filter(test_set=test_set, protocol=protocol).exists():
        raise TaskRefusedError(
            _("“%(name)s” already has a task with this protocol: %(protocol)s.")
            % {"name": test_set.name, "protocol": Protocol(protocol).label},
            field="protocol",
        )
    if not Segment.objects.filter(test_set=test_set, source_text__isnull=False).exists():
        raise TaskRefusedError(
            _("“%(name)s” has no texts to judge.") % {"name": test_set.name},
            field="test_set",
        )
    task = Task.objects.create(test_set=test_set, protocol=protocol, **quotas)
    test_set.campaign = campaign
    return task


def task_campaign_lock(test_set: TestSet, by: User | None) -> Campaign:
    """Lock and return the campaign whose tasks are to change. Raises as `task_create`."""
    campaign = Campaign.objects.select_for_update(no_key=True).get(pk=test_set.campaign_id)
    if by is not None:
        role = Membership.objects.filter(campaign=campaign, user=by).values_list("role", flat=True)
        found = role.first()
        if found is None:
            raise NotAllowedError(_("Campaign not found, or you are not a member."))
        change_demand(found)
    real_check(campaign, TaskRefusedError)
    if campaign.state in {CampaignState.ARCHIVED, CampaignState.BIN}:
        raise TaskRefusedError(
            _("“%(name)s” is %(state)s, so this action is not available.")
            % {"name": campaign.name, "state": campaign.get_state_display()}
        )
    return campaign
