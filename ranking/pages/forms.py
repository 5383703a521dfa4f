"""Forms of organisers: the terms of a rule, and an action on a judge."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.judge_measures import (
    MAX_MINIMUM,
    JudgeMeasure,
    ThresholdError,
    threshold_from_text,
)
from annotation.models import QualityActionKind, RuleDirection
from annotation.models.quality import ACTIONS
from annotation.services import RuleTerms
from campaign.models import Campaign, JudgeGroup, TestSet
from ranking.models import RankingSettings


class RuleForm(forms.Form):
    """The terms of a quality rule of a campaign."""

    action = forms.ChoiceField(label=_("What to do"), choices=ACTIONS)
    measure = forms.ChoiceField(label=_("Measure"), choices=JudgeMeasure.choices)
    direction = forms.ChoiceField(label=_("Side"), choices=RuleDirection.choices)
    threshold = forms.CharField(
        label=_("Threshold"),
        help_text=_(
            "Shares with the sign: 55 %. Probabilities (“p of …”) from 0 to 1, κ from −1 to 1, times "
            "in seconds."
        ),
        max_length=30,
        widget=forms.TextInput(attrs={"dir": "ltr", "autocomplete": "off"}),
    )
    minimum = forms.IntegerField(
        label=_("Minimum of evidence"),
        help_text=_(
            "Comparisons; sentences for agreeing less; blocks for times, one rank, shown order, "
            "position, and what is ignored or typed."
        ),
        min_value=1,
        max_value=MAX_MINIMUM,
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

    def clean(self) -> dict[str, Any]:
        """Read the threshold as the chosen measure is written."""
        cleaned = super().clean() or self.cleaned_data
        if "measure" in cleaned and "threshold" in cleaned:
            try:
                threshold = threshold_from_text(cleaned["measure"], cleaned["threshold"])
            except ThresholdError as error:
                self.add_error("threshold", str(error))
            else:
                self._threshold = threshold
        return cleaned

    @property
    def terms(self) -> RuleTerms:
        """Return the terms of a valid form."""
        return RuleTerms(**{**self.cleaned_data, "threshold": self._threshold})

    @property
    def written(self) -> dict[str, str]:
        """Return the fields as they were sent, to be sent again."""
        return {name: self.data.get(name, "") for name in self.fields}


class RankingSettingsForm(forms.Form):
    """Form for how a test set is ranked, what its rank ranges account for, and why."""

    method = forms.ChoiceField(
        label=_("Method"),
        choices=RankingSettings.Method.choices,
        widget=forms.RadioSelect,
        required=False,
    )

    resample = forms.ChoiceField(
        label=_("What rank ranges account for"),
        choices=RankingSettings.Resample.choices,
        widget=forms.RadioSelect,
    )
    judge_group = forms.ModelChoiceField(
        label=_("Whose judgments count"),
        help_text=_("With a group, scores and ranks follow from its judges alone."),
        queryset=JudgeGroup.objects.none(),
        empty_label=_("of all judges"),
        required=False,
    )
    reason = forms.CharField(
        label=_("Reason"), max_length=1000, required=False, widget=forms.Textarea({"rows": 2})
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        present = JudgeGroup.objects.present().filter(campaign=campaign)
        self.fields["judge_group"].queryset = present.order_by("name")  # type: ignore[attr-defined]


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
