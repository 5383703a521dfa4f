"""The other commands on files: the shapes they promise."""

import csv
import io
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.core.management.base import CommandError

from ranking.reports.analyses.registry import ANALYSES

Run = Callable[..., str]
RunJson = Callable[..., Any]
OF_SEGMENTS = ("--option", "resample=segments", "resamples=100")
MEASURE = {
    *(
        "kappa",
        "p_agree",
        "p_chance",
        "agreeing",
        "comparable",
        "ties",
        "labels",
        "low",
        "high",
    ),
}


def test_a_campaign_is_diagnosed_with_the_reference(
    judgments: str,
    run_json: RunJson,
) -> None:
    said = run_json("analyse", "diagnosis", judgments)
    assert {
        name: said[name] for name in ("systems", "blocks", "labels", "comparisons")
    } == {
        "systems": 4,
        "blocks": 8,
        "labels": 22,
        "comparisons": 20,
    }
    assert said["sole_winners"] == {"A": 4, "B": 2, "C": 0, "_ref": 2, "": 0}
    assert said["pairwise"]["A"]["B"] == [2, 2, 2]
    assert said["times_judged"] == {"A": 8, "B": 8, "C": 6, "_ref": 2}
    assert said["tie_rate"] == pytest.approx(0.1)


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        (
            "A={short}",
            "short.txt: segment 4 was judged, but the file has only 1 segments",
        ),
        ("Z={short}", "system Z not found in the judgments. Systems: A, B, C, _ref"),
        ("A={missing}", "missing.txt: No such file"),
        ("A={table}", "the file looks like TSV"),
    ],
)
def test_texts_that_do_not_fit_are_refused(
    judgments: str,
    run: Run,
    tmp_path: Path,
    text: str,
    problem: str,
) -> None:
    files = {name: tmp_path / f"{name}.txt" for name in ("short", "missing")}
    files["short"].write_text("Yes.\n", encoding="utf-8")
    files["table"] = tmp_path / "table.tsv"
    files["table"].write_text("source\tA\nx\ty\n", encoding="utf-8")
    with pytest.raises(CommandError, match=problem) as refused:
        run("analyse", "diagnosis", judgments, "--system-text", text.format(**files))
    assert refused.value.returncode == 2


@pytest.mark.parametrize("pairing", ["unordered", "presented"])
@pytest.mark.parametrize(
    "chance",
    ["conger", "uniform", "random_clicker", "scott", "cohen", "fleiss", "krippendorff"],
)
def test_agreement_by_every_pairing_and_chance(
    judgments: str,
    run_json: RunJson,
    pairing: str,
    chance: str,
) -> None:
    said = run_json(
        *(
            "analyse",
            "agreement",
            judgments,
            "--option",
            f"pairing={pairing}",
            f"chance={chance}",
        ),
        "resamples=100",
    )
    assert set(said["inter"]) >= MEASURE
    assert set(said["intra"]) >= MEASURE
    assert (said["inter"]["comparable"], said["inter"]["agreeing"]) == (8, 8)
    assert said["intra"]["kappa"] is None


def test_units_of_kappa_intervals_are_chosen_and_stated(
    judgments: str,
    run_json: RunJson,
    run: Run,
) -> None:
    said = run_json("analyse", "agreement", judgments)
    # Two judges, who agree on everything.
    assert (said["resample"], said["resamples"]) == ("two_way", 0)
    assert (said["inter"]["low"], said["inter"]["no_interval"]) == (
        None,
        "too_few_judges",
    )
    text = run("analyse", "agreement", judgments)
    assert "intervals: jackknife over segments and judges, confidence 0.95" in text
    assert "No interval for κ (Between judges): too few judges." in text
    kept = run_json("analyse", "agreement", judgments, *OF_SEGMENTS)
    assert (kept["resample"], kept["resamples"]) == ("segments", 100)
    assert (kept["inter"]["high"], kept["inter"]["no_interval"]) == (1, None)
    assert (said["inter"]["kappa"], said["inter"]["reason"]) == (None, "no_interval")
    assert "100 resamples of segments" in run(
        "analyse",
        "agreement",
        judgments,
        *OF_SEGMENTS,
    )


def test_agreement_by_reference_and_length(
    judgments: str,
    run_json: RunJson,
    tmp_path: Path,
    run: Run,
) -> None:
    source = tmp_path / "source.txt"
    source.write_text("a\na b\na b c\na b\n", encoding="utf-8")
    said = run_json(
        *("analyse", "agreement", judgments, "--source-text", source),
        *("--option", "by_reference=yes", "resamples=100"),
    )
    assert said["by_reference"]["included"]["inter"]["comparable"] == 10
    assert said["by_reference"]["excluded"]["inter"]["comparable"] == 8
    assert [row["shortest"] for row in said["by_length"]] == [1, 2, 3]
    source.write_text("a\n", encoding="utf-8")
    with pytest.raises(CommandError, match="segment 4 was judged") as refused:
        run("analyse", "agreement", judgments, "--source-text", source)
    assert refused.value.returncode == 2


def test_judges_are_diagnosed(judgments: str, run_json: RunJson, run: Run) -> None:
    asked = ("analyse", "judges", judgments, "--option", "resamples=100", "minimum=1")
    said = run_json(*asked)
    assert [judge["judge"] for judge in said["judges"]] == ["ann", "bob"]
    assert said["judges"][0]["reference"]["preferred"] == 2
    rules = {rule["rule"] for rule in said["outliers"]}
    assert set(said["ranking_without"]) == {"suspect"}
    assert set(run_json(*asked, "deviations=1")["ranking_without"]) == {*rules, "any"}
    rows = csv.DictReader(
        io.StringIO(run("analyse", "judges", judgments, "--format", "csv")),
    )
    assert {row["table"] for row in rows} == {"judges", "rules"}


@pytest.mark.parametrize(
    "kind",
    [name for name, each in ANALYSES.items() if each.is_of_compared_files],
)
def test_every_analysis_of_comparisons_reads_files(
    enough: str,
    run_json: RunJson,
    kind: str,
) -> None:
    options = {
        "system": ("--option", "system=A"),
        "without": ("--option", "leave_out=ann1"),
        "stopping": ("--option", "experiments=40", "limit=1000"),
    }
    said = run_json("analyse", kind, enough, *options.get(kind, ()))
    assert said["input"]["blocks"] == 48


def test_an_analysis_that_files_do_not_answer_is_refused(
    judgments: str,
    run: Run,
) -> None:
    for arguments, problem in (
        (("remarks", judgments), "files lack data"),
        (("clusters", judgments), "Unknown analysis"),
        (("agreement", judgments, "--option", "chanse=scott"), "chance"),
        (("agreement", judgments, "--campaign", "c"), "either files or --campaign"),
        (
            ("diagnosis", judgments, "--option", "skipped_blocks=count"),
            "skipped blocks",
        ),
    ):
        with pytest.raises(CommandError, match=problem) as refused:
            run("analyse", *arguments)
        assert refused.value.returncode == 2


def test_methods_are_selected(judgments: str, run_json: RunJson) -> None:
    said = run_json(
        *(
            "select_method",
            judgments,
            "--folds",
            4,
            "--method",
            "expected_wins",
            "bojar",
        ),
        *("--shares", 0.5, 1),
    )
    assert {row["method"] for row in said["methods"]} == {"expected_wins", "bojar"}
    assert said["comparisons"] == 16
    assert 0 < said["oracle"] <= 1
    assert [row["share"] for row in said["data_requirements"]] == [0.5, 1]


def test_small_files_have_a_fold_for_each_segment(
    judgments: str,
    run_json: RunJson,
) -> None:
    selection = run_json("select_method", judgments)
    assert selection["folds"] == selection["segments"] < 100


def test_campaigns_are_simulated(run_json: RunJson) -> None:
    said = run_json(
        *(
            "simulate_campaigns",
            "--systems",
            5,
            "--noise",
            5,
            "--comparisons",
            200,
            400,
        ),
        *("--experiments", 4, "--seed", 1, "--jobs", 1),
    )
    assert [row["comparisons"] for row in said["rows"]] == [200, 400]
    assert set(said["rows"][0]) >= {
        *("comparisons", "error", "range_size", "range_violations", "clusters"),
        *("cluster_violations", "significant_pairs"),
    }
    assert set(said["rows"][0]["error"]) == {"bojar", "expected_wins", "lopez"}


@pytest.mark.thorough
def test_designs_are_compared_and_drawn(run_json: RunJson, tmp_path: Path) -> None:
    plot = tmp_path / "designs.svg"
    said = run_json(
        *("compare_designs", "--systems", 5, "--noise", 4, "--target-pairs", 0.6),
        *("--clusters", 2, "--experiments", 3, "--resamples", 40, "--limit", 500),
        *("--rank-ranges", "sign_test", "bradley_terry", "--jobs", 1, "--plot", plot),
    )
    assert said["input"] is None
    assert said["source"]["noise"] == 4
    assert [row["design"] for row in said["rows"]] == [
        "uniform",
        "balanced",
        "active",
    ] * 4
    for row in said["rows"]:
        assert len(row["each"]) == 3
        assert row["ratio"] == 1 or row["design"] != "uniform"
    drawn = ET.fromstring(plot.read_text(encoding="utf-8"))
    lines = [each for each in drawn.iter() if each.get("class") == "line"]
    # A line and its key for each design on each of four questions.
    assert len(lines) == 2 * 3 * 4


def test_anytime_is_refused_where_comparisons_are_not_independent(run: Run) -> None:
    with pytest.raises(CommandError, match="requires independent comparisons"):
        run("compare_designs", "--rank-ranges", "anytime", "--segments", 100)


def test_budgets_are_planned_before_a_campaign(run_json: RunJson, run: Run) -> None:
    said = run_json(
        *(
            "plan_budget",
            "--systems",
            4,
            "--noise",
            2,
            "--target",
            0.5,
            "--experiments",
            10,
        ),
        *("--jobs", 1),
    )
    (row,) = said["rows"]
    assert row["target"] == 0.5
    assert row["low"] <= row["comparisons"] <= row["high"]
    assert said["fitted_noise"] is None
    assert (said["spread_p"], said["fits"]) == (None, True)
    with pytest.raises(CommandError, match="Specify --systems and --noise"):
        run("plan_budget", "--systems", 4)


def test_budgets_are_planned_from_judgments(
    judgments: str,
    run_json: RunJson,
    run: Run,
) -> None:
    with pytest.raises(CommandError, match="Remove --systems and --noise"):
        run("plan_budget", judgments, "--noise", 3)
    # Two blocks separate nothing: no noise can be fitted, and the command says so.
    few = Path(judgments)
    few.write_text(
        "".join(few.read_text("utf-8").splitlines(keepends=True)[:3]),
        "utf-8",
    )
    with pytest.raises(CommandError, match="Collect more") as refused:
        run_json("plan_budget", judgments, "--experiments", 2, "--jobs", 1)
    assert refused.value.returncode == 2
