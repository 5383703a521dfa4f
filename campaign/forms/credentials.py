"""Forms for what lets people in: API tokens, organisers, and their accounts."""

from typing import Any, Final

from django import forms
from django.conf import settings
from django.utils.text import format_lazy
from django.utils.translation import gettext_lazy as _

from campaign.models import MembershipRole
from campaign.pages.rights import ROLE_MEANS

_BY_ORGANISERS: Final = (MembershipRole.ORGANISER, MembershipRole.ANALYST)
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


class MemberForm(forms.Form):
    """Somebody who is to run or read the campaign, too. Owners alone are asked whether as an owner."""

    email = forms.EmailField(label=_("E-mail address"))
    name = forms.CharField(
        label=_("Name"),
        help_text=_("As others see it; empty: the address."),
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
        field = self.fields["role"]
        assert isinstance(field, forms.ChoiceField)  # noqa: S101  for the type checker
        roles = list(MembershipRole) if may_own else _BY_ORGANISERS
        field.choices = [(role.value, role.label) for role in roles]


class MemberMailForm(MemberForm):
    """An invitation by e-mail to run or read the campaign."""

    language = forms.ChoiceField(label=_("Language of the message"), choices=settings.LANGUAGES)
    note = forms.CharField(
        label=_("A personal note"),
        max_length=1000,
        required=False,
        widget=forms.Textarea(attrs={"rows": 3, "dir": "auto"}),
    )


class AccountForm(forms.Form):
    """Name, e-mail address and password of somebody who organises campaigns."""

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
        # Hashing takes as long as the password is.
        max_length=1000,
        widget=forms.PasswordInput(attrs={"autocomplete": "new-password"}),
    )
