"""Forms of organisers about what judges do."""

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.services import REPLY_LENGTH


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
