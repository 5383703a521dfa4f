"""The form with which organisers describe the errors that judges mark, and their weights."""

from operator import attrgetter
from typing import Any

from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.models import Protocol, Task
from campaign.pages.forms import TaskRulesForm
from campaign.texts.lines import LinesTextarea
from protocols.spans.marked_errors import SEVERITIES


class LinesField(forms.CharField):
    """A list of lines."""

    def __init__(self, *, rows: int, **arguments: Any) -> None:
        widget = LinesTextarea(attrs={"rows": rows, "dir": "auto"})
        super().__init__(required=False, widget=widget, **arguments)

    def clean(self, value: Any) -> list[str]:
        lines = []
        for line in super().clean(value).splitlines():
            if line.strip():
                lines.append(line.strip())
        return lines

    def prepare_value(self, value: Any) -> Any:
        if isinstance(value, list):
            return "\n".join(value)
        return value


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
            "One per line, with those below it after a colon: “Accuracy: Addition, Omission”. Put names with a comma or colon in double quotes. Leave empty to ask for none.",
        ),
    )
    marks = LinesField(
        rows=2,
        label=gettext_lazy("Special marks"),
        help_text=gettext_lazy(
            "One per line: marks of a whole output, such as “non-translation”, beside missing content.",
        ),
    )
    weights = LinesField(
        rows=7,
        label=gettext_lazy("Weights"),
        help_text=gettext_lazy(
            "One per line, such as “major: 5”, “minor Fluency/Punctuation: 0” or “any Non-translation: 25”; the first line that fits an error counts. “/Punctuation” stands for this second level of all categories.",
        ),
    )

    def settle(self) -> None:
        """Leave only what can still be changed once judging has started."""
        self.fields = {"weights": self.fields["weights"]}


class SuggestionsForm(forms.Form):
    """Errors from which judges start: a file, or another task; the button `remove` asks for neither."""

    file = forms.FileField(
        required=False,
        label=gettext_lazy("File"),
        help_text=gettext_lazy(
            "JSON Lines with error spans, a Pearmut campaign with error_spans, or answers from Pearmut, Appraise or MQM. Judges are not told who marked the errors (“judge” in the file).",
        ),
    )
    other = forms.ModelChoiceField(
        Task.objects.none(),
        required=False,
        label=gettext_lazy("Errors marked in another task"),
        help_text=gettext_lazy("Judges read errors of others again, never their own."),
    )
    withheld = forms.IntegerField(
        label=gettext_lazy("Outputs shown without suggestions (%)"),
        initial=10,
        min_value=0,
        max_value=90,
        help_text=gettext_lazy("The report compares them with the others."),
    )
    planted = forms.IntegerField(
        label=gettext_lazy("Outputs with a planted wrong suggestion (%)"),
        initial=0,
        min_value=0,
        max_value=90,
        help_text=gettext_lazy(
            "On a random word. The report counts how many are removed. The word may be wrong after all.",
        ),
    )

    def __init__(self, *sent: Any, task: Task) -> None:
        super().__init__(*sent)
        others = Task.objects.filter(test_set__campaign=task.test_set.campaign_id)
        self.fields["other"].label_from_instance = attrgetter("called_in_full")  # type: ignore[attr-defined]
        self.fields["other"].queryset = others.filter(protocol=Protocol.SPANS).exclude(  # type: ignore[attr-defined]
            pk=task.pk,
        )

    def clean(self) -> dict[str, Any]:
        """Refuse a form without a file or a task."""
        chosen: dict[str, Any] = super().clean() or {}
        if (
            not chosen.get("file")
            and not chosen.get("other")
            and "remove" not in self.data
        ):
            self.add_error("file", _("Choose a file or a task."))
        return chosen
