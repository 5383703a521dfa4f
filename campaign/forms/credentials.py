"""Forms for what lets people in: API tokens, and organisers."""

from typing import Any

from django import forms
from django.conf import settings
from django.utils.translation import gettext_lazy as _

#: Longer than any campaign; after that a token is made anew.
MOST_DAYS = 3650


class TokenForm(forms.Form):
    """An API token."""

    days = forms.IntegerField(
        label=_("How many days it is valid"), min_value=1, max_value=MOST_DAYS
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["days"].initial = settings.TOKEN_DAYS


class OrganiserForm(forms.Form):
    """Somebody who is to run the campaign, too."""

    email = forms.EmailField(label=_("E-mail address"))
    name = forms.CharField(
        label=_("Name"),
        help_text=_("As others see it; empty: the address."),
        max_length=150,
        required=False,
    )
