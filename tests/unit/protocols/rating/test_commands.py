"""`analyse rating`, called as Python."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from tests.simulated.ratings import RatingWorld, simulated_ratings

Run = Callable[..., str]
RunJson = Callable[..., Any]


@pytest.fixture
def ratings(make_file: Callable[..., str]) -> str:
    """Three systems, twelve segments and six judges; adequacy is fluency, but one point lower."""
    drawn = simulated_ratings(
        RatingWorld(quality=(2.5, 3.0, 4.2), segments=12, judges=6, ease=0.2),
        seed=1,
    )
    rows = []
    for item, judge, value in zip(drawn.item, drawn.judge, drawn.value, strict=True):
        row = {
            "segment": int(drawn.items.segment[item]),
            "systems": [drawn.items.systems[item % 3]],
            "judge": drawn.judges[judge],
            "condition": "ASR" if item % 3 else "FTE",
        }
        rows.append({**row, "criterion": "fluency", "value": int(value)})
        rows.append({**row, "criterion": "adequacy", "value": max(1, int(value) - 1)})
    return make_file(rows)


def test_all_is_in_the_report(ratings: str, run: Run, run_json: RunJson) -> None:
    said = run_json("analyse", "rating", ratings)
    assert said["input"]["ratings"] == {"fluency": 72, "adequacy": 72}
    assert said["input"]["met_again"] == {"fluency": 0, "adequacy": 0}
    fluency = said["criteria"]["fluency"]
    assert [row["system"] for row in fluency["means"]["systems"]] == [
        "S03",
        "S02",
        "S01",
    ]
    assert {row["rule"] for row in fluency["outliers"]} == {
        "mean_score",
        "mean_agreement",
        "easy_items",
    }
    assert [
        (row["criterion"], row["condition"], row["points"]) for row in said["agreement"]
    ] == [
        (criterion, condition, points)
        for criterion in ("fluency", "adequacy")
        for points in (5, 3)
        for condition in ("ASR", "FTE", "")
    ]
    assert said["adequacy_and_fluency"]["of_ratings"]["pairs"] == 72
    assert said["adequacy_and_fluency"]["of_systems"]["pearson"] > 0.9
    assert "Outliers by rule" not in run("analyse", "rating", ratings)
    text = run("analyse", "rating", ratings, "--option", "deviations=1")
    for words in (
        "Adequacy against Fluency",
        "Outliers by rule",
        "Beyond chance",
        "ordinal α",
    ):
        assert words in text


def test_options_change_what_they_say(
    ratings: str,
    run_json: RunJson,
    tmp_path: Path,
) -> None:
    easy = tmp_path / "easy.txt"
    # As some editors write it, with a byte order mark.
    easy.write_text("1\n2 S03\n\n", encoding="utf-8-sig")
    source = tmp_path / "source.txt"
    source.write_text("a b c\n" * 12, encoding="utf-8")
    plain = run_json("analyse", "rating", ratings, "--source-text", source)
    asked = run_json(
        *("analyse", "rating", ratings, "--exclude-judge", "J001"),
        *(
            "--option",
            f"easy=@{easy}",
            "merge=yes",
            "standardise=yes",
            "by_difference=yes",
        ),
        *("correction=holm", "condition=FTE"),
    )
    assert (
        plain["criteria"]["fluency"]["means"]["correction"],
        plain["input"]["judges"],
    ) == (
        "none",
        6,
    )
    assert (
        asked["criteria"]["fluency"]["means"]["correction"],
        asked["input"]["judges"],
    ) == (
        "holm",
        5,
    )
    assert asked["input"]["conditions"] == ["FTE"]
    assert asked["proposed_easy"] == []
    # Items of condition FTE are those of S01: segment 1 alone is easy.
    assert sum(row["easy"] for row in asked["criteria"]["fluency"]["judges"]) <= 2
    assert abs(asked["criteria"]["fluency"]["means"]["systems"][0]["mean"]) < 1e-9


@pytest.mark.parametrize(
    ("option", "content", "problem"),
    [
        (["--option", "easy=@"], "one\n", "“one” is not a segment number"),
        (["--option", "easy=@"], "99\n", "No ratings for “99”"),
        (["--source-text", ""], "a\nb\n", "Segment 12 was rated"),
    ],
)
def test_files_that_do_not_fit_are_refused(
    ratings: str,
    run: Run,
    tmp_path: Path,
    option: list[str],
    content: str,
    problem: str,
) -> None:
    name, value = option
    file = tmp_path / "wrong.txt"
    file.write_text(content, encoding="utf-8")
    with pytest.raises(CommandError, match=problem) as refused:
        run("analyse", "rating", ratings, name, f"{value}{file}")
    assert refused.value.returncode == 2
    with pytest.raises(CommandError, match="No such file"):
        run("analyse", "rating", ratings, name, f"{value}{tmp_path / 'missing.txt'}")


def test_judge_with_a_repeated_segment_is_reported(
    make_file: Callable[..., str],
    run: Run,
) -> None:
    row = {"segment": 1, "judge": "ann", "criterion": "fluency", "value": 3}
    file = make_file([{**row, "systems": ["A"]}, {**row, "systems": ["B"]}])
    assert (
        "Fluency: ratings by judges who rated another text of the same segment: 1."
        in run("analyse", "rating", file)
    )


def test_systems_whose_ratings_do_not_differ_are_named(
    make_file: Callable[..., str],
    run: Run,
    run_json: RunJson,
) -> None:
    row = {"criterion": "fluency"}
    file = make_file(
        [
            {
                **row,
                "judge": judge,
                "segment": segment,
                "systems": [system],
                "value": value + step * (segment % 2),
            }
            for judge in ("ann", "bob", "cid", "dan")
            for segment in range(1, 9)
            for system, value, step in (("A", 5, 0), ("B", 2, 1))
        ],
    )
    assert "no intervals for A, because" in run("analyse", "rating", file)
    systems = run_json("analyse", "rating", file)["criteria"]["fluency"]["means"][
        "systems"
    ]
    assert [(row["low"] is None, row["rank_high"]) for row in systems] == [
        (True, 2),
        (False, 2),
    ]
