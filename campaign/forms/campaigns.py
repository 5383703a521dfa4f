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

    def clean(self) -> dict[str, Any]:
        if not self.cleaned_data.get("slug") and "slug" not in self.errors:
            self.cleaned_data["slug"] = campaign_slug(self.cleaned_data.get("name", ""))
            if not self.cleaned_data["slug"] and "name" in self.cleaned_data:
                self.add_error(
                    "slug", _("Enter a short name: none could be derived from the name.")
                )
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
