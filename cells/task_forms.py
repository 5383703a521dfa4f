"""The forms of tasks, with a field for each rule of their protocols."""

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

from django import forms
from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext_lazy as _

from annotation.protocols import answer_kind
from annotation.selectors.task_rules import task_rules
from annotation.services import (
    task_rules_change,
    task_segments_again_change,
    task_with_rules_create,
)
from campaign.forms.tasks import TaskForm
from campaign.forms.test_sets import TestSetForm
from campaign.models import Campaign, Protocol, Task, User
from campaign.services import TaskRefusedError

#: The rules of a protocol by the fields of a form.
Names = Mapping[str, str]


def _segments_again(**more: Any) -> forms.BooleanField:
    return forms.BooleanField(
        label=_("Judges meet segments again that other tasks showed them"),
        required=False,
        help_text=_(
            "For comparing what the same judges say of the same sentences when they are asked otherwise. They may "
            "remember a sentence, and look up what they said of it. Otherwise nobody sees a segment in two tasks. It "
            "stays as it is once judges have begun with the task."
        ),
        **more,
    )


class NewTaskForm(TaskForm):
    """A test set, a protocol, how much is wanted, and the rules of each protocol; those of the chosen one count."""

    segments_again = _segments_again()

    def __init__(
        self, data: Any = None, *, campaign: Campaign, test_set: int | None = None
    ) -> None:
        super().__init__(data, campaign=campaign, test_set=test_set)
        offered = [value for value, _words in self.fields["protocol"].choices]  # type: ignore[attr-defined]
        #: By protocol.
        self.rules_names = {
            protocol: _fields_add(
                self,
                protocol,
                answer_kind(protocol).rules({}),
                before=f"{Protocol(protocol).label} · ",
            )
            for protocol in offered
        }

    def clean(self) -> dict[str, Any]:
        chosen = self.cleaned_data.get("protocol")
        for protocol, names in self.rules_names.items():
            for name in names if protocol != chosen else ():
                self.errors.pop(name, None)
        return self.cleaned_data

    def save(self, *, by: User) -> Task | None:
        """Make the task; None, with an error, if refused."""
        asked = dict(self.cleaned_data)
        rules = {name: _taken(asked, names) for name, names in self.rules_names.items()}
        try:
            return task_with_rules_create(by=by, rules=rules[asked["protocol"]], **asked)
        except TaskRefusedError as error:
            self.add_error(error.field if error.field in self.fields else None, str(error))
        except ValidationError as error:
            self.add_error(None, error.messages)
        return None


class TaskSettingsForm(TestSetForm):
    """What may be changed of a task and its test set; its rules can only be read where they are settled."""

    def __init__(
        self,
        data: Any = None,
        *,
        task: Task,
        are_languages_settled: bool = False,
        rules_settled: str = "",
    ) -> None:
        super().__init__(data, task=task, are_languages_settled=are_languages_settled)
        self.rules_settled = rules_settled
        if task.protocol != Protocol.RANKING:
            self.fields["segments_again"] = _segments_again(
                initial=task.segments_again, disabled=bool(rules_settled)
            )
        self.rules_names = _fields_add(
            self, task.protocol, task_rules(task), are_settled=bool(rules_settled)
        )

    def clean(self) -> dict[str, Any]:
        # A page from before the first HIT was lent still offers the choice.
        for name in self.rules_names if self.rules_settled else ():
            field = self.fields[name]
            sent = field.widget.value_from_datadict(self.data, self.files, name)
            if name in self.data and field.to_python(sent) != field.initial:
                raise ValidationError(self.rules_settled)
        return self.cleaned_data

    def save(self) -> bool:
        """Change them; False, with an error, if refused."""
        rules = _taken(self.cleaned_data, self.rules_names)
        segments_again = self.cleaned_data.pop("segments_again", False)
        try:
            with transaction.atomic():
                if not super().save():
                    return False
                task_rules_change(task=self.task, rules=rules)
                task_segments_again_change(task=self.task, segments_again=segments_again)
        except ValidationError as error:
            self.add_error(None, error.messages)
            return False
        return True


def _fields_add(
    form: forms.Form,
    protocol: str,
    rules: Mapping[str, Any],
    *,
    before: str = "",
    are_settled: bool = False,
) -> Names:
    names = {}
    for name, known in answer_kind(protocol).rules_fields.items():
        field = deepcopy(known)
        field.label = f"{before}{known.label}"
        field.initial = rules[name]
        field.disabled = are_settled
        # Protocols may have rules of one name; a test set has fields of its own.
        form.fields[f"{protocol}_{name}"] = field
        names[f"{protocol}_{name}"] = name
    return names


def _taken(cleaned: dict[str, Any], names: Names) -> dict[str, Any]:
    return {name: cleaned.pop(field, None) for field, name in names.items()}
