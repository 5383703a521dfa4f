"""Forms of organisers: the terms of a rule, and an action on a judge."""

import math
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.judge_measures import JudgeMeasure
from annotation.models import QualityActionKind, RuleDirection
from annotation.models.quality import ACTIONS
from annotation.services import RuleTerms
from campaign.models import Campaign, TestSet
from ranking.models import RankingSettings


class RuleForm(forms.Form):
    """The terms of a quality rule of a campaign."""

    action = forms.ChoiceField(label=_("What to do"), choices=ACTIONS)
    measure = forms.ChoiceField(label=_("Measure"), choices=JudgeMeasure.choices)
    direction = forms.ChoiceField(label=_("Side"), choices=RuleDirection.choices)
    threshold = forms.FloatField(
        label=_("Threshold"),
        help_text=_("Shares and probabilities from 0 to 1, κ from −1 to 1, times in seconds."),
        min_value=-1,
        max_value=86_400,
        widget=forms.NumberInput(attrs={"step": "any"}),
    )
    minimum = forms.IntegerField(
        label=_("Minimum of evidence"),
        help_text=_(
            "Comparisons; sentences for agreeing less; blocks for times, one rank, shown order, "
            "position, and what is ignored or typed."
        ),
        min_value=1,
        max_value=1_000_000,
    )
    test_set = forms.ModelChoiceField(
        label=_("Test set"),
        queryset=TestSet.objects.none(),
        required=False,
        empty_label=_("all of the campaign"),
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["test_set"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101  for the type checker
        field.queryset = campaign.test_sets.order_by("name")

    def clean_threshold(self) -> float:
        threshold: float = self.cleaned_data["threshold"]
        if not math.isfinite(threshold):
            raise forms.ValidationError(_("Give a number."))
        return threshold

    @property
    def terms(self) -> RuleTerms:
        """Return the terms of a valid form."""
        return RuleTerms(**self.cleaned_data)


class RankingSettingsForm(forms.Form):
    """Form for what the rank ranges of a test set account for."""

    resample = forms.ChoiceField(
        label=_("What rank ranges account for"),
        choices=RankingSettings.Resample.choices,
        widget=forms.RadioSelect,
    )


REINSTATE = "reinstate"


class ActionForm(forms.Form):
    """An organiser's decision about a judge."""

    action = forms.ChoiceField(
        choices=[*QualityActionKind.choices, (REINSTATE, _("reinstated"))],
    )
    note = forms.CharField(required=False, max_length=1000)


class NoteForm(forms.Form):
    """The reason why an action is reverted."""

    note = forms.CharField(required=False, max_length=1000)
