"""Edit forms that detect concurrent changes by other users."""

import hashlib
from typing import Any, Final

from django import forms
from django.db.models import Model
from django.utils.translation import gettext as _

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
        then = dict(part.split(":", 1) for part in self.data[VERSION].split() if ":" in part)
        names = [name for name in self.fields if name in then and then[name] != _hash(self, name)]
        if not names:
            return
        said = _(
            "Another organiser changed this since you opened the page: %(fields)s. Your entries are kept below. Save "
            "again to replace theirs, or reload the page to see theirs."
        ) % {"fields": ", ".join(str(self[name].label) for name in names)}
        self.errors[VERSION] = self.error_class([said])

    @property
    def changed_meanwhile(self) -> str:
        """The message if the form was refused because of a concurrent change; otherwise empty."""
        return " ".join(map(str, self.errors.get(VERSION, ()))) if self.is_bound else ""


def _hash(form: VersionedForm, name: str) -> str:
    field: Any = form[name]
    value = field.field.prepare_value(form.value_now(name))
    if isinstance(value, list | tuple | set):
        value = sorted(map(str, value))
    return hashlib.sha256(str(value).encode()).hexdigest()[:8]
