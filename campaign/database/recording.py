"""Record changes in the activity log within the same transaction (decision 67).

The `recording` of a `RecordedModel` lists its recorded columns. Changes through Django are recorded automatically;
services that bypass Django's models call `rows_created` and `rows_deleted`. The author comes from
`campaign.database.acting`.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, Final, NamedTuple, Self, TypeVar

from django.apps import apps
from django.db import models, transaction
from django.db.models.functions import Cast
from django.utils.functional import Promise

from campaign.database.acting import event_author

M = TypeVar("M", bound=models.Model)

CREATED: Final = "created"
CHANGED: Final = "changed"
DELETED: Final = "deleted"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recording:
    """Settings for recording changes to the rows of a model.

    Attributes
    ----------
    created, changed, deleted : str
        Texts of the log for each change, without the name of the row. Deletions are not recorded if `deleted` is None.
    fields : sequence of str
        Columns whose values are recorded.
    hidden : sequence of str
        Columns with secrets: only changes, and whether they are empty, are recorded.
    campaign, test_set, called : str
        Lookups from a row to its campaign, its test set and its name; empty if there is none. Names of people are
        not recorded, but looked up when the log is read.
    condition : Q, optional
        Condition that selects one of several campaigns, or the rows that are recorded.
    replaces : callable, optional
        For models where a change is a new row: returns the condition of earlier rows, the last of which is replaced.
    together : bool
        Whether rows with the same change form one event, for models with thousands of rows.
    """

    created: Promise | str
    changed: Promise | str
    deleted: Promise | str | None
    fields: Sequence[str]
    hidden: Sequence[str] = ()
    campaign: str = "campaign_id"
    test_set: str = ""
    called: str = ""
    condition: models.Q | None = None
    replaces: Callable[[Any], models.Q] | None = None
    together: bool = False


class RecordedQuerySet(models.QuerySet[M]):
    """Records changes of many rows in one statement."""

    def update(self, **values: Any) -> int:
        if not _is_recorded(self.model, values):
            return super().update(**values)
        with _changes_recorded(self):
            return super().update(**values)

    def bulk_create(self, *arguments: Any, **options: Any) -> list[M]:
        with transaction.atomic():
            rows = super().bulk_create(*arguments, **options)
            rows_created(self.model, [row.pk for row in rows])
        return rows

    def delete(self) -> tuple[int, dict[str, int]]:
        with transaction.atomic():
            rows_deleted(self)
            return super().delete()

    # As in Django: templates must not call these, and managers have no `delete`.
    update.alters_data = bulk_create.alters_data = delete.alters_data = True  # type: ignore[attr-defined]
    delete.queryset_only = True  # type: ignore[attr-defined]


class RecordedModel(models.Model):
    """A model whose changes are recorded."""

    recording: ClassVar[Recording]

    objects: ClassVar[RecordedQuerySet[Self]] = RecordedQuerySet.as_manager()  # type: ignore[assignment]

    class Meta:
        abstract = True

    def save(
        self,
        *arguments: Any,
        update_fields: Iterable[str] | None = None,
        **options: Any,
    ) -> None:
        """Save the row, and record it if it is new or a recorded column changes."""
        if update_fields is None:
            names = None
        else:
            names = list(update_fields)
        if names is not None and not _is_recorded(type(self), names):
            super().save(*arguments, update_fields=names, **options)
        elif self._state.adding:
            with transaction.atomic():
                super().save(*arguments, update_fields=names, **options)
                rows_created(type(self), [self.pk])
        else:
            with _changes_recorded(type(self)._meta.base_manager.filter(pk=self.pk)):
                super().save(*arguments, update_fields=names, **options)

    save.alters_data = True  # type: ignore[attr-defined]


def rows_created(model: type[models.Model], keys: Sequence[Any]) -> None:
    """Record new rows, in the transaction that wrote them; do nothing for models that are not recorded."""
    if not issubclass(model, RecordedModel):
        return
    rows = model._meta.base_manager.filter(pk__in=keys)
    before = _Rows()
    if model.recording.replaces is not None:
        for row in rows:
            for recorded in _replaced_by(row, model.recording.replaces).values():
                before[(row.pk, recorded.campaign)] = recorded
    after = _read(rows)
    _write(model, CHANGED, _row_changes(before, after))
    created = {}
    for key, recorded in after.items():
        if key not in before:
            created[key] = _Change(None, recorded)
    _write(model, CREATED, created)


def rows_deleted(rows: models.QuerySet[Any]) -> None:
    """Record rows before their deletion, in the same transaction; do nothing for models that are not recorded."""
    model = rows.model
    if issubclass(model, RecordedModel) and model.recording.deleted is not None:
        deleted = {}
        for key, recorded in _read(rows).items():
            deleted[key] = _Change(recorded, None)
        _write(model, DELETED, deleted)


def recorded_models() -> list[type[RecordedModel]]:
    """Return the recorded models."""
    return [model for model in apps.get_models() if issubclass(model, RecordedModel)]


def deletion_recorded(
    *,
    sender: Any,
    instance: Any,
    origin: Any,
    **_signal: Any,
) -> None:
    """Record a row that Django deletes, alone or with others. For the signal `pre_delete`."""
    model_of_origin = getattr(origin, "model", type(origin))
    if model_of_origin is apps.get_model("campaign.Campaign"):
        return  # the log is deleted with its campaign
    # Querysets record their own deletions.
    if model_of_origin is not sender or origin is instance:
        rows_deleted(sender._meta.base_manager.filter(pk=instance.pk))


class _Columns(models.Func):
    """The columns of a row with these names, as a JSON object.

    `JSONObject` builds two more expressions per name, which took half of the time of recording a row.
    """

    function = "JSONB_BUILD_OBJECT"
    output_field = models.JSONField()

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(*names)
        self.names = names

    def as_postgresql(
        self,
        compiler: Any,
        _connection: Any,
        **_context: Any,
    ) -> tuple[str, list[Any]]:
        pairs = []
        for name, column in zip(self.names, self.source_expressions, strict=True):
            sql, _parameters = compiler.compile(column)
            pairs.append(f"'{name}', {sql}")
        return f"{self.function}({', '.join(pairs)})", []


@dataclass(frozen=True, slots=True)
class _State:
    """The recorded state of a row."""

    key: Any
    campaign: int
    test_set: int | None
    called: str | None
    values: Mapping[str, object]


class _Change(NamedTuple):
    """The state of a row before and after; None if it did not exist."""

    before: _State | None
    after: _State | None


#: A row and a campaign, since some rows belong to several.
_Key = tuple[Any, int]
_Rows = dict[_Key, _State]


def _row_changes(before: _Rows, after: _Rows) -> dict[_Key, _Change]:
    """Return the states of rows that exist before and after."""
    changes = {}
    for key, recorded in after.items():
        if key in before:
            changes[key] = _Change(before[key], recorded)
    return changes


def _is_recorded(model: type[models.Model], names: Collection[str]) -> bool:
    """Return whether one of these fields is recorded."""
    recording: Recording = model.recording  # type: ignore[attr-defined]
    written = {model._meta.get_field(name).attname for name in names}  # type: ignore[union-attr]
    return not written.isdisjoint((*recording.fields, *recording.hidden))


@contextmanager
def _changes_recorded(rows: models.QuerySet[Any]) -> Iterator[None]:
    """Lock these rows, and record their changes in the block."""
    model = rows.model
    with transaction.atomic():
        changed = model._meta.base_manager.filter(pk__in=rows.order_by().values("pk"))
        keys = list(changed.select_for_update(no_key=True).values_list("pk", flat=True))
        same = model._meta.base_manager.filter(pk__in=keys)
        before = _read(same)
        yield
        _write(model, CHANGED, _row_changes(before, _read(same)))


def _replaced_by(row: models.Model, replaces: Callable[[Any], models.Q]) -> "_Rows":
    rows = type(row)._meta.base_manager.all()
    earlier = rows.filter(replaces(row), pk__lt=row.pk).order_by("-pk")
    return _read(rows.filter(pk__in=list(earlier.values_list("pk", flat=True)[:1])))


def _read(rows: models.QuerySet[Any]) -> _Rows:
    recording: Recording = rows.model.recording
    names = (*recording.fields, *recording.hidden)
    text = models.TextField()
    called: Any = models.Value("", text)
    if recording.called:
        called = Cast(recording.called, text)
    if recording.condition is not None:
        rows = rows.filter(recording.condition)
    nothing = models.Value(None, models.BigIntegerField())
    recorded = rows.values_list(
        "pk",
        recording.campaign,
        recording.test_set or nothing,
        called,
        _Columns(names),
    )
    states = {}
    for row in recorded:
        state = _State(*row)
        # Rows of users may have no campaign.
        if state.campaign is not None:
            states[state.key, state.campaign] = state
    return states


def _write(
    model: type[RecordedModel],
    operation: str,
    rows: dict[_Key, _Change],
) -> None:
    events: dict[Any, Any] = {}
    event: Any = apps.get_model("campaign.ActivityEvent")
    for key, change in rows.items():
        recorded = change.after or change.before
        changes = _changes(model.recording, change)
        if recorded is None or (not changes and operation == CHANGED):
            continue
        same: Any = key
        if model.recording.together:
            same = (recorded.campaign, recorded.test_set, json.dumps(changes))
        if same in events:
            earlier = events[same]
            earlier.count += 1
            earlier.object_id = None
            earlier.object_name = ""
            continue
        events[same] = event(
            campaign_id=recorded.campaign,
            test_set_id=recorded.test_set,
            operation=operation,
            kind=model._meta.label_lower,
            object_id=recorded.key,
            object_name=recorded.called or "",
            count=1,
            changes=changes,
            **event_author(),
        )
    event.objects.bulk_create(events.values())


def _changes(recording: Recording, change: _Change) -> dict[str, list[Any]]:
    """Return the values of changed fields before and after; for hidden fields, whether there was a value."""
    old = _values(change.before)
    new = _values(change.after)
    changes = {}
    for name in recording.fields:
        if old.get(name) != new.get(name):
            changes[name] = [old.get(name), new.get(name)]
    for name in recording.hidden:
        if (old.get(name) or "") != (new.get(name) or ""):
            changes[name] = [bool(old.get(name)), bool(new.get(name))]
    return changes


def _values(state: _State | None) -> Mapping[str, object]:
    if state is None:
        return {}
    return state.values
