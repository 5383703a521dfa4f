"""What organisers fill in to extend a campaign, and to delete it."""

from collections.abc import Mapping
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from campaign.forms.versions import VersionedForm
from campaign.models import Campaign
from campaign.selectors.tasks import tasks_in_order
from campaign.services.rules import MAX_BLOCKS
from campaign.services.states import StateRefusedError, campaign_extend


class LifetimeForm(VersionedForm):
    """When a campaign closes by itself, and how many blocks are wanted of each test set."""

    closes_at = forms.DateTimeField(
        label=_("Closes automatically on"),
        help_text=_(
            "Shown to judges, who receive no more work after that. Leave blank to close it manually."
        ),
        widget=forms.DateTimeInput(attrs={"type": "datetime-local"}, format="%Y-%m-%dT%H:%M"),
        required=False,
    )

    def __init__(self, data: Mapping[str, Any] | None = None, *, campaign: Campaign) -> None:
        self.campaign = campaign
        self.tasks = tasks_in_order(campaign)
        super().__init__(data, initial={"closes_at": campaign.closes_at})
        for task in self.tasks:
            self.fields[f"blocks_{task.pk}"] = forms.IntegerField(
                label=_("Target for %(name)s (blocks)") % {"name": task.called},
                min_value=1,
                max_value=MAX_BLOCKS,
                required=False,
                initial=task.blocks_wanted,
            )

    def save(self) -> bool:
        """Set what was filled in; False, with an error, if the time is over."""
        wanted = {each.pk: self.cleaned_data[f"blocks_{each.pk}"] for each in self.tasks}
        try:
            campaign_extend(
                campaign=self.campaign,
                closes_at=self.cleaned_data["closes_at"],
                blocks_wanted=wanted,
            )
        except StateRefusedError as error:
            self.add_error("closes_at", str(error))
            return False
        return True


class DeletionForm(forms.Form):
    """Ask for the name of the campaign before it is deleted."""

    name = forms.CharField(label=_("Campaign name"), max_length=200)
