"""Rows of exports: recorded judgments, skips, assignments, texts, designs, activity, judges.

Each kind is one statement (judgments: some for each few thousand), so that its rows are of one moment.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache, partial
from typing import Any, Final

from django.contrib.postgres.aggregates import StringAgg
from django.db.models import (
    DateTimeField,
    Exists,
    F,
    Func,
    Max,
    OuterRef,
    Q,
    QuerySet,
    Subquery,
    Sum,
    TextField,
    Value,
)
from django.db.models.functions import Cast, Concat

from annotation.api.designs import DesignSerializer
from annotation.export.five_way import (
    SystemsShown,
    copied_by_index,
    numbered_in_parts,
    systems_and_sizes,
)
from annotation.models import Assignment, Design, Judgment, Skip
from annotation.protocols import answers_read
from annotation.selectors.judgment_list import skips_listed
from annotation.services.numbers import judgments_number
from campaign.database.copied_rows import Rows as Batch
from campaign.database.copied_rows import rows_copied
from campaign.models import ActivityEvent, Judge, Output, Segment, SystemKind, Task
from campaign.selectors.activity import users_named
from campaign.selectors.rehearsals import rehearsed_slug

#: Pages say “more than” of more rows than these.
MOST_COUNTED: Final = 10_000

#: Type of a column: text, integer, boolean, time as text, or any JSON value as text.
Kind = type[str] | type[int] | type[bool] | type[datetime] | type[object]


Read = Callable[[Task, int, int, int], Iterator[Batch]]


@dataclass(frozen=True, slots=True)
class Rows:
    """The rows of a kind.

    Attributes
    ----------
    columns : mapping of str to type
        Their names and types.
    every : callable
        Returns the queryset of all rows of a task.
    read : callable
        Yields the rows of a task whose places are after the second argument, up to the third, some thousands at a time; the
        fourth is the watermark.
    place : str
        The field that is the place of a row.
    counted : callable or None
        Returns how many rows a task has; None where they must be counted one by one.
    """

    columns: Mapping[str, Kind]
    every: Callable[[Task], QuerySet[Any, Any]]
    read: Read
    place: str = "pk"
    counted: Callable[[Task], int] | None = None

    def last(self, task: Task) -> int:
        """Return the place of the last row, 0 if there is none."""
        rows = self.every(task).order_by()
        return int(rows.aggregate(last=Max(self.place))["last"] or 0)

    def count(self, task: Task) -> int:
        """Return how many rows there are; where they must be counted one by one, no more than `MOST_COUNTED` + 1."""
        if self.counted is not None:
            return self.counted(task)
        return self.every(task).order_by()[: MOST_COUNTED + 1].count()


def _copied(
    columns: Mapping[str, Kind], found: Callable[[Task, int, int], QuerySet[Any, Any]]
) -> Read:
    """Return the reader of one query's rows, with these columns."""
    return lambda task, after, until, _watermark: rows_copied(found(task, after, until), columns)


class Utc(Func):
    """A time in UTC, without its zone: how `rows_copied` reads times."""

    template = "(%(expressions)s AT TIME ZONE 'UTC')"
    output_field = DateTimeField()


class _Json(Func):
    """A value in JSON, as `json.dumps` writes texts and lists of them."""

    template = "to_jsonb(%(expressions)s)::text"
    output_field = TextField()


_JUDGMENT: Final[dict[str, Kind]] = {
    "id": str,
    "number": int,
    "judge": str,
    "segment": int,
    "document": str,
    "candidates": object,
    "labels": object,
    "answer": object,
    "duration_ms": int,
    "active_ms": int,
    "comment": str,
    "submitted_at": datetime,
    "supersedes": str,
    "current": bool,
    "control": str,
    "rehearsal_of": str,
}
#: Columns of a judgment as read; the last three are the input of `SystemsShown` and `answers_read`.
_RECORDED: Final[dict[str, Kind]] = {
    **{
        name: _JUDGMENT[name]
        for name in _JUDGMENT.keys() - {"candidates", "answer", "rehearsal_of"}
    },
    "systems": str,
    "sizes": str,
    "pk": int,
}


def _judgments(task: Task, after: int, until: int, watermark: int) -> Iterator[Batch]:
    """Yield the judgments with these numbers; current are those that none up to the watermark supersedes."""
    shown, rehearsed = SystemsShown(task), rehearsed_slug(task_id=task.pk)
    later = Judgment.objects.filter(supersedes=OuterRef("pk")).until(watermark)
    expressions = {
        "id": F("client_id"),
        "number": F("numbered__number"),
        "judge": F("judge__pseudonym"),
        "segment": F("block__segment__number"),
        "document": F("block__segment__document__name"),
        "labels": Cast("labels", TextField()),
        "submitted_at": Utc("submitted_at"),
        "supersedes": F("supersedes__client_id"),
        "current": ~Exists(later),
        "control": F("block__control"),
        **dict(zip(("systems", "sizes"), systems_and_sizes(), strict=True)),
    }
    columns: list[Any] = [expressions.get(name, F(name)) for name in _RECORDED]
    for some in numbered_in_parts(
        Judgment.objects.of(task.pk), task=task, after=after, until=until
    ):
        for batch in copied_by_index(some.values_list(*columns), _RECORDED):
            pairs = zip(batch["systems"], batch["sizes"], strict=True)
            answers = answers_read(task.protocol, batch["pk"])
            told = {
                **batch,
                "candidates": [_in_json(shown.of(*pair)[0]) for pair in pairs],
                "labels": [_labels_in_json(labels) for labels in batch["labels"]],
                # Times and the like become texts, as in answers of REST.
                "answer": [
                    json.dumps(answers.get(pk), ensure_ascii=False, default=str)
                    for pk in batch["pk"]
                ],
                "rehearsal_of": [rehearsed] * len(batch["pk"]),
            }
            yield {name: told[name] for name in _JUDGMENT}


@lru_cache(maxsize=10_000)
def _in_json(candidates: tuple[tuple[str, ...], ...]) -> str:
    return json.dumps(candidates, ensure_ascii=False)


def _labels_in_json(array: str) -> str:
    """Return an array of PostgreSQL, as text, as a list in JSON."""
    return f"[{array[1:-1].replace(',', ', ').replace('NULL', 'null')}]"


_SKIP: Final[dict[str, Kind]] = {
    "number": int,
    "id": str,
    "judge": str,
    "segment": int,
    "document": str,
    "control": str,
    "reason": str,
    "comment": str,
    "duration_ms": int,
    "active_ms": int,
    "created_at": datetime,
    "judged_later": bool,
}


def _skips(task: Task, after: int, until: int) -> QuerySet[Any, Any]:
    found = skips_listed(task=task).filter(pk__gt=after, pk__lte=until).order_by("pk")
    return found.values_list(
        *("pk", "client_id", "judge__pseudonym", "block__segment__number"),
        *("block__segment__document__name", "block__control", "reason", "comment"),
        *("duration_ms", "active_ms", Utc("created_at"), "is_judged"),
    )


_ASSIGNMENT: Final[dict[str, Kind]] = {
    "number": int,
    "id": str,
    "hit": int,
    "judge": str,
    "ordinal": int,
    "lent_at": datetime,
    "lease_ends_at": datetime,
    "completed_at": datetime,
    "released_at": datetime,
}


def _assignments(task: Task, after: int, until: int) -> QuerySet[Any, Any]:
    found = Assignment.objects.filter(hit__task=task, pk__gt=after, pk__lte=until).order_by("pk")
    return found.values_list(
        *("pk", "public_id", "hit__number", "judge__pseudonym", "ordinal"),
        *(Utc("lease__startswith"), Utc("lease__endswith")),
        *(Utc("completed_at"), Utc("released_at")),
    )


def _lent(task: Task) -> int:
    # Each lending counts one in an account of its judge.
    return int(task.accounts.aggregate(lent=Sum("hits_lent"))["lent"] or 0)


_TEXTS: Final[dict[str, Kind]] = {
    "document": str,
    "segment": int,
    "source": str,
    "references": object,
    "outputs": object,
}


def _texts(task: Task, after: int, until: int) -> QuerySet[Any, Any]:
    text = _Json("text")
    of_system = Concat(_Json("system__name"), Value(": "), text, output_field=TextField())
    segments = Segment.objects.filter(
        test_set=task.test_set_id, number__gt=after, number__lte=until
    ).order_by("number")
    is_reference = Q(system__kind=SystemKind.REFERENCE)
    return segments.values_list(
        *("document__name", "position", "source_text"),
        Concat(Value("["), _listed(text, is_reference), Value("]"), output_field=TextField()),
        Concat(Value("{"), _listed(of_system, ~is_reference), Value("}"), output_field=TextField()),
    )


def _listed(said: Any, which: Q) -> Subquery:
    """Return a JSON list of a value of a segment's outputs, in the order of their systems."""
    outputs = (
        Output.objects.current()
        .filter(which, segment=OuterRef("pk"), text__isnull=False)
        .exclude(system__kind=SystemKind.BAD_REFERENCE)
    )
    together = StringAgg(said, ", ", order_by="system_id", output_field=TextField())
    grouped = outputs.order_by().values("segment").annotate(together=together)
    return Subquery(grouped.values("together"))


_DESIGN: Final[dict[str, Kind]] = {"id": int, "design": object}
_EVENT: Final[dict[str, Kind]] = {"id": int, "event": object}


def _designs(task: Task, after: int, until: int, _watermark: int) -> Iterator[Batch]:
    found = Design.objects.filter(task=task, pk__gt=after, pk__lte=until)
    designs = list(found.select_related("judge_group").order_by("pk"))
    # As plain data: times and the like become texts, as in answers of REST.
    told = [
        json.dumps(DesignSerializer(design).data, ensure_ascii=False, default=str)
        for design in designs
    ]
    if designs:
        yield {"id": [design.pk for design in designs], "design": told}


_EVENT_READ: Final[Mapping[str, Kind]] = {
    "id": int,
    "time": datetime,
    "by": str,
    "user": int,
    "through": str,
    "operator": str,
    "change": str,
    "kind": str,
    "thing_id": int,
    "thing": str,
    "things": int,
    "test_set": int,
    "changes": object,
}
#: With the name of the user.
_EVENT_TOLD: Final[Mapping[str, Kind]] = {**_EVENT_READ, "user": str}


def _activity(task: Task, after: int, until: int, _watermark: int) -> Iterator[Batch]:
    """Yield events as `campaign.export.activity.event_data` tells them."""
    campaign = task.test_set.campaign
    events = ActivityEvent.objects.filter(campaign=campaign, pk__gt=after, pk__lte=until).order_by(
        "pk"
    )
    rows = events.values_list(
        *("pk", Utc("happened_at"), "origin", "user", "through", "operator", "operation", "kind"),
        *("object_id", "object_name", "count", "test_set", Cast("changes", TextField())),
    )
    for batch in rows_copied(rows, _EVENT_READ):
        names = users_named(campaign=campaign, ids=set(batch["user"]) - {None})
        told = {
            **batch,
            "time": [time.replace("Z", "+00:00") for time in batch["time"]],
            "user": [names.get(id_) for id_ in batch["user"]],
        }
        yield {"id": batch["id"], "event": json_objects(_EVENT_TOLD, told)}


_JUDGE: Final[dict[str, Kind]] = {
    "number": int,
    "judge": str,
    "origin": str,
    "languages": object,
}
_NAMED: Final[dict[str, Kind]] = {**_JUDGE, "name": str, "address": str}


def _judges(task: Task, after: int, until: int, more: Sequence[str] = ()) -> QuerySet[Any, Any]:
    found = _all_judges(task).filter(pk__gt=after, pk__lte=until).order_by("pk")
    return found.values_list("pk", "pseudonym", "origin", _Json("languages"), *more)


def _all_judges(task: Task) -> QuerySet[Judge]:
    return Judge.objects.filter(campaign=task.test_set.campaign_id)


#: By the name of the kind.
ROWS: Final[Mapping[str, Rows]] = {
    "judgments": Rows(
        _JUDGMENT,
        lambda task: Judgment.objects.of(task.pk),
        _judgments,
        counted=lambda task: judgments_number(task_id=task.pk),
    ),
    "skips": Rows(_SKIP, lambda task: Skip.objects.filter(task=task), _copied(_SKIP, _skips)),
    "assignments": Rows(
        _ASSIGNMENT,
        lambda task: Assignment.objects.filter(hit__task=task),
        _copied(_ASSIGNMENT, _assignments),
        counted=_lent,
    ),
    "texts": Rows(
        _TEXTS,
        lambda task: Segment.objects.filter(test_set=task.test_set_id),
        _copied(_TEXTS, _texts),
        place="number",
    ),
    "designs": Rows(_DESIGN, lambda task: Design.objects.filter(task=task), _designs),
    "activity": Rows(
        _EVENT,
        lambda task: ActivityEvent.objects.filter(campaign=task.test_set.campaign_id),
        _activity,
    ),
    "judges": Rows(_JUDGE, _all_judges, _copied(_JUDGE, _judges)),
    "named-judges": Rows(
        _NAMED,
        _all_judges,
        _copied(_NAMED, partial(_judges, more=("user__name", "address"))),
    ),
}


#: JSON encoding of each kind: texts as `json.dumps` has them with `ensure_ascii=False`, JSON
#: unchanged.
_IN_JSON: Final[Mapping[type, Callable[[Any], str]]] = {
    str: json.encoder.encode_basestring,
    datetime: '"{}"'.format,
    object: str,
    int: str,
    bool: {True: "true", False: "false"}.__getitem__,
}


def json_objects(columns: Mapping[str, type], rows: Batch) -> list[str]:
    """Return an object in JSON for each row; `object` columns hold JSON already."""
    names = [f"{json.dumps(name, ensure_ascii=False)}: ".replace("%", "%%") for name in columns]
    form = "{" + ", ".join(f"{name}%s" for name in names) + "}"
    cells = [
        ["null" if value is None else _IN_JSON[kind](value) for value in rows[name]]
        for name, kind in columns.items()
    ]
    return [form % row for row in zip(*cells, strict=True)]
