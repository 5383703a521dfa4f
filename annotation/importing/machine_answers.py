"""Store the answers of machine judges that files hold, apart from those of people."""

import json
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final
from uuid import UUID, uuid4

from django.core.serializers.json import DjangoJSONEncoder
from django.db import transaction
from django.db.models import Q

from annotation.importing.answer_rows import AnswerRow, AnswerWriter, imported_judges
from annotation.models import Judgment, MachineJudgment, SkipReason
from annotation.protocols.answer_kinds import answer_kind_of, answers_read
from campaign.database.many_rows import constraints_check_now
from campaign.formats import FormatError
from campaign.formats.records import FileMachine
from campaign.formats.repeats import COUNTED_ONCE, REPLACED
from campaign.importing.errors import ImportRefusedError
from campaign.models import Judge, MachineJudge, Task, User
from campaign.services.machines import (
    MachineRefusedError,
    MachineTerms,
    machine_ensure,
)

#: Loss: a stored answer to outputs in an order, and in reverse order, stays.
DIFFERING: Final = "answers of a machine judge that differ from the stored one"


#: Fields that tell whether an answer is new.
_COMPARED: Final = (
    "machine",
    "segment",
    "part",
    "outputs",
    "is_reversed",
    "labels",
    "answer",
    "skip_reason",
)


@dataclass(frozen=True, slots=True)
class _Question:
    """Identify what a machine judge answers once: outputs of a segment in a pass, in one order or in reverse."""

    machine: int
    segment: int
    part: int
    outputs: frozenset[int]
    is_reversed: bool

    @classmethod
    def of(cls, row: MachineJudgment) -> "_Question":
        """Return the question that is answered."""
        outputs = frozenset(row.outputs)
        return cls(row.machine_id, row.segment_id, row.part, outputs, row.is_reversed)


class MachineAnswers:
    """Store answers of machine judges; used inside one transaction.

    Attributes
    ----------
    client_ids : set of UUID
        The ids of the answers so far that others can be about.
    new, already_there, differing : int
        Numbers of answers and skips stored now, stored before, and left out because others are stored.
    added : int
        Number of machine judges added.
    """

    def __init__(self, task: Task, author: str, by: User | None = None) -> None:
        """Prepare to store the answers that are named after machine judges, or all as those of `author`.

        Machine judges are added by the user `by`.
        """
        self._task = task
        self._author = author
        self._by = by
        machines = MachineJudge.objects.filter(campaign=task.test_set.campaign_id)
        self._by_name = {str(machine): machine for machine in machines}
        if author and author not in self._by_name:
            remedy = "add it first"
            if self._by_name:
                remedy = f"add it, or choose one of {', '.join(self._by_name)}"
            raise ImportRefusedError(f'the machine judge "{author}" is unknown', remedy)
        self._can_be_about = bool(answer_kind_of(task).about_column)
        #: The answers and skips of the files, with their rows, that are to be stored.
        self._given: dict[_Question, tuple[AnswerRow, MachineJudgment]] = {}
        self._replaced_skips: list[MachineJudgment] = []
        self.client_ids: set[UUID] = set()
        self.new = self.already_there = self.differing = self.added = 0

    def describe(self, file: str, described: Iterable[FileMachine]) -> None:
        """Add the machine judges that a file describes and the campaign does not have, without tokens.

        Raises FormatError if one has other terms, or the name of a person.
        """
        if self._author:
            return
        for machine_of_file in described:
            terms = MachineTerms(
                name=machine_of_file.name,
                version=machine_of_file.version,
                prompt=machine_of_file.prompt or "",
                settings=machine_of_file.settings or "",
                asked_twice=bool(machine_of_file.asked_twice),
            )
            try:
                machine, is_new = machine_ensure(
                    campaign=self._task.test_set.campaign,
                    by=self._by,
                    terms=terms,
                )
            except MachineRefusedError as error:
                raise FormatError(
                    file,
                    str(error).rstrip("."),
                    "correct the file",
                    line=machine_of_file.line,
                    field="judge" if error.field == "name" else error.field,
                ) from error
            self._by_name[str(machine)] = machine
            self.added += is_new

    def namesake(self, judges: Collection[str]) -> MachineJudge | None:
        """Return a machine judge with the name of one of these judges, none of whom is stored yet; None if there is none."""
        machines = {machine.name: machine for machine in self._by_name.values()}
        names = machines.keys() & set(judges)
        if not names:
            return None
        people = Judge.objects.filter(campaign=self._task.test_set.campaign_id)
        stored_names = people.filter(pseudonym__in=names).values_list(
            "pseudonym",
            flat=True,
        )
        new_names = sorted(names - set(stored_names))
        if not new_names:
            return None
        return machines[new_names[0]]

    def author(self, judge: str) -> MachineJudge | None:
        """Return the machine judge that gave the answers of a judge in a file; None if they are a person's."""
        return self._by_name.get(self._author or judge)

    def take(
        self,
        rows: Sequence[AnswerRow],
        people: AnswerWriter,
        lose: Callable[[AnswerRow, str], None],
    ) -> None:
        """Take the rows whose question has no stored answer yet, until `store`; `lose` receives others, and what they are.

        `people` has written the answers of people that these may be about. Locks the machine judges. Raises
        FormatError if two answers differ and without times it is unclear which is later.
        """
        if not rows:
            return
        judgments = self._unsaved_judgments(rows, people)
        stored = self._stored_answers(judgments)
        for row, judgment in zip(rows, judgments, strict=True):
            judgment.is_reversed = self._is_reversed(row, judgment, stored)
            question = _Question.of(judgment)
            if question in self._given:
                self._take_again(question, row, judgment, lose)
                continue
            earlier = stored.get(question)
            if earlier is None or (earlier.skip_reason and not judgment.skip_reason):
                self._given[question] = (row, judgment)
            elif _content(earlier) == _content(judgment):
                self.already_there += 1
            else:
                self.differing += 1
                lose(row, DIFFERING)
        if self._can_be_about:
            self.client_ids.update(row.client_id for row in rows)

    def _is_reversed(
        self,
        row: AnswerRow,
        judgment: MachineJudgment,
        stored: Mapping[_Question, MachineJudgment],
    ) -> bool:
        """Return whether a row shows outputs in reverse order of the first answer about them."""
        judgment.is_reversed = False
        question = _Question.of(judgment)
        first = stored.get(question)
        if first is None and question in self._given:
            _row, first = self._given[question]
        in_reverse = list(chain.from_iterable(row.subject.outputs[::-1]))
        return first is not None and first.outputs == in_reverse != judgment.outputs

    def _take_again(
        self,
        question: _Question,
        row: AnswerRow,
        judgment: MachineJudgment,
        lose: Callable[[AnswerRow, str], None],
    ) -> None:
        """Take an answer to a question that the files answered before: the later one counts."""
        earlier_row, earlier = self._given[question]
        if earlier.skip_reason and not judgment.skip_reason:
            self._replaced_skips.append(earlier)
            self._given[question] = (row, judgment)
        elif _content(earlier) == _content(judgment):
            lose(row, COUNTED_ONCE)
        elif not judgment.skip_reason:
            if None in (earlier_row.time, row.time) or earlier_row.time == row.time:
                raise FormatError(
                    row.file,
                    f"the answer of the machine judge differs from that in {earlier_row.location},"
                    " and without times it is unclear which is later",
                    "keep the answer that counts",
                    line=row.line,
                )
            if (row.time or 0) > (earlier_row.time or 0):
                self._given[question] = (row, judgment)
                lose(earlier_row, REPLACED)
            else:
                lose(row, REPLACED)
        else:
            lose(row, REPLACED)

    def store(self) -> None:
        """Store the answers and skips taken."""
        given = [judgment for _row, judgment in self._given.values()]
        self.new = len(given) + len(self._replaced_skips)
        MachineJudgment.objects.bulk_create([*self._replaced_skips, *given])
        # Whatever is wrong is an error of this import, not of what follows in its transaction.
        constraints_check_now()

    def _unsaved_judgments(
        self,
        rows: Sequence[AnswerRow],
        people: AnswerWriter,
    ) -> list[MachineJudgment]:
        """Return the answers and skips of rows, not saved, with the content that the same answers of people have.

        They are stored as a person's and removed again, so they pass the same checks of the database. Raises
        IntegrityError and DataError.
        """
        with transaction.atomic():
            name = str(uuid4())
            judges = imported_judges(
                campaign_id=self._task.test_set.campaign_id,
                pseudonyms=[name],
            )
            writer = AnswerWriter(self._task, judgments=people.judgments)
            judged_rows = []
            for row in rows:
                judged_rows.append(replace(row, judge=judges[name]))
            writer.write(judged_rows)
            judgments = Judgment.objects.filter(judge=judges[name])
            by_id = {judgment.client_id: judgment for judgment in judgments}
            answers = answers_read(
                self._task.protocol,
                [stored.pk for stored in judgments],
            )
            transaction.set_rollback(True)
        judgments_of_rows = []
        for row in rows:
            judgments_of_rows.append(
                self._judgment(row, by_id.get(row.client_id), answers),
            )
        return judgments_of_rows

    def _judgment(
        self,
        row: AnswerRow,
        judgment: Judgment | None,
        answers: Mapping[int, Any],
    ) -> MachineJudgment:
        answer = None
        if judgment is not None:
            answer = answers.get(judgment.pk)
        return MachineJudgment(
            client_id=row.client_id,
            machine_id=row.judge,
            task=self._task,
            segment_id=row.subject.segment,
            part=row.part,
            outputs=list(row.outputs),
            stands_for=row.stands_for and list(row.stands_for),
            labels=[] if judgment is None else judgment.labels,
            # As the database returns it.
            answer=json.loads(json.dumps(answer, cls=DjangoJSONEncoder)),
            skip_reason="" if judgment else row.skip_reason or SkipReason.NOT_STATED,
            duration_ms=row.duration_ms,
            comment=row.comment,
            submitted_at=row.submitted_at,
        )

    def _stored_answers(
        self,
        judgments: Sequence[MachineJudgment],
    ) -> dict[_Question, MachineJudgment]:
        """Return the stored answers of these machine judges, each about the segments it answers here, and skips without an answer."""
        machines = {judgment.machine_id for judgment in judgments}
        # As `machine_judgment_submit` does.
        list(
            MachineJudge.objects.select_for_update(no_key=True).filter(pk__in=machines),
        )
        segments: dict[tuple[int, int], set[int]] = defaultdict(set)
        for judgment in judgments:
            segments[judgment.machine_id, judgment.part].add(judgment.segment_id)
        of_machines = Q()
        for (machine, part), answered in segments.items():
            of_machines |= Q(machine=machine, part=part, segment__in=answered)
        rows = MachineJudgment.objects.filter(of_machines, task=self._task)
        rows = rows.only(*_COMPARED).order_by("pk")
        # Answers replace earlier skips.
        return {_Question.of(row): row for row in rows}


def _content(judgment: MachineJudgment) -> tuple[list[int], list[int | None], Any]:
    return judgment.outputs, judgment.labels, judgment.answer
