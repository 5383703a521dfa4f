"""Comparisons of two outputs as JSON Lines, one judge's answer per line, and as task files."""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from itertools import combinations
from operator import itemgetter
from typing import Final, NamedTuple

from annotation.protocols.answer_files import AnswerRefusedError, FileAnswer, Lose
from annotation.protocols.answer_kinds import CompleteRules
from campaign.formats.cells import Refuse
from campaign.formats.errors import Loss
from campaign.models import Task
from protocols.frame.lines import AnswerLines, CountedAnswers, LineValues, MakeRow
from protocols.frame.two_outputs import VerdictJSON
from protocols.sorting.answers import answers_given
from ranking.core.rankings.two_systems import PairJudgments
from ranking.core.sorting import Pair, pair_of
from ranking.files.labels import judge_named, segment_number, system_of, whole, word_of

#: r of each answer, for the first system; None for identical outputs, which are never shown.
_SIGNS = {"first": 1, "second": -1, "same": 0, "identical": None}


class Compared(NamedTuple):
    """A judge's answer about the outputs of two systems."""

    segment: int
    judge: str
    first: str
    second: str
    answer: str
    duration_ms: int | None = None

    @property
    def pair(self) -> Pair:
        """The two systems in the order that identifies the comparison."""
        return pair_of(self.first, self.second)

    @property
    def sign(self) -> int | None:
        """r for the system whose name comes first; None for identical outputs."""
        sign = _SIGNS[self.answer]
        if sign and self.first > self.second:
            return -sign
        return sign


def judged_pairs(rows: Sequence[Compared]) -> dict[Pair, PairJudgments]:
    """Return the judgments of each pair, from the viewpoint of the system whose name comes first."""
    # The result must not depend on the order of the lines.
    pairs: dict[Pair, list[tuple[str, int, int | None]]] = {}
    for judged in sorted(rows, key=lambda row: (row.pair, row.segment, row.judge)):
        pairs.setdefault(judged.pair, []).append(
            (judged.judge, judged.segment, judged.sign),
        )
    judged_by_pair = {}
    for pair, own in pairs.items():
        judged_by_pair[pair] = PairJudgments.of_rows(pair, own)
    return judged_by_pair


def _comparison_from_values(values: LineValues, refuse: Refuse) -> Compared:
    row = Compared(**values)
    if row.first == row.second:
        refuse(
            "second",
            f"the system {row.first} is compared with itself",
            "name two systems",
        )
    return row


_REMEDY: Final = 'write "first" or "second" for the better output, "same" for equal quality, or "identical" for identical texts'


def _comparisons_of_task(counted: CountedAnswers) -> list[Compared]:
    """Return the answers to the comparisons of all pairs of systems, by number."""
    word_of_sign = {sign: word for word, sign in _SIGNS.items()}
    pairs = combinations(sorted(counted.systems.values()), 2)
    answers_by_pair = answers_given(
        task=counted.task,
        pairs=pairs,
        current=counted.judgments,
    )
    rows = []
    for pair, answers in answers_by_pair.items():
        for answer in answers:
            word = word_of_sign[answer.answer]
            row = Compared(answer.segment, answer.judge, *pair, word)
            rows.append((answer.number, row))
    rows.sort(key=itemgetter(0))
    return [row for _number, row in rows]


def _file_answers(lines: Sequence[tuple[int, Compared]]) -> Iterator[FileAnswer]:
    for number, row in lines:
        if row.answer != "identical":
            yield FileAnswer(
                line=number,
                judge=row.judge,
                segment=str(row.segment),
                candidates=((row.first,), (row.second,)),
                content=row.answer,
                duration_ms=row.duration_ms,
            )


def _losses(lines: Sequence[tuple[int, Compared]]) -> list[Loss]:
    own = []
    for number, row in lines:
        if row.answer == "identical":
            own.append(number)
    loss = "identical outputs, which are not shown to judges"
    if own:
        return [Loss(loss, len(own), f"line {own[0]}")]
    return []


def _sign(key: str, value: object, refuse: Refuse) -> str:
    return word_of(key, value, _SIGNS, refuse, _REMEDY)


def _row_maker() -> MakeRow[Compared]:
    return _comparison_from_values


def _statements(row: Compared) -> Mapping[Hashable, Hashable]:
    return {(row.pair, row.segment, row.judge): row.sign}


def _export_losses(_task: Task, rows: Sequence[Compared]) -> list[Loss]:
    if not rows:
        return []
    return [
        Loss("which output was shown first", len(rows), "judgment 1"),
        Loss(
            "the seed of the sort (with another seed, a task asks for other comparisons)",
            1,
            "judgment 1",
        ),
    ]


LINES: Final = AnswerLines(
    name="comparisons-jsonl",
    keys={
        "segment": segment_number,
        "judge": judge_named,
        "first": system_of,
        "second": system_of,
        "answer": _sign,
        "duration_ms": whole(0),
    },
    optional=("duration_ms",),
    row_maker=_row_maker,
    statements=_statements,
    of_task=_comparisons_of_task,
    answers=_file_answers,
    losses=_losses,
    lost=_export_losses,
)


def _answer(
    outcome: str,
    texts: Sequence[str | None],
    _rules: CompleteRules,
    _lose: Lose,
) -> VerdictJSON:
    first, second = texts
    if first == second:
        raise AnswerRefusedError(
            "both systems wrote the same text, so they cannot be compared",
            'write "identical", or import into the test set whose texts were judged',
        )
    return {"verdict": outcome}


def _why(candidates: Sequence[Sequence[str]]) -> dict[str, object]:
    [one], [other] = candidates
    return {"comparison": list(pair_of(one, other))}


FILES: Final = LINES.files(answer=_answer, why=_why)
