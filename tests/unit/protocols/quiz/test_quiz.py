"""Quizzes: reading, scores, and intervals that account for snippets."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from campaign.formats import FormatError
from protocols.quiz.files import LINES
from protocols.quiz.statistics import Reading, met_again, quiz_scores, reader_scores
from tests.simulated.quizzes import simulated_quiz
from tests.unit.protocols.plain_shares import plain_interval

MakeFile = Callable[..., str]
READING: dict[str, Any] = {
    "snippet": "news-1",
    "system": "A",
    "judge": "ann",
    "answers": [True, False, None],
    "expected": [True, True, False],
}


def test_a_worked_example(make_file: MakeFile) -> None:
    rows = [
        READING,
        {**READING, "judge": "bob", "answers": [True, True, False]},
        {**READING, "snippet": "news-2", "expected": [False], "answers": [True]},
        {**READING, "system": "B", "judge": "ann", "answers": [True, True, True]},
    ]
    readings = LINES.read([make_file(rows)]).rows
    assert met_again(readings) == 1
    one, other = quiz_scores(readings)
    # Of A: 1 and 3 of 3 about news-1, 0 of 1 about news-2; no answer is not right.
    assert (other.name, other.readings, other.snippets, other.unanswered) == (
        "A",
        3,
        2,
        1,
    )
    assert (other.share.successes, other.share.trials) == (4, 7)
    assert (one.name, one.share.successes, one.share.trials) == ("B", 2, 3)
    # Snippets: 4 of 6 and 0 of 1; readers: ann 1 of 4, bob 3 of 3.
    assert (other.share.low, other.share.high) == pytest.approx(
        plain_interval([(1, 3, 1, 1), (3, 3, 1, 2), (0, 1, 2, 1)]),
    )
    # One snippet says nothing about others.
    assert (one.share.low, one.share.high) == (None, None)
    assert [(row.name, row.share.trials) for row in reader_scores(readings)] == [
        ("ann", 7),
        ("bob", 3),
    ]


@pytest.mark.parametrize(
    ("change", "key", "problem"),
    [
        (
            {"answers": [None] * 3},
            "judge",
            "the answer differs from that of the same judge in",
        ),
        (
            {"judge": "bob", "answers": [True]},
            "answers",
            "the reading has 1 answers to 3 questions",
        ),
        ({"judge": "bob", "answers": [1, 0, 1]}, "answers", "1 is not true or false"),
        (
            {"judge": "bob", "expected": [None] * 3},
            "expected",
            "None is not true or false",
        ),
        (
            {"judge": "bob", "expected": [True] * 3},
            "expected",
            "differ from those of an earlier reading",
        ),
        (
            {"snippet": "n", "expected": [], "answers": []},
            "answers",
            "0 answers to 0 questions",
        ),
        ({"system": "A,B"}, "system", "contains a comma"),
        ({"systems": ["B"]}, "system", "has both system and systems"),
    ],
)
def test_error_names_line_and_key(
    make_file: MakeFile,
    change: dict[str, Any],
    key: str,
    problem: str,
) -> None:
    with pytest.raises(FormatError, match=re.escape(problem)) as refused:
        LINES.read([make_file([READING, {**READING, **change}])])
    assert (refused.value.line, refused.value.field) == (2, key)


def test_the_report_warns_of_readers_who_knew_the_snippet(
    make_file: MakeFile,
    run: Callable[..., str],
    run_json: Callable[..., Any],
) -> None:
    file = make_file([READING, {**READING, "system": "B"}])
    assert "readings by judges who had already read the snippet: 1." in run(
        "analyse",
        "quiz",
        file,
    )
    # Each system has one reader.
    assert "only one judge worked on outputs of A, B" in run("analyse", "quiz", file)
    other = {**READING, "snippet": "news-2", "judge": "bob"}
    assert "on outputs of B, so" in run(
        "analyse",
        "quiz",
        make_file([READING, {**other}, {**READING, "system": "B", "judge": "bob"}]),
    )
    file = make_file([READING, {**READING, "system": "B"}])
    said = run_json("analyse", "quiz", file)
    assert [row["name"] for row in said["systems"]] == ["A", "B"]
    assert said["systems"][0]["share"]["value"] == pytest.approx(1 / 3)


def test_text_of_several_systems_counts_for_each_of_them(make_file: MakeFile) -> None:
    shared = {key: value for key, value in READING.items() if key != "system"}
    rows = [
        {**shared, "systems": ["B", "A"]},
        {**shared, "systems": ["C"], "judge": "bob", "answers": [True, True, False]},
    ]
    readings = LINES.read([make_file(rows)]).rows
    assert met_again(readings) == 0
    assert [
        (row.name, row.share.successes, row.share.trials)
        for row in quiz_scores(readings)
    ] == [
        ("C", 3, 3),
        ("A", 1, 3),
        ("B", 1, 3),
    ]
    assert [(row.name, row.share.trials) for row in reader_scores(readings)] == [
        ("ann", 3),
        ("bob", 3),
    ]


@pytest.mark.parametrize("snippets", [8, 60])
def test_intervals_hold_however_much_snippets_differ(snippets: int) -> None:
    truth = {"S01": 0.6, "S02": 0.75}
    outside = 0
    for seed in range(150):
        for row in quiz_scores(
            simulated_quiz([0.6, 0.75], snippets=snippets, seed=seed),
        ):
            assert row.share.low is not None
            assert row.share.high is not None
            outside += not row.share.low <= truth[row.name] <= row.share.high
    assert outside / 300 < 0.08


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["A", "B", "A,B"]),
            st.integers(0, 4),
            st.integers(0, 3),
            st.integers(1, 4),
            st.integers(0, 4),
        ),
        min_size=1,
        max_size=25,
    ),
    st.sampled_from([0.8, 0.95]),
)
def test_scores_and_intervals_are_those_of_counting(
    rows: list[tuple[str, int, int, int, int]],
    confidence: float,
) -> None:
    """A second implementation: reading by reading, and the interval as its papers say."""
    judges = ("ann", "bob", "cy", "dee")
    readings = [
        Reading(
            snippet="abcde"[snippet],
            systems=tuple(systems.split(",")),
            judge=judges[judge],
            answers=tuple(place < right for place in range(questions)),
            expected=(True,) * questions,
        )
        for systems, snippet, judge, questions, right in rows
    ]
    systems = quiz_scores(readings, confidence=confidence)
    readers = reader_scores(readings, confidence=confidence)
    assert [row.name for row in systems] == sorted(
        {name for row in rows for name in row[0].split(",")},
        key=lambda name: (
            -sum(min(row[3:]) for row in rows if name in row[0])
            / sum(row[3] for row in rows if name in row[0]),
            name,
        ),
    )
    for found in (*systems, *readers):
        own = [
            row for row in rows if found.name in (*row[0].split(","), judges[row[2]])
        ]
        assert (found.readings, found.snippets) == (
            len(own),
            len({row[1] for row in own}),
        )
        if found.snippets < 2:
            assert (found.share.low, found.share.high) == (None, None)
            continue
        assert (found.share.low, found.share.high) == pytest.approx(
            plain_interval(
                [(min(row[3:]), row[3], row[1], row[2]) for row in own],
                confidence,
            ),
        )
    values = [found.share.value or 0 for found in systems]
    assert [found.rank for found in systems] == [
        1 + sum(other > value for other in values) for value in values
    ]
    assert met_again(readings) == len(rows) - len({row[1:3] for row in rows})
