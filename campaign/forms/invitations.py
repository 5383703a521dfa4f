"""Forms to invite judges: shared links, and e-mails."""

from datetime import datetime
from typing import Any

from django import forms
from django.conf import settings
from django.utils import timezone
from django.utils.formats import date_format
from django.utils.translation import gettext_lazy as _

from campaign.forms.languages import languages_validate
from campaign.models import InvitationRole
from campaign.services.invitation_mails import AddressesRefusedError, addresses_read
from campaign.services.invitations import MOST_JUDGES_OF_A_LINK, last_moment, link_lifetime
from campaign.texts.languages import language_name


class MessageForm(forms.Form):
    """An invitation by e-mail."""

    language = forms.ChoiceField(label=_("Language of the message"), choices=settings.LANGUAGES)
    note = forms.CharField(
        label=_("Personal note"),
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )


class _LanguagesForm(forms.Form):
    """A form that asks which of the campaign's languages judges read."""

    languages = forms.MultipleChoiceField(
        label=_("Languages of the judges"),
        help_text=_("Leave all unchecked for all languages of the campaign."),
        required=False,
        validators=[languages_validate],
        widget=forms.CheckboxSelectMultiple,
    )

    def __init__(self, *args: Any, languages: list[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["languages"]
        field.choices = [(tag, language_name(tag)) for tag in languages]


class LinkForm(_LanguagesForm):
    """A shared link."""

    field_order = ("cap", "expires", "note", "languages", "asks_languages")
    cap = forms.IntegerField(
        label=_("Maximum number of judges"),
        help_text=_("Enter 1 for a personal link."),
        min_value=1,
        max_value=MOST_JUDGES_OF_A_LINK,
        initial=20,
    )
    expires = forms.DateField(
        label=_("Last day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}),
    )
    note = forms.CharField(
        label=_("Note"),
        help_text=_("Visible to organisers only, next to the judges who joined with this link."),
        max_length=200,
        required=False,
    )
    asks_languages = forms.BooleanField(
        label=_("Ask new judges which of these languages they read"), required=False
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["expires"]
        field.initial = timezone.localdate() + link_lifetime(InvitationRole.JUDGE)
        field.help_text = _("Leave empty for %(day)s.") % {"day": date_format(field.initial)}

    def clean_expires(self) -> datetime | None:
        return last_moment(self.cleaned_data["expires"])


class MailForm(MessageForm, _LanguagesForm):
    """Invitations by e-mail."""

    field_order = ("addresses", "languages", "language", "note")
    addresses = forms.CharField(
        label=_("E-mail addresses"),
        help_text=_("One per line, or separated by commas."),
        max_length=100_000,
        strip=False,
        widget=forms.Textarea(attrs={"rows": 5, "spellcheck": "false", "dir": "ltr"}),
    )

    def clean_addresses(self) -> list[str]:
        try:
            return addresses_read(self.cleaned_data["addresses"])
        except AddressesRefusedError as error:
            raise forms.ValidationError(error.problems) from error
