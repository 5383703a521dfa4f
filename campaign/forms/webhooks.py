"""Forms for webhooks."""

from django import forms
from django.utils.translation import gettext_lazy as _

from campaign.forms.versions import VersionedForm
from campaign.models import WebhookEvent


class WebhookForm(VersionedForm):
    """Where messages go, and of which events."""

    url = forms.CharField(
        label=_("Address"),
        help_text=_("Must begin with https://."),
        max_length=1000,
        widget=forms.URLInput(attrs={"dir": "ltr", "placeholder": "https://"}),
    )
    description = forms.CharField(
        label=_("Description"),
        help_text=_("Helps you tell webhooks apart."),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"dir": "auto"}),
    )
    events = forms.MultipleChoiceField(
        label=_("Events"),
        choices=WebhookEvent.choices,
        initial=WebhookEvent.values,
        widget=forms.CheckboxSelectMultiple,
    )
