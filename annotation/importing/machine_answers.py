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
from campaign.importing.errors import ImportRefusedError
from campaign.models import Judge, MachineJudge, Task, User
from campaign.services.machines import (
    MachineRefusedError,
    MachineTerms,
    machine_ensure,
)

#: Loss: only the first answer to outputs in an order, and in reverse order, is stored.
DIFFERING: Final = "further answers of a machine judge about the same outputs"


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
    new, already_there : int
        Numbers of answers and skips stored now, and stored before.
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
        self.client_ids: set[UUID] = set()
        self.new = self.already_there = self.added = 0

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

    def store(
        self,
        rows: Sequence[AnswerRow],
        people: AnswerWriter,
        lose: Callable[[AnswerRow], None],
    ) -> None:
        """Store the rows whose question has no answer yet; `lose` receives those that differ from it.

        `people` has written the answers of people that these may be about. Locks the machine judges.
        """
        if not rows:
            return
        judgments = self._unsaved_judgments(rows, people)
        stored = self._stored_answers(judgments)
        new = []
        for row, judgment in zip(rows, judgments, strict=True):
            judgment.is_reversed = _is_reversed(row, judgment, stored)
            question = _Question.of(judgment)
            earlier = stored.get(question)
            if earlier is None or (earlier.skip_reason and not judgment.skip_reason):
                stored[question] = judgment
                new.append(judgment)
            elif _content(earlier) != _content(judgment):
                lose(row)
        MachineJudgment.objects.bulk_create(new)
        # The rollback of the next batch would leave them to be checked again by each batch after it.
        constraints_check_now()
        self.new += len(new)
        self.already_there += len(rows) - len(new)
        if self._can_be_about:
            self.client_ids.update(row.client_id for row in rows)

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


def _is_reversed(
    row: AnswerRow,
    judgment: MachineJudgment,
    stored: Mapping[_Question, MachineJudgment],
) -> bool:
    """Return whether a row shows outputs in reverse order of the first answer about them."""
    judgment.is_reversed = False
    first = stored.get(_Question.of(judgment))
    in_reverse = list(chain.from_iterable(row.subject.outputs[::-1]))
    return first is not None and first.outputs == in_reverse != judgment.outputs


def _content(judgment: MachineJudgment) -> tuple[list[int], list[int | None], Any]:
    return judgment.outputs, judgment.labels, judgment.answer
