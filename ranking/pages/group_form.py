"""The form of a group of judges."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from campaign.models import Campaign, JudgeGroup
from campaign.services import JudgeGroupRefusedError, judge_group_change, judge_group_create
from campaign.services.rules import MAX_BLOCKS


class JudgeGroupForm(forms.Form):
    """Its name, and how many blocks each of its judges is asked for."""

    name = forms.CharField(
        label=_("Name of the group"), max_length=60, widget=forms.TextInput(attrs={"dir": "auto"})
    )
    blocks_asked = forms.IntegerField(
        label=_("Blocks asked of each judge"),
        help_text=_(
            "In all. Empty: what the campaign asks of a judge. Of several groups the one that asks for most counts."
        ),
        min_value=1,
        max_value=MAX_BLOCKS,
        required=False,
    )

    def __init__(self, data: Any = None, *, group: JudgeGroup | None = None) -> None:
        self._group = group
        initial = {} if group is None else {name: getattr(group, name) for name in self.base_fields}
        super().__init__(data, initial=initial)

    def save(self, campaign: Campaign) -> JudgeGroup | None:
        """Make or change the group, and return it; None, with an error, if refused."""
        data = self.cleaned_data
        try:
            if self._group is None:
                return judge_group_create(campaign=campaign, **data)
            return judge_group_change(group=self._group, **data)
        except JudgeGroupRefusedError as error:
            self.add_error(error.field, str(error))
            return None
