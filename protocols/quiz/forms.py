"""The form of a file of snippets."""

from typing import Any, Final

from django import forms
from django.utils.translation import gettext_lazy as _

from campaign.formats import InputFile
from campaign.models import Task
from protocols.quiz.snippets import SnippetsRefusedError, snippets_import

#: Of a file; larger ones come by the command.
MAX_BYTES: Final = 2_000_000


class SnippetsForm(forms.Form):
    """A file of all snippets of a task."""

    file = forms.FileField(
        label=_("Snippets"),
        help_text=_(
            "JSON Lines with an object a snippet, or CSV with a row a statement. At most 2 MB."
        ),
    )

    def clean_file(self) -> Any:
        """Refuse a file that is too large."""
        file = self.cleaned_data["file"]
        if file.size > MAX_BYTES:
            raise forms.ValidationError(
                _("The file has more than 2 MB. Use the command import_snippets.")
            )
        return file

    def replace(self, task: Task) -> int | None:
        """Replace the snippets and return their number; None, with an error, if refused."""
        file = self.cleaned_data["file"]
        try:
            return snippets_import(task=task, file=InputFile(file.name, file))
        except SnippetsRefusedError as error:
            self.add_error("file", str(error))
            return None
