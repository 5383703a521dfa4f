"""Groups of judges as requests name them."""

from django.utils.translation import gettext as _
from rest_framework.exceptions import ValidationError

from campaign.models import JudgeGroup, Task


def group_asked_for(task: Task, name: str | None) -> JudgeGroup | None:
    """Return the group of a test set's campaign by its name, whatever its case; None for all judges.

    Raises `ValidationError`, with the words alone.
    """
    if name is None:
        return None
    present = JudgeGroup.objects.present().filter(campaign=task.test_set.campaign_id)
    group = present.filter(name__iexact=name).first()
    if group is None:
        raise ValidationError(_("This campaign has no group “%(name)s”.") % {"name": name})
    return group
