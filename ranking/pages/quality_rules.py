"""The form of a quality rule."""

from operator import attrgetter
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.models import RuleDirection
from annotation.models.judge_measures import (
    MAX_MINIMUM,
    JudgeMeasure,
    ThresholdError,
    threshold_from_text,
)
from annotation.models.quality import ACTIONS
from annotation.services.quality import RuleTerms
from campaign.models import Campaign, Task
from campaign.pages.forms import VersionedForm, WholeNumberField


class RuleForm(VersionedForm):
    """The terms of a quality rule of a campaign."""

    action = forms.ChoiceField(label=gettext_lazy("Action"), choices=ACTIONS)
    measure = forms.ChoiceField(
        label=gettext_lazy("Measure"),
        choices=JudgeMeasure.choices,
    )
    direction = forms.ChoiceField(
        label=gettext_lazy("Direction"),
        choices=RuleDirection.choices,
    )
    threshold = forms.CharField(
        label=gettext_lazy("Threshold"),
        help_text=gettext_lazy(
            "Shares in percent (55%), probabilities from 0 to 1, κ from −1 to 1, times in seconds.",
        ),
        max_length=30,
        widget=forms.TextInput(attrs={"dir": "ltr", "autocomplete": "off"}),
    )
    minimum = WholeNumberField(
        label=gettext_lazy("Minimum sample size"),
        help_text=gettext_lazy(
            "Number of comparisons, sentences or blocks, depending on the measure.",
        ),
        min_value=1,
        max_value=MAX_MINIMUM,
    )
    task = forms.ModelChoiceField(
        label=gettext_lazy("Test set"),
        queryset=Task.objects.none(),
        required=False,
        empty_label=gettext_lazy("All test sets"),
    )

    def __init__(self, *args: Any, campaign: Campaign, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        field = self.fields["task"]
        assert isinstance(field, forms.ModelChoiceField)  # noqa: S101  for the type checker
        field.queryset = Task.objects.of(campaign).named().order_by("test_set__name")
        field.label_from_instance = attrgetter("called")  # type: ignore[assignment,method-assign]

    def clean(self) -> dict[str, Any]:
        """Parse the threshold in the unit of the selected measure."""
        cleaned = super().clean() or self.cleaned_data
        if "measure" in cleaned and "threshold" in cleaned:
            try:
                threshold = threshold_from_text(
                    cleaned["measure"],
                    cleaned["threshold"],
                )
            except ThresholdError as error:
                self.add_error("threshold", str(error))
            else:
                self._threshold = threshold
        return cleaned

    @property
    def terms(self) -> RuleTerms:
        """The terms of a valid form."""
        return RuleTerms(**{**self.cleaned_data, "threshold": self._threshold})

    @property
    def written(self) -> dict[str, str]:
        """The submitted fields, for hidden inputs."""
        return {name: self.data.get(name, "") for name in self.fields}
