"""Read the answers of a file as rows to store: find what they are about, and check them."""

import json
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from math import gcd
from typing import Any, Final, NoReturn

from annotation.importing.answer_rows import (
    NAMESPACE,
    RENAME_JUDGE,
    AnswerRow,
    JudgeTakesPartError,
    imported_judges,
)
from annotation.importing.answer_subjects import AnswerSubject, AnswerSubjects, Refuse
from annotation.importing.machine_answers import MachineAnswers
from annotation.importing.stored_answers import (
    REPEAT,
)
from annotation.protocols.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
)
from annotation.protocols.answer_kinds import Rules, answer_kind_of
from annotation.protocols.submissions import AssignedBlock
from campaign.database.many_rows import row_locked
from campaign.formats import FormatError
from campaign.formats.errors import Losses
from campaign.models import Task

_NO_BLOCK: Final = uuid.UUID(int=0)
#: Clocks differ; answers further in the future are errors.
_AHEAD: Final = timedelta(days=1)
_LONGEST_MS: Final = 2**31 - 1
_LONGEST_COMMENT: Final = 5_000


class AnswerReading:
    """Reads the answers of files for a task.

    Attributes
    ----------
    repeats : AnswerRepeats
        How many answers repeat earlier ones on purpose.
    """

    def __init__(
        self,
        task: Task,
        reader: AnswerFiles,
        machines: MachineAnswers,
        losses: Losses,
        *,
        began_at: datetime,
        copies: Sequence[int],
    ) -> None:
        """Prepare to read; `copies` says how often each file holds its whole content. Locks the task."""
        self._task = task
        self._reader = reader
        self._kind = answer_kind_of(task)
        # Keeps the rules unchanged until the commit. Locked after HITs, the order of `task_delete`.
        locked = row_locked(task)
        self._rules: Rules = answer_kind_of(locked).rules
        self._machines = machines
        self._losses = losses
        self._began_at = began_at
        self._latest = (began_at + _AHEAD).timestamp()
        self._subjects = AnswerSubjects(task, losses)
        self._judges: dict[str, int] = {}
        self.repeats = AnswerRepeats(copies)

    def begin_file(self, name: str) -> None:
        """Begin a file."""
        self._file = name
        self._subjects.begin_file(name)
        self.repeats.begin_file()
        self._client_ids: list[uuid.UUID] = []

    def rows(
        self,
        answers: Sequence[FileAnswer],
        refusal: Callable[[FileAnswer], Refuse],
    ) -> Iterator[AnswerRow | None]:
        """Yield the row of each answer; None if it repeats another one and does not count.

        `refusal` returns what raises FormatError for an answer.
        """
        subjects = self._subjects.of(answers, refusal)
        self._judges_know(answers, refusal)
        for answer, subject in zip(answers, subjects, strict=True):
            yield self._row(answer, subject, refusal(answer))

    def _judges_know(
        self,
        answers: Sequence[FileAnswer],
        refusal: Callable[[FileAnswer], Refuse],
    ) -> None:
        new: dict[str, FileAnswer] = {}
        for answer in answers:
            if not answer.judge:
                refusal(answer)(
                    "judge",
                    "the judge is missing",
                    "name the judge of each answer",
                )
            if (
                answer.judge not in self._judges
                and self._machines.author(answer.judge) is None
            ):
                new.setdefault(answer.judge, answer)
        namesake = self._machines.namesake(new)
        if namesake is not None:
            refusal(new[namesake.name])(
                "judge",
                f'the judge "{namesake.name}" is a machine judge of this campaign ({namesake})',
                f'write "machine": true and the version in JSON Lines, or name the judge "{namesake}"',
            )
        try:
            self._judges |= imported_judges(
                campaign_id=self._task.test_set.campaign_id,
                pseudonyms=list(new),
            )
        except JudgeTakesPartError as error:
            refusal(new[error.pseudonym])(None, error.problem, RENAME_JUDGE)

    def _row(
        self,
        answer: FileAnswer,
        subject: AnswerSubject,
        refuse: Refuse,
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
            file=self._file,
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
            skip_reason=answer.skip_reason,
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
        first = uuid.uuid5(NAMESPACE, content_text)
        if answer.repeat is not None or machine is not None:
            return first
        times = self.repeats.number(first.bytes, answer.duration_ms)
        if times is None:
            return None
        if times == 1:
            return first
        return uuid.uuid5(NAMESPACE, f"{content_text} {times}")

    def _task_answer(
        self,
        answer: FileAnswer,
        subject: AnswerSubject,
        refuse: Refuse,
    ) -> Any:
        def lose(what: str) -> None:
            self._losses.add(what, f"{self._file}, line {answer.line}")

        try:
            task_answer = self._reader.answer(
                answer.content,
                subject.texts.candidates,
                self._rules,
                lose,
            )
        except AnswerRefusedError as error:
            refuse(None, error.problem, error.remedy)
        refusal = self._kind.refusal(
            self._imported_block(task_answer, subject),
            task_answer,
        )
        if refusal is not None:
            refuse(None, refusal.message.rstrip("."), "correct the answer")
        return task_answer

    def _imported_block(
        self,
        task_answer: Any,
        subject: AnswerSubject,
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
            unstored_texts=subject.texts,
            is_imported=True,
        )

    def _submitted_at(self, answer: FileAnswer, refuse: Refuse) -> str:
        if answer.submitted_at is None:
            return self._began_at.isoformat()
        if answer.submitted_at > self._latest:
            refuse(
                None,
                "the time is in the future",
                "use seconds since 1970 (UTC), not milliseconds",
            )
        return datetime.fromtimestamp(answer.submitted_at, UTC).isoformat()


class AnswerRepeats:
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
    file: str,
    answer: FileAnswer,
    field: str | None,
    problem: str,
    remedy: str,
) -> NoReturn:
    """Raise FormatError with the line of an answer, if its file has lines."""
    raise FormatError(file, problem, remedy, line=answer.line or None, field=field)
