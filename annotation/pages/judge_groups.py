"""The form of a group of judges."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from campaign.models import Campaign, JudgeGroup
from campaign.pages.forms import VersionedForm, WholeNumberField
from campaign.services.campaigns import MAX_BLOCKS
from campaign.services.judge_groups import (
    judge_group_change,
    judge_group_create,
)
from campaign.texts.refusals import RefusalsAt


class JudgeGroupForm(VersionedForm):
    """Name of a group, and the block limit of its judges."""

    name = forms.CharField(
        label=gettext_lazy("Group name"),
        max_length=60,
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )
    blocks_asked = WholeNumberField(
        label=gettext_lazy("Maximum blocks per judge"),
        help_text=gettext_lazy(
            "Leave empty to use the campaign’s limit. The largest limit of a judge’s groups applies.",
        ),
        min_value=1,
        max_value=MAX_BLOCKS,
        required=False,
    )

    def __init__(self, data: Any = None, *, group: JudgeGroup | None = None) -> None:
        self._group = group
        if group is None:
            initial = {}
        else:
            initial = {name: getattr(group, name) for name in self.base_fields}
        super().__init__(data, initial=initial)

    def save(self, campaign: Campaign) -> JudgeGroup | None:
        """Create or change the group and return it; None, with an error, if refused."""
        data = self.cleaned_data
        with RefusalsAt(self):
            if self._group is None:
                return judge_group_create(campaign=campaign, **data)
            return judge_group_change(group=self._group, **data)
        return None
