"""What organisers give to apply a file, and how it gets from the page that asks to the one that does it."""

from typing import Any, Final

from django import forms
from django.core import signing
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.formats.yaml_tree import MAX_BYTES

#: Also of files that are on their way while Quintet is upgraded.
_SALT: Final = "settings"
_DAY: Final = 24 * 3600


class CampaignFileForm(forms.Form):
    """The file of a campaign, changed or new."""

    file = forms.FileField(
        label=gettext_lazy("File"), widget=forms.FileInput(attrs={"accept": ".yaml,.yml"})
    )

    def content(self) -> bytes:
        """Return the bytes; of a file that is too long, enough to see that."""
        file: Any = self.cleaned_data["file"]
        read: bytes = file.read(MAX_BYTES + 1)
        return read

    @classmethod
    def again(cls, error: Exception) -> "CampaignFileForm":
        """Return the form for another file, with what was wrong: of a file that cannot be unpacked, only that."""
        form = cls({})
        form.full_clean()
        form.errors.clear()
        is_lost = isinstance(error, signing.BadSignature)
        form.add_error(None, _("Choose the file again.") if is_lost else str(error))
        return form


def packed(content: bytes) -> str:
    """Return the file for the page that asks: as it was shown, by its signature."""
    return signing.dumps(content.decode("utf-8-sig"), salt=_SALT, compress=True)


def unpacked(text: str) -> bytes:
    """Return the file that was shown less than a day ago. Raises `django.core.signing.BadSignature`."""
    return str(signing.loads(text, salt=_SALT, max_age=_DAY)).encode()
