"""Delete a group of judges, unless a design or a ranking needs it."""

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import Campaign, GroupMember, JudgeGroup
from ranking.selectors.group_uses import group_uses


class JudgeGroupInUseError(Exception):
    """The group stays; the message says what it is in force for, and what to do."""


@transaction.atomic
def judge_group_delete(*, group: JudgeGroup) -> int:
    """Delete a group; return how many judges were in it, who stay judges.

    Earlier designs and rankings keep its name. Locks the campaign's row and the group's: no design and no ranking is
    restricted to it meanwhile. Raises `JudgeGroupInUseError`. Deleting it again changes nothing.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=group.campaign_id)
    row = JudgeGroup.objects.select_for_update().select_related("campaign").get(pk=group.pk)
    if row.removed_at is not None:
        return 0
    uses = group_uses(group=row)
    if uses:
        raise JudgeGroupInUseError(
            _("“%(name)s” is in force: %(uses)s Change that first.")
            % {"name": row.name, "uses": " ".join(uses)}
        )
    count = GroupMember.objects.filter(group=row).count()
    GroupMember.objects.filter(group=row).delete()
    JudgeGroup.objects.filter(pk=row.pk).update(removed_at=Now())
    return count
