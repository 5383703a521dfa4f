"""What organisers fill in to clone a campaign."""

from django import forms
from django.utils.translation import gettext_lazy as _

from campaign.services.rehearsals import LEAST_SKILL, MOST_BOTS


class CloneForm(forms.Form):
    """Name, short name and parts of the clone."""

    name = forms.CharField(label=_("Name"), max_length=200)
    slug = forms.SlugField(
        label=_("Short name"),
        max_length=60,
        help_text=_("Letters, digits and hyphens; part of addresses."),
    )
    texts = forms.BooleanField(
        label=_("With texts: test sets, systems, outputs, training and designs"), required=False
    )
    people = forms.BooleanField(
        label=_("With people: members, and judges without their work"), required=False
    )


class RehearsalForm(forms.Form):
    """What simulated judges are like, and how much they do."""

    bots = forms.IntegerField(
        label=_("Simulated judges"), min_value=1, max_value=MOST_BOTS, initial=10
    )
    skill = forms.FloatField(
        label=_("Skill"),
        min_value=LEAST_SKILL,
        max_value=1,
        initial=0.8,
        help_text=_(
            "How often each prefers the better one of two outputs: 0.5 clicks at random, 0.7 is careless, "
            "0.8 is usual, 0.9 is careful, 1 never errs."
        ),
        widget=forms.NumberInput(attrs={"step": "0.05"}),
    )
    share = forms.IntegerField(
        label=_("Share of the work, in percent"), min_value=1, max_value=100, initial=100
    )
    seed = forms.IntegerField(
        label=_("Seed"),
        min_value=0,
        max_value=2**31 - 1,
        initial=1,
        help_text=_("The same number gives the same judgments again."),
    )
