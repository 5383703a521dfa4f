"""The form of a file of answers that is imported into a task."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from annotation.answer_files import AnswerFiles


class AnswersForm(forms.Form):
    """A file of answers, and its format."""

    file = forms.FileField(
        label=_("Answers"),
        help_text=_("Also as .gz. At most 5 MB; larger ones come by the command import_answers."),
    )
    file_format = forms.ChoiceField(label=_("Format"), required=False)

    def __init__(self, *given: Any, files: AnswerFiles) -> None:
        super().__init__(*given)
        self.fields["file_format"].choices = [  # type: ignore[attr-defined]  # a ChoiceField
            ("", _("recognised by how it begins")),
            *((each, each) for each in files.formats),
        ]
