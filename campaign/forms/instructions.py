"""The form for a version of the instructions."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import get_language
from django.utils.translation import gettext_lazy as _

from campaign.forms.languages import languages_validate
from campaign.forms.versions import VersionedForm
from campaign.services.instructions import MAX_CHARACTERS
from campaign.texts.language_tags import language_tag_checked
from campaign.texts.languages import language_name


class InstructionsForm(VersionedForm):
    """A version of the instructions."""

    language = forms.ChoiceField(label=_("Language"), validators=[languages_validate])
    text = forms.CharField(
        label=_("Text"),
        max_length=MAX_CHARACTERS,
        widget=forms.Textarea(attrs={"rows": 16, "dir": "auto"}),
    )
    demands_acceptance = forms.BooleanField(
        label=_("Require all judges to accept this version"), required=False
    )

    def __init__(self, *args: Any, written: list[str], read: list[str], **kwargs: Any) -> None:
        """Languages to choose from: those written already, of the interface, of the texts."""
        super().__init__(*args, **kwargs)
        interface = [language_tag_checked(tag) for tag, _name in settings.LANGUAGES]
        tags = dict.fromkeys([*written, *interface, *read])
        field = self.fields["language"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101  for the type checker
        field.choices = [(tag, language_name(tag)) for tag in tags]
        field.initial = next(iter(written), language_tag_checked(get_language() or "en"))
