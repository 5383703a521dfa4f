"""Activity log in words: author, object, old and new values; and its filters."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any, Final

import django_filters
from django.apps import apps
from django.db import models
from django.db.models import QuerySet
from django.utils import timezone
from django.utils.formats import date_format, localize
from django.utils.text import Truncator, capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.database.recording import RecordedModel, recorded_models
from campaign.models import (
    ActivityEvent,
    ActivityOperation,
    ActivityOrigin,
    Campaign,
    Task,
    TestSet,
    User,
)
from campaign.models.campaign import Judged
from campaign.models.system import system_label
from campaign.models.webhook import WebhookEvent
from campaign.pages.filters import DayFilter, DaysForm, DeskFilter
from campaign.selectors.activity import activity_people, events_by, users_named
from campaign.texts.joining import comma_list
from campaign.texts.languages import language_name

_AUTHORS: Final = {
    "judges": gettext_lazy("Judges"),
    "nobody": gettext_lazy("Not signed in"),
    "commands": gettext_lazy("Commands"),
    "worker": gettext_lazy("Rules and worker"),
    "database": gettext_lazy("Manual SQL"),
}
_USER: Final = "user-"
_ANY: Final = gettext_lazy("All")


class ActivityFilter(DeskFilter):
    """Filters of `activity_events`."""

    person = django_filters.ChoiceFilter(
        label=gettext_lazy("User"),
        empty_label=_ANY,
        method="of_person",
    )
    kind = django_filters.ChoiceFilter(label=gettext_lazy("Object"), empty_label=_ANY)
    thing = django_filters.CharFilter(
        "object_name",
        "icontains",
        label=gettext_lazy("Name contains"),
        max_length=200,
    )
    first = DayFilter("happened_at", "date__gte", label=gettext_lazy("From"))
    last = DayFilter("happened_at", "date__lte", label=gettext_lazy("Until"))

    class Meta:
        form = DaysForm

    def __init__(self, *args: Any, campaign: Campaign, **options: Any) -> None:
        super().__init__(*args, **options)
        self._campaign = campaign
        people = activity_people(campaign=campaign)
        users = [(f"{_USER}{user.pk}", user.name) for user in people]
        kinds = [
            (model._meta.label_lower, str(model._meta.verbose_name))
            for model in recorded_models()
        ]
        self.filters["person"].extra["choices"] = [*users, *_AUTHORS.items()]
        self.filters["kind"].extra["choices"] = sorted(kinds, key=lambda kind: kind[1])

    def of_person(
        self,
        rows: QuerySet[Any, Any],
        name: str,
        value: str,
    ) -> QuerySet[Any, Any]:
        del name
        if value.startswith(_USER):
            return rows.filter(user=value.removeprefix(_USER))
        return rows.filter(events_by(self._campaign)[value])


#: Maximum number of characters shown of a value; files contain all of it.
_MOST_CHARACTERS: Final = 200
_NOTHING: Final = "–"
#: Choices of fields that Django does not know.
_CHOICES: Final = {"events": WebhookEvent.choices, "judged": Judged.choices}
_LANGUAGES: Final = frozenset(
    {"language", "languages", "source_language", "target_language"},
)


@dataclass(frozen=True, slots=True)
class ChangedField:
    """A field of an event; `before` or `after` is None if there was no value."""

    name: str
    before: str | None
    after: str | None


@dataclass(frozen=True, slots=True)
class ActivityRow:
    """An event, ready to be shown: "Judge added", and the name of the judge or the number of them."""

    event: ActivityEvent
    user: str
    subject: str
    name: str
    test_set: str
    fields: Sequence[ChangedField]


def activity_rows(
    campaign: Campaign,
    events: Sequence[ActivityEvent],
) -> list[ActivityRow]:
    """Return events in words. One query for each table that values refer to, regardless of the number of events."""
    wording = _Wording(campaign, events)
    return [wording.row(event) for event in events]


class _Wording:
    """The names that a page of events needs, looked up together."""

    def __init__(self, campaign: Campaign, events: Sequence[ActivityEvent]) -> None:
        self._campaign = campaign
        self._events = events

    def row(self, event: ActivityEvent) -> ActivityRow:
        model = _model(event)
        is_of_one = event.test_set_id is not None and model is not TestSet
        test_set = ""
        if is_of_one:
            test_set = self._object_name(TestSet, event.test_set_id)
        fields = []
        if model is not None:
            fields = list(self._fields(event, model))
        return ActivityRow(
            event=event,
            user=self._who(event),
            subject=activity_in_words(model, event.operation),
            name=_name(event),
            test_set=test_set,
            fields=fields,
        )

    def _who(self, event: ActivityEvent) -> str:
        if event.origin == ActivityOrigin.COMMAND:
            return _("Command %(name)s by %(account)s") % {
                "name": event.through,
                "account": event.operator,
            }
        if event.origin == ActivityOrigin.TASK and event.user_id is None:
            if event.changes.get("rule_id"):
                return _("Rule")
            return _("Worker")
        if event.origin == ActivityOrigin.DATABASE:
            return _("Manual SQL as %(account)s") % {"account": event.operator}
        if event.user_id is None:
            return _("Not signed in")
        name = self._object_name(User, event.user_id)
        if event.origin == "api":
            return _("%(name)s (API)") % {"name": name}
        return name

    def _fields(
        self,
        event: ActivityEvent,
        model: type[models.Model],
    ) -> Iterator[ChangedField]:
        """Yield the changed fields; for a created or deleted object, those with a value."""
        for name, (before, after) in event.changes.items():
            field = self._field(event, model, name, before, after)
            if {field.before, field.after} != {None, _NOTHING}:
                yield field

    def _field(
        self,
        event: ActivityEvent,
        model: type[models.Model],
        name: str,
        before: Any,
        after: Any,
    ) -> ChangedField:
        # A field that a later version removed is shown by its column name.
        model_fields = {field.attname: field for field in model._meta.concrete_fields}
        field = model_fields.get(name)
        if field is not None:
            label = str(capfirst(field.verbose_name))
        else:
            label = name
        if issubclass(model, RecordedModel) and name in model.recording.hidden:
            was = [_("Secret") if is_set else _NOTHING for is_set in (before, after)]
            if before and after:
                was[1] = _("New secret")
        else:
            was = [self._value(field, value) for value in (before, after)]
        created = event.operation == ActivityOperation.CREATED
        deleted = event.operation == ActivityOperation.DELETED
        if created:
            return ChangedField(label, None, was[1])
        if deleted:
            return ChangedField(label, was[0], None)
        return ChangedField(label, was[0], was[1])

    def _value(self, field: "models.Field[Any, Any] | None", value: Any) -> str:
        if value in (None, "", [], {}):
            return _NOTHING
        if isinstance(field, models.ForeignKey):
            return self._object_name(field.related_model, value)
        if isinstance(value, list):
            text = comma_list(self._value_alone(field, element) for element in value)
        else:
            text = self._value_alone(field, value)
        return Truncator(text).chars(_MOST_CHARACTERS)

    def _value_alone(self, field: "models.Field[Any, Any] | None", value: Any) -> str:
        if isinstance(value, list | dict):
            return json.dumps(value, ensure_ascii=False)
        if isinstance(value, bool):
            if value:
                return _("yes")
            return _("no")
        if field is None or not isinstance(value, str):
            return str(localize(value))
        if isinstance(field, models.DateTimeField):
            moment = timezone.localtime(datetime.fromisoformat(value))
            return date_format(moment, "DATETIME_FORMAT")
        if field.name in _LANGUAGES:
            return language_name(value)
        choices = _CHOICES.get(field.name, field.flatchoices)
        return str(dict(choices).get(value, system_label(value)))

    def _object_name(self, model: Any, key: int | None) -> str:
        name = self._names.get(model, {}).get(key or 0)
        if name is None:
            return f"#{key}"
        return system_label(name)

    def _keys(self) -> Mapping[type[models.Model], set[int]]:
        """Return the keys of the rows that the events name, by model."""
        keys_by_model: dict[type[models.Model], set[int]] = defaultdict(set)
        for event in self._events:
            if event.user_id:
                keys_by_model[User].add(event.user_id)
            if event.test_set_id:
                keys_by_model[TestSet].add(event.test_set_id)
            model = _model(event)
            if model is None:
                continue
            for field in model._meta.concrete_fields:
                if isinstance(field, models.ForeignKey):
                    keys = event.changes.get(field.attname, ())
                    keys_by_model[field.related_model].update(
                        key for key in keys if key is not None
                    )
        return keys_by_model

    @cached_property
    def _names(self) -> dict[type[models.Model], Mapping[int, str]]:
        names_by_model: dict[type[models.Model], Mapping[int, str]] = {}
        for model, keys in self._keys().items():
            if model is User:
                names_by_model[User] = users_named(campaign=self._campaign, ids=keys)
            elif model is Task:
                tasks = Task.objects.select_related("test_set").in_bulk(list(keys))
                names_by_model[Task] = {
                    key: task.called_in_full for key, task in tasks.items()
                }
            elif keys:
                rows = model._meta.base_manager.in_bulk(list(keys))
                names_by_model[model] = {key: str(row) for key, row in rows.items()}
        return names_by_model


def _model(event: ActivityEvent) -> type[models.Model] | None:
    """Return the model of the changed object; None if a later version has removed it."""
    try:
        return apps.get_model(event.kind)
    except LookupError:
        return None


def activity_in_words(model: type[models.Model] | None, operation: str) -> str:
    """Return a phrase on a change of a row: “Judge added”."""
    if model is None or not issubclass(model, RecordedModel):
        return _("Object of an earlier version")
    texts = {
        ActivityOperation.CREATED.value: model.recording.created,
        ActivityOperation.CHANGED.value: model.recording.changed,
        ActivityOperation.DELETED.value: model.recording.deleted,
    }
    return str(texts[operation] or model._meta.verbose_name)


def _name(event: ActivityEvent) -> str:
    """Return the name of the changed object, or “× 12” for several."""
    if event.count > 1:
        return f"× {localize(event.count)}"
    return system_label(event.object_name)
