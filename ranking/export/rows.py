"""Rows of exports: recorded judgments, skips, assignments, texts, designs, activity, judges.

Each kind is one statement (judgments: some for each few thousand), so that its rows are of one moment.
"""

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from itertools import islice
from typing import Any, Final

from django.db.models import (
    DateTimeField,
    Exists,
    F,
    Func,
    Max,
    OuterRef,
    QuerySet,
    Sum,
    TextField,
)
from django.db.models.functions import Cast

from annotation.api.designs import DesignSerializer
from annotation.export.five_way import (
    SystemsShown,
    copied_by_index,
    numbered_in_parts,
    systems_and_sizes,
)
from annotation.models import Assignment, Design, Judgment
from annotation.protocols import answers_read
from annotation.selectors.judgment_list import skips_listed
from annotation.services.numbers import judgments_number
from campaign.database.copied_rows import Rows as Batch
from campaign.database.copied_rows import rows_copied
from campaign.export.activity import event_data
from campaign.models import ActivityEvent, Judge, Segment, Task
from campaign.selectors.activity import users_named
from campaign.selectors.rehearsals import rehearsed_slug
from campaign.selectors.texts import text_lines

#: Pages say “more than” of more rows than these.
MOST_COUNTED: Final = 10_000
_AT_ONCE: Final = 500

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


def _table(
    columns: Mapping[str, tuple[Kind, Any]],
    every: Callable[[Task], QuerySet[Any, Any]],
    **more: Any,
) -> Rows:
    """Return the rows of one query, by key, with the type and the expression of each column."""
    kinds = {name: kind for name, (kind, _expression) in columns.items()}

    def read(task: Task, after: int, until: int, _watermark: int) -> Iterator[Batch]:
        rows = every(task).filter(pk__gt=after, pk__lte=until).order_by("pk")
        expressions = (expression for _kind, expression in columns.values())
        return rows_copied(rows.values_list(*expressions), kinds)

    return Rows(kinds, every, read, **more)


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


def _texts(task: Task, after: int, until: int, _watermark: int) -> Iterator[Batch]:
    return _batches(
        {
            **line,
            "references": json.dumps(line["references"], ensure_ascii=False),
            "outputs": json.dumps(line["outputs"], ensure_ascii=False),
        }
        for line in text_lines(task=task, after=after, until=until)
    )


_DESIGN: Final[dict[str, Kind]] = {"id": int, "design": object}
_EVENT: Final[dict[str, Kind]] = {"id": int, "event": object}


def _designs(task: Task, after: int, until: int, _watermark: int) -> Iterator[Batch]:
    found = Design.objects.filter(task=task, pk__gt=after, pk__lte=until)
    return _batches(
        # As plain data: times and the like become texts, as in answers of REST.
        {
            "id": each.pk,
            "design": json.dumps(DesignSerializer(each).data, ensure_ascii=False, default=str),
        }
        for each in found.select_related("judge_group").order_by("pk")
    )


def _activity(task: Task, after: int, until: int, _watermark: int) -> Iterator[Batch]:
    campaign = task.test_set.campaign
    events = ActivityEvent.objects.filter(campaign=campaign, pk__gt=after, pk__lte=until)
    rows = events.order_by("pk").iterator(chunk_size=_AT_ONCE)
    while some := list(islice(rows, _AT_ONCE)):
        ids = {each.user_id for each in some if each.user_id is not None}
        names = users_named(campaign=campaign, ids=ids)
        told = [json.dumps(event_data(each, names), ensure_ascii=False) for each in some]
        yield {"id": [each.pk for each in some], "event": told}


def _batches(rows: Iterator[dict[str, Any]]) -> Iterator[Batch]:
    while some := list(islice(rows, _AT_ONCE)):
        yield {name: [row[name] for row in some] for name in some[0]}


def _all_judges(task: Task) -> QuerySet[Judge]:
    return Judge.objects.filter(campaign=task.test_set.campaign_id)


_JUDGE: Final[dict[str, tuple[Kind, Any]]] = {
    "number": (int, "pk"),
    "judge": (str, "pseudonym"),
    "origin": (str, "origin"),
    "languages": (object, _Json("languages")),
}
_NAMED: Final[dict[str, tuple[Kind, Any]]] = {
    **_JUDGE,
    "name": (str, "user__name"),
    "address": (str, "address"),
}


#: By the name of the kind.
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
            "created_at": (datetime, Utc("created_at")),
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
            "lent_at": (datetime, Utc("lease__startswith")),
            "lease_ends_at": (datetime, Utc("lease__endswith")),
            "completed_at": (datetime, Utc("completed_at")),
            "released_at": (datetime, Utc("released_at")),
        },
        lambda task: Assignment.objects.filter(hit__task=task),
        counted=_lent,
    ),
    "texts": Rows(
        _TEXTS,
        lambda task: Segment.objects.filter(test_set=task.test_set_id),
        _texts,
        place="number",
    ),
    "designs": Rows(_DESIGN, lambda task: Design.objects.filter(task=task), _designs),
    "activity": Rows(
        _EVENT,
        lambda task: ActivityEvent.objects.filter(campaign=task.test_set.campaign_id),
        _activity,
    ),
    "judges": _table(_JUDGE, _all_judges),
    "named-judges": _table(_NAMED, _all_judges),
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
