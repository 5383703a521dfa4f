"""Import answers of any protocol from files, and create their blocks."""

import hashlib
import json
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from io import BytesIO
from itertools import islice
from typing import Any, Final, NoReturn

from django.core.files.uploadedfile import UploadedFile
from django.db import DataError, IntegrityError, transaction

from annotation.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    answer_files,
    isolated_reader,
    protocols_with_files,
)
from annotation.importing.answer_places import Place, Places, Refuse
from annotation.importing.answer_rows import (
    RENAME_JUDGE,
    AnswerRow,
    AnswerWriter,
    JudgeTakesPartError,
    ids_there,
    imported_judges,
)
from annotation.models import HIT, Block, Judgment, JudgmentNumber, Skip
from annotation.protocols import Rules, answer_kind
from annotation.services.numbers import judgments_number, ranking_request
from annotation.services.planning.designs import design_ensure
from annotation.services.planning.pool import comparisons_settle
from campaign.database.many_rows import statistics_refresh
from campaign.formats import FormatError, InputFile
from campaign.formats.errors import Loss, Losses
from campaign.formats.streams import StoredFile, byte_chunks
from campaign.importing.errors import ImportRefusedError
from campaign.importing.judgment_files import LanguagePair, language_tag
from campaign.models import Judge, Output, Segment, Task
from campaign.services.uploads import judgments_import_note

#: Answers per batch: few enough that their texts fit in memory, enough to make its queries worthwhile.
_BATCH: Final = 1000
_NAMESPACE: Final = uuid.UUID("0d2b4e0e-6f0c-5a4b-8d1e-6f1f3a6c7b52")
#: Clocks differ; answers further in the future are errors.
_AHEAD: Final = timedelta(days=1)
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
        How many of these answers exactly repeat an earlier one. Repeats count, too.
    files : tuple of AnswersOfFile
    losses : tuple of Loss
        Content of the files that was not imported.
    """

    judgments: int
    skips: int
    already_there: int
    repeated: int
    files: tuple[AnswersOfFile, ...]
    losses: tuple[Loss, ...]


@transaction.atomic
def answers_import(
    *,
    task: Task,
    files: Sequence[StoredFile],
    file_format: str | None = None,
    languages: LanguagePair | None = None,
    is_isolated: bool = False,
) -> AnswersImported:
    """Import answers from files into a task: all or, on an error, none. `languages` restricts them to a language pair.

    An answer becomes a block with its candidates as shown, in a HIT with other answers of the same
    judge and file, and a judgment or skip by the judge with the pseudonym given in the file.
    Missing outputs are created if the test set has no texts. HITs are completed and never lent;
    `HIT.why` names their file. Answers that were imported before are skipped; they are recognised
    by segment, judge, candidates, content, and the number of equal answers before them. Judgments
    are numbered last, in the order of the files. After the commit, a ranking is requested.
    With `is_isolated`, files are read in a process of its own.

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
    _refuse_unknown_format(reader, file_format)
    importing = _Import(task, isolated_reader(reader) if is_isolated else reader, languages)
    for file in files:
        importing.read(file, file_format)
    imported = importing.imported()
    told = {"task": task.pk, "imported_at": importing.began_at, **asdict(imported)}
    judgments_import_note(test_set=task.test_set, told=told)
    judgments_number(task_id=task.pk)
    if answer_kind(task.protocol).comparisons is not None:
        # The planner skips campaigns that are not open, so settle the sort here as far as the
        # answers allow.
        comparisons_settle(design=design_ensure(task=task))
    statistics_refresh(Segment, Output, HIT, Block, Judge, Judgment, JudgmentNumber, Skip)
    if imported.judgments:
        ranking_request(task_id=task.pk)
    return imported


def _refuse_unknown_format(reader: AnswerFiles, file_format: str | None) -> None:
    if file_format is not None and file_format not in reader.formats:
        raise ImportRefusedError(
            f'unknown format "{file_format}"',
            f"choose one of {', '.join(reader.formats)}",
        )


class _Import:
    """An import in progress."""

    def __init__(
        self,
        task: Task,
        reader: AnswerFiles,
        languages: LanguagePair | None,
    ) -> None:
        self._task = task
        self._reader = reader
        self._languages = languages
        self._chosen: dict[tuple[str, str], bool] = {}
        self._kind = answer_kind(task.protocol)
        self._writer = AnswerWriter(task)
        self.began_at = self._writer.hits.began_at.isoformat()
        self._latest = (self._writer.hits.began_at + _AHEAD).timestamp()
        # Keeps the rules unchanged until the commit. Locked after HITs, the order of `task_delete`.
        locked = Task.objects.select_for_update(no_key=True).get(pk=task.pk)
        self._rules: Rules = self._kind.rules(locked.rules)
        self._judges: dict[str, int] = {}
        self._seen: Counter[bytes] = Counter()
        self._losses = Losses()
        self._places = Places(task, self._losses)
        self._files: list[AnswersOfFile] = []
        self._judgments = self._skips = self._already_there = 0

    def read(self, file: StoredFile, file_format: str | None) -> None:
        """Import the answers in a file."""
        sha256 = _sha256(file)
        with file.open() as stream:
            content = self._reader.read(InputFile(file.name, stream), file_format)
            read = AnswersOfFile(file.name, content.file_format, sha256)
            self._files.append(read)
            self._places.begin_file(read.name)
            self._writer.hits.begin_file(
                {"file": read.name, "format": read.file_format, "sha256": sha256}
            )
            self._client_ids: list[uuid.UUID] = []
            answers = self._reader.of_task(
                self._task, content.answers, partial(_refuse_answer, file.name)
            )

            def refusal(answer: FileAnswer) -> Refuse:
                return partial(_refuse_answer, file.name, answer)

            chosen = (answer for answer in answers if self._is_chosen(answer, refusal))
            while batch := list(islice(chosen, _BATCH)):
                self._store(batch, refusal)
            for loss in content.losses:
                self._losses.add(loss.what, f"{file.name}, {loss.first}", loss.count)

    def imported(self) -> AnswersImported:
        """Return the result. Raises ImportRefusedError if nothing was imported."""
        if not self._done:
            chosen = f" of {self._languages}" if self._languages else ""
            raise ImportRefusedError(f"no judgments{chosen} found", "give a file with at least one")
        return AnswersImported(
            judgments=self._judgments,
            skips=self._skips,
            already_there=self._already_there,
            repeated=self._seen.total() - len(self._seen),
            files=tuple(self._files),
            losses=self._losses.found(),
        )

    @property
    def _done(self) -> int:
        return self._judgments + self._skips + self._already_there

    def _is_chosen(self, answer: FileAnswer, refusal: Callable[[FileAnswer], Refuse]) -> bool:
        """Return True if the answer is in the selected languages; refuse another test set's answers if none are
        selected.
        """
        known = self._chosen.get(answer.languages)
        if known is not None:
            return known
        pair, test_set = LanguagePair(*answer.languages), self._task.test_set
        own = LanguagePair(test_set.source_language, test_set.target_language)
        if self._languages is not None:
            is_chosen = pair.tags == self._languages.tags
        elif not all(answer.languages) or _without_region(pair) == _without_region(own):
            is_chosen = True
        else:
            refusal(answer)(
                None,
                f'the languages are {pair}, those of the test set "{test_set.name}" {own}',
                "give a file of this test set, or select rows by language (import_answers)",
            )
        self._chosen[answer.languages] = is_chosen
        return is_chosen

    def _store(
        self, answers: Sequence[FileAnswer], refusal: Callable[[FileAnswer], Refuse]
    ) -> None:
        places = self._places.of(answers, refusal)
        self._judges_know(answers, refusal)
        rows = [
            self._row(answer, place, refusal(answer))
            for answer, place in zip(answers, places, strict=True)
        ]
        there: set[uuid.UUID] = set()
        if not self._writer.hits.is_first_import:
            there = ids_there(row.client_id for row in rows)
        new = [row for row in rows if row.client_id not in there]
        try:
            judgments = self._writer.write(new)
        except (IntegrityError, DataError) as error:
            raise _refused_by_the_database(answers, error) from error
        self._judgments += judgments
        self._skips += len(new) - judgments
        self._already_there += len(rows) - len(new)

    def _judges_know(
        self, answers: Sequence[FileAnswer], refusal: Callable[[FileAnswer], Refuse]
    ) -> None:
        new: dict[str, FileAnswer] = {}
        for answer in answers:
            if answer.judge not in self._judges:
                new.setdefault(answer.judge, answer)
        try:
            self._judges |= imported_judges(
                campaign_id=self._task.test_set.campaign_id, pseudonyms=list(new)
            )
        except JudgeTakesPartError as error:
            refusal(new[error.pseudonym])(None, error.problem, RENAME_JUDGE)

    def _row(self, answer: FileAnswer, place: Place, refuse: Refuse) -> AnswerRow:
        shown = len(place.outputs)
        # Other tools may rank any number of outputs.
        if self._kind.has_answers and shown not in self._kind.candidates:
            fewest, most = self._kind.candidates[0], self._kind.candidates[-1]
            asked = str(fewest) if fewest == most else f"{fewest} to {most}"
            refuse(
                None,
                f"the number of outputs is {shown}, but judges of this task see {asked}",
                "import it into a task with another protocol",
            )
        said = None if answer.is_skip else self._said(answer, place, refuse)
        about = None if answer.about is None else self._client_ids[answer.about]
        client_id = self._client_id(answer, place, answer.said if answer.is_skip else said, about)
        _refuse_times(answer, refuse)
        if self._kind.about is not None:
            self._client_ids.append(client_id)
        return AnswerRow(
            client_id=client_id,
            about=about,
            why=self._reader.why(answer.candidates),
            judge=self._judges[answer.judge],
            place=place,
            part=self._reader.part(said),
            answer=said,
            labels=() if answer.is_skip else self._kind.labels(said, shown),
            submitted_at=self._submitted_at(answer, refuse),
            duration_ms=answer.duration_ms,
            active_ms=answer.active_ms,
            comment=answer.comment,
        )

    def _client_id(
        self, answer: FileAnswer, place: Place, said: Any, about: uuid.UUID | None
    ) -> uuid.UUID:
        """Return the id of an answer, derived from its content and the number of equal answers before it.

        The id depends only on data that exports preserve, so that an exported file is recognised.
        """
        content = json.dumps(
            [self._task.pk, place.number, answer.judge, answer.candidates, said]
            + ([] if about is None else [str(about)])
        )
        first = uuid.uuid5(_NAMESPACE, content)
        self._seen[first.bytes] += 1
        times = self._seen[first.bytes]
        return first if times == 1 else uuid.uuid5(_NAMESPACE, f"{content} {times}")

    def _said(self, answer: FileAnswer, place: Place, refuse: Refuse) -> Any:
        def lose(what: str) -> None:
            self._losses.add(what, f"{self._files[-1].name}, line {answer.line}")

        try:
            return self._reader.answer(answer.said, place.texts, self._rules, lose)
        except AnswerRefusedError as error:
            refuse(None, error.problem, error.remedy)

    def _submitted_at(self, answer: FileAnswer, refuse: Refuse) -> str:
        if answer.submitted_at is None:
            return self.began_at
        if answer.submitted_at > self._latest:
            refuse(
                None,
                "the time is in the future",
                "give seconds since 1970, UTC, not milliseconds",
            )
        return datetime.fromtimestamp(answer.submitted_at, UTC).isoformat()


def _without_region(pair: LanguagePair) -> tuple[str, ...]:
    """Return the language pair without regions and scripts."""
    names = (pair.source, pair.target)
    return tuple(language_tag(each.replace("_", "-")).split("-", 1)[0].lower() for each in names)


def _refuse_times(answer: FileAnswer, refuse: Refuse) -> None:
    on_the_clock, active = answer.duration_ms, answer.active_ms
    if max(on_the_clock or 0, active or 0) > _LONGEST_MS:
        refuse(None, "the time is longer than 24 days", "correct the times, or leave them out")
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


def _refuse_answer(
    file: str, answer: FileAnswer, field: str | None, problem: str, remedy: str
) -> NoReturn:
    raise FormatError(file, problem, remedy, line=answer.line, field=field)


def _refused_by_the_database(answers: Sequence[FileAnswer], error: Exception) -> Exception:
    """Return an error with the database's reason and the lines that may have caused it."""
    said = str(error).strip().split("\n", 1)[0]
    return ImportRefusedError(
        f"the database refused an answer in lines {answers[0].line} to {answers[-1].line}: {said}",
        "correct the file, or contact the administrator",
    )


def _sha256(file: StoredFile) -> str:
    found = hashlib.sha256()
    with file.open() as stream:
        while chunk := stream.read(1 << 20):
            found.update(chunk)
    return found.hexdigest()


#: Size limits for files as uploaded and unpacked; larger ones must be imported with the command.
MAX_BYTES: Final = 5_000_000
MAX_UNPACKED_BYTES: Final = 20_000_000
_BY_COMMAND: Final = "use the command import_answers, or split the file"


def sent_answers_import(
    *, task: Task, sent: "UploadedFile[Any]", file_format: str | None = None
) -> AnswersImported:
    """Import the answers of an uploaded file.

    Raises FormatError and ImportRefusedError, also for a file that is too large.
    """
    if (sent.size or 0) > MAX_BYTES:
        raise ImportRefusedError(
            f"the file is larger than {MAX_BYTES // 1_000_000} MB", _BY_COMMAND
        )
    content = sent.read()
    file = StoredFile(sent.name or "file", lambda: BytesIO(content))
    unpacked = 0
    for chunk in byte_chunks(InputFile(file.name, file.open())):
        unpacked += len(chunk)
        if unpacked > MAX_UNPACKED_BYTES:
            raise ImportRefusedError(
                f"the file is larger than {MAX_UNPACKED_BYTES // 1_000_000} MB unpacked",
                _BY_COMMAND,
            )
    return answers_import(task=task, files=[file], file_format=file_format, is_isolated=True)
