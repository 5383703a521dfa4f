"""Forms of uploads."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from campaign.models import (
    Protocol,
    ReferenceUse,
    Upload,
)
from campaign.pages.forms import WholeNumberField
from campaign.services.uploads import UploadRefusedError, upload_change
from campaign.texts.joining import labelled_lazy
from campaign.texts.languages import LanguageTagError

LANGUAGE_TAG: Final = _("Language tag, such as cs, de-AT or zh-Hans.")
SOURCE_TAG: Final = _(
    "Language tag, such as cs, de-AT or zh-Hans; zxx if the source has no language, such as pictures.",
)


#: Labels with the names under which organisers look for a protocol.
_PROTOCOL_LABELS: Final = {
    Protocol.RATING: labelled_lazy("DA, MOS", _("Ratings by criteria")),
    Protocol.SPANS: labelled_lazy("ESA, MQM", Protocol.SPANS.label),
}


class UploadForm(forms.Form):
    """Name, languages and reference of the new test set; `role:FILE` and `system:FILE` for each file."""

    name = forms.CharField(label=_("Test set name"), max_length=200, required=False)
    source_language = forms.CharField(
        label=_("Source language"),
        help_text=SOURCE_TAG,
        max_length=35,
        required=False,
    )
    target_language = forms.CharField(
        label=_("Target language"),
        help_text=_("Language of the outputs."),
        max_length=35,
        required=False,
    )
    protocol = forms.ChoiceField(
        label=_("Protocol"),
        help_text=_("First task of the test set. You can add others later."),
        choices=[
            (protocol.value, _PROTOCOL_LABELS.get(protocol, protocol.label))
            for protocol in Protocol
        ],
    )
    reference_use = forms.ChoiceField(
        label=_("Reference"),
        choices=ReferenceUse,
        widget=forms.RadioSelect,
    )
    blocks_wanted = WholeNumberField(
        label=_("Target (blocks)"),
        help_text=_(
            "Target for progress, and the maximum number of blocks. Leave empty for no limit.",
        ),
        min_value=1,
        max_value=2**31 - 1,
        required=False,
    )
    by_paragraph = forms.BooleanField(
        label=_("Split documents into paragraphs"),
        help_text=_(
            "For WMT JSON Lines files, where each document is one segment by default.",
        ),
        required=False,
    )
    common_documents = forms.BooleanField(
        label=_("Import only documents covered by all systems"),
        help_text=_("Other documents are skipped and listed."),
        required=False,
    )

    def __init__(
        self,
        data: Mapping[str, Any] | None = None,
        *,
        upload: Upload,
    ) -> None:
        super().__init__(
            data,
            initial={n: getattr(upload, n) for n in self.base_fields},
        )
        self.upload = upload
        if self.data.get("act") == "import":
            for name in ("name", "source_language", "target_language"):
                self.fields[name].required = True

    def save(self) -> bool:
        """Store the options; return False, with errors at the fields, if they are refused."""
        try:
            upload_change(upload=self.upload, roles=self._roles(), **self.cleaned_data)
        except LanguageTagError as error:
            self.add_error("target_language", str(error))
        except UploadRefusedError as error:
            self.add_error(None, str(error))
        return self.is_valid()

    def _roles(self) -> dict[str, dict[str, str]]:
        """Return earlier choices of roles, and those in the form that differ from the detected roles."""
        report = self.upload.report or {}
        chosen = dict(self.upload.roles)
        for file in report.get("files", []):
            name = file["name"]
            role = self.data.get(f"role:{name}", file["role"])
            system = self.data.get(f"system:{name}", file["system"] or "").strip()
            if (role, system) != (file["role"], file["system"] or ""):
                chosen[name] = {"role": role, "system": system}
        return chosen
