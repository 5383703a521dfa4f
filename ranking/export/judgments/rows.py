"""What is exported row by row: recorded judgments, skips, assignments, texts, designs, activity, judges.

Each kind is one statement (judgments: some for each few thousand), so that its rows are of one moment.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from django.contrib.postgres.aggregates import StringAgg
from django.db.models import (
    DateTimeField,
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
from django.db.models.functions import Concat

from annotation.models import Assignment, Design, Skip
from annotation.selectors.skips import skips_listed
from annotation.services import judgments_number
from campaign.models import ActivityEvent, Judge, Output, Segment, SystemKind, Task

#: Pages say “more than” of more rows than these.
MOST_COUNTED: Final = 10_000

#: What stands in a column: a text, a whole number, true or false, a time as text, or anything that JSON says, as text.
Kind = type[str] | type[int] | type[bool] | type[datetime] | type[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of a kind.

    Attributes
    ----------
    columns : mapping of str to type
        Their names, and what is in them.
    last, count : callable
        Return the place of the last row of a task, and how many rows there are; where they must be counted one by one, no
        more than `MOST_COUNTED` + 1.
    found : callable or None
        Returns what `rows_copied` reads: the rows of a task whose places are after the second argument, up to the third. None
        where `ranking.export.judgments.tables` knows more about the kind.
    is_bounded : bool
        Whether `count` stops where `MOST_COUNTED` is passed.
    """

    columns: Mapping[str, Kind]
    last: Callable[[Task], int]
    count: Callable[[Task], int]
    found: Callable[[Task, int, int], QuerySet[Any, Any]] | None = None
    is_bounded: bool = False


class Utc(Func):
    """A time in UTC, without its zone: how `rows_copied` reads times."""

    template = "(%(expressions)s AT TIME ZONE 'UTC')"
    output_field = DateTimeField()


class _Json(Func):
    """A value in JSON, as `json.dumps` writes texts and lists of them."""

    template = "to_jsonb(%(expressions)s)::text"
    output_field = TextField()


def _last(queryset: QuerySet[Any, Any], name: str = "pk") -> int:
    return int(queryset.order_by().aggregate(last=Max(name))["last"] or 0)


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
    """Return what is said of outputs of a segment, in the order of their systems."""
    outputs = Output.objects.filter(which, segment=OuterRef("pk"), text__isnull=False).exclude(
        system__kind=SystemKind.BAD_REFERENCE
    )
    together = StringAgg(said, ", ", order_by="system_id", output_field=TextField())
    grouped = outputs.order_by().values("segment").annotate(together=together)
    return Subquery(grouped.values("together"))


_DESIGN: Final[dict[str, Kind]] = {"id": int, "design": object}
_EVENT: Final[dict[str, Kind]] = {"id": int, "event": object}

_JUDGE: Final[dict[str, Kind]] = {
    "number": int,
    "judge": str,
    "origin": str,
    "languages": object,
}
_NAMED: Final[dict[str, Kind]] = {**_JUDGE, "name": str, "address": str}


def _judges(task: Task, after: int, until: int) -> QuerySet[Any, Any]:
    return _judges_told(task, after, until)


def _named_judges(task: Task, after: int, until: int) -> QuerySet[Any, Any]:
    return _judges_told(task, after, until, F("user__name"), F("address"))


def _judges_told(task: Task, after: int, until: int, *more: F) -> QuerySet[Any, Any]:
    found = _all_judges(task).filter(pk__gt=after, pk__lte=until).order_by("pk")
    return found.values_list("pk", "pseudonym", "origin", _Json("languages"), *more)


def _of_queryset(
    columns: Mapping[str, Kind],
    every: Callable[[Task], QuerySet[Any, Any]],
    found: Callable[[Task, int, int], QuerySet[Any, Any]] | None = None,
    *,
    place: str = "pk",
    count: Callable[[Task], int] | None = None,
) -> Rows:
    return Rows(
        columns=columns,
        last=lambda task: _last(every(task), place),
        count=count or (lambda task: every(task).order_by()[: MOST_COUNTED + 1].count()),
        found=found,
        is_bounded=count is None,
    )


def _all_judges(task: Task) -> QuerySet[Judge]:
    return Judge.objects.filter(campaign=task.test_set.campaign_id)


#: By the name of the kind.
ROWS: Final[Mapping[str, Rows]] = {
    "judgments": Rows(
        columns=_JUDGMENT,
        last=lambda task: judgments_number(task_id=task.pk),
        count=lambda task: judgments_number(task_id=task.pk),
    ),
    "skips": _of_queryset(_SKIP, lambda task: Skip.objects.filter(task=task), _skips),
    "assignments": _of_queryset(
        _ASSIGNMENT,
        lambda task: Assignment.objects.filter(hit__task=task),
        _assignments,
        count=_lent,
    ),
    "texts": _of_queryset(
        _TEXTS,
        lambda task: Segment.objects.filter(test_set=task.test_set_id),
        _texts,
        place="number",
    ),
    "designs": _of_queryset(_DESIGN, lambda task: Design.objects.filter(task=task)),
    "activity": _of_queryset(
        _EVENT,
        lambda task: ActivityEvent.objects.filter(campaign=task.test_set.campaign_id),
    ),
    "judges": _of_queryset(_JUDGE, _all_judges, _judges),
    "named-judges": _of_queryset(_NAMED, _all_judges, _named_judges),
}
