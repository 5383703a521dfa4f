"""Forms of a campaign's members."""

from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from campaign.models import (
    MembershipRole,
)
from campaign.pages.desk import ROLE_MEANS
from campaign.pages.forms import MessageForm, NameField
from campaign.texts.joining import sentence_list_lazy

_BY_ORGANISERS: Final = (MembershipRole.ORGANISER, MembershipRole.ANALYST)


class MemberForm(forms.Form):
    """New member of a campaign. Only owners can choose the owner role."""

    email = forms.EmailField(label=_("E-mail address"))
    name = NameField(
        label=_("Name"),
        help_text=_("Shown to others. Leave empty to use the e-mail address."),
        max_length=150,
        required=False,
    )
    role = forms.ChoiceField(
        label=_("Role"),
        choices=(),
        initial=MembershipRole.ORGANISER,
        help_text=sentence_list_lazy([ROLE_MEANS[role] for role in _BY_ORGANISERS]),
    )

    def __init__(self, *args: Any, may_own: bool, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field: Any = self.fields["role"]
        roles = list(MembershipRole) if may_own else _BY_ORGANISERS
        field.choices = [(role.value, role.label) for role in roles]


class MemberMailForm(MessageForm, MemberForm):
    """An invitation by e-mail to run or read the campaign."""
