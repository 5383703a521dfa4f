"""`analyse metrics`: scores beside judgments in files, and EvalSet folders."""

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

Run = Callable[..., str]
RunJson = Callable[..., Any]

_SCORES = {"A": 3, "B": 2, "C": 1}


@pytest.fixture
def scores(tmp_path: Path) -> Path:
    path = tmp_path / "scores.tsv"
    rows = [
        f"{system}\t{segment}\t{value + segment / 10}"
        for system, value in _SCORES.items()
        for segment in range(1, 65)
    ]
    path.write_text("\n".join(["system\tsegment\tscore", *rows]), encoding="utf-8")
    return path


@pytest.fixture
def evalset(tmp_path: Path) -> Path:
    values = {"A": [3, 2, 3, 4, 2, 3], "B": [2, 2, 1, 3, 2, 1], "C": [0, 1, 1, 2, 0, 1]}

    def rows(scores: Mapping[str, Sequence[float]], times: float = 1) -> str:
        return "".join(f"{name}\t{times * score}\n" for name in scores for score in scores[name])

    texts = {
        "documents/en-de.docs": "".join(f"{name}\td\n" for name in "xxxyyy"),
        "sources/en-de.txt": "a\na b\na b c\nd\nd e\nd e f\n",
        "references/en-de.refA.txt": "r\n" * 6,
        "human-scores/en-de.mqm.seg.score": rows(values),
        "human-scores/en-de.da.seg.score": rows(values, 10),
        "metric-scores/en-de/COMET-refA.seg.score": rows({**values, "refA": [9] * 6}, 0.2),
        "metric-scores/en-de/Length-src.seg.score": rows({"A": range(6), "B": range(6)}),
    }
    for name, content in texts.items():
        path = tmp_path / "wmt" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content, encoding="utf-8")
    return tmp_path / "wmt"


def test_scores_are_compared_with_judgments(enough: str, scores: Path, run_json: RunJson) -> None:
    said = run_json(
        *("analyse", "metrics", enough, "--scores", f"right={scores}"),
        *("--option", "resamples=100"),
    )
    assert said["people"]["from"] == "rankings"
    (metric,) = said["metrics"]
    assert metric["metric"] == "right"
    assert metric["systems"]["pairwise"]["value"] is not None
    assert metric["missing"] == 0
    assert said["ceiling"] is not None


def test_evalset_folder_needs_no_judgments(evalset: Path, run_json: RunJson, run: Run) -> None:
    def asked(*options: str) -> Any:
        return run_json("analyse", "metrics", evalset, "--option", "resamples=100", *options)

    said = asked("human=mqm", "by=domain")
    found = {each["metric"]: each for each in said["metrics"]}
    assert set(found) == {"COMET", "Length[noref]", "da"}
    assert found["da"]["is_human"]
    assert found["COMET"]["segments"]["acc_eq"]["value"] == 1
    assert found["COMET"]["systems"]["soft_pairwise"]["value"] == 1
    assert set(found["Length[noref]"]["scores"]) == {"A", "B"}
    assert {group["group"]: group["segments"] for group in said["groups"]} == {"x": 3, "y": 3}
    assert said["ceiling"] is None
    by_length = asked("human=mqm", "by=length")["groups"]
    assert [group["segments"] for group in by_length] == [2, 2, 2]
    with pytest.raises(CommandError, match=r"da, mqm"):
        run("analyse", "metrics", evalset)


def test_scores_that_do_not_match_are_refused(
    enough: str, scores: Path, run: Run, tmp_path: Path
) -> None:
    text = scores.read_text(encoding="utf-8")
    for number, (changed, problem) in enumerate(
        [
            (text.replace("A\t1\t", "A\tfirst\t"), r"line 2.*not the number of a segment"),
            (text.replace("B\t", "X\t").replace("C\t", "Y\t"), "fewer than two"),
            ("system\tsegment\tscore\nA\t900\t1\nB\t900\t1\n", "no judged segment"),
        ]
    ):
        path = tmp_path / f"{number}.tsv"
        path.write_text(changed, encoding="utf-8")
        with pytest.raises(CommandError, match=problem) as refused:
            run("analyse", "metrics", enough, "--scores", f"m={path}")
        assert refused.value.returncode == 2
