"""Import the answers of files into a task: all or, on an error, none."""

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from itertools import islice
from typing import Any, Final

from django.core.files.uploadedfile import UploadedFile
from django.db import DataError, IntegrityError, transaction

from annotation.importing.answer_reading import AnswerReading, refuse_answer
from annotation.importing.answer_storing import AnswersOfFile, AnswerStoring
from annotation.importing.answer_subjects import Refuse
from annotation.importing.machine_answers import MachineAnswers
from annotation.importing.stored_answers import (
    NoLongerInFile,
    blocks_count_again,
    blocks_withdraw,
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
    FileAnswer,
    answer_files,
    file_content,
    protocols_with_files,
)
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.services.numbers import judgments_number, ranking_request
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import comparisons_settle
from campaign.database.many_rows import statistics_refresh
from campaign.formats import InputFile
from campaign.formats.errors import Loss, Losses
from campaign.formats.isolation import Watch
from campaign.formats.repeats import COUNTED_ONCE
from campaign.formats.streams import StoredFile, byte_chunks
from campaign.importing.errors import ImportRefusedError
from campaign.importing.judgment_files import LanguagePair, language_tag
from campaign.importing.uploaded_files import sent_file
from campaign.models import Judge, Output, Segment, Task, User
from campaign.services.questions import form_answers_import
from campaign.services.uploads import judgments_import_note

#: Answers per batch: few enough that their texts fit in memory, enough to make its queries worthwhile.
_BATCH: Final = 1000
FORMS_LOST: Final = "answers to forms that match no question of the campaign, or of judges without judgments"

#: Loss: they count in rankings, but not in the sort of the task.
UNASKED: Final = "answers to comparisons that the sort of this task has not requested"


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
        Answers and skips that had been imported before, without those that differ.
    repeated : int
        How many answers equal an earlier one of the same judge on purpose. They count, too.
    files : tuple of AnswersOfFile
    losses : tuple of Loss
        Content of the files that was not imported.
    earlier_exports : tuple of str
        Hashes of the files imported earlier that have answers in common with these.
    by_machines : int
        Answers and skips of machine judges that were stored, which are not in the other numbers.
    machines : int
        Machine judges that were added.
    """

    judgments: int
    skips: int
    already_there: int
    repeated: int
    files: tuple[AnswersOfFile, ...]
    losses: tuple[Loss, ...]
    earlier_exports: tuple[str, ...] = ()
    by_machines: int = 0
    machines: int = 0


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
    by : User, optional
        Who adds the machine judges that the files describe.
    watch : callable
        Receives the share that was imported, in bytes of the files.
    copies : tuple of int
        How often each file holds its whole content.
    """

    file_format: str | None = None
    languages: LanguagePair | None = None
    no_longer_in_file: NoLongerInFile | None = None
    machine: str = ""
    by: User | None = None
    watch: Watch = lambda _bytes_read: None
    copies: tuple[int, ...] = ()


_DEFAULTS: Final = ImportOptions()


@transaction.atomic
def answers_import(
    *,
    task: Task,
    files: Sequence[StoredFile],
    options: ImportOptions = _DEFAULTS,
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

    Answers of a judge with the name and version of a machine judge are stored apart, as machine judgments; a stored
    answer stays. Machine judges that a file describes are added.

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
    withdrawn = importing.storing.finish()
    imported = importing.imported()
    judgments_number(task_id=task.pk)
    blocks_withdraw(task=task, blocks=withdrawn)
    blocks_count_again(task=task, blocks=importing.storing.restored)
    comparisons = answer_kind_of(task).comparisons
    if comparisons is not None:
        # The planner skips campaigns that are not open, so settle the sort here as far as the
        # answers allow.
        design = design_ensure(task=task)
        comparisons_settle(design=design)
        unasked = comparisons.answers_unasked(design) if imported.judgments else 0
        if unasked:
            loss = Loss(UNASKED, unasked, files[0].name)
            imported = replace(imported, losses=(*imported.losses, loss))
    event = {
        "task": task.pk,
        "imported_at": importing.storing.began_at.isoformat(),
        **asdict(imported),
    }
    judgments_import_note(test_set=task.test_set, event=event)
    statistics_refresh(
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
        self._losses = Losses()
        self._machines = MachineAnswers(task, options.machine, options.by)
        self.storing = AnswerStoring(
            task,
            self._machines,
            self._losses,
            options.no_longer_in_file,
        )
        self._reading = AnswerReading(
            task,
            reader,
            self._machines,
            self._losses,
            began_at=self.storing.began_at,
            copies=options.copies,
        )
        self._bytes = 0

    def read_all(self, files: Sequence[StoredFile]) -> None:
        """Import the answers of files. Raises _FilesRepeatThemselvesError for the import to begin again."""
        for file in files:
            self._read(file)
        self._machines.store()
        copies = self._reading.repeats.copies()
        if not self._options.copies and max(copies, default=1) > 1:
            raise _FilesRepeatThemselvesError(copies)

    def _read(self, file: StoredFile) -> None:
        sha256 = _sha256(file)
        bytes_before = self._bytes

        def watch(bytes_read: int) -> None:
            self._options.watch(bytes_before + bytes_read)

        with file_content(
            self._reader,
            file,
            self._options.file_format,
            watch,
        ) as content:
            self._reading.begin_file(file.name)
            self.storing.begin_file(
                AnswersOfFile(file.name, content.file_format, sha256),
            )
            answers = self._reader.of_task(
                self._task,
                content.answers,
                partial(refuse_answer, file.name),
            )

            def refusal(answer: FileAnswer) -> Refuse:
                return partial(refuse_answer, file.name, answer)

            chosen = (answer for answer in answers if self._is_chosen(answer, refusal))
            described = 0
            while batch := list(islice(chosen, _BATCH)):
                self._machines.describe(file.name, content.machines[described:])
                described = len(content.machines)
                self._store(batch, refusal)
            for loss in content.losses:
                self._losses.add(loss.what, f"{file.name}, {loss.first}", loss.count)
            campaign = self._task.test_set.campaign
            for form in form_answers_import(campaign=campaign, answers=content.forms):
                self._losses.add(FORMS_LOST, f"{file.name}, line {form.line}")
        self._bytes += file.size()

    def imported(self) -> AnswersImported:
        """Return the result. Raises ImportRefusedError if nothing was imported."""
        if not self._answer_count:
            raise no_judgments_error(self._languages)
        storing = self.storing
        return AnswersImported(
            judgments=storing.judgments,
            skips=storing.skips,
            already_there=storing.already_there + self._machines.already_there,
            repeated=self._reading.repeats.counted,
            files=tuple(storing.files),
            losses=self._losses.counted(),
            earlier_exports=storing.earlier_exports,
            by_machines=self._machines.new,
            machines=self._machines.added,
        )

    @property
    def _answer_count(self) -> int:
        stored = self.storing.judgments + self.storing.skips + self._machines.new
        there = self.storing.already_there + self._machines.already_there
        differing = self.storing.differing + self._machines.differing
        return stored + there + differing

    def _is_chosen(
        self,
        answer: FileAnswer,
        refusal: Callable[[FileAnswer], Refuse],
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
        elif not all(answer.languages) or _primary_languages(
            pair,
        ) == _primary_languages(own):
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
        self,
        answers: Sequence[FileAnswer],
        refusal: Callable[[FileAnswer], Refuse],
    ) -> None:
        rows = []
        for answer, row in zip(
            answers,
            self._reading.rows(answers, refusal),
            strict=True,
        ):
            if row is not None and self.storing.add_id(row):
                rows.append(row)
            else:
                location = f"{self.storing.files[-1].name}, line {answer.line}"
                self._losses.add(COUNTED_ONCE, location)
        try:
            self.storing.store(rows)
        except (IntegrityError, DataError) as error:
            raise _refused_by_the_database(answers, error) from error


def _primary_languages(pair: LanguagePair) -> tuple[str, ...]:
    """Return the language pair without regions and scripts."""
    names = (pair.source, pair.target)
    return tuple(
        language_tag(name.replace("_", "-")).split("-", 1)[0].lower() for name in names
    )


def _refused_by_the_database(
    answers: Sequence[FileAnswer],
    error: Exception,
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


def no_judgments_error(languages: LanguagePair | None = None) -> ImportRefusedError:
    """Return the error for files without judgments, or without any of the selected languages."""
    chosen = f" of {languages}" if languages else ""
    return ImportRefusedError(
        f"no judgments{chosen} found",
        "provide a file with at least one",
    )


#: Size limits for files as uploaded and unpacked; larger ones must be imported with the command.
MAX_BYTES: Final = 5_000_000
MAX_UNPACKED_BYTES: Final = 20_000_000
_BY_COMMAND: Final = "use the command import_answers, or split the file"


def sent_answers_import(
    *,
    task: Task,
    sent: "UploadedFile[Any]",
    options: ImportOptions = _DEFAULTS,
) -> AnswersImported:
    """Import the answers of an uploaded file.

    Raises FormatError and ImportRefusedError, also for a file that is too large.
    """
    return answers_import(task=task, files=[sent_file_checked(sent)], options=options)


def sent_file_checked(
    sent: "UploadedFile[Any]",
    remedy: str = _BY_COMMAND,
) -> StoredFile:
    """Return an uploaded file of answers. Raises FormatError, and ImportRefusedError with this remedy if it is too large."""
    if (sent.size or 0) > MAX_BYTES:
        raise ImportRefusedError(
            f"the file is larger than {MAX_BYTES // 1_000_000} MB",
            remedy,
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
