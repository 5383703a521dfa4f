"""Import answers of any protocol from files, and create their blocks."""

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from math import gcd
from typing import Any, Final, NoReturn

from django.core.files.uploadedfile import UploadedFile
from django.db import DataError, IntegrityError, transaction

from annotation.importing.answer_rows import (
    RENAME_JUDGE,
    AnswerRow,
    AnswerWriter,
    JudgeTakesPartError,
    imported_judges,
    stored_ids,
)
from annotation.importing.answer_subjects import AnswerSubject, AnswerSubjects, Refuse
from annotation.importing.machine_answers import DIFFERING, MachineAnswers
from annotation.importing.stored_answers import (
    REPEAT,
    AnswerKey,
    NoLongerInFile,
    StoredAnswer,
    blocks_count_again,
    blocks_withdraw,
    earlier_exports,
    overlapping,
    stored_answers,
    withdrawn_blocks,
)
from annotation.models import (
    HIT,
    Block,
    Judgment,
    JudgmentNumber,
    MachineJudgment,
    Skip,
)
from annotation.protocols.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    answer_files,
    file_content,
    protocols_with_files,
)
from annotation.protocols.answer_kinds import Rules, answer_kind_of
from annotation.protocols.submissions import AssignedBlock
from annotation.services.numbers import judgments_number, ranking_request
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import comparisons_settle
from campaign.database.many_rows import row_locked, statistics_refresh
from campaign.formats import FormatError, InputFile
from campaign.formats.errors import Loss, Losses
from campaign.formats.isolation import Watch
from campaign.formats.records import counted
from campaign.formats.repeats import COUNTED_ONCE
from campaign.formats.streams import StoredFile, byte_chunks
from campaign.importing.errors import ImportRefusedError
from campaign.importing.judgment_files import LanguagePair, language_tag
from campaign.importing.uploaded_files import sent_file
from campaign.models import Judge, Output, Segment, Task
from campaign.services.questions import form_answers_import
from campaign.services.uploads import judgments_import_note

_NO_BLOCK: Final = uuid.UUID(int=0)
#: Answers per batch: few enough that their texts fit in memory, enough to make its queries worthwhile.
_BATCH: Final = 1000
_NAMESPACE: Final = uuid.UUID("0d2b4e0e-6f0c-5a4b-8d1e-6f1f3a6c7b52")
#: Clocks differ; answers further in the future are errors.
_AHEAD: Final = timedelta(days=1)
#: Losses that stored answers cause.
REPLACED_STORED: Final = "stored answers that the same judge replaced later"
OLDER: Final = "answers older than the stored one of the same judge"
RESTORED: Final = "withdrawn answers that count again"
KEPT: Final = "stored answers missing from the file, kept"
WITHDRAWN: Final = "stored answers missing from the file, withdrawn"
FORMS_LOST: Final = "answers to forms that match no question of the campaign, or of judges without judgments"
_LONGEST_MS: Final = 2**31 - 1
_LONGEST_COMMENT: Final = 5_000


@dataclass(frozen=True, slots=True)
class AnswersOfFile:
    """A file that was imported: its name, its format, and the hash of its bytes as stored."""

    name: str
    file_format: str
    sha256: str


@dataclass(frozen=True, slots=True)
class AnswersImported:
    """Result of an import.

    Attributes
    ----------
    judgments : int
        Answers that were stored.
    skips : int
        Skips that were stored.
    already_there : int
        Answers and skips that had been imported before.
    repeated : int
        How many answers equal an earlier one of the same judge on purpose. They count, too.
    files : tuple of AnswersOfFile
    losses : tuple of Loss
        Content of the files that was not imported.
    earlier_exports : tuple of str
        Hashes of the files imported earlier that have answers in common with these.
    by_machines : int
        Answers and skips of machine judges that were stored, which are not in the other numbers.
    """

    judgments: int
    skips: int
    already_there: int
    repeated: int
    files: tuple[AnswersOfFile, ...]
    losses: tuple[Loss, ...]
    earlier_exports: tuple[str, ...] = ()
    by_machines: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportOptions:
    """Options of an import.

    Attributes
    ----------
    file_format : str, optional
        Detected if None.
    languages : LanguagePair, optional
        Restricts the answers to a language pair.
    no_longer_in_file : NoLongerInFile, optional
        What happens to answers of earlier files that these no longer have; if None, the import is refused.
    machine : str
        Name and version of the machine judge that gave all answers, whatever the files say; empty if the files say.
    watch : callable
        Receives the share that was imported, in bytes of the files.
    copies : tuple of int
        How often each file holds its whole content.
    """

    file_format: str | None = None
    languages: LanguagePair | None = None
    no_longer_in_file: NoLongerInFile | None = None
    machine: str = ""
    watch: Watch = lambda _done: None
    copies: tuple[int, ...] = ()


_DEFAULTS: Final = ImportOptions()


@transaction.atomic
def answers_import(
    *, task: Task, files: Sequence[StoredFile], options: ImportOptions = _DEFAULTS
) -> AnswersImported:
    """Import answers from files into a task: all or, on an error, none.

    An answer becomes a block with its candidates as shown, in a HIT with other answers of the same
    judge and file, and a judgment or skip by the judge with the pseudonym given in the file.
    Missing outputs are created if the test set has no texts. HITs are completed and never lent;
    `HIT.why` names their file. Answers that were imported before are skipped; they are recognised
    by segment, judge, candidates, content, and the number of equal answers before them. Judgments
    are numbered last, in the order of the files. After the commit, a ranking is requested.
    Files are read in a process of its own.

    A later answer of the same judge about the same outputs supersedes a stored one.

    Answers of a judge with the name and version of a machine judge are stored apart, as machine judgments; the first
    answer counts.

    The result is added to the import report of the test set.

    Locks the task's HIT sequence, then its row, then the report. Judges who submit to the task do not wait for the import.

    Raises FormatError for an error in a file, ImportRefusedError for the import as a whole.
    """
    reader = answer_files(task.protocol)
    if reader is None:
        raise ImportRefusedError(
            f'answers of the protocol "{task.protocol}" cannot be imported',
            f"choose a task with one of these protocols: {', '.join(protocols_with_files())}",
        )
    _refuse_unknown_format(reader, options.file_format)
    importing = _Import(task, reader, options)
    try:
        with transaction.atomic():
            importing.read_all(files)
    except _FilesRepeatThemselvesError as error:
        importing = _Import(task, reader, replace(options, copies=error.copies))
        importing.read_all(files)
    withdrawn = importing.finish()
    imported = importing.imported()
    event = {"task": task.pk, "imported_at": importing.began_at, **asdict(imported)}
    judgments_import_note(test_set=task.test_set, event=event)
    judgments_number(task_id=task.pk)
    blocks_withdraw(task=task, blocks=withdrawn)
    blocks_count_again(task=task, blocks=importing.restored)
    if answer_kind_of(task).comparisons is not None:
        # The planner skips campaigns that are not open, so settle the sort here as far as the
        # answers allow.
        comparisons_settle(design=design_ensure(task=task))
    statistics_refresh(
        *(
            Segment,
            Output,
            HIT,
            Block,
            Judge,
            Judgment,
            JudgmentNumber,
            Skip,
            MachineJudgment,
        )
    )
    if imported.judgments:
        ranking_request(task_id=task.pk)
    return imported


def _refuse_unknown_format(reader: AnswerFiles, file_format: str | None) -> None:
    if file_format is not None and file_format not in reader.formats:
        raise ImportRefusedError(
            f'unknown format "{file_format}"',
            f"choose one of {', '.join(reader.formats)}",
        )


class _FilesRepeatThemselvesError(Exception):
    """A file turned out to hold its whole content several times."""

    def __init__(self, copies: tuple[int, ...]) -> None:
        super().__init__(copies)
        self.copies = copies


class _Import:
    """An import in progress."""

    def __init__(self, task: Task, reader: AnswerFiles, options: ImportOptions) -> None:
        self._task = task
        self._reader = reader
        self._options = options
        self._languages = options.languages
        self._chosen: dict[tuple[str, str], bool] = {}
        self._kind = answer_kind_of(task)
        self._writer = AnswerWriter(task)
        self.began_at = self._writer.hits.began_at.isoformat()
        self._latest = (self._writer.hits.began_at + _AHEAD).timestamp()
        # Keeps the rules unchanged until the commit. Locked after HITs, the order of `task_delete`.
        locked = row_locked(task)
        self._rules: Rules = answer_kind_of(locked).rules
        self._judges: dict[str, int] = {}
        self._machines = MachineAnswers(task, options.machine)
        self._repeats = _Repeats(options.copies)
        # Ids of the answers of the files; and the stored answers that they replace or no longer have.
        self._ids: set[bytes] = set()
        self._replaced: list[int] = []
        #: Withdrawn blocks whose answers the files have again.
        self.restored: list[int] = []
        self._undecided: dict[int, str] = {}
        self._earlier_exports: tuple[str, ...] = ()
        self._losses = Losses()
        self._subjects = AnswerSubjects(task, self._losses)
        self._files: list[AnswersOfFile] = []
        self._bytes = 0
        self._judgments = self._skips = self._already_there = 0

    def read_all(self, files: Sequence[StoredFile]) -> None:
        """Import the answers of files. Raises _FilesRepeatThemselvesError for the import to begin again."""
        for file in files:
            self._read(file)
        copies = self._repeats.copies()
        if not self._options.copies and max(copies, default=1) > 1:
            raise _FilesRepeatThemselvesError(copies)

    def _read(self, file: StoredFile) -> None:
        self._repeats.begin_file()
        sha256 = _sha256(file)
        bytes_before = self._bytes

        def watch(done: int) -> None:
            self._options.watch(bytes_before + done)

        with file_content(
            self._reader, file, self._options.file_format, watch
        ) as content:
            read = AnswersOfFile(file.name, content.file_format, sha256)
            self._files.append(read)
            self._subjects.begin_file(read.name)
            self._writer.hits.begin_file(
                {"file": read.name, "format": read.file_format, "sha256": sha256}
            )
            self._client_ids: list[uuid.UUID] = []
            answers = self._reader.of_task(
                self._task, content.answers, partial(refuse_answer, file.name)
            )

            def refusal(answer: FileAnswer) -> Refuse:
                return partial(refuse_answer, file.name, answer)

            chosen = (answer for answer in answers if self._is_chosen(answer, refusal))
            while batch := list(islice(chosen, _BATCH)):
                self._store(batch, refusal)
            for loss in content.losses:
                self._losses.add(loss.what, f"{file.name}, {loss.first}", loss.count)
            campaign = self._task.test_set.campaign
            for form in form_answers_import(campaign=campaign, answers=content.forms):
                self._losses.add(FORMS_LOST, self._location(form.line))
        self._bytes += file.size()

    def imported(self) -> AnswersImported:
        """Return the result. Raises ImportRefusedError if nothing was imported."""
        if not self._done:
            if self._languages:
                chosen = f" of {self._languages}"
            else:
                chosen = ""
            raise ImportRefusedError(
                f"no judgments{chosen} found", "provide a file with at least one"
            )
        return AnswersImported(
            judgments=self._judgments,
            skips=self._skips,
            already_there=self._already_there + self._machines.already_there,
            repeated=self._repeats.counted,
            files=tuple(self._files),
            losses=self._losses.counted(),
            earlier_exports=self._earlier_exports,
            by_machines=self._machines.new,
        )

    @property
    def _done(self) -> int:
        by_machines = self._machines.new + self._machines.already_there
        return self._judgments + self._skips + self._already_there + by_machines

    def _is_chosen(
        self, answer: FileAnswer, refusal: Callable[[FileAnswer], Refuse]
    ) -> bool:
        """Return True if the answer is in the selected languages; refuse another test set's answers if none are
        selected.
        """
        earlier_choice = self._chosen.get(answer.languages)
        if earlier_choice is not None:
            return earlier_choice
        pair = LanguagePair(*answer.languages)
        test_set = self._task.test_set
        own = LanguagePair(test_set.source_language, test_set.target_language)
        if self._languages is not None:
            is_chosen = pair.tags == self._languages.tags
        elif not all(answer.languages) or _without_region(pair) == _without_region(own):
            is_chosen = True
        else:
            refusal(answer)(
                None,
                f'the languages are {pair}, those of the test set "{test_set.name}" {own}',
                "provide a file for this test set, or select rows by language (import_answers)",
            )
        self._chosen[answer.languages] = is_chosen
        return is_chosen

    def _store(
        self, answers: Sequence[FileAnswer], refusal: Callable[[FileAnswer], Refuse]
    ) -> None:
        subjects = self._subjects.of(answers, refusal)
        self._judges_know(answers, refusal)
        rows = []
        for answer, subject in zip(answers, subjects, strict=True):
            row = self._row(answer, subject, refusal(answer))
            if row is None or row.client_id.bytes in self._ids:
                self._losses.add(COUNTED_ONCE, self._location(answer.line))
            else:
                self._ids.add(row.client_id.bytes)
                rows.append(row)
        by_people = [row for row in rows if row.machine is None]
        try:
            self._store_by_people(by_people)
            by_machines = [row for row in rows if row.machine is not None]
            self._machines.store(by_machines, self._writer, self._lose_differing)
        except (IntegrityError, DataError) as error:
            raise _refused_by_the_database(answers, error) from error

    def _store_by_people(self, rows: Sequence[AnswerRow]) -> None:
        there: set[uuid.UUID] = set()
        if not self._writer.hits.is_first_import:
            there = stored_ids(row.client_id for row in rows)
        new = self._new(rows, there)
        judgments = self._writer.write(new)
        self._judgments += judgments
        self._skips += len(new) - judgments
        self._already_there += len(rows) - len(new)

    def _lose_differing(self, row: AnswerRow) -> None:
        self._losses.add(DIFFERING, self._location(row.line))

    def _new(
        self, rows: Sequence[AnswerRow], there: Collection[uuid.UUID]
    ) -> list[AnswerRow]:
        """Return the rows to be stored: those that are not there, and revisions of stored answers."""
        stored: Mapping[AnswerKey, list[StoredAnswer]] = {}
        is_first = self._writer.hits.is_first_import and len(self._files) == 1
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
        if again:
            restored = withdrawn_blocks(row.client_id for row in again)
            self._losses.add(RESTORED, self._location(again[0].line), len(restored))
            self.restored += restored
        return new

    def _refuse_other_passes(
        self, rows: Sequence[AnswerRow], stored: Collection[AnswerKey]
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
                    self._files[-1].name,
                    "this judge rated the segment by another criterion in an earlier file",
                    "import it into a task in which the same judges rate by all criteria (adequacy_by_others: false)",
                    line=row.line,
                )

    def _conflicts(
        self, row: AnswerRow, stored: Mapping[AnswerKey, list[StoredAnswer]]
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
        self, row: AnswerRow, conflicts: Sequence[StoredAnswer], *, is_known: bool
    ) -> bool:
        """Return whether an answer is to be stored in place of stored ones; the same answer is not.

        `is_known` if an equal answer was stored before; a revision that returns to it has an id of its own.
        """
        revision_id = uuid.uuid5(_NAMESPACE, f"{row.client_id} {row.submitted_at}")
        if any(other.client_id in (row.client_id, revision_id) for other in conflicts):
            self._ids.add(revision_id.bytes)
            return False
        if not self._replaces(row, conflicts):
            return False
        if is_known:
            row.client_id = revision_id
            self._ids.add(revision_id.bytes)
        return True

    def _replaces(self, row: AnswerRow, conflicts: Sequence[StoredAnswer]) -> bool:
        """Return whether an answer is to be stored that differs from stored ones of the same judge."""
        last = max(other.submitted_at.timestamp() for other in conflicts)
        location = self._location(row.line)
        if row.time is not None and row.time < last:
            self._losses.add(OLDER, location)
            self._ids.update(other.client_id.bytes for other in conflicts)
            return False
        if row.time is None or row.time == last:
            if self._options.no_longer_in_file is not NoLongerInFile.WITHDRAW:
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
            task=self._task, seen=self._ids, files={file.sha256 for file in self._files}
        )
        self._earlier_exports = tuple(sorted(exports.files))
        replaced_by_none = {}
        for answer in exports.missing:
            if answer.block not in self._replaced:
                replaced_by_none[answer.block] = answer.location
        missing = replaced_by_none | self._undecided
        if not missing:
            return self._replaced
        first = next(iter(missing.values()))
        choice = self._options.no_longer_in_file
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
            self._losses.add(KEPT, first, len(missing))
            return self._replaced
        self._losses.add(WITHDRAWN, first, len(missing))
        return [*self._replaced, *missing]

    def _location(self, line: int) -> str:
        return f"{self._files[-1].name}, line {line}"

    def _judges_know(
        self, answers: Sequence[FileAnswer], refusal: Callable[[FileAnswer], Refuse]
    ) -> None:
        new: dict[str, FileAnswer] = {}
        for answer in answers:
            if not answer.judge:
                refusal(answer)(
                    "judge", "the judge is missing", "name the judge of each answer"
                )
            if (
                answer.judge not in self._judges
                and self._machines.author(answer.judge) is None
            ):
                new.setdefault(answer.judge, answer)
        try:
            self._judges |= imported_judges(
                campaign_id=self._task.test_set.campaign_id, pseudonyms=list(new)
            )
        except JudgeTakesPartError as error:
            refusal(new[error.pseudonym])(None, error.problem, RENAME_JUDGE)

    def _row(
        self, answer: FileAnswer, subject: AnswerSubject, refuse: Refuse
    ) -> AnswerRow | None:
        """Return the row to be stored; None if the answer repeats another one and does not count."""
        output_count = len(subject.outputs)
        # Other tools may rank any number of outputs.
        if self._kind.has_answers and output_count not in self._kind.candidates:
            fewest = self._kind.candidates[0]
            most = self._kind.candidates[-1]
            if fewest == most:
                expected = str(fewest)
            else:
                expected = f"{fewest} to {most}"
            refuse(
                None,
                f"the number of outputs is {output_count}, but judges in this task see {expected}",
                "import it into a task with another protocol",
            )
        if answer.is_skip:
            task_answer = None
            content = answer.content
            labels: Sequence[int | None] = ()
        else:
            task_answer = self._task_answer(answer, subject, refuse)
            content = task_answer
            labels = self._kind.labels(task_answer, output_count)
        machine = self._machines.author(answer.judge)
        if answer.about is None:
            about = None
        else:
            about = self._client_ids[answer.about]
        if about in self._machines.client_ids:
            refuse(None, "it is about an answer of a machine judge", "leave it out")
        client_id = self._client_id(answer, subject, content, about)
        _refuse_times(answer, refuse)
        if client_id is None:
            return None
        if self._kind.about_column:
            self._client_ids.append(client_id)
        why = self._reader.why(answer.candidates)
        if answer.repeat is not None and answer.repeat > 1:
            why = {**why, REPEAT: answer.repeat}
        if machine is None:
            judge = self._judges[answer.judge]
        else:
            judge = machine.pk
        return AnswerRow(
            line=answer.line,
            client_id=client_id,
            about=about,
            why=why,
            time=answer.submitted_at,
            repeat=answer.repeat,
            judge=judge,
            machine=machine,
            subject=subject,
            part=self._reader.part(task_answer, self._rules),
            answer=task_answer,
            labels=labels,
            submitted_at=self._submitted_at(answer, refuse),
            duration_ms=answer.duration_ms,
            active_ms=answer.active_ms,
            comment=answer.comment,
        )

    def _client_id(
        self,
        answer: FileAnswer,
        subject: AnswerSubject,
        answer_content: Any,
        about: uuid.UUID | None,
    ) -> uuid.UUID | None:
        """Return the id of an answer, derived from its content and the number of equal answers before it.

        The id depends only on data that exports preserve, so that an exported file is recognised. None if the answer
        repeats another one and does not count.
        """
        machine = self._machines.author(answer.judge)
        author: str | list[Any] = answer.judge
        if machine is not None:
            author = ["machine", machine.pk]
        content = [
            self._task.pk,
            subject.number,
            author,
            answer.candidates,
            answer_content,
        ]
        if about is not None:
            content.append(str(about))
        if answer.repeat is not None and answer.repeat > 1:
            content += [REPEAT, answer.repeat]
        content_text = json.dumps(content)
        first = uuid.uuid5(_NAMESPACE, content_text)
        if answer.repeat is not None or machine is not None:
            return first
        times = self._repeats.number(first.bytes, answer.duration_ms)
        if times is None:
            return None
        if times == 1:
            return first
        return uuid.uuid5(_NAMESPACE, f"{content_text} {times}")

    def _task_answer(
        self, answer: FileAnswer, subject: AnswerSubject, refuse: Refuse
    ) -> Any:
        def lose(what: str) -> None:
            self._losses.add(what, f"{self._files[-1].name}, line {answer.line}")

        try:
            task_answer = self._reader.answer(
                answer.content, subject.texts.candidates, self._rules, lose
            )
        except AnswerRefusedError as error:
            refuse(None, error.problem, error.remedy)
        refusal = self._kind.refusal(
            self._imported_block(task_answer, subject), task_answer
        )
        if refusal is not None:
            refuse(None, refusal.message.rstrip("."), "correct the answer")
        return task_answer

    def _imported_block(
        self, task_answer: Any, subject: AnswerSubject
    ) -> AssignedBlock:
        """Return the block of an answer as protocols check answers to it; it is not stored yet."""
        return AssignedBlock(
            block_id=0,
            public_id=_NO_BLOCK,
            control="",
            assignment_id=0,
            assignment_public_id=_NO_BLOCK,
            judge_id=0,
            task_id=self._task.pk,
            protocol=self._task.protocol,
            rules=self._rules,
            candidate_count=len(subject.outputs),
            allow_partial_ranking=True,
            part=self._reader.part(task_answer, self._rules),
            imported_texts=subject.texts,
        )

    def _submitted_at(self, answer: FileAnswer, refuse: Refuse) -> str:
        if answer.submitted_at is None:
            return self.began_at
        if answer.submitted_at > self._latest:
            refuse(
                None,
                "the time is in the future",
                "use seconds since 1970 (UTC), not milliseconds",
            )
        return datetime.fromtimestamp(answer.submitted_at, UTC).isoformat()


class _Repeats:
    """Number equal answers of files in which judges may repeat answers on purpose.

    The rule is that of `campaign.formats.repeats.counted_repeatable`, for answers that come one by one.
    """

    def __init__(self, copies: Sequence[int]) -> None:
        self._copies = copies
        self._in_files: list[Counter[bytes]] = []
        self._timed: Counter[bytes] = Counter()
        self._timed_durations: set[tuple[bytes, int]] = set()
        #: How many answers equal an earlier one, and count.
        self.counted = 0

    def begin_file(self) -> None:
        self._in_files.append(Counter())

    def copies(self) -> tuple[int, ...]:
        """Return how often each file holds its whole content, among its answers without durations."""
        return tuple(max(gcd(*in_file.values()), 1) for in_file in self._in_files)

    def number(self, content: bytes, duration_ms: int | None) -> int | None:
        """Return the number of the answer among equal ones, from 1; None if it does not count."""
        if duration_ms is not None:
            if (content, duration_ms) in self._timed_durations:
                return None
            self._timed_durations.add((content, duration_ms))
            self._timed[content] += 1
            number = self._timed[content]
        else:
            in_file = self._in_files[-1]
            in_file[content] += 1
            if self._copies:
                copies = self._copies[len(self._in_files) - 1]
            else:
                copies = 1
            before, copy = divmod(in_file[content] - 1, copies)
            if copy:
                return None
            number = before + 1
        self.counted += number > 1
        return number


def _without_region(pair: LanguagePair) -> tuple[str, ...]:
    """Return the language pair without regions and scripts."""
    names = (pair.source, pair.target)
    return tuple(
        language_tag(name.replace("_", "-")).split("-", 1)[0].lower() for name in names
    )


def _refuse_times(answer: FileAnswer, refuse: Refuse) -> None:
    on_the_clock = answer.duration_ms
    active = answer.active_ms
    if max(on_the_clock or 0, active or 0) > _LONGEST_MS:
        refuse(
            None,
            "the time is longer than 24 days",
            "correct the times, or leave them out",
        )
    if on_the_clock is not None and active is not None and active > on_the_clock:
        refuse(
            None,
            "the active time is longer than the duration",
            "correct the times, or leave them out",
        )
    if len(answer.comment) > _LONGEST_COMMENT:
        refuse(
            None,
            f"the comment has {len(answer.comment):,} characters",
            f"shorten it to {_LONGEST_COMMENT:,}, or leave it out",
        )


def refuse_answer(
    file: str, answer: FileAnswer, field: str | None, problem: str, remedy: str
) -> NoReturn:
    """Raise FormatError with the line of an answer."""
    raise FormatError(file, problem, remedy, line=answer.line, field=field)


def _refused_by_the_database(
    answers: Sequence[FileAnswer], error: Exception
) -> Exception:
    """Return an error with the database's reason and the lines that may have caused it."""
    message = str(error).strip().split("\n", 1)[0]
    return ImportRefusedError(
        f"the database refused an answer in lines {answers[0].line} to {answers[-1].line}: {message}",
        "correct the file, or contact the administrator",
    )


def _sha256(file: StoredFile) -> str:
    digest = hashlib.sha256()
    with file.open() as stream:
        while chunk := stream.read(1 << 20):
            digest.update(chunk)
    return digest.hexdigest()


#: Size limits for files as uploaded and unpacked; larger ones must be imported with the command.
MAX_BYTES: Final = 5_000_000
MAX_UNPACKED_BYTES: Final = 20_000_000
_BY_COMMAND: Final = "use the command import_answers, or split the file"


def sent_answers_import(
    *, task: Task, sent: "UploadedFile[Any]", options: ImportOptions = _DEFAULTS
) -> AnswersImported:
    """Import the answers of an uploaded file.

    Raises FormatError and ImportRefusedError, also for a file that is too large.
    """
    return answers_import(task=task, files=[sent_file_checked(sent)], options=options)


def sent_file_checked(
    sent: "UploadedFile[Any]", remedy: str = _BY_COMMAND
) -> StoredFile:
    """Return an uploaded file of answers. Raises FormatError, and ImportRefusedError with this remedy if it is too large."""
    if (sent.size or 0) > MAX_BYTES:
        raise ImportRefusedError(
            f"the file is larger than {MAX_BYTES // 1_000_000} MB", remedy
        )
    file = sent_file(sent)
    unpacked = 0
    for chunk in byte_chunks(InputFile(file.name, file.open())):
        unpacked += len(chunk)
        if unpacked > MAX_UNPACKED_BYTES:
            raise ImportRefusedError(
                f"the file is larger than {MAX_UNPACKED_BYTES // 1_000_000} MB unpacked",
                remedy,
            )
    return file
