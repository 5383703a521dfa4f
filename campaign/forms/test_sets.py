"""What organisers may change of a test set."""

from typing import Any

from django import forms
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _

from campaign.forms.languages import languages_validate
from campaign.models import Task
from campaign.services import RulesRefusedError, task_change
from campaign.services.rules import MAX_BLOCKS
from campaign.texts.language_tags import LanguageTagError

_LANGUAGES = ("source_language", "target_language")
_TAG = forms.TextInput(attrs={"dir": "ltr", "spellcheck": "false"})


class TestSetForm(forms.Form):
    """Quotas, expertise and languages of a test set; no languages where these are settled."""

    __test__ = False

    blocks_wanted = forms.IntegerField(
        label=capfirst(_("blocks wanted")),
        help_text=_("What progress is measured against; no more are planned than that."),
        min_value=1,
        max_value=MAX_BLOCKS,
        required=False,
    )
    blocks_per_segment = forms.IntegerField(
        label=capfirst(_("blocks of a segment")),
        help_text=_("No segment is planned into more blocks than that; empty means no limit."),
        min_value=1,
        max_value=MAX_BLOCKS,
        required=False,
    )
    expertise = forms.CharField(
        label=capfirst(_("expertise asked for")),
        help_text=_("Only judges with all of these are asked. Commas between them."),
        required=False,
    )
    source_language = forms.CharField(
        label=capfirst(_("source language")),
        help_text=_("A tag such as en, pt-BR or zh-Hans."),
        validators=[languages_validate],
        widget=_TAG,
    )
    target_language = forms.CharField(
        label=capfirst(_("target language")),
        help_text=_("A tag such as en, pt-BR or zh-Hans."),
        validators=[languages_validate],
        widget=_TAG,
    )

    def __init__(
        self, data: Any = None, *, task: Task, are_languages_settled: bool = False
    ) -> None:
        self.task = task
        super().__init__(
            data,
            initial={
                "blocks_wanted": task.blocks_wanted,
                "blocks_per_segment": task.blocks_per_segment,
                "expertise": ", ".join(task.test_set.expertise),
                "source_language": task.test_set.source_language,
                "target_language": task.test_set.target_language,
            },
        )
        if are_languages_settled:
            for name in _LANGUAGES:
                del self.fields[name]

    def clean_expertise(self) -> list[str]:
        text: str = self.cleaned_data["expertise"]
        return sorted({tag.strip().lower() for tag in text.split(",") if tag.strip()})

    def save(self) -> bool:
        """Change the test set; False, with an error, if refused."""
        try:
            task_change(task=self.task, **self.cleaned_data)
        except RulesRefusedError as error:
            self.add_error(error.field if error.field in self.fields else None, str(error))
            return False
        except LanguageTagError as error:
            self.add_error("target_language", str(error))
            return False
        return True
