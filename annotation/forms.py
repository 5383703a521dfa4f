"""Forms of organisers about what judges do."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.services import REPLY_LENGTH

_DAY = forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d")
_FORMATS = ["%Y-%m-%d"]


class ProblemReplyForm(forms.Form):
    """An answer to a problem report, and whether it closes the report."""

    text = forms.CharField(
        label=_("Your answer"),
        required=False,
        max_length=REPLY_LENGTH,
        widget=forms.Textarea(attrs={"rows": 4, "dir": "auto"}),
        help_text=_(
            "The judge reads it. Name no systems, and do not say what is a reference or a control:"
            " the judge must not know."
        ),
    )
    closes = forms.BooleanField(label=_("Close the report"), required=False, initial=True)
    #: Replies that stood on the page.
    seen = forms.IntegerField(widget=forms.HiddenInput, min_value=0, max_value=2**31 - 2)


class DaysForm(forms.Form):
    """The days of a time sheet, both included; either may be left out."""

    first = forms.DateField(label=_("From"), required=False, widget=_DAY, input_formats=_FORMATS)
    last = forms.DateField(label=_("Until"), required=False, widget=_DAY, input_formats=_FORMATS)

    def clean(self) -> None:
        first, last = self.cleaned_data.get("first"), self.cleaned_data.get("last")
        if first and last and last < first:
            self.add_error("last", _("This day is before the first one."))
