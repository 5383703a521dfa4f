"""Read the rows of exports (recorded judgments, skips, assignments, texts, designs, activity, judges).

JSON Lines have them as JSON objects. In a table (CSV, Parquet), each cell is a value: lists over the outputs of a block have a
column for each output, other lists are joined by commas, and an event has a row for each field that changed.
"""

import json
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice
from operator import attrgetter, itemgetter
from typing import Any, Final

from django.db.models import Func, Max, Q, QuerySet, Sum, TextField, Value
from django.utils import timezone
from rest_framework import serializers
from rest_framework.utils.encoders import JSONEncoder

from annotation.api.designs import DesignSerializer
from annotation.api.judgments import JudgmentRecordSerializer, judgments_recorded
from annotation.models import Assignment, Design, Judgment, MachineJudgment
from annotation.models.block import by_candidate
from annotation.protocols.answer_kinds import (
    AnswerKind,
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
    MachineJudge,
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
from ranking.export.kinds import JUDGE_ANSWERS, MACHINE_JUDGMENTS, MACHINES

#: Larger tables are not counted exactly: pages show “more than” this number.
MOST_COUNTED: Final = 10_000
_AT_ONCE: Final = 500

#: Type of a column.
Kind = type[str] | type[int] | type[bool] | type[float]

Row = Mapping[str, Any]
Columns = Mapping[str, Kind]


@dataclass(frozen=True, slots=True)
class Part:
    """The positions after and up to which rows are read, and the watermark."""

    after: int
    until: int
    watermark: int


class Rows(ABC):
    """Rows of a kind of export.

    Attributes
    ----------
    position : str
        Field with the position of a row.
    is_counted : bool
        Whether the number of rows is known without counting them one by one.
    """

    position = "pk"
    is_counted = False

    @abstractmethod
    def columns(self, task: Task, slots: int) -> Columns:
        """Return the name and type of each column of a table, given the largest number of outputs in a block."""

    @abstractmethod
    def every(self, task: Task) -> QuerySet[Any, Any]:
        """Return all rows of a task."""

    @abstractmethod
    def read(self, task: Task, part: Part) -> Iterator[Sequence[Row]]:
        """Yield the rows of a part, a few hundred at a time."""

    def in_table(self, task: Task, row: Row) -> Iterable[Row]:
        """Return the rows of the table for a row, by name of column; by default the row itself."""
        del task
        return [row]

    def last(self, task: Task) -> int:
        """Return the position of the last row, 0 without rows."""
        rows = self.every(task).order_by()
        return int(rows.aggregate(last=Max(self.position))["last"] or 0)

    def count(self, task: Task) -> int:
        """Return the number of rows; counted one by one, at most `MOST_COUNTED` + 1."""
        return self.every(task).order_by()[: MOST_COUNTED + 1].count()


class _QueriedRows(Rows):
    """Rows read by one query in the order of keys; `fields` are types and fields of the columns, the key first."""

    fields: Mapping[str, tuple[Kind, str]]

    def columns(self, task: Task, slots: int) -> Columns:
        del task, slots
        return {name: kind for name, (kind, _field) in self.fields.items()}

    def read(self, task: Task, part: Part) -> Iterator[Sequence[Row]]:
        names = [field for _kind, field in self.fields.values()]
        rows = self.every(task).values_list(*names)
        for some in _row_batches(rows, part, itemgetter(0)):
            yield [dict(zip(self.fields, values, strict=True)) for values in some]


def _row_batches(
    rows: QuerySet[Any, Any],
    part: Part,
    key: Callable[[Any], int] = attrgetter("pk"),
) -> Iterator[list[Any]]:
    """Yield rows in the order of keys, a few hundred per query, so that no query stays open for slow readers."""
    rows = rows.filter(pk__lte=part.until).order_by("pk")
    after = part.after
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
                f"Exports have no type for the field {name} ({field_class}). Add the class to ranking/export/rows.py.",
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


class _AnswerRows(Rows):
    """Judgments, with a column for each output and for each part of the answer; `fields` are the others."""

    fields: Columns

    def columns(self, task: Task, slots: int) -> Columns:
        answers = answer_kind_of(task)
        count = min(slots, answers.candidates[-1])
        columns: dict[str, Kind] = {}
        for name, kind in self.fields.items():
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

    def in_table(self, task: Task, row: Row) -> list[Row]:
        cells = {name: value for name, value in row.items() if name in self.fields}
        cells |= numbered_cells("candidate", list(map(joined, row["candidates"])))
        cells |= numbered_cells("label", row["labels"])
        cells |= numbered_cells("played", row.get("played") or [])
        if row["answer"] is not None:
            cells |= answer_kind_of(task).cells(row["answer"])
        return [cells]


class _Judgments(_AnswerRows):
    """Judgments with their numbers; they are current unless one up to the watermark supersedes them."""

    fields = _JUDGMENT
    is_counted = True

    def every(self, task: Task) -> QuerySet[Judgment]:
        return Judgment.objects.of(task.pk)

    def count(self, task: Task) -> int:
        return judgments_number(task_id=task.pk)

    def read(self, task: Task, part: Part) -> Iterator[Sequence[Row]]:
        for start in range(part.after, part.until, _AT_ONCE):
            end = min(start + _AT_ONCE, part.until)
            numbers = task.judgment_numbers.filter(number__gt=start, number__lte=end)
            with timezone.override(UTC):
                some = judgments_recorded(
                    list(numbers.order_by("number")),
                    task=task,
                    until=part.watermark,
                )
            # Outside the override, so that the caller's time zone does not change.
            for row in some:
                submitted_at = datetime.fromisoformat(row["submitted_at"])
                row["submitted_at"] = moment(submitted_at)
            yield some


class _MachineJudgments(_AnswerRows):
    fields = _MACHINE_JUDGMENT

    def every(self, task: Task) -> QuerySet[MachineJudgment]:
        return machine_judgments(task_id=task.pk)

    def read(self, task: Task, part: Part) -> Iterator[Sequence[Row]]:
        kind = answer_kind_of(task)
        for some in _row_batches(self.every(task), part):
            output_ids: set[int] = set()
            for answer in some:
                output_ids.update(answer.outputs)
            outputs = Output.objects.filter(pk__in=output_ids)
            names = dict(outputs.values_list("pk", "system__name"))
            yield [_machine_judgment(answer, names, kind) for answer in some]


def _machine_judgment(
    answer: MachineJudgment,
    systems: Mapping[int, str],
    kind: AnswerKind,
) -> Row:
    candidates = by_candidate(
        [systems[output] for output in answer.outputs],
        answer.stands_for,
    )
    return {
        "number": answer.pk,
        "id": str(answer.client_id),
        "machine": answer.machine.name,
        "version": answer.machine.version,
        "segment": answer.segment.number,
        "document": answer.segment.document.name,
        "candidates": candidates,
        "labels": list(kind.ranks(answer.labels)),
        "answer": answer.answer,
        "part": answer.part,
        "is_reversed": answer.is_reversed,
        "skip_reason": answer.skip_reason,
        "duration_ms": answer.duration_ms,
        "comment": answer.comment,
        "submitted_at": moment(answer.submitted_at),
    }


_TEXTS: Final[Columns] = {"document": str, "segment": int, "source": str}


class _Texts(Rows):
    """Texts, in the columns of the TSV format of test sets."""

    position = "number"

    def columns(self, task: Task, slots: int) -> Columns:
        del slots
        test_set = task.test_set
        references = Reference.objects.filter(segment__test_set=test_set)
        most = references.aggregate(most=Max("number"))["most"] or 0
        systems = test_set.systems.filter(kind=SystemKind.SYSTEM).order_by("name")
        names = [*map(_reference, range(1, most + 1))]
        names += map(_system, systems.values_list("name", flat=True))
        return {**_TEXTS, **dict.fromkeys(names, str)}

    def every(self, task: Task) -> QuerySet[Segment]:
        return Segment.objects.filter(test_set=task.test_set_id)

    def read(self, task: Task, part: Part) -> Iterator[Sequence[Row]]:
        lines = text_lines(task=task, after=part.after, until=part.until)
        while some := list(islice(lines, _AT_ONCE)):
            yield some

    def in_table(self, task: Task, row: Row) -> list[Row]:
        del task
        cells = {name: row[name] for name in _TEXTS}
        for number, text in enumerate(row["references"], 1):
            cells[_reference(number)] = text
        for name, text in row["outputs"].items():
            cells[_system(name)] = text
        return [cells]


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


class _Designs(Rows):
    def columns(self, task: Task, slots: int) -> Columns:
        del task, slots
        return _DESIGN

    def every(self, task: Task) -> QuerySet[Design]:
        return Design.objects.filter(task=task)

    def read(self, task: Task, part: Part) -> Iterator[Sequence[Row]]:
        designs = self.every(task).select_related("judge_group", "changed_by")
        for some in _row_batches(designs, part):
            rows = []
            for design in some:
                created_at = moment(design.created_at)
                rows.append({**DesignSerializer(design).data, "created_at": created_at})
            yield rows


class _Activity(Rows):
    """Events, with a row of the table for each field that changed."""

    def columns(self, task: Task, slots: int) -> Columns:
        del task, slots
        return ACTIVITY_COLUMNS

    def every(self, task: Task) -> QuerySet[ActivityEvent]:
        return ActivityEvent.objects.filter(campaign=task.test_set.campaign_id)

    def read(self, task: Task, part: Part) -> Iterator[Sequence[Row]]:
        campaign = task.test_set.campaign
        for some in _row_batches(self.every(task), part):
            ids = {event.user_id for event in some} - {None}
            names = users_named(campaign=campaign, ids=ids)
            yield [event_data(event, names) for event in some]

    def in_table(self, task: Task, row: Row) -> Iterable[Row]:
        del task
        return event_rows(row)


_JUDGE: Final[dict[str, tuple[Kind, str]]] = {
    "number": (int, "pk"),
    "judge": (str, "pseudonym"),
    "origin": (str, "origin"),
    "languages": (str, "languages"),
}


class _Judges(_QueriedRows):
    fields = _JUDGE

    def every(self, task: Task) -> QuerySet[Judge]:
        return Judge.objects.filter(campaign=task.test_set.campaign_id)


class _Machines(_QueriedRows):
    fields = {
        "number": (int, "pk"),
        "name": (str, "name"),
        "machine": (bool, "machine"),
        "version": (str, "version"),
        "prompt": (str, "prompt"),
        "settings": (str, "settings"),
        "asked_twice": (bool, "asked_twice"),
        "created_at": (str, "created_at"),
        "withdrawn_at": (str, "withdrawn_at"),
    }

    def every(self, task: Task) -> QuerySet[MachineJudge]:
        machines = MachineJudge.objects.filter(campaign=task.test_set.campaign_id)
        return machines.annotate(machine=Value(True))


class _NamedJudges(_Judges):
    fields = {**_JUDGE, "name": (str, "user__name"), "email": (str, "address")}


#: Names of the questions whose answers were given to an earlier version.
_EARLIER_WORDING: Final = "earlier_wording"


class _JudgeAnswers(Rows):
    """Persons, and imported judges whose log has answers, with a column for each question."""

    def columns(self, task: Task, slots: int) -> Columns:
        """Return a column for each question, deleted ones with answers at the end."""
        del slots
        names = [entry["name"] for entry in task.test_set.campaign.questions]
        answered = self.every(task).annotate(name=_AnsweredNames("answers"))
        names += sorted(answered.order_by().values_list("name", flat=True).distinct())
        return {
            "number": int,
            "judge": str,
            **dict.fromkeys(names, str),
            _EARLIER_WORDING: str,
        }

    def every(self, task: Task) -> QuerySet[Judge]:
        judges = Judge.objects.filter(campaign=task.test_set.campaign_id)
        return judges.filter(Q(origin=Judge.Origin.PERSON) | ~Q(answers={}))

    def read(self, task: Task, part: Part) -> Iterator[Sequence[Row]]:
        questions = questions_stored(task.test_set.campaign.questions)
        columns = self.columns(task, 0)
        names = [name for name in columns if name not in RESERVED_NAMES]
        for some in _row_batches(self.every(task), part):
            yield [_answers_of(judge, names, questions) for judge in some]

    def in_table(self, task: Task, row: Row) -> list[Row]:
        """Return the answers with `yes` and `no` for consents, and a line for each of several choices, which may have commas."""
        del task
        cells = dict(row)
        for name, value in row.items():
            if isinstance(value, bool | list):
                cells[name] = "\n".join(choices_of(value))
        return [cells]


class _AnsweredNames(Func):
    """Names of the questions that a judge was asked, each in a row."""

    function = "jsonb_object_keys"
    output_field = TextField()
    set_returning = True


def _answers_of(
    judge: Judge,
    names: Sequence[str],
    questions: Sequence[Question],
) -> Row:
    row = {"number": judge.pk, "judge": judge.pseudonym, **dict.fromkeys(names)}
    for name, answer in judge.answers.items():
        row[name] = answer["value"]
    outdated = []
    for question in questions:
        name = question.name
        if row[name] is not None and not question.is_answered_by(judge.answers[name]):
            outdated.append(name)
    row[_EARLIER_WORDING] = outdated
    return row


class _Skips(_QueriedRows):
    fields = {
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
    }

    def every(self, task: Task) -> QuerySet[Any, Any]:
        return skips_listed(task=task)


class _Assignments(_QueriedRows):
    fields = {
        "number": (int, "pk"),
        "id": (str, "public_id"),
        "hit": (int, "hit__number"),
        "judge": (str, "judge__pseudonym"),
        "ordinal": (int, "ordinal"),
        "lent_at": (str, "lease__startswith"),
        "lease_ends_at": (str, "lease__endswith"),
        "completed_at": (str, "completed_at"),
        "released_at": (str, "released_at"),
    }
    is_counted = True

    def every(self, task: Task) -> QuerySet[Assignment]:
        return Assignment.objects.filter(hit__task=task)

    def count(self, task: Task) -> int:
        # Each assignment is counted in an account of its judge.
        lent = task.accounts.aggregate(lent=Sum("hits_lent"))["lent"]
        return int(lent or 0)


#: By name of the kind.
ROWS: Final[Mapping[str, Rows]] = {
    "judgments": _Judgments(),
    MACHINE_JUDGMENTS: _MachineJudgments(),
    MACHINES: _Machines(),
    "skips": _Skips(),
    "assignments": _Assignments(),
    "texts": _Texts(),
    "designs": _Designs(),
    "activity": _Activity(),
    "judges": _Judges(),
    JUDGE_ANSWERS: _JudgeAnswers(),
    "named-judges": _NamedJudges(),
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
    export_rows: Rows,
    task: Task,
    columns: Columns,
    row: Row,
) -> Iterator[list[Any]]:
    """Yield the cells of each row of a table for a row."""
    for cells in export_rows.in_table(task, row):
        yield [_cell(kind, cells.get(name)) for name, kind in columns.items()]


def _cell(kind: Kind, value: Any) -> Any:
    if value is None or kind is not str:
        return value
    if isinstance(value, datetime):
        return moment(value)
    if isinstance(value, list | tuple):
        return joined(value)
    return str(value)
