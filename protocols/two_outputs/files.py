"""Answers about two outputs as arrays, as JSON Lines (`docs/formats-judgments.md`), and as task
files.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np

from annotation.protocols.answer_files import (
    AnswerFiles,
    AnswerRefusedError,
    FileAnswer,
    FileContent,
    FileRecords,
    Lose,
)
from annotation.protocols.answer_kinds import Rules
from campaign.formats.cells import Refuse
from protocols.frame.lines import (
    AnswerLines,
    CountedAnswers,
    LineValues,
    MakeRow,
    wrote_the_same,
)
from protocols.frame.two_outputs import VerdictJSON
from protocols.models import Verdict
from protocols.two_outputs.records import CHOICES, choice_records
from protocols.two_outputs.statistics import Choice, Choices
from ranking.files.answer_records import RANKED_FORMATS
from ranking.files.labels import judge_named, segment_number, whole, word_of
from ranking.importing.ranked_answers import Ranks, complete_ranks, ranked_content

#: Names of systems that wrote the same text.
_SAME_TEXT: Final = " = "
_CHOICES: Final = {
    Verdict.FIRST: Choice.X,
    Verdict.SECOND: Choice.Y,
    Verdict.SAME: Choice.SAME,
    Verdict.BOTH_FINE: Choice.SAME,
    Verdict.BOTH_WRONG: Choice.BOTH_WRONG,
}
_MIRRORED: Final = {Choice.X: Choice.Y, Choice.Y: Choice.X}
_OF_THREE: Final = frozenset({Verdict.SAME})
OF_FOUR: Final = frozenset({Verdict.BOTH_FINE, Verdict.BOTH_WRONG})


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """An answer about the outputs of `first`, shown first, and `second`; each names all systems that wrote its text."""

    segment: int
    first: tuple[str, ...]
    second: tuple[str, ...]
    judge: str
    answer: Verdict
    duration_ms: int | None = None


def choices_arranged(
    answers: Iterable[JudgedPair],
    *,
    systems: tuple[str, str] | None = None,
) -> tuple[Choices, tuple[str, str] | None]:
    """Return answers as arrays, only those about `systems` if given.

    Also return systems X and Y if all items are about the same two; None for several pairs.
    """
    rows = list(_rows_of(answers, systems))
    items = sorted({row.item for row in rows})
    judges = sorted({row.judge for row in rows})
    item_numbers = {item: n for n, item in enumerate(items)}
    judge_numbers = {judge: n for n, judge in enumerate(judges)}
    columns = []
    for row in rows:
        columns.append((item_numbers[row.item], judge_numbers[row.judge], row.choice))
    item, judge, choice = np.array(columns, dtype=np.int64).reshape(-1, 3).T
    choices = Choices(item, judge, choice, tuple(judges), len(items))
    pairs = {pair for _segment, pair in items}
    if systems is None and len(pairs) == 1:
        systems = pairs.pop()
    return choices, systems


class _Row(NamedTuple):
    """An answer; `item` is the segment and the two systems."""

    item: tuple[int, tuple[str, str]]
    judge: str
    choice: Choice


def _rows_of(
    answers: Iterable[JudgedPair],
    systems: tuple[str, str] | None,
) -> Iterator[_Row]:
    for answer in answers:
        choice = _CHOICES[answer.answer]
        if pair := _pair_of(answer.first, answer.second, systems):
            yield _Row((answer.segment, pair), answer.judge, choice)
        elif pair := _pair_of(answer.second, answer.first, systems):
            mirrored = _MIRRORED.get(choice, choice)
            yield _Row((answer.segment, pair), answer.judge, mirrored)


def _pair_of(
    first: tuple[str, ...],
    second: tuple[str, ...],
    systems: tuple[str, str] | None,
) -> tuple[str, str] | None:
    """Return X and Y if they wrote the first and the second output, in this order; otherwise
    None.
    """
    if systems is not None:
        if systems[0] in first and systems[1] in second:
            return systems
        return None
    one = _SAME_TEXT.join(sorted(first))
    other = _SAME_TEXT.join(sorted(second))
    if one < other:
        return (one, other)
    return None


def _answer_maker() -> MakeRow[JudgedPair]:
    answers: set[Verdict] = set()

    def make(values: LineValues, refuse: Refuse) -> JudgedPair:
        row = JudgedPair(**values)
        if both := set(row.first) & set(row.second):
            refuse(
                "second",
                f"the system {min(both)} is compared with itself",
                "name two different systems",
            )
        answers.add(row.answer)
        if row.answer is Verdict.SAME:
            others = OF_FOUR
        else:
            others = _OF_THREE
        if row.answer in _OF_THREE | OF_FOUR and others & answers:
            refuse(
                "answer",
                f"the files contain both {row.answer} and {min(others)}",
                "use files with three answers or with four, not both",
            )
        return row

    return make


def _verdict(key: str, value: object, refuse: Refuse) -> Verdict:
    remedy = 'write "first" or "second" for the better output, otherwise "same", or one of "both_fine" and "both_wrong"'
    return Verdict(word_of(key, value, Verdict, refuse, remedy))


def _judged_pairs_of_task(counted: CountedAnswers) -> Iterator[JudgedPair]:
    """Yield the answers whose outputs are both by participating systems; each names all systems
    that wrote its text.
    """
    rows_read: list[Any] = list(
        counted.judgments.values_list(
            "block_id",
            "block__segment__number",
            "judge__pseudonym",
            "duration_ms",
            "twooutputsanswer__verdict",
            named=True,
        ),
    )
    wrote = counted.wrote(row.block_id for row in rows_read)
    for row in rows_read:
        first, second = wrote[row.block_id]
        if first and second:
            yield JudgedPair(
                segment=row.block__segment__number,
                first=tuple(sorted(first)),
                second=tuple(sorted(second)),
                judge=row.judge__pseudonym,
                answer=Verdict(row.twooutputsanswer__verdict),
                duration_ms=row.duration_ms,
            )


def _answers(lines: Sequence[tuple[int, JudgedPair]]) -> Iterator[FileAnswer]:
    for number, line in lines:
        yield FileAnswer(
            line=number,
            judge=line.judge,
            segment=str(line.segment),
            candidates=(line.first, line.second),
            content=line.answer,
            duration_ms=line.duration_ms,
            repeat=None,
        )


LINES: Final = AnswerLines(
    name=CHOICES,
    keys={
        "segment": segment_number,
        "first": wrote_the_same,
        "second": wrote_the_same,
        "judge": judge_named,
        "answer": _verdict,
        "duration_ms": whole(0),
    },
    optional=("duration_ms",),
    row_maker=_answer_maker,
    # A judge may answer about the same outputs more than once, on purpose.
    statements=None,
    of_task=_judged_pairs_of_task,
    answers=_answers,
)


def _content(records: FileRecords) -> FileContent:
    if records.file_format == CHOICES:
        return LINES.content(records)
    return ranked_content(records)


def _answer(
    answer: Ranks | Verdict,
    _texts: Sequence[str | None],
    rules: Rules,
    lose: Lose,
) -> VerdictJSON:
    if not isinstance(answer, Verdict):
        return _verdict_from_ranks(answer, rules, lose)
    four = rules["four_answers"]
    if answer in (_OF_THREE if four else OF_FOUR):
        raise AnswerRefusedError(
            f'"{answer}" is not an answer of this task',
            f"import it into a task with {'three' if four else 'four'} answers "
            f"(four_answers: {'false' if four else 'true'})",
        )
    return {"verdict": str(answer)}


def _verdict_from_ranks(ranks: Ranks, rules: Rules, lose: Lose) -> VerdictJSON:
    first, second = complete_ranks(ranks)
    if {first, second} not in ({1}, {1, 2}):
        lose("rank differences and tied ranks")
    if first == second and rules["four_answers"]:
        raise AnswerRefusedError(
            "two outputs are tied, but this task needs “both fine” or “both wrong”",
            "import it into a task with three answers (four_answers: false)",
        )
    if first == second:
        return {"verdict": str(Verdict.SAME)}
    return {"verdict": str(Verdict.FIRST if first < second else Verdict.SECOND)}


FILES: Final = AnswerFiles(
    formats=(LINES.name, *RANKED_FORMATS),
    parse=choice_records,
    content=_content,
    answer=_answer,
    writers={LINES.name: LINES.write},
)
