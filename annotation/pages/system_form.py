"""The forms of what is said of a system, and of one more."""

from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.services.systems import (
    DESCRIBED,
    SystemRefusedError,
    system_add,
    system_change,
)
from campaign.formats import InputFile
from campaign.models import System, Task

#: Of a file of outputs; larger ones come by the command.
MAX_BYTES: Final = 20_000_000


class SystemForm(forms.ModelForm):  # type: ignore[type-arg]
    """What is said of a system; its name only while it may change."""

    class Meta:
        model = System
        fields = DESCRIBED

    def __init__(self, data: Any = None, *, system: System, is_name_settled: bool) -> None:
        super().__init__(data, instance=system)
        if is_name_settled:
            del self.fields["name"]
        self.fields["constrained"].widget.choices = [
            ("unknown", _("not said")),
            ("true", _("yes")),
            ("false", _("no")),
        ]

    def change(self) -> bool:
        """Change the system; False, with an error, if refused."""
        try:
            system_change(system=self.instance, **self.cleaned_data)
        except SystemRefusedError as error:
            self.add_error(error.field if error.field in self.fields else None, str(error))
            return False
        return True


class SystemAddForm(forms.Form):
    """One more system: its name, and a file of its outputs."""

    name = forms.CharField(label=_("Name of the system"), max_length=200)
    file = forms.FileField(
        label=_("Outputs"),
        help_text=_(
            "Plain text with one output a line, or WMT's SGML; also as .gz. At most 20 MB."
        ),
    )

    def clean_file(self) -> Any:
        """Refuse a file that is too large."""
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(_("The file has more than 20 MB. Pack it as .gz."))
        return file

    def add(self, task: Task) -> System | None:
        """Add the system and return it; None, with an error, if refused."""
        file = self.cleaned_data["file"]
        try:
            return system_add(
                test_set=task.test_set,
                name=self.cleaned_data["name"],
                file=InputFile(file.name, file),
            )
        except SystemRefusedError as error:
            self.add_error(error.field, str(error))
            return None
