"""The form with which organisers describe the errors that judges mark, and their weights."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from campaign.forms import TaskRulesForm
from protocols.spans.marked_errors import SEVERITIES


class LinesField(forms.CharField):
    """A list of lines."""

    def __init__(self, *, rows: int, **arguments: Any) -> None:
        widget = forms.Textarea(attrs={"rows": rows, "dir": "auto"})
        super().__init__(required=False, widget=widget, **arguments)

    def clean(self, value: Any) -> list[str]:
        return [line.strip() for line in super().clean(value).splitlines() if line.strip()]

    def prepare_value(self, value: Any) -> Any:
        return "\n".join(value) if isinstance(value, list) else value


class ErrorSchemeForm(TaskRulesForm):
    """Severities, categories and special marks, and weights, which alone can be changed at any time."""

    severities = forms.MultipleChoiceField(
        label=gettext_lazy("Severities"),
        choices=list(SEVERITIES.items()),
        widget=forms.CheckboxSelectMultiple,
    )
    categories = LinesField(
        rows=10,
        label=gettext_lazy("Categories"),
        help_text=gettext_lazy(
            "One per line, with those below it after a colon: “Accuracy: Addition, Omission”. Leave empty to ask for none."
        ),
    )
    marks = LinesField(
        rows=2,
        label=gettext_lazy("Special marks"),
        help_text=gettext_lazy(
            "One per line: marks of a whole output, such as “non-translation”, beside missing content."
        ),
    )
    weights = LinesField(
        rows=7,
        label=gettext_lazy("Weights"),
        help_text=gettext_lazy(
            "One per line, such as “major: 5”, “minor Fluency/Punctuation: 0” or “any Non-translation: 25”; the first line that fits an error counts. “/Punctuation” stands for this second level of all categories."
        ),
    )

    def settle(self) -> None:
        """Leave only what can still be changed once judging has started."""
        self.fields = {"weights": self.fields["weights"]}
