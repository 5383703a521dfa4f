"""Forms of uploads."""

from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from campaign.models import ReferenceUse, Upload
from campaign.pages.forms import WholeNumberField
from campaign.pages.studies import study_choices
from campaign.services.uploads import UploadRefusedError, upload_change
from campaign.texts.languages import LanguageTagError
from campaign.texts.studies import study_of_protocol

LANGUAGE_TAG: Final = _("Language tag, such as cs, de-AT or zh-Hans.")
SOURCE_TAG: Final = _(
    "Language tag, such as cs, de-AT or zh-Hans; zxx if the source has no language, such as pictures.",
)


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
        choices=study_choices,
        widget=forms.RadioSelect,
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
            initial={n: getattr(upload, n) for n in self.base_fields}
            | {"protocol": study_of_protocol(upload.protocol, upload.preset).name},
        )
        self.upload = upload
        report = upload.report or {}
        if not report.get("error") and report.get("references") == 0:
            del self.fields["reference_use"]
        if self.data.get("act") == "import":
            for name in ("name", "source_language", "target_language"):
                self.fields[name].required = True

    def save(self) -> bool:
        """Store the options; return False, with errors at the fields, if they are refused."""
        values = dict(self.cleaned_data)
        values["preset"] = values.pop("protocol")
        try:
            upload_change(upload=self.upload, roles=self._roles(), **values)
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
