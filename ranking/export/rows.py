"""Read the rows of exports (recorded judgments, skips, assignments, texts, designs, activity, judges).

JSON Lines have them as JSON objects. In a table (CSV, Parquet), each cell is a value: lists over the outputs of a block have a
column for each output, other lists are joined by commas, and an event has a row for each field that changed.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from operator import attrgetter, itemgetter
from typing import Any, Final

from django.db.models import Func, Max, Q, QuerySet, Sum, TextField
from django.utils import timezone
from rest_framework import serializers
from rest_framework.utils.encoders import JSONEncoder

from annotation.api.designs import DesignSerializer
from annotation.api.judgments import JudgmentRecordSerializer, judgments_recorded
from annotation.models import Assignment, Design, Judgment, MachineJudgment
from annotation.models.block import by_candidate
from annotation.protocols.answer_kinds import (
    answer_kind_of,
    numbered_cells,
    numbered_columns,
)
from annotation.selectors.judgment_list import skips_listed
from annotation.selectors.machines import machine_judgments
from annotation.services.numbers import judgments_number
from campaign.export.activity import COLUMNS as ACTIVITY_COLUMNS
from campaign.export.activity import event_data, event_rows
from campaign.models import (
    ActivityEvent,
    Judge,
    Output,
    Reference,
    Segment,
    SystemKind,
    Task,
)
from campaign.models.questions import (
    RESERVED_NAMES,
    Question,
    choices_of,
    questions_stored,
)
from campaign.selectors.activity import users_named
from campaign.selectors.media import has_media
from campaign.selectors.texts import text_lines
from campaign.texts.moments import moment
from campaign.texts.values import joined
from ranking.export.kinds import JUDGE_ANSWERS, MACHINE_JUDGMENTS

#: Larger tables are not counted exactly: pages show “more than” this number.
MOST_COUNTED: Final = 10_000
_AT_ONCE: Final = 500

#: Type of a column.
Kind = type[str] | type[int] | type[bool] | type[float]

Row = Mapping[str, Any]
Columns = Mapping[str, Kind]
Read = Callable[[Task, int, int, int], Iterator[Sequence[Row]]]


@dataclass(frozen=True, slots=True)
class Rows:
    """Rows of a kind of export.

    Attributes
    ----------
    columns : callable
        Returns the name and type of each column of a table, given the task and the largest number of outputs in a block.
    every : callable
        Returns the queryset of all rows of a task.
    read : callable
        Yields the rows of a task, a few hundred at a time, given the task, the positions after and up to which to
        read, and the watermark.
    place : str
        Field with the position of a row.
    counted : callable or None
        Returns the number of rows of a task; None if they must be counted one by one.
    in_table : callable
        Returns the rows of the table for a row, by name of column; by default the row itself.
    """

    columns: Callable[[Task, int], Columns]
    every: Callable[[Task], QuerySet[Any, Any]]
    read: Read
    place: str = "pk"
    counted: Callable[[Task], int] | None = None
    in_table: Callable[[Task, Row], Iterable[Row]] = lambda _task, row: [row]

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

    def read(
        task: Task, after: int, until: int, _watermark: int
    ) -> Iterator[Sequence[Row]]:
        rows = every(task).values_list(*(field for _kind, field in columns.values()))
        for some in _in_parts(rows, after, until, itemgetter(0)):
            yield [dict(zip(columns, values, strict=True)) for values in some]

    kinds = {name: kind for name, (kind, _field) in columns.items()}
    return Rows(lambda _task, _slots: kinds, every, read, **more)


def _in_parts(
    rows: QuerySet[Any, Any],
    after: int,
    until: int,
    key: Callable[[Any], int] = attrgetter("pk"),
) -> Iterator[list[Any]]:
    """Yield rows in the order of keys, a few hundred per query, so that no query stays open for slow readers."""
    rows = rows.filter(pk__lte=until).order_by("pk")
    while some := list(rows.filter(pk__gt=after)[:_AT_ONCE]):
        yield some
        after = key(some[-1])


#: Types of columns by class of the field in REST. Lists and objects are texts.
_KINDS: Final[Mapping[type[serializers.Field[Any, Any, Any, Any]], Kind]] = {
    serializers.BigIntegerField: int,
    serializers.BooleanField: bool,
    serializers.CharField: str,
    serializers.ChoiceField: str,
    serializers.DateTimeField: str,
    serializers.FloatField: float,
    serializers.IntegerField: int,
    serializers.JSONField: str,
    serializers.ListField: str,
    serializers.UUIDField: str,
}
#: Fields of a judgment with a column for each output or for each part of the answer.
_IN_SEVERAL_COLUMNS: Final = ("candidates", "labels", "answer", "played")


def columns_of(serializer: serializers.Serializer[Any]) -> Columns:
    """Return the columns of the fields of REST. Raises TypeError for a class of fields without a type."""
    columns: dict[str, Kind] = {}
    for name, field in serializer.get_fields().items():
        if name in _IN_SEVERAL_COLUMNS:
            columns[name] = str
        elif type(field) in _KINDS:
            columns[name] = _KINDS[type(field)]
        else:
            field_class = type(field).__name__
            raise TypeError(
                f"Exports have no type for the field {name} ({field_class}). Add the class to ranking/export/rows.py."
            )
    return columns


#: The fields of a judgment in REST.
_JUDGMENT: Final = columns_of(JudgmentRecordSerializer())


#: The fields of a machine's judgment.
_MACHINE_JUDGMENT: Final[Columns] = {
    "number": int,
    "id": str,
    "machine": str,
    "version": str,
    "segment": int,
    "document": str,
    "candidates": str,
    "labels": str,
    "answer": str,
    "part": int,
    "is_reversed": bool,
    "skip_reason": str,
    "duration_ms": int,
    "comment": str,
    "submitted_at": str,
}


def _judgment_columns(fields: Columns, task: Task, slots: int) -> Columns:
    answers = answer_kind_of(task)
    count = min(slots, answers.candidates[-1])
    columns: dict[str, Kind] = {}
    for name, kind in fields.items():
        if name == "candidates":
            columns |= numbered_columns("candidate", str, count)
        elif name == "labels":
            columns |= numbered_columns("label", int, count)
        elif name == "answer":
            columns |= answers.cell_kinds(count)
        elif name == "played":
            if has_media(task.test_set.campaign):
                columns |= numbered_columns("played", float, count)
        else:
            columns[name] = kind
    return columns


def _judgment_in_table(fields: Columns, task: Task, row: Row) -> list[Row]:
    """Return a judgment with a column for each output and for each part of the answer."""
    flat = {name: value for name, value in row.items() if name in fields}
    flat |= numbered_cells(
        "candidate", [joined(systems) for systems in row["candidates"]]
    )
    flat |= numbered_cells("label", row["labels"])
    flat |= numbered_cells("played", row.get("played") or [])
    if row["answer"] is not None:
        flat |= answer_kind_of(task).cells(row["answer"])
    return [flat]


def _judgments(
    task: Task, after: int, until: int, watermark: int
) -> Iterator[Sequence[Row]]:
    """Yield the judgments with these numbers; they are current unless one up to the watermark supersedes them."""
    for start in range(after, until, _AT_ONCE):
        numbers = task.judgment_numbers.filter(
            number__gt=start, number__lte=min(start + _AT_ONCE, until)
        )
        with timezone.override(UTC):
            some = judgments_recorded(
                list(numbers.order_by("number")), task=task, until=watermark
            )
        # Outside the override, so that the caller's time zone does not change.
        for row in some:
            row["submitted_at"] = moment(datetime.fromisoformat(row["submitted_at"]))
        yield some


def _machine_judgments(
    task: Task, after: int, until: int, _watermark: int
) -> Iterator[Sequence[Row]]:
    for some in _in_parts(machine_judgments(task_id=task.pk), after, until):
        shown = set()
        for answer in some:
            for output in answer.outputs:
                shown.add(output)
        names = dict(
            Output.objects.filter(pk__in=shown).values_list("pk", "system__name")
        )
        yield [_machine_judgment(answer, names) for answer in some]


def _machine_judgment(answer: MachineJudgment, systems: Mapping[int, str]) -> Row:
    candidates = by_candidate(
        [systems[output] for output in answer.outputs], answer.stands_for
    )
    return {
        "number": answer.pk,
        "id": str(answer.client_id),
        "machine": answer.machine.name,
        "version": answer.machine.version,
        "segment": answer.segment.number,
        "document": answer.segment.document.name,
        "candidates": candidates,
        "labels": answer.labels,
        "answer": answer.answer,
        "part": answer.part,
        "is_reversed": answer.is_reversed,
        "skip_reason": answer.skip_reason,
        "duration_ms": answer.duration_ms,
        "comment": answer.comment,
        "submitted_at": moment(answer.submitted_at),
    }


def _texts(
    task: Task, after: int, until: int, _watermark: int
) -> Iterator[Sequence[Row]]:
    lines = text_lines(task=task, after=after, until=until)
    while some := list(islice(lines, _AT_ONCE)):
        yield some


_TEXTS: Final[Columns] = {"document": str, "segment": int, "source": str}


def _text_columns(task: Task, _slots: int) -> Columns:
    """Return the columns of the TSV format of test sets."""
    test_set = task.test_set
    references = Reference.objects.filter(segment__test_set=test_set)
    most = references.aggregate(most=Max("number"))["most"] or 0
    systems = test_set.systems.filter(kind=SystemKind.SYSTEM).order_by("name")
    names = [*map(_reference, range(1, most + 1))]
    names += [_system(name) for name in systems.values_list("name", flat=True)]
    return {**_TEXTS, **dict.fromkeys(names, str)}


def _text_in_table(_task: Task, row: Row) -> list[Row]:
    flat = {name: row[name] for name in _TEXTS}
    flat |= {
        _reference(number): text for number, text in enumerate(row["references"], 1)
    }
    flat |= {_system(name): text for name, text in row["outputs"].items()}
    return [flat]


def _reference(number: int) -> str:
    if number == 1:
        return "reference"
    return f"reference{number}"


def _system(name: str) -> str:
    """Return the column of a system, which no other column has."""
    if name.lower() in _TEXTS or name.startswith("reference"):
        return f"{name} (system)"
    return name


#: The fields of a design in REST.
_DESIGN: Final = columns_of(DesignSerializer())


def _designs(
    task: Task, after: int, until: int, _watermark: int
) -> Iterator[Sequence[Row]]:
    designs = Design.objects.filter(task=task).select_related(
        "judge_group", "changed_by"
    )
    for some in _in_parts(designs, after, until):
        yield [
            {**DesignSerializer(design).data, "created_at": moment(design.created_at)}
            for design in some
        ]


def _activity(
    task: Task, after: int, until: int, _watermark: int
) -> Iterator[Sequence[Row]]:
    campaign = task.test_set.campaign
    for some in _in_parts(
        ActivityEvent.objects.filter(campaign=campaign), after, until
    ):
        ids = {each.user_id for each in some if each.user_id is not None}
        names = users_named(campaign=campaign, ids=ids)
        yield [event_data(each, names) for each in some]


def _all_judges(task: Task) -> QuerySet[Judge]:
    return Judge.objects.filter(campaign=task.test_set.campaign_id)


_JUDGE: Final[dict[str, tuple[Kind, str]]] = {
    "number": (int, "pk"),
    "judge": (str, "pseudonym"),
    "origin": (str, "origin"),
    "languages": (str, "languages"),
}

#: Names of the questions whose answers were given to an earlier version.
_EARLIER_WORDING: Final = "earlier_wording"


def _asked_judges(task: Task) -> QuerySet[Judge]:
    """Return the persons, and imported judges whose log has answers."""
    return _all_judges(task).filter(Q(origin=Judge.Origin.PERSON) | ~Q(answers={}))


def _answer_columns(task: Task, _slots: int) -> Columns:
    """Return a column for each question, deleted ones with answers at the end."""
    names = [entry["name"] for entry in task.test_set.campaign.questions]
    answered = _asked_judges(task).annotate(name=_AnsweredNames("answers"))
    names += sorted(answered.order_by().values_list("name", flat=True).distinct())
    return {
        "number": int,
        "judge": str,
        **dict.fromkeys(names, str),
        _EARLIER_WORDING: str,
    }


class _AnsweredNames(Func):
    """Names of the questions that a judge was asked, each in a row."""

    function = "jsonb_object_keys"
    output_field = TextField()
    set_returning = True


def _judge_answers(
    task: Task, after: int, until: int, _watermark: int
) -> Iterator[Sequence[Row]]:
    questions = questions_stored(task.test_set.campaign.questions)
    names = [name for name in _answer_columns(task, 0) if name not in RESERVED_NAMES]
    for some in _in_parts(_asked_judges(task), after, until):
        yield [_answers_of(judge, names, questions) for judge in some]


def _answers_of(
    judge: Judge, names: Sequence[str], questions: Sequence[Question]
) -> Row:
    row = {"number": judge.pk, "judge": judge.pseudonym, **dict.fromkeys(names)}
    for name, answer in judge.answers.items():
        row[name] = answer["value"]
    row[_EARLIER_WORDING] = [
        question.name
        for question in questions
        if row[question.name] is not None
        and not question.is_answered_by(judge.answers[question.name])
    ]
    return row


def _answers_in_table(_task: Task, row: Row) -> list[Row]:
    """Return the answers with `yes` and `no` for consents, and a line for each of several choices, which may have commas."""
    return [
        {
            name: "\n".join(choices_of(value))
            if isinstance(value, bool | list)
            else value
            for name, value in row.items()
        }
    ]


#: By name of the kind.
ROWS: Final[Mapping[str, Rows]] = {
    "judgments": Rows(
        partial(_judgment_columns, _JUDGMENT),
        lambda task: Judgment.objects.of(task.pk),
        _judgments,
        counted=lambda task: judgments_number(task_id=task.pk),
        in_table=partial(_judgment_in_table, _JUDGMENT),
    ),
    MACHINE_JUDGMENTS: Rows(
        partial(_judgment_columns, _MACHINE_JUDGMENT),
        lambda task: machine_judgments(task_id=task.pk),
        _machine_judgments,
        in_table=partial(_judgment_in_table, _MACHINE_JUDGMENT),
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
        counted=lambda task: int(
            task.accounts.aggregate(lent=Sum("hits_lent"))["lent"] or 0
        ),
    ),
    "texts": Rows(
        _text_columns,
        lambda task: Segment.objects.filter(test_set=task.test_set_id),
        _texts,
        place="number",
        in_table=_text_in_table,
    ),
    "designs": Rows(
        lambda _task, _slots: _DESIGN,
        lambda task: Design.objects.filter(task=task),
        _designs,
    ),
    "activity": Rows(
        lambda _task, _slots: ACTIVITY_COLUMNS,
        lambda task: ActivityEvent.objects.filter(campaign=task.test_set.campaign_id),
        _activity,
        in_table=lambda _task, row: event_rows(row),
    ),
    "judges": _table(_JUDGE, _all_judges),
    JUDGE_ANSWERS: Rows(
        _answer_columns, _asked_judges, _judge_answers, in_table=_answers_in_table
    ),
    "named-judges": _table(
        {**_JUDGE, "name": (str, "user__name"), "email": (str, "address")}, _all_judges
    ),
}


class _Encoder(JSONEncoder):
    """Write times as in tables, all in one form."""

    def default(self, obj: Any) -> Any:
        if isinstance(obj, datetime):
            return moment(obj)
        return super().default(obj)


def json_line(row: Row) -> str:
    """Return a row as a line of JSON."""
    return json.dumps(row, ensure_ascii=False, cls=_Encoder) + "\n"


def rows_in_table(
    export_rows: Rows, task: Task, columns: Columns, row: Row
) -> Iterator[list[Any]]:
    """Yield the cells of each row of a table for a row."""
    for flat in export_rows.in_table(task, row):
        yield [_cell(kind, flat.get(name)) for name, kind in columns.items()]


def _cell(kind: Kind, value: Any) -> Any:
    if value is None or kind is not str:
        return value
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, list | tuple):
        return joined(value)
    return str(value)
