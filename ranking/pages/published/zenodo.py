"""What is asked before a draft is made at Zenodo."""

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from ranking.models import ZenodoHost
from ranking.services.publishing.zenodo import LICENCES, TOKEN


class ZenodoForm(forms.Form):
    """Where the draft is made, under which licence, and the organiser's own token."""

    host = forms.ChoiceField(
        label=_("Where"), choices=ZenodoHost.choices, initial=ZenodoHost.SANDBOX
    )
    licence = forms.ChoiceField(
        label=_("Licence"),
        choices=list(LICENCES.items()),
        help_text=_(
            "It covers the judgments and, if they are in the bundle, the texts: ask their owners first."
        ),
    )
    token = forms.CharField(
        label=_("Your token"),
        help_text=_(
            "Of that site, with the scope deposit:write. It is encrypted until the draft is made, and then "
            "deleted; delete it there, too."
        ),
        max_length=200,
        validators=[RegexValidator(TOKEN)],
        widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
    )
