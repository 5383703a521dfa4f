"""Forms for access: API tokens, organisers, and their accounts."""

from typing import Any, Final

from django import forms
from django.conf import settings
from django.core.validators import MaxValueValidator
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from campaign.forms.invitations import MessageForm
from campaign.models import Campaign, Membership, MembershipRole, TokenScope, User
from campaign.pages.rights import ROLE_MEANS

_BY_ORGANISERS: Final = (MembershipRole.ORGANISER, MembershipRole.ANALYST)


class TokenForm(forms.Form):
    """An API token."""

    name = forms.CharField(
        label=_("Name"),
        help_text=_("For example, the program that uses the token."),
        max_length=100,
    )
    scope = forms.ChoiceField(
        label=_("Permissions"), choices=TokenScope.choices, initial=TokenScope.READ
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
        days, campaign = fields["days"], fields["campaign"]
        days.initial = settings.TOKEN_DAYS
        most = max(settings.TOKEN_MOST_DAYS, settings.TOKEN_DAYS)
        days.validators.append(MaxValueValidator(most))
        days.widget.attrs["max"] = most
        mine = Membership.objects.filter(user=user).values("campaign")
        campaign.queryset = Campaign.objects.kept().filter(pk__in=mine).order_by("name")


class MemberForm(forms.Form):
    """New member of a campaign. Only owners can choose the owner role."""

    email = forms.EmailField(label=_("E-mail address"))
    name = forms.CharField(
        label=_("Name"),
        help_text=_("Shown to others. Leave empty to use the e-mail address."),
        max_length=150,
        required=False,
    )
    role = forms.ChoiceField(
        label=_("Role"),
        choices=(),
        initial=MembershipRole.ORGANISER,
        help_text=format_lazy("{} {}", *(ROLE_MEANS[role] for role in _BY_ORGANISERS)),
    )

    def __init__(self, *args: Any, may_own: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["role"]
        roles = list(MembershipRole) if may_own else _BY_ORGANISERS
        field.choices = [(role.value, role.label) for role in roles]


class MemberMailForm(MessageForm, MemberForm):
    """An invitation by e-mail to run or read the campaign."""


class AccountForm(forms.Form):
    """Name, e-mail address and password of an organiser."""

    name = forms.CharField(
        label=_("Name"),
        max_length=150,
        widget=forms.TextInput(attrs={"autocomplete": "name", "autofocus": True}),
    )
    email = forms.EmailField(
        label=_("E-mail address"),
        max_length=254,
        widget=forms.EmailInput(attrs={"autocomplete": "username"}),
    )
    password = forms.CharField(
        label=_("Password"),
        help_text=_("At least eight characters, not only digits."),
        strip=False,
        # The time for hashing grows with the length of the password.
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )


class NameForm(forms.Form):
    """Display name of a user."""

    name = forms.CharField(
        label=_("Name"), max_length=150, widget=forms.TextInput(attrs={"autocomplete": "name"})
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

    password = forms.CharField(
        label=_("New password"),
        help_text=_("At least eight characters, not only digits."),
        strip=False,
        # The time for hashing grows with the length of the password.
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password", "autofocus": True}),
    )
