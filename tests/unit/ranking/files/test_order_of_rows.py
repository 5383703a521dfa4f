"""The order of rows and files changes no number, in any format, by methods that draw random numbers."""

import json
from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ranking.core.rankings.rank import Ranking, rank
from ranking.files.reading import read_judgments

MakeFile = Callable[..., str]

_SYSTEMS = "ABCD"
#: Methods whose result depends on the order of blocks, or on the resamples of segments and judges.
_METHODS = ("trueskill", "lopez")


def _pairs() -> list[tuple[int, str, str, str, str]]:
    """Segments with the judge, the two systems and the winner; some are equal but for the segment."""
    random = np.random.default_rng(58)
    pairs = []
    for segment in range(1, 61):
        first, second = random.choice(list(_SYSTEMS), 2, replace=False)
        judge = f"j{random.integers(4)}"
        pairs.append(
            (segment, judge, str(first), str(second), str(random.choice(["a", "b", "tie"])))
        )
    return pairs


_RANKS = {"a": (1, 2), "b": (2, 1), "tie": (1, 1)}
_WINNERS = {"a": "model_a", "b": "model_b", "tie": "tie"}


def _arena_csv() -> tuple[str, list[str]]:
    lines = [f"{a},{b},{_WINNERS[won]},{judge}" for _, judge, a, b, won in _pairs()]
    return "model_a,model_b,winner,judge\n", lines


def _arena_jsonl() -> tuple[str, list[str]]:
    lines = [
        json.dumps({"model_a": a, "model_b": b, "winner": _WINNERS[won]})
        for _, _, a, b, won in _pairs()
    ]
    return "", lines


def _five_way() -> tuple[str, list[str]]:
    head = (
        "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,"
        "system2Number,system2Id,system1rank,system2rank\n"
    )
    lines = [
        f"cs,en,{segment},doc{segment % 3},{segment},{judge},1,{a},2,{b},{_RANKS[won][0]},{_RANKS[won][1]}"
        for segment, judge, a, b, won in _pairs()
    ]
    return head, lines


def _pairwise() -> tuple[str, list[str]]:
    head = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"
    lines = [
        f"cs,en,{segment},{segment},{judge},{a},{_RANKS[won][0]},{b},{_RANKS[won][1]},{segment}"
        for segment, judge, a, b, won in _pairs()
    ]
    return head, lines


def _jsonl() -> tuple[str, list[str]]:
    lines = [
        json.dumps(
            {
                "source_language": "cs",
                "target_language": "en",
                "segment": segment,
                "judge": judge,
                "candidates": [[a], [b]],
                "labels": list(_RANKS[won]),
            }
        )
        for segment, judge, a, b, won in _pairs()
    ]
    return "", lines


def _rank_lines() -> tuple[str, list[str]]:
    lines = [f"{s}\tcs-en\t{a}\tcs-en\t{b}" for s, _, a, b, won in _pairs() if won != "tie"]
    return "", lines


_FORMATS = {
    "arena votes, CSV": _arena_csv,
    "arena votes, JSON Lines": _arena_jsonl,
    "five-way CSV": _five_way,
    "pairwise CSV": _pairwise,
    "JSON Lines": _jsonl,
    "rank": _rank_lines,
}


def _ranked(names: list[str]) -> list[Ranking]:
    blocks = read_judgments(names).blocks
    return [rank(blocks, method, resamples=10) for method in _METHODS]


@pytest.mark.parametrize("name", _FORMATS)
@given(data=st.data())
@settings(
    max_examples=3, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None
)
def test_the_order_of_rows_and_files_changes_no_bit(
    make_file: MakeFile, name: str, data: st.DataObject
) -> None:
    head, lines = _FORMATS[name]()
    other = data.draw(st.permutations(lines))
    cut = data.draw(st.integers(1, len(lines) - 1))
    whole = _ranked([make_file(head + "\n".join(lines) + "\n", "whole")])
    parts = [
        make_file(head + "\n".join(part) + "\n", f"part{number}")
        for number, part in enumerate((other[cut:], other[:cut]))
    ]
    assert _ranked(parts) == whole
