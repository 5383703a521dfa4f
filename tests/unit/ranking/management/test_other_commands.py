"""The other commands on files: the shapes they promise."""

import csv
import io
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest
from django.core.management.base import CommandError
from django.utils.translation import override

from ranking.core.simulation.budget import Budget, BudgetRow
from ranking.core.simulation.model import Model
from ranking.design_study.study import compare_designs
from ranking.reports.designs import comparison_report, plot_of
from ranking.reports.simulations import budget_report

Run = Callable[..., str]
RunJson = Callable[..., Any]
MEASURE = {
    *("kappa", "p_agree", "p_chance", "agreeing", "comparable", "ties", "labels", "low", "high"),
}


def test_a_campaign_is_diagnosed_with_the_reference(judgments: str, run_json: RunJson) -> None:
    said = run_json("diagnose_campaign", judgments)
    assert {name: said[name] for name in ("systems", "blocks", "labels", "comparisons")} == {
        "systems": 4,
        "blocks": 8,
        "labels": 22,
        "comparisons": 20,
    }
    assert said["sole_winners"] == {"A": 4, "B": 2, "C": 0, "_ref": 2, "": 0}
    assert said["pairwise"]["A"]["B"] == [2, 2, 2]
    assert said["times_judged"] == {"A": 8, "B": 8, "C": 6, "_ref": 2}
    assert said["tie_rate"] == pytest.approx(0.1)


def test_identical_texts_ranked_differently_are_listed(
    judgments: str, run_json: RunJson, run: Run, tmp_path: Path
) -> None:
    assert run_json("diagnose_campaign", judgments)["identical_texts"] is None
    one, other = tmp_path / "a.txt", tmp_path / "b.txt"
    one.write_text("Yes.\nNo.\nWhy?\nNow.\n", encoding="utf-8")
    other.write_text("Yes.\nNo.\nHow?\nNow!\n", encoding="utf-8")
    texts = ["--system-text", f"A={one}", f"B={other}"]
    assert run_json("diagnose_campaign", judgments, *texts)["identical_texts"] == {
        "compared": 4,
        "differently": [
            {"segment": 1, "judge": judge, "systems": ["A", "B"], "labels": [1, 2]}
            for judge in ("ann", "bob")
        ],
    }
    assert "Identical texts ranked differently: 2 of 4 pairs" in run(
        "diagnose_campaign", judgments, *texts
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("A={short}", "short.txt: the file has 1 segments; segment 4 was judged"),
        ("Z={short}", "no system Z in the judgments. The systems are: A, B, C, _ref"),
        ("A={missing}", "missing.txt: No such file"),
        ("A={table}", "the file looks like TSV"),
    ],
)
def test_texts_that_do_not_fit_are_refused(
    judgments: str, run: Run, tmp_path: Path, text: str, problem: str
) -> None:
    files = {name: tmp_path / f"{name}.txt" for name in ("short", "missing")}
    files["short"].write_text("Yes.\n", encoding="utf-8")
    files["table"] = tmp_path / "table.tsv"
    files["table"].write_text("source\tA\nx\ty\n", encoding="utf-8")
    with pytest.raises(CommandError, match=problem) as refused:
        run("diagnose_campaign", judgments, "--system-text", text.format(**files))
    assert refused.value.returncode == 2


@pytest.mark.parametrize("pairing", ["unordered", "presented"])
@pytest.mark.parametrize(
    "chance", ["uniform", "random_clicker", "scott", "cohen", "fleiss", "krippendorff"]
)
def test_agreement_by_every_pairing_and_chance(
    judgments: str, run_json: RunJson, pairing: str, chance: str
) -> None:
    said = run_json(
        *("measure_agreement", judgments, "--pairing", pairing, "--chance", chance),
        *("--resamples", 20),
    )
    assert set(said["inter"]) >= MEASURE
    assert set(said["intra"]) >= MEASURE
    assert (said["inter"]["comparable"], said["inter"]["agreeing"]) == (8, 8)
    assert said["intra"]["kappa"] is None


def test_what_intervals_of_kappa_are_of_is_chosen_and_said(
    judgments: str, run_json: RunJson, run: Run
) -> None:
    said = run_json("measure_agreement", judgments)
    # Two judges, who agree on everything.
    assert (said["resample"], said["resamples"]) == ("two_way", 0)
    assert (said["inter"]["low"], said["inter"]["no_interval"]) == (None, "too_few_judges")
    text = run("measure_agreement", judgments)
    assert "intervals: segments and judges, leaving out one at a time, confidence 0.95" in text
    assert "No interval of κ between judges: too few judges to tell how judges differ." in text
    kept = run_json("measure_agreement", judgments, "--resample", "segments", "--resamples", 20)
    assert (kept["resample"], kept["resamples"]) == ("segments", 20)
    assert (kept["inter"]["high"], kept["inter"]["no_interval"]) == (1, None)
    assert kept["inter"]["kappa"] == said["inter"]["kappa"]
    assert "20 resamples of segments" in run(
        *("measure_agreement", judgments, "--resample", "segments", "--resamples", 20)
    )


def test_a_judges_chance_is_of_the_judges_own_ties(judgments: str, run_json: RunJson) -> None:
    path = Path(judgments)
    text = path.read_text(encoding="utf-8")
    path.write_text(text.replace("ann,A,B,C,1,2,3", "ann,A,B,C,1,1,1"), encoding="utf-8")
    own = run_json("diagnose_judges", judgments)["judges"][0]["agreement"]
    diagnosed = run_json("diagnose_judges", judgments, "--chance-of-judges", "pooled")
    pooled = diagnosed["judges"][0]["agreement"]
    assert own["p_agree"] == pooled["p_agree"]
    # Of ten comparisons ann ties four, bob one: t u + (1 − t) (1 − u) / 2.
    assert own["p_chance"] == pytest.approx(0.4 * 0.1 + 0.6 * 0.9 / 2)
    assert pooled["p_chance"] == pytest.approx(0.25**2 + 0.75**2 / 2)


def test_agreement_by_reference_and_length(
    judgments: str, run_json: RunJson, tmp_path: Path, run: Run
) -> None:
    source = tmp_path / "source.txt"
    source.write_text("a\na b\na b c\na b\n", encoding="utf-8")
    said = run_json(
        *("measure_agreement", judgments, "--by-reference", "--source-text", source),
        *("--resamples", 20),
    )
    assert said["by_reference"]["included"]["inter"]["comparable"] == 10
    assert said["by_reference"]["excluded"]["inter"]["comparable"] == 8
    assert [row["shortest"] for row in said["by_length"]] == [1, 2, 3]
    source.write_text("a\n", encoding="utf-8")
    with pytest.raises(CommandError, match="segment 4 has no entry") as refused:
        run("measure_agreement", judgments, "--source-text", source)
    assert refused.value.returncode == 2


def test_judges_are_diagnosed(judgments: str, run_json: RunJson, run: Run) -> None:
    said = run_json("diagnose_judges", judgments, "--resamples", 20, "--minimum", 1)
    assert [judge["judge"] for judge in said["judges"]] == ["ann", "bob"]
    assert said["judges"][0]["reference"]["preferred"] == 2
    rules = {rule["rule"] for rule in said["outliers"]}
    assert set(said["ranking_without"]) == {*rules, "any"}
    rows = csv.DictReader(io.StringIO(run("diagnose_judges", judgments, "--format", "csv")))
    assert {row["table"] for row in rows} == {"judges", "rules"}


def test_methods_are_selected(judgments: str, run_json: RunJson) -> None:
    said = run_json(
        *("select_method", judgments, "--folds", 4, "--method", "expected_wins", "bojar"),
        *("--shares", 0.5, 1),
    )
    assert {row["method"] for row in said["methods"]} == {"expected_wins", "bojar"}
    assert said["comparisons"] == 16
    assert 0 < said["oracle"] <= 1
    assert [row["share"] for row in said["data_requirements"]] == [0.5, 1]


def test_methods_are_compared_with_the_parameters_given(
    judgments: str, run_json: RunJson, run: Run
) -> None:
    asked = ("select_method", judgments, "--folds", 2, "--method", "hopkins_may", "bradley_terry")
    # A radius so large that everything is called a tie: two of sixteen comparisons were one.
    said = run_json(
        *asked, "--parameter", "hopkins_may.radius=50", "bradley_terry.prior=1", "--seed", 1
    )
    accuracy = {row["method"]: row["accuracy"] for row in said["methods"]}
    assert accuracy["hopkins_may"] < accuracy["bradley_terry"]
    with pytest.raises(CommandError, match=r"lopez\.time_limit: this method was not requested"):
        run(*asked, "--parameter", "lopez.time_limit=1")
    with pytest.raises(CommandError, match="no parameter 'prior'"):
        run("diagnose_judges", judgments, "--parameter", "expected_wins.prior=1")


def test_campaigns_are_simulated(run_json: RunJson) -> None:
    said = run_json(
        *("simulate_campaigns", "--systems", 5, "--noise", 5, "--comparisons", 200, 400),
        *("--experiments", 4, "--seed", 1, "--jobs", 1),
    )
    assert [row["comparisons"] for row in said["rows"]] == [200, 400]
    assert set(said["rows"][0]) >= {
        *("comparisons", "error", "range_size", "range_violations", "clusters"),
        *("cluster_violations", "significant_pairs"),
    }
    assert set(said["rows"][0]["error"]) == {"bojar", "expected_wins", "lopez"}


def test_designs_are_compared_and_drawn(run_json: RunJson, tmp_path: Path) -> None:
    plot = tmp_path / "designs.svg"
    said = run_json(
        *("compare_designs", "--systems", 5, "--noise", 4, "--target-pairs", 0.6),
        *("--clusters", 2, "--experiments", 3, "--resamples", 40, "--limit", 500),
        *("--rank-ranges", "sign_test", "bradley_terry", "--jobs", 1, "--plot", plot),
    )
    assert said["input"] is None
    assert said["source"]["noise"] == 4
    assert [row["design"] for row in said["rows"]] == ["uniform", "balanced", "active"] * 4
    for row in said["rows"]:
        assert len(row["each"]) == 3
        assert row["ratio"] == 1 or row["design"] != "uniform"
    drawn = ET.fromstring(plot.read_text(encoding="utf-8"))
    lines = [each for each in drawn.iter() if each.get("class") == "line"]
    # A line and its key for each design on each of four questions.
    assert len(lines) == 2 * 3 * 4


def test_a_comparison_of_designs_writes_figures_as_the_language_does() -> None:
    found = compare_designs(
        Model(systems=4, noise=3.0),
        ranges=("sign_test",),
        target_pairs=(0.5, 0.975),
        limit=3000,
        experiments=2,
        seed=2,
    )
    with override("de"):
        report, plot = comparison_report(found, None), plot_of(found)
    assert [row[0] for row in report.tables[0].rows[::3]] == [
        "50 % der Paare getrennt: Vorzeichentest",
        "97,5 % der Paare getrennt: Vorzeichentest",
    ]
    words = [each.text for each in ET.fromstring(plot).iter("{http://www.w3.org/2000/svg}text")]
    assert {"0 %", "50 %", "100 %", "1.000"} <= set(words)


def test_designs_are_compared_on_resampled_judgments(
    judgments: str, run_json: RunJson, run: Run
) -> None:
    said = run_json(
        *("compare_designs", judgments, "--experiments", 2, "--limit", 100, "--jobs", 1),
        *("--rank-ranges", "sign_test", "--designs", "uniform", "active"),
    )
    assert said["source"] == {"kind": "resampled", "systems": 3, "per_block": 3}
    assert said["input"]["judges"] == 2
    with pytest.raises(CommandError, match="leave out the options of the model"):
        run("compare_designs", judgments, "--noise", 3)


def test_anytime_is_refused_where_comparisons_are_not_independent(run: Run) -> None:
    with pytest.raises(CommandError, match="independent comparisons only"):
        run("compare_designs", "--rank-ranges", "anytime", "--segments", 100)


def test_budgets_are_planned_before_a_campaign(run_json: RunJson, run: Run) -> None:
    said = run_json(
        *("plan_budget", "--systems", 4, "--noise", 2, "--target", 0.5, "--experiments", 10),
        *("--jobs", 1),
    )
    (row,) = said["rows"]
    assert row["target"] == 0.5
    assert row["low"] <= row["comparisons"] <= row["high"]
    assert said["fitted_noise"] is None
    assert (said["spread_p"], said["fits"]) == (None, True)
    with pytest.raises(CommandError, match="give both --systems and --noise"):
        run("plan_budget", "--systems", 4)


def test_a_plan_says_where_the_model_does_not_fit_and_where_a_target_may_be_out_of_reach() -> None:
    row = BudgetRow(
        measure="significant_pairs",
        target=0.7,
        comparisons=60_000,
        low=9000,
        high=None,
        average=None,
        beyond=0.375,
        more=55_000,
    )
    budget = Budget(
        model=Model(systems=9, noise=12),
        collected=5000,
        fit=None,
        spread_p=0.005,
        confidence=0.95,
        limit=4_000_000,
        experiments=200,
        seed=0,
        rows=(row,),
    )
    report = budget_report(budget, None)
    assert any("not spread as the model assumes (p = 0.005)" in note for note in report.notes)
    (table,) = report.tables
    assert table.rows[0][2:] == (60_000, 9000, None, None, 0.375, 55_000)
    assert any("equally good" in note for note in table.notes)
    fitting = budget_report(replace(budget, spread_p=0.051), None)
    assert not any("not spread" in note for note in fitting.notes)


def test_budgets_are_planned_from_judgments(judgments: str, run_json: RunJson, run: Run) -> None:
    with pytest.raises(CommandError, match="leave --systems and --noise out"):
        run("plan_budget", judgments, "--noise", 3)
    # Eight blocks separate nothing: no noise can be fitted, and the command says so.
    with pytest.raises(CommandError) as refused:
        run_json("plan_budget", judgments, "--experiments", 2, "--jobs", 1)
    assert refused.value.returncode == 2
