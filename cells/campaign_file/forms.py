"""What organisers give to apply a file."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from campaign.formats.yaml_tree import MAX_BYTES


class CampaignFileForm(forms.Form):
    """The file of a campaign, changed."""

    file = forms.FileField(label=_("File"), widget=forms.FileInput(attrs={"accept": ".yaml,.yml"}))

    def content(self) -> bytes:
        """Return the bytes; of a file that is too long, enough to see that."""
        file: Any = self.cleaned_data["file"]
        read: bytes = file.read(MAX_BYTES + 1)
        return read
