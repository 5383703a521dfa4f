"""Delete groups of judges."""

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.selectors.judge_groups import group_uses
from campaign.models import Campaign, GroupMember, JudgeGroup
from campaign.texts.joining import sentence_list
from campaign.texts.refusals import RefusedError


class JudgeGroupInUseError(RefusedError):
    """The group is in use; the message names its uses and a remedy."""

    status = 409


@transaction.atomic
def judge_group_delete(*, group: JudgeGroup) -> int:
    """Delete a group but not its judges; return their number.

    Earlier designs and rankings keep its name. The rows of the campaign and the group are locked, so that no design or ranking
    starts to use it meanwhile. Raises `JudgeGroupInUseError`. Deleting the group again changes nothing.
    """
    Campaign.objects.select_for_update(no_key=True).get(pk=group.campaign_id)
    row = (
        JudgeGroup.objects.select_for_update()
        .select_related("campaign")
        .get(pk=group.pk)
    )
    if row.removed_at is not None:
        return 0
    uses = group_uses(group=row)
    if uses:
        raise JudgeGroupInUseError(
            _("“%(name)s” is in use: %(uses)s Change that first.")
            % {"name": row.name, "uses": sentence_list(uses)},
        )
    count = GroupMember.objects.filter(group=row).count()
    GroupMember.objects.filter(group=row).delete()
    JudgeGroup.objects.filter(pk=row.pk).update(removed_at=Now())
    return count
