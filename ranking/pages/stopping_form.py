"""The form of a stopping rule."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.protocols import answer_kind
from campaign.models import Task
from ranking.models import StoppingRule


class StoppingRuleForm(forms.Form):
    """When judging of a task is to end; without a criterion there is no rule.

    Where judgments compare nothing, their number and a day are all there is to go by.
    """

    pairs = forms.FloatField(
        label=_("Pairs told apart, in %"), min_value=0.1, max_value=100, required=False
    )
    clusters = forms.IntegerField(
        label=_("Clusters"), min_value=2, max_value=32_767, required=False
    )
    judgments = forms.IntegerField(
        label=_("Judgments"), min_value=1, max_value=2**31 - 1, required=False
    )
    until = forms.DateField(
        label=_("Day"),
        required=False,
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )
    tests = forms.ChoiceField(
        label=_("Told apart by"), choices=StoppingRule.Tests.choices, widget=forms.RadioSelect
    )
    confidence = forms.FloatField(label=_("Confidence, in %"), min_value=50, max_value=99.9)
    reason = forms.CharField(
        label=_("Reason"), max_length=1000, required=False, widget=forms.Textarea({"rows": 2})
    )

    def __init__(self, *args: Any, task: Task, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if not answer_kind(task.protocol).compares_outputs:
            for name in ("pairs", "clusters", "tests", "confidence"):
                del self.fields[name]

    @classmethod
    def initial_of(cls, rule: StoppingRule | None) -> dict[str, Any]:
        """Return what the form shows of a rule, or of none."""
        if rule is None:
            return {"tests": StoppingRule.Tests.HOLM, "confidence": 95}
        share = rule.pairs_share
        return {
            "pairs": None if share is None else round(100 * share, 6),
            "clusters": rule.clusters,
            "judgments": rule.judgments,
            "until": rule.until,
            "tests": rule.tests,
            "confidence": round(100 * rule.confidence, 6),
        }

    @property
    def terms(self) -> dict[str, Any]:
        """Return the terms of a valid form."""
        said = dict(self.cleaned_data)
        if "pairs" not in said:
            return said
        pairs = said.pop("pairs")
        return {
            **said,
            "pairs_share": None if pairs is None else round(pairs / 100, 8),
            "confidence": round(said["confidence"] / 100, 8),
        }
