"""The form that asks for an export: kind, format and range."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from ranking.export.kinds import ExportFormat
from ranking.pages.exports import KindOffered


class ExportForm(forms.Form):
    """What is to be exported, of what a member may export."""

    kind = forms.ChoiceField(label=_("What"))
    file_format = forms.ChoiceField(
        label=_("Format"), choices=[(str(each), str(each)) for each in ExportFormat]
    )
    after = forms.IntegerField(
        label=_("After number"),
        min_value=0,
        max_value=2**63 - 1,
        required=False,
        help_text=_("Empty: from the beginning. To go on, the last number you have."),
    )
    until = forms.IntegerField(
        label=_("Up to number"),
        min_value=0,
        max_value=2**63 - 1,
        required=False,
        help_text=_("Empty: all there is now."),
    )

    def __init__(self, *args: Any, offered: list[KindOffered], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        kind: Any = self.fields["kind"]
        kind.choices = [(each.kind.name, each.kind.title) for each in offered]

    @property
    def asked(self) -> dict[str, Any]:
        """What is asked for, as `export_asked` takes it."""
        values = self.cleaned_data
        return {**values, "after": values["after"] or 0}
