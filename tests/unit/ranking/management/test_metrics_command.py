"""`analyse metrics`: scores beside judgments in files, and EvalSet folders."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from tests.evalset import EVALSET, evalset_write

Run = Callable[..., str]
RunJson = Callable[..., Any]

FEW = ("--option", "resamples=100")
TABLE = "system\tsegment\tscore\n" + "".join(
    f"{system}\t{segment}\t{value + segment / 10}\n"
    for value, system in enumerate("CBA")
    for segment in range(1, 65)
)


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    return tmp_path / "scores.tsv"


def test_scores_are_compared_with_judgments(
    enough: str,
    scores: Path,
    run_json: RunJson,
) -> None:
    scores.write_text(TABLE, encoding="utf-8")
    said = run_json("analyse", "metrics", enough, "--scores", f"right={scores}", *FEW)
    assert said["people"]["from"] == "rankings"
    (metric,) = said["metrics"]
    assert metric["metric"] == "right"
    assert metric["systems"]["pairwise"]["value"] is not None
    assert metric["missing"] == 0
    assert said["ceiling"] is not None


def test_evalset_folder_needs_no_judgments(
    tmp_path: Path,
    run_json: RunJson,
    run: Run,
) -> None:
    da = {
        "human-scores/en-de.da.seg.score": "amber\t9\namber\t7\namber\t8\n"
        + "birch\t1\n" * 3,
    }
    asked = ("analyse", "metrics", evalset_write(tmp_path, EVALSET | da), *FEW)
    said = run_json(*asked, "human=mqm", "by=domain")
    found = {each["metric"]: each for each in said["metrics"]}
    assert set(found) == {"BLEU", "Kiwi[noref]", "da"}
    assert found["da"]["is_human"]
    assert found["BLEU"]["segments"]["acc_eq"]["value"] == 1
    assert found["BLEU"]["systems"]["pairwise"]["value"] == 1
    kiwi = found["Kiwi[noref]"]
    assert (
        kiwi["segments"],
        kiwi["missing"],
        kiwi["systems"]["pairwise"]["value"],
    ) == ({}, 4, 1)
    assert "soft_pairwise" not in kiwi["systems"]
    groups = {group["group"]: group["segments"] for group in said["groups"]}
    assert groups == {"news": 2, "social": 1}
    assert said["ceiling"] is None
    # People compare nothing in the segment of middle length.
    by_length = run_json(*asked, "human=mqm", "by=length")["groups"]
    assert [group["segments"] for group in by_length] == [1, 1]
    with pytest.raises(CommandError, match=r"da, mqm"):
        run(*asked)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (TABLE.replace("C\t1\t", "C\tfirst\t"), r"line 2.*not a segment number"),
        (TABLE.replace("B\t", "X\t").replace("C\t", "Y\t"), "fewer than two"),
        ("system\tsegment\tscore\nA\t900\t1\nB\t900\t1\n", "no judged segment"),
    ],
)
def test_scores_that_do_not_match_are_refused(
    enough: str,
    scores: Path,
    run: Run,
    text: str,
    problem: str,
) -> None:
    scores.write_text(text, encoding="utf-8")
    with pytest.raises(CommandError, match=problem) as refused:
        run("analyse", "metrics", enough, "--scores", f"m={scores}")
    assert refused.value.returncode == 2
