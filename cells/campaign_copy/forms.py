"""What is asked before a static copy is made."""

from django import forms
from django.utils.translation import gettext_lazy as _


class CopyForm(forms.Form):
    """What is in the copy beside rankings, designs and instructions."""

    texts = forms.BooleanField(
        label=_("With texts: sources, references and outputs"), required=False
    )
