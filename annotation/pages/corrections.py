"""Form for correcting an output."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy

from annotation.services.corrections import output_correct
from campaign.models import Output, OutputCorrection, User
from campaign.refusals import RefusalsAt


class CorrectionForm(forms.Form):
    """The corrected text of an output, and whether judgments of the wrong text count."""

    text = forms.CharField(
        label=gettext_lazy("Corrected output"), widget=forms.Textarea(attrs={"rows": 4})
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        max_length=300,
        required=False,
        help_text=gettext_lazy("For the activity log."),
    )
    judged = forms.ChoiceField(
        label=gettext_lazy("Judgments of the wrong text"),
        choices=[
            (
                "leave_out",
                gettext_lazy("Leave out and have these blocks judged again"),
            ),
            ("keep", gettext_lazy("Keep: they still count for the system")),
        ],
        widget=forms.RadioSelect,
        initial="leave_out",
    )

    def __init__(self, data: Any = None, *, output: Output) -> None:
        super().__init__(data, initial={"text": output.text})
        self._output = output

    def correct(self, user: User | None) -> OutputCorrection | None:
        """Correct the output; None, with an error, if refused."""
        with RefusalsAt(self):
            return output_correct(
                output=self._output,
                text=self.cleaned_data["text"],
                reason=self.cleaned_data["reason"],
                leave_out=self.cleaned_data["judged"] == "leave_out",
                corrected_by=user,
            )
        return None
