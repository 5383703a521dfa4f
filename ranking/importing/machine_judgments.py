"""Read judgments of machine judges, in the form of their export, as answers for tasks of every protocol."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, Final

from rest_framework.exceptions import ValidationError

from annotation.models import SkipReason
from annotation.protocols.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    FileContent,
    FileRecords,
    Lose,
    RefuseAnswer,
)
from annotation.protocols.answer_kinds import (
    Answer,
    AnswerKind,
    CompleteRules,
    answer_kind,
)
from campaign.formats.cells import refuse_at
from campaign.formats.json_text import JSONObject
from campaign.formats.segment_identity import document_named
from campaign.models import Task
from ranking.files.machine_lines import MACHINE_JUDGMENTS, machine_records

_REASONS: Final = ", ".join(SkipReason)


@dataclass(frozen=True, slots=True)
class _Sent:
    """An answer as a request has it: labels, or the answer of a protocol."""

    labels: tuple[int | None, ...]
    answer: JSONObject | None


def with_machine_judgments(protocol: str, files: AnswerFiles) -> AnswerFiles:
    """Return files that also describe machine judges, and a format of these answers beside those of the protocol."""

    def content(records: FileRecords) -> FileContent:
        if records.file_format != MACHINE_JUDGMENTS:
            return files.content(records)
        return FileContent(
            file_format=records.file_format,
            answers=_answers(records, answer_kind(protocol)),
            losses=records.losses,
        )

    def answer(
        sent: Any,
        texts: Sequence[str | None],
        rules: CompleteRules,
        lose: Lose,
    ) -> Answer:
        if isinstance(sent, _Sent):
            if sent.answer is not None:
                sent = replace(sent, answer=files.as_requested(sent.answer, lose))
            return _answer(protocol, sent)
        return files.answer(sent, texts, rules, lose)

    def of_task(
        task: Task,
        answers: Iterable[FileAnswer],
        refuse: RefuseAnswer,
    ) -> Iterable[FileAnswer]:
        remaining = iter(answers)
        first = next(remaining, None)
        if first is None:
            return []
        every = chain([first], remaining)
        # No other format has reasons for skips.
        if isinstance(first.content, _Sent) or first.skip_reason:
            return every
        return files.of_task(task, every, refuse)

    return replace(
        files,
        formats=(*files.formats, MACHINE_JUDGMENTS),
        parse=partial(machine_records, files.parse),
        content=content,
        answer=answer,
        of_task=of_task,
    )


def _answers(records: FileRecords, kind: AnswerKind) -> Iterator[FileAnswer]:
    for line, judge, values in records.records:
        refuse = refuse_at(records.name, line)
        reason = values.get("skip_reason", "")
        if reason and reason not in SkipReason:
            refuse(
                "skip_reason",
                f"{reason!r} is not one of {_REASONS}",
                f"write one of {_REASONS}",
            )
        candidates = values["candidates"]
        if kind.comparisons is not None and max(map(len, candidates), default=1) > 1:
            refuse(
                "candidates",
                "two systems wrote the same text",
                "name one system per output, as sorting compares systems",
            )
        content: Any = _Sent(values.get("labels", ()), values.get("answer"))
        if reason:
            content = (None,) * len(candidates)
        yield FileAnswer(
            line=line,
            judge=judge,
            segment=str(values["segment"]),
            document=document_named(values.get("document", "")),
            is_number=True,
            candidates=candidates,
            content=content,
            is_skip=bool(reason),
            skip_reason=reason,
            submitted_at=values.get("submitted_at"),
            duration_ms=values.get("duration_ms"),
            comment=values.get("comment", ""),
        )


def _answer(protocol: str, sent: _Sent) -> Answer:
    """Return an answer as requests of a protocol are read. Raises AnswerRefusedError."""
    kind = answer_kind(protocol)
    if not kind.has_answers:
        if not any(sent.labels):
            raise AnswerRefusedError(
                "the labels are missing",
                "write labels, or a skip_reason",
            )
        return list(sent.labels)
    if sent.answer is None:
        raise AnswerRefusedError(
            "the answer is missing",
            "write an answer, or a skip_reason",
        )
    try:
        return kind.validated(sent.answer)
    except ValidationError as error:
        detail: Any = error.detail
        problem = " ".join(detail["answer"]).rstrip(".")
        raise AnswerRefusedError(problem, "correct the answer") from error
