"""A file that holds its rows twice gives the figures of the file once, in every format, and the report says so."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from io import StringIO
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from django.core.management import call_command
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from campaign.formats import FormatError
from campaign.formats.errors import Losses
from campaign.formats.repeats import (
    COUNTED_ONCE,
    REPLACED,
    Repeatable,
    counted_repeatable,
)
from protocols.spans.files.formats import read_spans
from protocols.spans.files.mqm import EQUAL_ERRORS, write_mqm_tsv
from protocols.spans.records import ScoredJudgment
from ranking.files.reading import read_judgments
from tests.properties import examples

_CASES = Path(__file__).parents[2] / "data/cases/files"
_CASE = _CASES / "86-one-output-submitted-twice"
_EQUAL_ERRORS = _CASES / "130-two-equal-errors-in-mqm-tsv"


@dataclass(frozen=True)
class Format:
    """A file: its rows between a head and a tail, the analysis that reads it, and the repeats that each row makes."""

    analysis: str
    head: str
    rows: list[str]
    tail: str = ""
    repeats_of_a_row: int = 1
    options: dict[str, Any] = field(default_factory=dict)

    def text(self, rows: list[str]) -> str:
        return self.head + "".join(rows) + self.tail


_JUDGED = [
    (segment, judge, value)
    for segment in range(1, 13)
    for judge, value in (
        ("ann", segment % 4 + 1),
        ("bob", segment % 3 + 1),
        ("cy", segment % 2),
    )
]
_SIDES = ("first", "second", "same")


def _lines(*objects: dict[str, Any]) -> list[str]:
    return [json.dumps(each) + "\n" for each in objects]


def _ranks(value: int) -> tuple[int, int]:
    return ((1, 2), (2, 1), (1, 1))[value % 3]


def _five_way() -> Format:
    head = "srclang,trglang,srcIndex,documentId,segmentId,judgeId,system1Number,system1Id,system2Number,system2Id,system1rank,system2rank\n"
    rows = [
        f"en,de,{segment},,,{judge},1,A,2,B,{_ranks(value)[0]},{_ranks(value)[1]}\n"
        for segment, judge, value in _JUDGED
    ]
    return Format("ranking", head, rows)


def _pairwise() -> Format:
    head = "srclang,trglang,srcIndex,segmentId,judgeID,system1Id,system1rank,system2Id,system2rank,rankingID\n"
    rows = [
        f"en,de,{segment},{segment},{judge},A,{_ranks(value)[0]},B,{_ranks(value)[1]},{segment}{judge}\n"
        for segment, judge, value in _JUDGED
    ]
    return Format("ranking", head, rows)


def _xml() -> Format:
    head = '<results><HIT hit-id="1" source-language="en" block-id="-1" target-language="de">\n'
    rows = [
        f'<ranking-task id="{segment}"><ranking-result duration="00:00:{10 + number}.{segment:03}" user="{judge}">'
        f'<translation system="A" rank="{_ranks(value)[0]}"/><translation system="B" rank="{_ranks(value)[1]}"/>'
        "</ranking-result></ranking-task>\n"
        for number, (segment, judge, value) in enumerate(_JUDGED)
    ]
    return Format("ranking", head, rows, "</HIT></results>\n")


def _jsonl() -> Format:
    rows = _lines(
        *(
            {
                "source_language": "en",
                "target_language": "de",
                "segment": segment,
                "judge": judge,
                "candidates": [["A"], ["B"]],
                "labels": list(_ranks(value)),
                "duration_ms": 1000 + number,
            }
            for number, (segment, judge, value) in enumerate(_JUDGED)
        ),
    )
    return Format("ranking", "", rows)


def _vote(number: int, judge: str, value: int) -> dict[str, Any]:
    winner = ("model_a", "model_b", "tie")[value % 3]
    names = {
        "question_id": f"q{number}",
        "model_a": "A",
        "model_b": "B",
        "winner": winner,
    }
    return {**names, "judge": judge, "tstamp": 1_770_000_000.5 + number}


def _arena_jsonl() -> Format:
    votes = [
        _vote(number, judge, value) for number, (_, judge, value) in enumerate(_JUDGED)
    ]
    return Format("ranking", "", _lines(*votes))


def _arena_csv() -> Format:
    votes = [
        _vote(number, judge, value) for number, (_, judge, value) in enumerate(_JUDGED)
    ]
    rows = [",".join(map(str, vote.values())) + "\n" for vote in votes]
    return Format("ranking", ",".join(votes[0]) + "\n", rows)


def _appraise_csv() -> Format:
    rows = [
        f"{judge},{system},d_#_{segment},TGT,en,de,{40 + 10 * value + extra},d,False,[],{number}.5,{number + 4}.5\n"
        for number, (segment, judge, value) in enumerate(_JUDGED)
        for extra, system in enumerate("AB")
    ]
    return Format("spans", "", rows)


def _wmt_jsonl() -> Format:
    rows = _lines(
        *(
            {
                "doc_id": f"en-de_DE_#_news_#_visit_#_{segment}",
                "src_text": f"Sentence {segment}.",
                "tgt_text": {"A": f"Satz {segment}.", "B": f"Ein Satz {segment}."},
                "scores": {
                    "A": [{"human": 40 + 10 * value, "errors": [], "annotator": judge}],
                    "B": [{"human": 45, "errors": [], "annotator": judge}],
                },
            }
            for segment, judge, value in _JUDGED
        ),
    )
    return Format("spans", "", rows, repeats_of_a_row=2)


def _spans_jsonl() -> Format:
    rows = _lines(
        *(
            {
                "segment": segment,
                "judge": judge,
                "outputs": [
                    {"systems": ["A"], "score": 40 + 10 * value, "spans": []},
                    {"systems": ["B"], "score": 45, "spans": []},
                ],
            }
            for segment, judge, value in _JUDGED
        ),
    )
    return Format("spans", "", rows, repeats_of_a_row=2)


def _pearmut() -> Format:
    rows = _lines(
        *(
            {
                "annotation": [
                    {"A": {"score": 40 + 10 * value, "error_spans": []}},
                    None,
                ][:1],
                "item": [
                    {"item_id": f"d_#_{segment}", "src": "One.", "tgt": {"A": "Eins."}},
                ],
                "actions": [{"time": 100.0 * number, "action": "load"}],
                "user_id": judge,
                "item_i": segment,
            }
            for number, (segment, judge, value) in enumerate(_JUDGED)
        ),
    )
    return Format("spans", "", rows)


def _mqm() -> Format:
    head = "system\tdoc\tdoc_id\tseg_id\trater\tsource\ttarget\tcategory\tseverity\n"
    rows = [
        f"{system}\td\t{segment}\t{segment}\t{judge}\tOne.\t<v>Eins</v>.\tStyle\t{'Major' if value % 2 else 'Minor'}\n"
        for segment, judge, value in _JUDGED
        for system in "AB"
    ]
    return Format("spans", head, rows)


def _ratings() -> Format:
    rows = _lines(
        *(
            {
                "segment": segment,
                "systems": [system],
                "judge": judge,
                "criterion": criterion,
                "value": value + extra,
            }
            for segment, judge, value in _JUDGED
            for extra, system in enumerate("AB", 1 - (value > 3))
            for criterion in ("fluency", "adequacy")
        ),
    )
    return Format("rating", "", rows)


def _choices() -> Format:
    rows = _lines(
        *(
            {
                "segment": segment,
                "first": "A",
                "second": "B",
                "judge": judge,
                "answer": _SIDES[value % 3],
            }
            for segment, judge, value in _JUDGED
        ),
    )
    return Format("two_outputs", "", rows)


def _comparisons() -> Format:
    rows = _lines(
        *(
            {
                "segment": segment,
                "first": "A",
                "second": "B",
                "judge": judge,
                "answer": _SIDES[value % 3],
            }
            for segment, judge, value in _JUDGED
        ),
    )
    return Format("sorting", "", rows)


def _edits() -> Format:
    rows = _lines(
        *(
            {
                "segment": segment,
                "systems": ["A" if value % 2 else "B"],
                "judge": judge,
                "outcome": "edited",
                "output": "He go.",
                "text": "He goes.",
                "acceptances": [{"judge": "dee", "acceptable": value > 1}],
            }
            for segment, judge, value in _JUDGED
        ),
    )
    return Format("editing", "", rows)


def _quiz() -> Format:
    rows = _lines(
        *(
            {
                "snippet": f"news-{segment}",
                "system": "A" if value % 2 else "B",
                "judge": judge,
                "answers": [value > 1, True],
                "expected": [True, True],
            }
            for segment, judge, value in _JUDGED
        ),
    )
    return Format("quiz", "", rows)


_FORMATS: dict[str, Callable[[], Format]] = {
    "five-way CSV": _five_way,
    "pairwise CSV": _pairwise,
    "Appraise XML": _xml,
    "JSON Lines": _jsonl,
    "arena votes, JSON Lines": _arena_jsonl,
    "arena votes, CSV": _arena_csv,
    "Appraise CSV": _appraise_csv,
    "scored JSON Lines": _spans_jsonl,
    "WMT's scores with texts": _wmt_jsonl,
    "Pearmut log": _pearmut,
    "MQM TSV": _mqm,
    "ratings": _ratings,
    "choices": _choices,
    "comparisons": _comparisons,
    "edits": _edits,
    "quiz": _quiz,
}


def _figures(analysis: str, *paths: Path) -> tuple[Any, int]:
    """Return the figures of a report without what it says of its files, and the number of repeats that it reports."""
    said = StringIO()
    names = list(map(str, paths))
    options = {"format": "json", "stdout": said, "stderr": StringIO()}
    if analysis == "ranking":
        call_command("rank_judgments", *names, resamples=20, **options)
    else:
        call_command("analyse", analysis, *names, **options)
    data = json.loads(said.getvalue())
    losses = [*data.pop("losses", []), *data.get("input", {}).pop("not_read", [])]
    for about in (data, data.get("input", {})):
        about.pop("files", None)
    return data, sum(loss["count"] for loss in losses if loss["what"] == COUNTED_ONCE)


@pytest.mark.parametrize("name", _FORMATS)
def test_rows_doubled_give_the_same_figures_and_are_reported(
    name: str,
    tmp_path: Path,
) -> None:
    made = _FORMATS[name]()
    once, twice, mixed = (tmp_path / each for each in ("once", "twice", "mixed"))
    once.write_text(made.text(made.rows))
    twice.write_text(made.text(made.rows * 2))
    mixed.write_text(made.text([row for row in made.rows for _copy in range(2)]))
    figures, reported = _figures(made.analysis, once)
    assert reported == 0
    number = len(made.rows) * made.repeats_of_a_row
    assert _figures(made.analysis, twice) == (figures, number)
    assert _figures(made.analysis, mixed) == (figures, number)
    # The same answers in two files are the same, too.
    assert _figures(made.analysis, once, twice) == (figures, 2 * number)


def test_rows_doubled_in_parquet_give_the_same_figures(tmp_path: Path) -> None:
    """They are counted by shards."""
    columns = {
        "srclang": "en",
        "trglang": "de",
        "srcIndex": [segment for segment, *_rest in _JUDGED],
        "judgeId": [judge for _segment, judge, _value in _JUDGED],
        "system1Id": "A",
        "system2Id": "B",
        "system1rank": [_ranks(value)[0] for *_rest, value in _JUDGED],
        "system2rank": [_ranks(value)[1] for *_rest, value in _JUDGED],
    }
    for more in ({}, {"duration_ms": range(len(_JUDGED))}):
        frame = pd.DataFrame({**columns, **more})
        once, twice = tmp_path / "once.parquet", tmp_path / "twice.parquet"
        frame.to_parquet(once, row_group_size=5)
        pd.concat([frame, frame]).sort_values("srcIndex").to_parquet(
            twice,
            row_group_size=5,
        )
        figures, _none = _figures("ranking", once)
        assert _figures("ranking", twice) == (figures, len(_JUDGED))
        assert _figures("ranking", once, twice) == (figures, 2 * len(_JUDGED))


def test_equal_errors_of_one_output_all_count(tmp_path: Path) -> None:
    """Case 130: two omissions have no place, and Google counts each row."""
    path = _EQUAL_ERRORS / "written-by-convert_spans.tsv"
    head, *rows = path.read_text().splitlines(keepends=True)
    figures, reported = _figures("spans", path)
    assert reported == 0
    assert [len(each.outputs[0].spans or ()) for each in _judged(path)] == [2, 2]
    # An annotation that comes again is no further error.
    again = tmp_path / "again.tsv"
    for repeated in (rows, rows[:2]):
        again.write_text("".join([head, *rows, *repeated]))
        assert _figures("spans", again) == (figures, len(repeated))
    # Rows that were sorted by something else are no annotations that come again.
    first, second = rows[0], rows[2]
    others = [re.sub("Accuracy|Style", "Other", row) for row in rows]
    again.write_text(
        "".join([head, first, second, others[0], others[2], first, second]),
    )
    assert [len(each.outputs[0].spans or ()) for each in _judged(again)] == [3, 3]


def _judged(path: Path) -> tuple[ScoredJudgment, ...]:
    return read_spans([str(path)]).judgments


def test_equal_errors_that_would_be_read_once_are_a_loss_of_writing() -> None:
    [two, *_rest] = read_spans([str(_EQUAL_ERRORS / "twomissing.jsonl")]).judgments
    for number, expected in ((9, 0), (10, 10)):
        judgments = [replace(two, segment=str(place)) for place in range(number)]
        losses = {loss.what: loss.count for loss in write_mqm_tsv(judgments)[1]}
        assert losses.get(EQUAL_ERRORS, 0) == expected


def test_double_click_counts_once() -> None:
    """Case 86: the second row has the same start, and ends 20 ms later."""
    once, double = (
        read_spans([str(_CASE / name)]) for name in ("once.csv", "double.csv")
    )
    assert len(double.judgments) == len(once.judgments)
    assert [(loss.what, loss.count) for loss in double.losses] == [(COUNTED_ONCE, 1)]
    screens = read_spans([str(_CASE / "dup.jsonl")])
    assert len(screens.judgments) == 2
    assert [(loss.what, loss.count) for loss in screens.losses] == [(COUNTED_ONCE, 2)]


def test_later_score_of_the_same_output_counts() -> None:
    """Case 87."""
    revised = read_spans([str(_CASE / "revised.csv")])
    [again] = [
        judgment
        for judgment in revised.judgments
        if (judgment.judge, judgment.outputs[0].systems) == ("j1", ("alpha",))
        and judgment.segment.endswith("3")
    ]
    assert again.outputs[0].score == 29
    assert [(loss.what, loss.count) for loss in revised.losses] == [(REPLACED, 1)]


def test_check_of_appraise_is_a_judgment_of_its_own(tmp_path: Path) -> None:
    file = tmp_path / "scores.csv"
    row = "ann,A,d_#_1,TGT,en,de,{},d,False,[],{},{}\n"
    file.write_text(row.format(80, 1, 2) + row.format(60, 3, 4).replace("TGT", "CHK"))
    read = read_spans([str(file)])
    assert [judgment.outputs[0].score for judgment in read.judgments] == [80, 60]
    assert read.losses == ()


def test_different_answers_without_a_time_are_refused_with_both_lines(
    tmp_path: Path,
) -> None:
    file = tmp_path / "scores.csv"
    row = "ann,A,d_#_1,TGT,en,de,{},d,False,[],None,None\n"
    file.write_text(row.format(80) + row.format(60))
    with pytest.raises(
        FormatError,
        match=r"differs from that in .*scores\.csv, line 1",
    ) as refused:
        read_spans([str(file)])
    assert refused.value.line == 2


def test_votes_that_are_left_out_do_not_shift_repeated_ones(tmp_path: Path) -> None:
    votes = [{**_vote(number, "ann", number), "anony": True} for number in range(3)]
    known = {**_vote(9, "ann", 1), "anony": False}
    file = tmp_path / "votes.json"
    file.write_text(json.dumps([known, votes[0], known, votes[0], votes[1], votes[2]]))
    once = tmp_path / "once.json"
    once.write_text(json.dumps(votes))
    figures, _none = _figures("ranking", once)
    assert _figures("ranking", file) == (figures, 1)


def test_votes_without_a_question_are_never_repeats(tmp_path: Path) -> None:
    file = tmp_path / "votes.csv"
    file.write_text("model_a,model_b,winner,judge\n" + "A,B,model_a,ann\n" * 3)
    read = read_judgments([str(file)])
    assert (len(read.blocks), read.losses) == (3, ())
    # The same bytes are the same votes.
    again = tmp_path / "again.csv"
    again.write_bytes(file.read_bytes())
    both = read_judgments([str(file), str(again)])
    assert (len(both.blocks), [loss.count for loss in both.losses]) == (3, [3])


@settings(examples(60), suppress_health_check=[HealthCheck.too_slow])
@given(
    answers=st.lists(
        st.tuples(
            st.sampled_from(["a", "b"]),
            st.integers(1, 3),
            st.sampled_from([None, None, 10, 20]),
        ),
        min_size=1,
        max_size=12,
    ),
)
def test_columns_and_single_answers_follow_one_rule(
    answers: list[tuple[str, int, int | None]],
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    folder = tmp_path_factory.mktemp("files")
    by_file: dict[str, list[str]] = {}
    rows: list[Repeatable] = []
    for file in ("a", "b"):
        for _file, segment, duration in (each for each in answers if each[0] == file):
            values: dict[str, Any] = {
                "source_language": "en",
                "target_language": "de",
                "segment": segment,
                "judge": "ann",
                "candidates": ["A", "B"],
                "labels": [1, 2],
            }
            if duration is not None:
                values["duration_ms"] = duration
            by_file.setdefault(file, []).extend(_lines(values))
            rows.append(Repeatable(file, len(rows), segment, duration))
    for file, lines in by_file.items():
        (folder / file).write_text("".join(lines))
    counts = counted_repeatable(rows, Losses())
    read = read_judgments([str(folder / file) for file in by_file])
    assert len(read.blocks) == sum(counts)
    assert sum(loss.count for loss in read.losses) == counts.count(False)
