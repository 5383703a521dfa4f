"""Forms of a user's account, sign-in and API tokens."""

from typing import Any

from django import forms
from django.conf import settings
from django.core.validators import MaxValueValidator
from django.utils.translation import gettext_lazy as _

from campaign.models import (
    Campaign,
    Membership,
    TokenScope,
    User,
)
from campaign.pages.forms import NameField


class TokenForm(forms.Form):
    """An API token."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("For example, the program that uses the token."),
        max_length=100,
    )
    scope = forms.ChoiceField(
        label=_("Permissions"),
        choices=TokenScope.choices,
        initial=TokenScope.READ,
    )
    campaign = forms.ModelChoiceField(
        label=_("Campaign"),
        queryset=Campaign.objects.none(),
        required=False,
        empty_label=_("All your campaigns"),
    )
    days = forms.IntegerField(label=_("Validity in days"), min_value=1)

    def __init__(self, *args: Any, user: User, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        fields: Any = self.fields
        days = fields["days"]
        campaign = fields["campaign"]
        days.initial = settings.TOKEN_DAYS
        most = max(settings.TOKEN_MOST_DAYS, settings.TOKEN_DAYS)
        days.validators.append(MaxValueValidator(most))
        days.widget.attrs["max"] = most
        mine = Membership.objects.filter(user=user).values("campaign")
        campaign.queryset = (
            Campaign.objects.present().filter(pk__in=mine).order_by("name")
        )


def _password(label: Any, **attributes: Any) -> forms.CharField:
    return forms.CharField(
        label=label,
        help_text=_("At least eight characters, not only digits."),
        strip=False,
        # The time for hashing grows with the length of the password.
        max_length=1000,
        widget=forms.PasswordInput(
            attrs={"autocomplete": "new-password", **attributes},
        ),
    )


class AccountForm(forms.Form):
    """Name, e-mail address and password of an organiser."""

    name = NameField(
        label=_("Name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": True}),
    )
    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "username"}),
    )
    password = _password(_("Password"))


class NameForm(forms.Form):
    """Display name of a user."""

    name = NameField(
        label=_("Name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "name"}),
    )


class AddressForm(forms.Form):
    """An e-mail address, to which a link is sent."""

    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "email", "autofocus": True}),
    )


class NewPasswordForm(forms.Form):
    """A new password."""

    password = _password(_("New password"), autofocus=True)
