"""What is exported row by row: recorded judgments, skips, assignments, texts, designs, activity, judges.

Each kind is one statement (judgments and activity: some for each few thousand), so that its rows are of one moment, and
memory holds some thousands of them.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.contrib.postgres.expressions import ArraySubquery
from django.db.models import F, Max, OuterRef, QuerySet, Sum
from django.db.models.functions import JSONObject

from annotation.api.hits import DesignSerializer
from annotation.models import Assignment, Design, Skip
from annotation.selectors.skips import skips_listed
from annotation.services import judgments_number
from campaign.export.activity import event_data
from campaign.models import ActivityEvent, Judge, Output, Segment, SystemKind, Task
from campaign.selectors.activity import users_named
from ranking.selectors.recorded_judgments import TimeText, as_text, json_text, recorded_rows

_AT_ONCE: Final = 2_000
#: Pages say “more than” of more rows than these.
MOST_COUNTED: Final = 10_000

#: What stands in a column: a text, a whole number, true or false, or anything that JSON says.
Kind = type[str] | type[int] | type[bool] | type[object]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of a kind.

    Attributes
    ----------
    columns : mapping of str to type
        Their names, and what is in them: `object` is JSON, which rows hold as text.
    last, count : callable
        Return the place of the last row of a task, and how many rows there are; where they must be counted one by one, no
        more than `MOST_COUNTED` + 1.
    read : callable
        Yields the rows of a task whose places are after the second argument, up to the third; those of judgments are as of
        the fourth, a number of a judgment.
    is_bounded : bool
        Whether `count` stops where `MOST_COUNTED` is passed.
    """

    columns: Mapping[str, Kind]
    last: Callable[[Task], int]
    count: Callable[[Task], int]
    read: Callable[[Task, int, int, int], Iterator[Sequence[Any]]]
    is_bounded: bool = False


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
    "submitted_at": str,
    "supersedes": str,
    "current": bool,
    "control": str,
    "rehearsal_of": str,
}


def _judgments(task: Task, after: int, until: int, watermark: int) -> Iterator[Sequence[Any]]:
    if until > after:
        yield from recorded_rows(task=task, after=after, until=until, watermark=watermark)


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
    "created_at": str,
    "judged_later": bool,
}


def _skips(task: Task, after: int, until: int, _watermark: int) -> Iterator[Sequence[Any]]:
    found = skips_listed(task=task).filter(pk__gt=after, pk__lte=until).order_by("pk")
    rows = found.values_list(
        *("pk", as_text("client_id"), "judge__pseudonym", "block__segment__number"),
        *("block__segment__document__name", "block__control", "reason", "comment"),
        *("duration_ms", "active_ms", TimeText("created_at"), "is_judged"),
    )
    return rows.iterator(chunk_size=_AT_ONCE)


_ASSIGNMENT: Final[dict[str, Kind]] = {
    "number": int,
    "id": str,
    "hit": int,
    "judge": str,
    "ordinal": int,
    "lent_at": str,
    "lease_ends_at": str,
    "completed_at": str,
    "released_at": str,
}


def _assignments(task: Task, after: int, until: int, _watermark: int) -> Iterator[Sequence[Any]]:
    found = Assignment.objects.filter(hit__task=task, pk__gt=after, pk__lte=until).order_by("pk")
    rows = found.values_list(
        *("pk", as_text("public_id"), "hit__number", "judge__pseudonym", "ordinal"),
        *(TimeText("lease__startswith"), TimeText("lease__endswith")),
        *(TimeText("completed_at"), TimeText("released_at")),
    )
    return rows.iterator(chunk_size=_AT_ONCE)


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


def _texts(task: Task, after: int, until: int, _watermark: int) -> Iterator[Sequence[Any]]:
    outputs = Output.objects.filter(segment=OuterRef("pk"), text__isnull=False).exclude(
        system__kind=SystemKind.BAD_REFERENCE
    )
    said = outputs.order_by("system_id").values(
        said=JSONObject(system="system__name", kind="system__kind", text="text")
    )
    segments = Segment.objects.filter(
        test_set=task.test_set_id, number__gt=after, number__lte=until
    ).order_by("number")
    rows = segments.values_list("document__name", "position", "source_text", ArraySubquery(said))
    for document, position, source, found in rows.iterator(chunk_size=_AT_ONCE):
        references = [each["text"] for each in found if each["kind"] == SystemKind.REFERENCE]
        systems = {
            each["system"]: each["text"] for each in found if each["kind"] != SystemKind.REFERENCE
        }
        yield document, position, source, json_text(references), json_text(systems)


_DESIGN: Final[dict[str, Kind]] = {"id": int, "design": object}


def _designs(task: Task, after: int, until: int, _watermark: int) -> Iterator[Sequence[Any]]:
    found = Design.objects.filter(task=task, pk__gt=after, pk__lte=until).order_by("pk")
    for design in found:
        # As plain data: times and the like become texts, as in answers of REST.
        yield design.pk, json_text(DesignSerializer(design).data)


_EVENT: Final[dict[str, Kind]] = {"id": int, "event": object}


def _activity(task: Task, after: int, until: int, _watermark: int) -> Iterator[Sequence[Any]]:
    campaign = task.test_set.campaign
    events = ActivityEvent.objects.filter(campaign=campaign, pk__lte=until).order_by("pk")
    while portion := list(events.filter(pk__gt=after)[:_AT_ONCE]):
        after = portion[-1].pk
        ids = (event.user_id for event in portion if event.user_id is not None)
        names = users_named(campaign=campaign, ids=ids)
        for event in portion:
            yield event.pk, json_text(event_data(event, names))


_JUDGE: Final[dict[str, Kind]] = {
    "number": int,
    "judge": str,
    "origin": str,
    "languages": object,
}
_NAMED: Final[dict[str, Kind]] = {**_JUDGE, "name": str, "address": str}


def _judges(task: Task, after: int, until: int, _watermark: int) -> Iterator[Sequence[Any]]:
    found = Judge.objects.filter(
        campaign=task.test_set.campaign_id, pk__gt=after, pk__lte=until
    ).order_by("pk")
    return _with_languages(found.values_list("pk", "pseudonym", "origin", "languages"))


def _named_judges(task: Task, after: int, until: int, _watermark: int) -> Iterator[Sequence[Any]]:
    found = Judge.objects.filter(
        campaign=task.test_set.campaign_id, pk__gt=after, pk__lte=until
    ).order_by("pk")
    columns = ("pk", "pseudonym", "origin", "languages", F("user__name"), "address")
    return _with_languages(found.values_list(*columns))


def _with_languages(found: QuerySet[Any, Any]) -> Iterator[Sequence[Any]]:
    for number, judge, origin, languages, *more in found.iterator(chunk_size=_AT_ONCE):
        yield number, judge, origin, json_text(languages), *more


def _of_queryset(
    columns: Mapping[str, Kind],
    found: Callable[[Task], QuerySet[Any, Any]],
    read: Callable[[Task, int, int, int], Iterator[Sequence[Any]]],
    *,
    place: str = "pk",
    count: Callable[[Task], int] | None = None,
) -> Rows:
    return Rows(
        columns=columns,
        last=lambda task: _last(found(task), place),
        count=count or (lambda task: found(task).order_by()[: MOST_COUNTED + 1].count()),
        read=read,
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
        read=_judgments,
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
    "designs": _of_queryset(_DESIGN, lambda task: Design.objects.filter(task=task), _designs),
    "activity": _of_queryset(
        _EVENT,
        lambda task: ActivityEvent.objects.filter(campaign=task.test_set.campaign_id),
        _activity,
    ),
    "judges": _of_queryset(_JUDGE, _all_judges, _judges),
    "named-judges": _of_queryset(_NAMED, _all_judges, _named_judges),
}
