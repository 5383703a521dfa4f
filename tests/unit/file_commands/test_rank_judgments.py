"""`rank_judgments`: what it says, in which format, and where it writes it."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from ranking.core.blocks import Blocks
from ranking.core.levels import Level
from ranking.core.ranking import rank
from ranking.files import read_judgments
from ranking.management.commands import rank_judgments

Run = Callable[..., str]
RunJson = Callable[..., Any]


def test_json_holds_the_input_and_every_ranking(judgments: str, run_json: RunJson) -> None:
    said = run_json(
        "rank_judgments", judgments, "--method", "expected_wins", "lopez", "--resamples", 50
    )
    assert said["version"]
    given = said["input"]
    assert [file["name"] for file in given["files"]] == [judgments]
    assert len(given["files"][0]["sha256"]) == 64
    counts = {name: given[name] for name in ("blocks", "skipped", "blank_labels", "judges")}
    assert counts == {"blocks": 8, "skipped": 0, "blank_labels": 2, "judges": 2}
    # Without the reference: 3 + 1 + 1 + 3 comparisons of each judge, one of them a tie.
    assert (given["comparisons"], given["ties"], given["systems"]) == (16, 2, 3)
    assert [ranking["method"] for ranking in said["rankings"]] == ["expected_wins", "lopez"]
    first = said["rankings"][0]
    assert (first["seed"], first["resample"], first["parameters"]) == (0, "two_way", {})
    assert (first["ranges"], first["correction"], first["sides"]) == ("percentile", "none", 1)
    # 3, 1, 0 and 3 decided comparisons of each of two judges on the four segments.
    assert first["limits"] == ["few_judges", "few_segments"]
    assert first["effective_judges"] == 2
    assert first["effective_segments"] == pytest.approx(7**2 / (3**2 + 1**2 + 3**2))
    assert set(first["systems"][0]) == {
        *("system", "score", "rank", "rank_low", "rank_high", "cluster"),
        *("wins", "losses", "ties"),
    }
    assert [row["rank"] for row in first["systems"]] == [1, 2, 3]
    assert said["rankings"][1]["extra"]["violations"] >= 0
    assert said["rankings"][1]["extra"]["proven_optimal"] is True


def test_the_ranking_is_the_core_s(judgments: str, run_json: RunJson) -> None:
    blocks: Blocks = read_judgments([judgments]).blocks
    expected = rank(blocks.without(["_ref"]), seed=3)
    (said,) = run_json("rank_judgments", judgments, "--seed", 3)["rankings"]
    assert [
        (row["system"], row["score"], row["rank_low"], row["rank_high"], row["cluster"])
        for row in said["systems"]
    ] == [
        (row.system, row.score, row.rank_low, row.rank_high, row.cluster)
        for row in expected.systems
    ]


def test_the_reference_can_be_ranked_and_named(judgments: str, run_json: RunJson) -> None:
    def systems(*arguments: str) -> set[str]:
        said = run_json("rank_judgments", judgments, "--resamples", 10, *arguments)
        return {row["system"] for row in said["rankings"][0]["systems"]}

    assert systems() == {"A", "B", "C"}
    assert systems("--reference", "include") == {"A", "B", "C", "_ref"}
    assert systems("--reference-system", "A") == {"B", "C", "_ref"}
    with pytest.raises(CommandError, match="no system 'ref' to be the reference") as refused:
        systems("--reference-system", "ref")
    assert refused.value.returncode == 2


def test_jobs_do_not_change_the_result(judgments: str, run: Run) -> None:
    one, three = (
        run("rank_judgments", judgments, "--format", "json", "--jobs", jobs) for jobs in (1, 3)
    )
    assert one == three


def test_csv_and_latex_and_markdown_and_text(judgments: str, run: Run) -> None:
    rows = list(csv.DictReader(io.StringIO(run("rank_judgments", judgments, "--format", "csv"))))
    assert [row["rank"] for row in rows] == ["1", "2", "3"]
    both = run("rank_judgments", judgments, "--format", "csv", "--method", "bojar", "lopez")
    assert {row["table"] for row in csv.DictReader(io.StringIO(both))} == {"bojar", "lopez"}
    latex = run("rank_judgments", judgments, "--format", "latex")
    assert latex.count(r"\\") == 4
    assert "rank ranges that account for neither segments nor judges" in latex
    markdown = run("rank_judgments", judgments, "--format", "markdown")
    assert markdown.count("\n|") == 5
    text = run("rank_judgments", judgments, "--seed", 4)
    assert "ranges that account for neither segments nor judges, from 1,000 draws." in text
    assert "Only two judges: these rank ranges hold for these judges" in text
    assert "Seed: 4." in text


@pytest.mark.parametrize(
    ("arguments", "level"),
    [
        ([], "two_way"),
        (["--resample", "segments"], "segments"),
        (["--rank-ranges", "two_way"], "two_way"),
        (["--rank-ranges", "two_way", "--resample", "two_way"], "two_way"),
        (["--rank-ranges", "bootstrap"], "blocks"),
        (["--rank-ranges", "bootstrap", "--resample", "judges"], "judges"),
    ],
)
def test_the_options_choose_the_level_and_the_ranges_are_of_it(
    judgments: str, run_json: RunJson, arguments: list[str], level: Level
) -> None:
    (said,) = run_json("rank_judgments", judgments, *arguments)["rankings"]
    expected = rank(read_judgments([judgments]).blocks.without(["_ref"]), resample=level)
    assert (said["ranges"], said["resample"]) == ("percentile", level)
    assert [(row["rank_low"], row["rank_high"]) for row in said["systems"]] == [
        (row.rank_low, row.rank_high) for row in expected.systems
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rank-ranges", "two_way", "--resample", "blocks"], "contradict each other"),
        (["--rank-ranges", "bootstrap", "--resample", "two_way"], "contradict each other"),
        (["--rank-ranges", "sign_test", "--resample", "blocks"], "resamples nothing"),
        (["--rank-ranges", "anytime", "--resample", "two_way"], "resamples nothing"),
        (["--correction", "holm"], "Only sign tests are corrected"),
        (["--rank-ranges", "anytime", "--sided", "two"], "Only sign tests have a second side"),
    ],
)
def test_options_that_contradict_each_other_are_refused_before_the_work(
    run: Run, arguments: list[str], words: str
) -> None:
    with pytest.raises(CommandError, match=words) as refused:
        run("rank_judgments", "/no/such/file.csv", *arguments)
    assert refused.value.returncode == 2


def test_output_replaces_the_file_whole(judgments: str, run: Run, tmp_path: Path) -> None:
    output = tmp_path / "ranking.csv"
    output.write_text("old", encoding="utf-8")
    assert run("rank_judgments", judgments, "--format", "csv", "--output", output) == ""
    assert output.read_text(encoding="utf-8").startswith("system,score,rank")
    assert {path.name for path in tmp_path.iterdir()} == {"judgments.csv", "ranking.csv"}


def test_ctrl_c_leaves_what_was_there(
    judgments: str, run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_args: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rank_judgments, "rank", interrupted)
    output = tmp_path / "ranking.csv"
    output.write_text("old", encoding="utf-8")
    with pytest.raises(CommandError, match="nothing was written") as ended:
        run("rank_judgments", judgments, "--output", output)
    assert ended.value.returncode == 130
    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(CommandError, match="nothing was written"):
        run("diagnose_campaign", judgments, "--output", output)
    assert output.read_text(encoding="utf-8") == "old"
    assert {path.name for path in tmp_path.iterdir()} == {"judgments.csv", "ranking.csv"}


def test_an_output_nowhere_is_refused_before_the_work(judgments: str, run: Run) -> None:
    with pytest.raises(CommandError, match="no such place") as refused:
        run("rank_judgments", judgments, "--output", "/no/such/folder/ranking.json")
    assert refused.value.returncode == 2


def test_a_level_that_a_method_cannot_resample_is_bad_input(judgments: str, run: Run) -> None:
    with pytest.raises(CommandError) as refused:
        run("rank_judgments", judgments, "--method", "geq_all_in_block", "--resample", "pairs")
    assert refused.value.returncode == 2


@pytest.mark.parametrize(
    ("option", "value"),
    [("--resamples", "0"), ("--confidence", "1"), ("--seed", "-1"), ("--confidence", "nan")],
)
def test_numbers_out_of_range_are_refused(
    judgments: str, run: Run, option: str, value: str
) -> None:
    with pytest.raises(CommandError, match=f"argument {option}"):
        run("rank_judgments", judgments, f"{option}={value}")


def test_what_does_not_converge_ends_in_words(
    judgments: str, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ranking.core.davidson._MOST_STEPS", 1)
    with pytest.raises(CommandError, match="did not converge in 1 steps"):
        run("rank_judgments", judgments, "--method", "bradley_terry", "--resamples", 20)
