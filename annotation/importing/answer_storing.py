"""Store the rows of answers that are new, and compare them with the stored answers of earlier files."""

import uuid
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from annotation.importing.answer_rows import (
    AnswerRow,
    AnswerWriter,
    stored_ids,
)
from annotation.importing.machine_answers import MachineAnswers
from annotation.importing.stored_answers import (
    AnswerKey,
    NoLongerInFile,
    StoredAnswer,
    earlier_exports,
    overlapping,
    stored_answers,
    withdrawn_blocks,
)
from annotation.protocols.answer_kinds import answer_kind_of
from campaign.formats import FormatError
from campaign.formats.errors import Losses
from campaign.formats.records import counted
from campaign.importing.errors import ImportRefusedError
from campaign.models import Task

#: Losses that stored answers cause.
REPLACED_STORED: Final = "stored answers that the same judge replaced later"
OLDER: Final = "answers older than the stored one of the same judge"
RESTORED: Final = "withdrawn answers that count again"
MISSING_KEPT: Final = "stored answers missing from the file, kept"
MISSING_WITHDRAWN: Final = "stored answers missing from the file, withdrawn"


@dataclass(frozen=True, slots=True)
class AnswersOfFile:
    """A file that was imported: its name, its format, and the hash of its bytes as stored."""

    name: str
    file_format: str
    sha256: str


class AnswerStoring:
    """Stores the rows of an import's files, within its transaction.

    Attributes
    ----------
    files : list of AnswersOfFile
    judgments, skips, already_there, differing : int
        Numbers of answers and skips of people stored now, stored before, and left out because others are stored.
    restored : list of int
        Withdrawn blocks whose answers the files have again.
    earlier_exports : tuple of str
        Hashes of the files imported earlier that have answers in common with these; known when finished.
    """

    def __init__(
        self,
        task: Task,
        machines: MachineAnswers,
        losses: Losses,
        no_longer_in_file: NoLongerInFile | None,
    ) -> None:
        """Prepare to store. Locks the task's HIT sequence."""
        self._task = task
        self._machines = machines
        self._losses = losses
        self._no_longer_in_file = no_longer_in_file
        self._kind = answer_kind_of(task)
        self._writer = AnswerWriter(task)
        # Ids of the answers of the files; and the stored answers that they replace or no longer have.
        self._ids: set[bytes] = set()
        self._replaced: list[int] = []
        self._undecided: dict[int, str] = {}
        self.files: list[AnswersOfFile] = []
        self.judgments = self.skips = self.already_there = self.differing = 0
        self.restored: list[int] = []
        self.earlier_exports: tuple[str, ...] = ()

    @property
    def began_at(self) -> datetime:
        """The time at which the import began."""
        return self._writer.hits.began_at

    def begin_file(self, file: AnswersOfFile) -> None:
        """Begin a file."""
        self.files.append(file)
        self._writer.hits.begin_file(
            {"file": file.name, "format": file.file_format, "sha256": file.sha256},
        )

    def add_id(self, row: AnswerRow) -> bool:
        """Remember the id of a row; return whether the files had no answer with this id yet."""
        if row.client_id.bytes in self._ids:
            return False
        self._ids.add(row.client_id.bytes)
        return True

    def store(self, rows: Sequence[AnswerRow]) -> None:
        """Store rows with different ids. Raises IntegrityError and DataError."""
        self._store_by_people([row for row in rows if row.machine is None])
        by_machines = [row for row in rows if row.machine is not None]
        self._machines.take(by_machines, self._writer, self._lose_row)

    def _store_by_people(self, rows: Sequence[AnswerRow]) -> None:
        there: set[uuid.UUID] = set()
        if not self._writer.hits.is_first_import:
            there = stored_ids(row.client_id for row in rows)
        new = self._new(rows, there)
        judgments = self._writer.write(new)
        self.judgments += judgments
        self.skips += len(new) - judgments

    def _lose_row(self, row: AnswerRow, what: str) -> None:
        self._losses.add(what, row.location)

    def _new(
        self,
        rows: Sequence[AnswerRow],
        there: Collection[uuid.UUID],
    ) -> list[AnswerRow]:
        """Return the rows to be stored: those that are not there, and revisions of stored answers."""
        stored: Mapping[AnswerKey, list[StoredAnswer]] = {}
        is_first = self._writer.hits.is_first_import and len(self.files) == 1
        if not self._kind.about_column and not is_first:
            own = [row for row in rows if row.repeat is not None]
            stored = stored_answers(
                task=self._task,
                judges={row.judge for row in own},
                segments={row.subject.segment for row in own},
            )
        passes = self._kind.passes
        if passes is not None and passes.are_by_others:
            self._refuse_other_passes(rows, stored)
        if not stored and not there:
            return list(rows)
        new = []
        again = []
        for row in rows:
            conflicts = self._conflicts(row, stored)
            if conflicts:
                if self._is_revision(row, conflicts, is_known=row.client_id in there):
                    new.append(row)
            elif row.client_id in there:
                again.append(row)
            else:
                new.append(row)
        self.already_there += len(again)
        if again:
            restored = withdrawn_blocks(row.client_id for row in again)
            self._losses.add(RESTORED, again[0].location, len(restored))
            self.restored += restored
        return new

    def _refuse_other_passes(
        self,
        rows: Sequence[AnswerRow],
        stored: Collection[AnswerKey],
    ) -> None:
        """Refuse answers of judges who answered about the segment in another pass; each pass has other judges."""
        earlier_parts: dict[tuple[int, int], int] = {}
        for key in stored:
            earlier_parts[(key.judge, key.segment)] = key.part
        for row in rows:
            if (
                earlier_parts.get((row.judge, row.subject.segment), row.part)
                != row.part
            ):
                raise FormatError(
                    row.file,
                    "this judge rated the segment by another criterion in an earlier file",
                    "import it into a task in which the same judges rate by all criteria (adequacy_by_others: false)",
                    line=row.line,
                )

    def _conflicts(
        self,
        row: AnswerRow,
        stored: Mapping[AnswerKey, list[StoredAnswer]],
    ) -> list[StoredAnswer]:
        """Return the stored answers of the same judge about outputs of a row."""
        key = AnswerKey(row.judge, row.subject.segment, row.part, row.repeat or 0)
        conflicts = overlapping(stored.get(key, []), row.outputs)
        if self._kind.comparisons is None:
            return conflicts
        # A judge compares an output with several others.
        same_outputs = []
        for other in conflicts:
            if set(other.outputs) == set(row.outputs):
                same_outputs.append(other)
        return same_outputs

    def _is_revision(
        self,
        row: AnswerRow,
        conflicts: Sequence[StoredAnswer],
        *,
        is_known: bool,
    ) -> bool:
        """Return whether an answer is to be stored in place of stored ones; the same answer is not.

        `is_known` if an equal answer was stored before; a revision that returns to it has an id of its own.
        """
        revision_id = row.revision_id
        if any(other.client_id in (row.client_id, revision_id) for other in conflicts):
            self._ids.add(revision_id.bytes)
            self.already_there += 1
            return False
        if not self._replaces(row, conflicts):
            self.differing += 1
            return False
        if is_known:
            row.client_id = revision_id
            self._ids.add(revision_id.bytes)
        return True

    def _replaces(self, row: AnswerRow, conflicts: Sequence[StoredAnswer]) -> bool:
        """Return whether an answer is to be stored that differs from stored ones of the same judge."""
        last = max(other.submitted_at.timestamp() for other in conflicts)
        location = row.location
        if row.time is not None and row.time < last:
            self._losses.add(OLDER, location)
            self._ids.update(other.client_id.bytes for other in conflicts)
            return False
        if row.time is None or row.time == last:
            if self._no_longer_in_file is not NoLongerInFile.WITHDRAW:
                self._undecided.update((other.block, location) for other in conflicts)
                return False
        else:
            self._losses.add(REPLACED_STORED, location)
        [first, *others] = conflicts
        is_same_block = (first.outputs, first.stands_for) == (
            row.outputs,
            row.stands_for,
        )
        if is_same_block and not others:
            row.supersedes = first
        else:
            self._replaced += [other.block for other in conflicts]
        return True

    def finish(self) -> list[int]:
        """Return the blocks to be withdrawn.

        Raises ImportRefusedError if stored answers are no longer in the files, and nobody said what happens to them.
        """
        if self._writer.hits.is_first_import and not self._undecided:
            return self._replaced
        exports = earlier_exports(
            task=self._task,
            client_ids=self._ids,
            files={file.sha256 for file in self.files},
        )
        self.earlier_exports = tuple(sorted(exports.files))
        replaced_by_none = {}
        for answer in exports.missing:
            if answer.block not in self._replaced:
                replaced_by_none[answer.block] = answer.location
        missing = replaced_by_none | self._undecided
        if not missing:
            return self._replaced
        first = next(iter(missing.values()))
        choice = self._no_longer_in_file
        if choice is None:
            if len(missing) == 1:
                verb = "is"
            else:
                verb = "are"
            raise ImportRefusedError(
                f"{counted(len(missing), 'stored answer')} of an earlier import"
                f" {verb} not in the file (first: {first}), so nothing was imported",
                "choose whether to keep or withdraw answers missing from the file"
                " (--no-longer-in-file, no_longer_in_file)",
            )
        if choice is NoLongerInFile.KEEP:
            self._losses.add(MISSING_KEPT, first, len(missing))
            return self._replaced
        self._losses.add(MISSING_WITHDRAWN, first, len(missing))
        return [*self._replaced, *missing]
