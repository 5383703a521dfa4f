"""The order of rows, files, sides and names changes no number, in any format and by any method."""

import io
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import Ranking, rank
from ranking.files.parquet_writing import in_order_of_segments, write_parquet
from ranking.files.reading import read_columns, read_judgments

MakeFile = Callable[..., str]

_SYSTEMS = "ABCD"
#: Other names, in another order.
_RENAMED = {"A": "zeta", "B": "beta", "C": "omega", "D": "alpha"}
#: Scores depend on the order in which numbers are added.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Judged:
    """A judgment of two systems in one segment, in shown order; label 1 is the better one."""

    segment: int
    judge: str
    systems: tuple[str, str]
    labels: tuple[int, int]

    def swapped(self) -> "Judged":
        """Return the same judgment with the other system shown first."""
        return replace(self, systems=self.systems[::-1], labels=self.labels[::-1])

    def renamed(self) -> "Judged":
        """Return the same judgment of systems with other names."""
        first, second = self.systems
        return replace(self, systems=(_RENAMED[first], _RENAMED[second]))


def _judgments() -> list[Judged]:
    """Return judgments of many segments; some are equal but for the segment."""
    random = np.random.default_rng(58)
    judgments = []
    for segment in range(1, 61):
        first, second = random.choice(list(_SYSTEMS), 2, replace=False)
        labels = [(1, 2), (2, 1), (1, 1)][random.integers(3)]
        judge = f"j{random.integers(4)}"
        judgments.append(Judged(segment, judge, (str(first), str(second)), labels))
    return judgments


def _winner(judged: Judged) -> str:
    return {(1, 2): "model_a", (2, 1): "model_b", (1, 1): "tie"}[judged.labels]


def _vote(judged: Judged) -> dict[str, str]:
    first, second = judged.systems
    return {
        "model_a": first,
        "model_b": second,
        "winner": _winner(judged),
        "judge": judged.judge,
    }


def _text(lines: Sequence[str]) -> bytes:
    return "".join(f"{line}\n" for line in lines).encode()


def _arena_csv(judgments: Sequence[Judged]) -> bytes:
    lines = [",".join(_vote(judged).values()) for judged in judgments]
    return _text(["model_a,model_b,winner,judge", *lines])


def _arena_jsonl(judgments: Sequence[Judged]) -> bytes:
    return _text([json.dumps(_vote(judged)) for judged in judgments])


def _arena_parquet(judgments: Sequence[Judged]) -> bytes:
    file = io.BytesIO()
    parquet.write_table(
        pa.Table.from_pylist([_vote(judged) for judged in judgments]),
        file,
    )
    return file.getvalue()


def _five_way(judgments: Sequence[Judged]) -> bytes:
    head = (
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,"
        "system2Number,system2Id,system1rank,system2rank"
    )
    lines = []
    for judged in judgments:
        number, (first, second), (one, other) = (
            judged.segment,
            judged.systems,
            judged.labels,
        )
        lines.append(
            f"cs,en,{number},doc{number % 3},{number},{judged.judge},1,{first},2,{second},{one},{other}",
        )
    return _text([head, *lines])


def _pairwise(judgments: Sequence[Judged]) -> bytes:
    head = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID"
    lines = []
    for judged in judgments:
        number, (first, second), (one, other) = (
            judged.segment,
            judged.systems,
            judged.labels,
        )
        lines.append(
            f"cs,en,{number},{number},{judged.judge},{first},{one},{second},{other},{number}",
        )
    return _text([head, *lines])


def _jsonl(judgments: Sequence[Judged]) -> bytes:
    lines = []
    for judged in judgments:
        line = {
            "source_language": "cs",
            "target_language": "en",
            "segment": judged.segment,
            "judge": judged.judge,
            "candidates": [[system] for system in judged.systems],
            "labels": list(judged.labels),
        }
        lines.append(json.dumps(line))
    return _text(lines)


def _appraise(judgments: Sequence[Judged]) -> bytes:
    lines = ['<results><HIT hit-id="1" source-language="cs" target-language="en">']
    for judged in judgments:
        lines.append(
            f'<ranking-task id="{judged.segment}"><ranking-result user="{judged.judge}">',
        )
        for system, label in zip(judged.systems, judged.labels, strict=True):
            lines.append(f'<translation system="{system}" rank="{label}"/>')
        lines.append("</ranking-result></ranking-task>")
    return _text([*lines, "</HIT></results>"])


def _rank_lines(judgments: Sequence[Judged]) -> bytes:
    """Return lines of winner and loser, which have neither judges nor ties."""
    lines = []
    for judged in judgments:
        better, worse = (
            judged.systems if judged.labels == (1, 2) else judged.systems[::-1]
        )
        if judged.labels != (1, 1):
            lines.append(f"{judged.segment}\tcs-en\t{better}\tcs-en\t{worse}")
    return _text(lines)


#: Votes have no segments: their names number them, so other names draw other resamples.
_VOTES = {
    "arena votes, CSV": _arena_csv,
    "arena votes, JSON Lines": _arena_jsonl,
    "arena votes, Parquet": _arena_parquet,
}
_FORMATS = {
    **_VOTES,
    "five-way CSV": _five_way,
    "pairwise CSV": _pairwise,
    "JSON Lines": _jsonl,
    "Appraise XML": _appraise,
    "rank": _rank_lines,
}
#: Written from files of another format.
_PARQUET = "Parquet"
#: Reading gives the same blocks for all formats, so one of them is ranked by every method, the others by methods
#: whose results depend on the order of games, on resamples, or on sums.
_BY_EVERY_METHOD = "JSON Lines"
_METHODS_THAT_DRAW = ("trueskill", "lopez", "expected_wins")


def _files(
    format_name: str,
    parts: Sequence[Sequence[Judged]],
    make_file: MakeFile,
) -> list[str]:
    """Return the names of files with the judgments of each part."""
    write = _jsonl if format_name == _PARQUET else _FORMATS[format_name]
    names = [
        make_file(write(part), f"part{number}") for number, part in enumerate(parts)
    ]
    if format_name != _PARQUET:
        return names
    converted = []
    for name in names:
        columns, vocabulary, _not_read = read_columns([name])
        converted.append(f"{name}.parquet")
        write_parquet(converted[-1], in_order_of_segments(columns), vocabulary)
    return converted


def _rankings(
    format_name: str,
    parts: Sequence[Sequence[Judged]],
    make_file: MakeFile,
) -> dict[str, Ranking]:
    """Return the ranking by each method of files with the judgments of each part."""
    blocks = read_judgments(_files(format_name, parts, make_file)).blocks
    methods = METHODS if format_name == _BY_EVERY_METHOD else _METHODS_THAT_DRAW
    return {method: rank(blocks, method, resamples=10) for method in methods}


def _assert_alike(found: Ranking, expected: Ranking, names: Mapping[str, str]) -> None:
    """Assert equal ranks, ranges and clusters of renamed systems, and scores up to rounding."""
    by_name = {row.system: row for row in found.systems}
    assert len(found.systems) == len(expected.systems)
    for row in expected.systems:
        other = by_name[names[row.system]]
        assert other.score == pytest.approx(row.score, abs=_ROUNDING)
        for field in ("rank", "last_rank", "rank_low", "rank_high", "cluster"):
            assert getattr(other, field) == getattr(row, field), (row.system, field)


def _shuffled(judgments: Sequence[Judged], random: np.random.Generator) -> list[Judged]:
    return [judgments[number] for number in random.permutation(len(judgments)).tolist()]


@pytest.mark.parametrize("format_name", [*_FORMATS, _PARQUET])
def test_order_of_rows_and_files_changes_no_bit(
    make_file: MakeFile,
    format_name: str,
) -> None:
    judgments = _judgments()
    expected = _rankings(format_name, [judgments], make_file)
    shuffled = _shuffled(judgments, np.random.default_rng(0))
    parts = [shuffled[20:], shuffled[:20]]
    assert _rankings(format_name, parts, make_file) == expected


@pytest.mark.parametrize("format_name", [*_FORMATS, _PARQUET])
def test_exchanged_sides_change_no_rank(make_file: MakeFile, format_name: str) -> None:
    judgments = _judgments()
    swapped = [
        judged.swapped() if judged.segment % 3 else judged for judged in judgments
    ]
    found = _rankings(format_name, [swapped], make_file)
    for method, ranking in _rankings(format_name, [judgments], make_file).items():
        _assert_alike(found[method], ranking, {name: name for name in _SYSTEMS})


@pytest.mark.parametrize(
    "format_name",
    [*sorted(_FORMATS.keys() - _VOTES.keys()), _PARQUET],
)
def test_names_of_systems_change_no_rank(make_file: MakeFile, format_name: str) -> None:
    judgments = _judgments()
    renamed = [judged.renamed() for judged in judgments]
    found = _rankings(format_name, [renamed], make_file)
    for method, ranking in _rankings(format_name, [judgments], make_file).items():
        _assert_alike(found[method], ranking, _RENAMED)
