"""Write the rows of imported answers: HITs, judges, blocks, judgments, skips, and protocol-specific answers."""

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from itertools import chain
from typing import Any, Final
from uuid import UUID, uuid5

from django.db import connection
from django.db.models.functions import Now

from annotation.importing.answer_subjects import AnswerSubject
from annotation.importing.stored_answers import StoredAnswer
from annotation.models import (
    HIT,
    Block,
    Design,
    HITSequence,
    Judgment,
    Skip,
    SkipReason,
)
from annotation.models.block import stands_for
from annotation.protocols.answer_kinds import answer_kind_of
from campaign.database.many_rows import (
    constraints_check_now,
    pgtrigger_ignore_preset,
    rows_insert,
    table_scans_off,
)
from campaign.database.recording import rows_created
from campaign.models import Judge, MachineJudge, Task
from campaign.texts.counted import counted

#: Maximum blocks per HIT in a design, and on the page of a HIT.
BLOCKS_OF_A_HIT: Final = 50
#: Namespace of the ids of imported answers.
NAMESPACE: Final = UUID("0d2b4e0e-6f0c-5a4b-8d1e-6f1f3a6c7b52")
#: Remedy for JudgeTakesPartError, used in error messages.
RENAME_JUDGE: Final = (
    "import into another campaign, or rename the judge in the whole file"
)


class ImportedHITs:
    """Group each judge's imported blocks, in order, into completed HITs of fifty; these are never lent.

    Files do not record which blocks were lent together, only who judged them and in which order. A
    HIT belongs to one judge and one pass, and its `why` holds for all its blocks.

    Create an instance within the import's transaction: it locks the row of the task's `HITSequence`
    until the commit.

    Attributes
    ----------
    is_first_import : bool
        Whether nothing had been imported into the task before.
    began_at : datetime
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        pgtrigger_ignore_preset()
        # Planning takes the same lock, because it also assigns HIT numbers.
        HITSequence.objects.get_or_create(task=task)
        locked = HITSequence.objects.select_for_update().annotate(now=Now())
        self._sequence = locked.get(task=task)
        self._designs = Design.objects.filter(task=task, kind=Design.Kind.IMPORTED)
        self.is_first_import = not self._designs.exists()
        self.began_at: datetime = self._sequence.now
        self.begin_file({})

    def begin_file(self, why: Mapping[str, object]) -> None:
        """Start a new file: no HIT has blocks from two files. `why` names the file in `HIT.why`."""
        self._why = why
        self._last: dict[tuple[int, int, str], tuple[HIT, int]] = {}

    def places(
        self,
        blocks: Iterable[tuple[int, int, Mapping[str, object]]],
    ) -> list[tuple[int, int]]:
        """Return the HIT id and position of each block; write the HITs that begin with them.

        Each of `blocks` consists of judge, pass, and additional content of `HIT.why`.
        """
        begun = []
        placed = []
        for judge, part, why in blocks:
            key = (judge, part, json.dumps(why) if why else "")
            hit, position = self._last.get(key, (None, BLOCKS_OF_A_HIT))
            if hit is None or position == BLOCKS_OF_A_HIT:
                hit = self._new(part, why)
                position = 0
                begun.append(hit)
            self._last[key] = hit, position + 1
            placed.append((hit, position + 1))
        HIT.objects.bulk_create(begun)
        self._sequence.save(update_fields=["last_number"])
        return [(hit.pk, position) for hit, position in placed]

    @cached_property
    def _design(self) -> Design:
        """The design of imported blocks."""
        design, _is_new = self._designs.get_or_create(
            task=self._task,
            kind=Design.Kind.IMPORTED,
            segments_per_hit=BLOCKS_OF_A_HIT,
        )
        return design

    def _new(self, part: int, why: Mapping[str, object]) -> HIT:
        self._sequence.last_number += 1
        return HIT(
            task=self._task,
            design=self._design,
            number=self._sequence.last_number,
            why={**self._why, **why},
            part=part,
            available_at=self.began_at,
            completed_at=self.began_at,
        )


class JudgeTakesPartError(Exception):
    """A judge named in the file takes part in the campaign, rather than being imported."""

    def __init__(self, pseudonym: str) -> None:
        super().__init__(pseudonym)
        self.pseudonym = pseudonym

    @property
    def problem(self) -> str:
        """The problem as a phrase, like FormatError's."""
        return f'the judge "{self.pseudonym}" was not imported but takes part in this campaign'


def imported_judges(*, campaign_id: int, pseudonyms: Collection[str]) -> dict[str, int]:
    """Return the ids of imported judges by pseudonym; create missing ones in the given order.

    Raises JudgeTakesPartError.
    """
    if not pseudonyms:
        return {}
    judges: Any = Judge.objects.filter(
        campaign_id=campaign_id,
        pseudonym__in=pseudonyms,
    )
    earlier_judges = list(judges.values_list("pk", flat=True))
    Judge.objects.bulk_create(
        (
            Judge(
                campaign_id=campaign_id,
                pseudonym=pseudonym,
                origin=Judge.Origin.IMPORTED,
            )
            for pseudonym in pseudonyms
        ),
        ignore_conflicts=True,
    )
    rows_created(
        Judge,
        list(judges.exclude(pk__in=earlier_judges).values_list("pk", flat=True)),
    )
    ids = {}
    for judge in judges:
        if judge.origin != Judge.Origin.IMPORTED:
            raise JudgeTakesPartError(judge.pseudonym)
        ids[judge.pseudonym] = judge.pk
    return ids


# One query per table, so that each uses its index.
_FIND = """
    SELECT each.id FROM unnest(%s::uuid[]) AS each (id)
    WHERE (SELECT true FROM annotation_judgment j WHERE j.client_id = each.id)
        OR (SELECT true FROM annotation_skip s WHERE s.client_id = each.id)
"""


def stored_ids(client_ids: Iterable[UUID]) -> set[UUID]:
    """Return those of the ids that a judgment or skip already has."""
    with table_scans_off(), connection.cursor() as cursor:
        cursor.execute(_FIND, [list(map(str, client_ids))])
        return {id_ for (id_,) in cursor.fetchall()}


def repeated_in_words(repeated: int) -> str:
    """Return a message on the number of repeated rows in an import."""
    return counted(
        "%(number)s row is an exact repeat (same judge, segment, systems and answer) and counts.",
        "%(number)s rows are exact repeats (same judge, segment, systems and answer) and count.",
        repeated,
        number=repeated,
    )


def by_machines_in_words(number: int) -> str:
    """Return a message on the number of answers of machine judges stored by an import."""
    return counted(
        "%(number)s answer by machine judges imported. It does not count.",
        "%(number)s answers by machine judges imported. They do not count.",
        number,
        number=number,
    )


def machines_in_words(number: int) -> str:
    """Return a message on the number of machine judges that an import added."""
    return counted(
        "%(number)s machine judge added.",
        "%(number)s machine judges added.",
        number,
        number=number,
    )


def skips_in_words(skips: int) -> str:
    """Return a message on the number of skips stored by an import."""
    return counted(
        "%(number)s skip imported.",
        "%(number)s skips imported.",
        skips,
        number=skips,
    )


@dataclass(slots=True, kw_only=True)
class AnswerRow:
    """An answer to store; a skip if `answer` is None.

    `time` is its time if the file has one, in seconds since 1970. If it `supersedes` a stored judgment, it becomes a
    revision of its block. `judge` is the id of the judge, or that of the `machine` judge. `skip_reason` is empty if the
    file does not give it.
    """

    file: str
    line: int
    client_id: UUID
    judge: int
    subject: AnswerSubject
    part: int
    answer: Any
    labels: Sequence[int | None]
    submitted_at: str
    duration_ms: int | None
    active_ms: int | None
    comment: str
    time: float | None = None
    repeat: int | None = 1
    about: UUID | None = None
    why: Mapping[str, object] = field(default_factory=dict)
    supersedes: StoredAnswer | None = None
    machine: MachineJudge | None = None
    skip_reason: str = ""

    @property
    def location(self) -> str:
        """File and line, for messages."""
        return f"{self.file}, line {self.line}"

    @property
    def revision_id(self) -> UUID:
        """The id of the row if it revises a stored judgment, and so may return to an earlier answer."""
        return uuid5(NAMESPACE, f"{self.client_id} {self.submitted_at}")

    @property
    def outputs(self) -> tuple[int, ...]:
        """The ids of the outputs, in display order."""
        return tuple(chain.from_iterable(self.subject.outputs))

    @property
    def stands_for(self) -> tuple[int, ...] | None:
        """`Block.stands_for` of the block."""
        sizes = stands_for(list(map(len, self.subject.outputs)))
        if sizes is None:
            return None
        return tuple(sizes)


class AnswerWriter:
    """Write answers of a task, a few hundred at a time; used inside one transaction."""

    def __init__(
        self,
        task: Task,
        *,
        judgments: Mapping[UUID, int] | None = None,
    ) -> None:
        self._task = task
        self._kind = answer_kind_of(task)
        self.hits = ImportedHITs(task)
        #: Judgment ids by client id, because later answers may be about these judgments.
        self.judgments: dict[UUID, int] = dict(judgments or {})

    def write(self, rows: Sequence[AnswerRow]) -> int:
        """Write the rows and the HITs that begin with them; return the number of judgments among them."""
        if not rows:
            return 0
        new_rows = [row for row in rows if row.supersedes is None]
        new_blocks = iter(self._blocks(new_rows))
        judged = []
        skipped = []
        for row in rows:
            if row.supersedes is None:
                block = next(new_blocks)
            else:
                block = row.supersedes.block
            if row.answer is not None:
                judged.append((row, block))
            else:
                skipped.append(
                    {
                        **self._columns(row, block),
                        "reason": SkipReason.NOT_STATED,
                        "created_at": row.submitted_at,
                    },
                )
        self._write_judgments(judged)
        rows_insert(Skip, skipped)
        constraints_check_now()
        return len(judged)

    def _columns(self, row: AnswerRow, block: int) -> dict[str, object]:
        """Return the columns that judgments and skips share."""
        return {
            "task_id": self._task.pk,
            "client_id": str(row.client_id),
            "judge_id": row.judge,
            "block_id": block,
            "duration_ms": row.duration_ms,
            "active_ms": row.active_ms,
            "comment": row.comment,
        }

    def _write_judgments(self, judged: Sequence[tuple[AnswerRow, int]]) -> None:
        rows = [row for row, _block in judged]
        judgments = []
        for row, block in judged:
            judgments.append(
                {
                    **self._columns(row, block),
                    "labels": list(row.labels),
                    "submitted_at": row.submitted_at,
                    "supersedes_id": None
                    if row.supersedes is None
                    else row.supersedes.judgment,
                },
            )
        ids = rows_insert(Judgment, judgments)
        about = self._judgment_lookup(rows, ids)
        if self._kind.keeps_answers:
            answers = []
            for id_, row in zip(ids, rows, strict=True):
                answers.append(
                    {
                        "judgment_id": id_,
                        **self._kind.row(row.answer, row.part),
                        **about(row),
                    },
                )
            rows_insert(self._kind.table, answers)

    def _judgment_lookup(
        self,
        rows: Sequence[AnswerRow],
        ids: Sequence[int],
    ) -> Callable[[AnswerRow], dict[str, int | None]]:
        """Return a function that finds the judgment a row is about, among these rows or earlier ones."""
        column = self._kind.about_column
        if not column:
            return lambda _row: {}
        self.judgments.update(zip((row.client_id for row in rows), ids, strict=True))
        # They may be from an earlier import.
        missing = set()
        for row in rows:
            if row.about and row.about not in self.judgments:
                missing.add(row.about)
        if missing:
            judgments = Judgment.objects.filter(task=self._task, client_id__in=missing)
            self.judgments.update(judgments.values_list("client_id", "pk"))
        return lambda row: {column: self.judgments[row.about] if row.about else None}

    def _blocks(self, rows: Sequence[AnswerRow]) -> list[int]:
        """Write a block for each row; return the ids."""
        places = self.hits.places((row.judge, row.part, row.why) for row in rows)
        blocks = []
        for (hit, position), row in zip(places, rows, strict=True):
            blocks.append(
                {
                    "hit_id": hit,
                    "position": position,
                    "segment_id": row.subject.segment,
                    "outputs": list(row.outputs),
                    "stands_for": row.stands_for and list(row.stands_for),
                },
            )
        return rows_insert(Block, blocks)
