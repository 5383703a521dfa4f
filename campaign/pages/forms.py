"""Forms of pages, which notice changes made meanwhile."""

import hashlib
import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from campaign.services.notification import Message
from campaign.texts.joining import comma_list, sentence_list
from campaign.texts.languages import LanguageTagError, language_tags_checked
from campaign.texts.lines import LinesTextarea
from campaign.texts.names import visible_name

#: Name of the hidden field, see `organiser/_version.html`.
VERSION: Final = "version"


class VersionedForm(forms.Form):
    """A form whose page contains a version of its initial values.

    If one of them has changed when the form is sent, it is refused once and shown again with the entries; sending it
    again replaces the other organiser's changes. Requests without a version are not checked.
    """

    def describe(self, model: type[Model]) -> None:
        """Set missing labels and help texts of fields from the model's fields."""
        for name, field in self.fields.items():
            if not field.label:
                described: Any = model._meta.get_field(name)
                field.label = described.verbose_name
                field.help_text = field.help_text or described.help_text

    @property
    def version(self) -> str:
        """Short hashes of all initial values."""
        return " ".join(f"{name}:{_hash(self, name)}" for name in self.fields)

    def value_now(self, name: str) -> Any:
        """Return the current value of a field; forms override this if it differs from the form's initial value."""
        return self[name].initial

    def full_clean(self) -> None:
        """Clean the form, and refuse it if values have changed since its page was loaded."""
        super().full_clean()
        if not self.is_bound or not self.data.get(VERSION):
            return
        then = dict(
            part.split(":", 1) for part in self.data[VERSION].split() if ":" in part
        )
        names = [
            name
            for name in self.fields
            if name in then and then[name] != _hash(self, name)
        ]
        if not names:
            return
        self.errors[VERSION] = self.error_class([self.changed_in_words(names)])

    def changed_in_words(self, names: Sequence[str]) -> str:
        """Return the message about fields whose values have changed since the page was loaded."""
        return _(
            "Another organiser changed this since you opened the page: %(fields)s. Your entries are kept below. Save "
            "again to replace theirs, or reload the page to see theirs.",
        ) % {"fields": comma_list(str(self[name].label) for name in names)}

    @property
    def changed_meanwhile(self) -> str:
        """The message if the form was refused because of a concurrent change; otherwise empty."""
        if self.is_bound:
            return sentence_list(self.errors.get(VERSION, ()))
        return ""


class TaskRulesForm(VersionedForm):
    """Rules of a task, or those of a preset before they are saved; the version is that of the task's."""

    def __init__(
        self,
        data: Any = None,
        *,
        task_rules: Mapping[str, Any],
        **more: Any,
    ) -> None:
        super().__init__(data, **more)
        self._task_rules = task_rules

    def value_now(self, name: str) -> Any:
        """Return the value that the task has."""
        return self._task_rules[name]


def _hash(form: VersionedForm, name: str) -> str:
    field: Any = form[name]
    value = field.field.prepare_value(form.value_now(name))
    if isinstance(value, list | tuple | set):
        value = sorted(map(str, value))
    return hashlib.sha256(str(value).encode()).hexdigest()[:8]


def languages_validate(tags: str | Sequence[str]) -> None:
    """Refuse invalid tags: choices are the languages of test sets, including those imported unchecked."""
    try:
        language_tags_checked([tags] if isinstance(tags, str) else tags)
    except LanguageTagError as error:
        raise ValidationError(str(error)) from error


class MessageForm(forms.Form):
    """An invitation by e-mail."""

    language = forms.ChoiceField(
        label=_("Language of the message"),
        choices=settings.LANGUAGES,
    )
    note = forms.CharField(
        label=_("Personal note"),
        max_length=1000,
        required=False,
        widget=LinesTextarea(attrs={"rows": 3, "dir": "auto"}),
    )

    def message(self, base_url: str) -> Message:
        """Return the message, with links to this address."""
        return Message(
            base_url=base_url,
            language=self.cleaned_data["language"],
            note=self.cleaned_data["note"],
        )


#: Groups of thousands with the separators of any language.
_THOUSANDS: Final = re.compile(
    r"[1-9][0-9]{0,2}(?P<separator>[.,’'\s])[0-9]{3}(?:(?P=separator)[0-9]{3})*",
)


class WholeNumberField(forms.IntegerField):
    """A whole number, also with groups of thousands: Django would read “1.000” as one."""

    def to_python(self, value: Any) -> int | None:
        """Return the number."""
        if isinstance(value, str) and _THOUSANDS.fullmatch(value.strip()):
            value = "".join(filter(str.isdecimal, value))
        # Python would read “1_000” as 1000.
        if isinstance(value, str) and "_" in value:
            raise ValidationError(self.error_messages["invalid"], code="invalid")
        return super().to_python(value)


#: Format of a day in addresses, and as browsers send and take it in any language.
DAY: Final = "%Y-%m-%d"


class DayInput(forms.DateInput):
    """A day, chosen from the browser's calendar."""

    input_type = "date"

    def __init__(self) -> None:
        super().__init__(format=DAY)


class NameField(forms.CharField):
    """The name of a person, on one line and without invisible characters."""

    def to_python(self, value: Any) -> str:
        """Return the name as it is stored."""
        return visible_name(super().to_python(value) or "")
