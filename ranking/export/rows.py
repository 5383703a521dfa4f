"""Read the rows of exports (recorded judgments, skips, assignments, texts, designs, activity, judges) as JSON objects."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from operator import attrgetter, itemgetter
from typing import Any, Final

from django.db.models import Max, QuerySet, Sum
from django.utils import timezone
from rest_framework.fields import BooleanField, IntegerField, ListField, SerializerMethodField
from rest_framework.utils.encoders import JSONEncoder

from annotation.api.designs import DesignSerializer
from annotation.api.research import JudgmentRecordSerializer, judgments_recorded
from annotation.models import Assignment, Design, Judgment
from annotation.selectors.judgment_list import skips_listed
from annotation.services.numbers import judgments_number
from campaign.export.activity import event_data
from campaign.models import ActivityEvent, Judge, Segment, Task
from campaign.selectors.activity import users_named
from campaign.selectors.texts import text_lines

#: Larger tables are not counted exactly: pages show “more than” this number.
MOST_COUNTED: Final = 10_000
_AT_ONCE: Final = 500

#: Type of a column: text, integer, boolean, or any JSON value.
Kind = type[str] | type[int] | type[bool] | type[object]

Row = Mapping[str, Any]
Read = Callable[[Task, int, int, int], Iterator[Sequence[Row]]]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a kind of export.

    Attributes
    ----------
    columns : mapping of str to type
        Name and type of each column.
    every : callable
        Returns the queryset of all rows of a task.
    read : callable
        Yields the rows of a task, a few hundred at a time, given the task, the positions after and up to which to
        read, and the watermark.
    place : str
        Field with the position of a row.
    counted : callable or None
        Returns the number of rows of a task; None if they must be counted one by one.
    """

    columns: Mapping[str, Kind]
    every: Callable[[Task], QuerySet[Any, Any]]
    read: Read
    place: str = "pk"
    counted: Callable[[Task], int] | None = None

    def last(self, task: Task) -> int:
        """Return the position of the last row, 0 without rows."""
        rows = self.every(task).order_by()
        return int(rows.aggregate(last=Max(self.place))["last"] or 0)

    def count(self, task: Task) -> int:
        """Return the number of rows; counted one by one, at most `MOST_COUNTED` + 1."""
        if self.counted is not None:
            return self.counted(task)
        return self.every(task).order_by()[: MOST_COUNTED + 1].count()


def _table(
    columns: Mapping[str, tuple[Kind, str]],
    every: Callable[[Task], QuerySet[Any, Any]],
    **more: Any,
) -> Rows:
    """Return rows read by one query in the order of keys; `columns` gives type and field, the key first."""

    def read(task: Task, after: int, until: int, _watermark: int) -> Iterator[Sequence[Row]]:
        rows = every(task).values_list(*(field for _kind, field in columns.values()))
        for some in _in_parts(rows, after, until, itemgetter(0)):
            yield [dict(zip(columns, values, strict=True)) for values in some]

    return Rows({name: kind for name, (kind, _field) in columns.items()}, every, read, **more)


def _in_parts(
    rows: QuerySet[Any, Any], after: int, until: int, key: Callable[[Any], int] = attrgetter("pk")
) -> Iterator[list[Any]]:
    """Yield rows in the order of keys, a few hundred per query, so that no query stays open for slow readers."""
    rows = rows.filter(pk__lte=until).order_by("pk")
    while some := list(rows.filter(pk__gt=after)[:_AT_ONCE]):
        yield some
        after = key(some[-1])


_KINDS: Final[dict[type, Kind]] = {
    IntegerField: int,
    BooleanField: bool,
    ListField: object,
    SerializerMethodField: object,
}
#: The fields of a judgment in REST.
_JUDGMENT: Final = {
    name: _KINDS.get(type(field), str)
    for name, field in JudgmentRecordSerializer().get_fields().items()
}


def _judgments(task: Task, after: int, until: int, watermark: int) -> Iterator[Sequence[Row]]:
    """Yield the judgments with these numbers; they are current unless one up to the watermark supersedes them."""
    for start in range(after, until, _AT_ONCE):
        numbers = task.judgment_numbers.filter(
            number__gt=start, number__lte=min(start + _AT_ONCE, until)
        )
        with timezone.override(UTC):
            some = judgments_recorded(list(numbers.order_by("number")), task=task, until=watermark)
        # Outside the override, so that the caller's time zone does not change.
        yield some


def _texts(task: Task, after: int, until: int, _watermark: int) -> Iterator[Sequence[Row]]:
    lines = text_lines(task=task, after=after, until=until)
    while some := list(islice(lines, _AT_ONCE)):
        yield some


def _designs(task: Task, after: int, until: int, _watermark: int) -> Iterator[Sequence[Row]]:
    designs = Design.objects.filter(task=task).select_related("judge_group")
    for some in _in_parts(designs, after, until):
        yield [{"id": each.pk, "design": DesignSerializer(each).data} for each in some]


def _activity(task: Task, after: int, until: int, _watermark: int) -> Iterator[Sequence[Row]]:
    campaign = task.test_set.campaign
    for some in _in_parts(ActivityEvent.objects.filter(campaign=campaign), after, until):
        ids = {each.user_id for each in some if each.user_id is not None}
        names = users_named(campaign=campaign, ids=ids)
        yield [{"id": each.pk, "event": event_data(each, names)} for each in some]


def _all_judges(task: Task) -> QuerySet[Judge]:
    return Judge.objects.filter(campaign=task.test_set.campaign_id)


_JUDGE: Final[dict[str, tuple[Kind, str]]] = {
    "number": (int, "pk"),
    "judge": (str, "pseudonym"),
    "origin": (str, "origin"),
    "languages": (object, "languages"),
}
#: By name of the kind.
ROWS: Final[Mapping[str, Rows]] = {
    "judgments": Rows(
        _JUDGMENT,
        lambda task: Judgment.objects.of(task.pk),
        _judgments,
        counted=lambda task: judgments_number(task_id=task.pk),
    ),
    "skips": _table(
        {
            "number": (int, "pk"),
            "id": (str, "client_id"),
            "judge": (str, "judge__pseudonym"),
            "segment": (int, "block__segment__number"),
            "document": (str, "block__segment__document__name"),
            "control": (str, "block__control"),
            "reason": (str, "reason"),
            "comment": (str, "comment"),
            "duration_ms": (int, "duration_ms"),
            "active_ms": (int, "active_ms"),
            "created_at": (str, "created_at"),
            "judged_later": (bool, "is_judged"),
        },
        lambda task: skips_listed(task=task),
    ),
    "assignments": _table(
        {
            "number": (int, "pk"),
            "id": (str, "public_id"),
            "hit": (int, "hit__number"),
            "judge": (str, "judge__pseudonym"),
            "ordinal": (int, "ordinal"),
            "lent_at": (str, "lease__startswith"),
            "lease_ends_at": (str, "lease__endswith"),
            "completed_at": (str, "completed_at"),
            "released_at": (str, "released_at"),
        },
        lambda task: Assignment.objects.filter(hit__task=task),
        # Each assignment is counted in an account of its judge.
        counted=lambda task: int(task.accounts.aggregate(lent=Sum("hits_lent"))["lent"] or 0),
    ),
    "texts": Rows(
        {"document": str, "segment": int, "source": str, "references": object, "outputs": object},
        lambda task: Segment.objects.filter(test_set=task.test_set_id),
        _texts,
        place="number",
    ),
    "designs": Rows(
        {"id": int, "design": object}, lambda task: Design.objects.filter(task=task), _designs
    ),
    "activity": Rows(
        {"id": int, "event": object},
        lambda task: ActivityEvent.objects.filter(campaign=task.test_set.campaign_id),
        _activity,
    ),
    "judges": _table(_JUDGE, _all_judges),
    "named-judges": _table(
        {**_JUDGE, "name": (str, "user__name"), "address": (str, "address")}, _all_judges
    ),
}


def json_line(row: Row) -> str:
    """Return a row as a line of JSON, with times as in REST."""
    return json.dumps(row, ensure_ascii=False, cls=JSONEncoder) + "\n"


def cells(columns: Mapping[str, Kind], row: Row) -> list[Any]:
    """Return a row as the cells of a table, with JSON and times as text."""
    return [_cell(kind, row[name]) for name, kind in columns.items()]


def _cell(kind: Kind, value: Any) -> Any:
    if kind is object:
        return json.dumps(value, ensure_ascii=False, cls=JSONEncoder)
    if isinstance(value, datetime):
        return JSONEncoder().default(value)
    return str(value) if kind is str and value is not None else value
