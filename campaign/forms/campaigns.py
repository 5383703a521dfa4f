"""What a new campaign is called."""

from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from campaign.models import Campaign, User
from campaign.services.campaigns import campaign_create, campaign_slug


class CampaignForm(forms.Form):
    """Name and short name; the short name is made of the name where it is left out."""

    name = forms.CharField(
        label=_("Name"), help_text=_("As judges and organisers read it."), max_length=200
    )
    slug = forms.SlugField(
        label=_("Short name"),
        help_text=_(
            "Letters, digits and hyphens; it stands in addresses and stays. Empty: made of the name."
        ),
        max_length=60,
        required=False,
    )

    def clean(self) -> dict[str, Any]:
        if not self.cleaned_data.get("slug") and "slug" not in self.errors:
            self.cleaned_data["slug"] = campaign_slug(self.cleaned_data.get("name", ""))
            if not self.cleaned_data["slug"] and "name" in self.cleaned_data:
                self.add_error("slug", _("The name has no letters of which one could be made."))
        return self.cleaned_data

    def save(self, *, user: User) -> Campaign | None:
        """Create the campaign for this organiser; None, with the errors at their fields, if it cannot be."""
        try:
            return campaign_create(
                slug=self.cleaned_data["slug"], name=self.cleaned_data["name"], organisers=[user]
            )
        except ValidationError as error:
            for field, problems in error.message_dict.items():
                self.add_error(field if field in self.fields else None, problems)
            return None
