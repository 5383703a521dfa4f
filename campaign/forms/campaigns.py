"""Forms of campaigns: creation, settings, extension and deletion."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.forms.models import fields_for_model
from django.utils.translation import gettext_lazy as _

from campaign.forms.versions import VersionedForm
from campaign.models import Campaign, User
from campaign.refusals import RefusalsAt
from campaign.selectors.tasks import tasks_in_order
from campaign.services.campaigns import (
    campaign_create,
    campaign_extend,
)
from campaign.services.rules import (
    MAX_BLOCKS,
    MAX_LEASE_MINUTES,
    ReferenceRankedError,
    Rules,
    RulesRefusedError,
    campaign_change,
)


class CampaignForm(forms.Form):
    """Name and short name, which is derived from the name by default."""

    name = forms.CharField(
        label=_("Name"), help_text=_("Shown to judges and organisers."), max_length=200
    )
    slug = forms.SlugField(
        label=_("Short name"),
        help_text=_(
            "Letters, digits and hyphens. Used in URLs and cannot be changed. Leave empty to derive it from the name."
        ),
        max_length=60,
        required=False,
    )

    def save(self, *, user: User) -> Campaign | None:
        """Create the campaign for this organiser; return None, with errors at the fields, if it is refused."""
        with RefusalsAt(self):
            return campaign_create(organisers=[user], **self.cleaned_data)
        return None


_RULES: Final = tuple(Rules.__annotations__)
#: Maxima of integer fields.
_MOST: Final = {"blocks_per_judge": MAX_BLOCKS, "lease_minutes": MAX_LEASE_MINUTES}


def _field(field: Any, **options: Any) -> Any:
    limits = {"min_value": 1, "max_value": _MOST[field.name]} if field.name in _MOST else {}
    return field.formfield(**limits, **options)


class SettingsForm(VersionedForm):
    """The rules of a campaign. Each help text states the effect of a change on judges at work."""

    def __init__(self, data: Mapping[str, Any] | None = None, *, campaign: Campaign) -> None:
        self.campaign = campaign
        super().__init__(data, initial={name: getattr(campaign, name) for name in _RULES})
        self.fields.update(fields_for_model(Campaign, _RULES, formfield_callback=_field))

    def save(self, *, rank_shown_reference: bool = False) -> bool:
        """Save only the fields changed in this form; return False, with an error, if refused.

        Raises `ReferenceRankedError` if `rank_shown_reference` must be confirmed.
        """
        changes: Any = {name: self.cleaned_data[name] for name in self.changed_data}
        try:
            campaign_change(
                campaign=self.campaign, rank_shown_reference=rank_shown_reference, **changes
            )
        except ReferenceRankedError:
            raise
        except RulesRefusedError as error:
            self.add_error(error.field, str(error))
            return False
        return True


class LifetimeForm(VersionedForm):
    """Automatic closing time of a campaign, and the target number of blocks per test set."""

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
        """Save the entries; return False, with an error, if the time is in the past."""
        wanted = {each.pk: self.cleaned_data[f"blocks_{each.pk}"] for each in self.tasks}
        with RefusalsAt(self, "closes_at"):
            campaign_extend(
                campaign=self.campaign,
                closes_at=self.cleaned_data["closes_at"],
                blocks_wanted=wanted,
            )
            return True
        return False


class DeletionForm(forms.Form):
    """Ask for the name of the campaign before it is deleted."""

    name = forms.CharField(label=_("Campaign name"), max_length=200)
