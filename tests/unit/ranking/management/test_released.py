"""The commands on the judgments WMT released, against what is known of them."""

import csv
import html
import json
import re
from collections.abc import Callable
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any
from xml.etree import ElementTree as ET

import pytest

pytestmark = pytest.mark.realdata
RunJson = Callable[..., Any]

FILES = {
    "wmt12-cs-en": "judgments.csv",
    "wmt12-es-en": "judgments.csv",
    "wmt15-en-fi": "judgments.xml",
    "wmt16-it-en-nl": "pairwise.csv",
}


@pytest.mark.parametrize("folder", FILES)
def test_rankings_of_every_set(real_data: Path, folder: str, run_json: RunJson) -> None:
    path = real_data / folder / FILES[folder]
    expected = json.loads((path.parent / "expected.json").read_text(encoding="utf-8"))
    # In the expected numbers of WMT15 two systems with one text are a tie. Nobody compared them.
    unjudged = unjudged_pairs(path) if path.suffix == ".xml" else 0
    said = run_json(
        *("rank_judgments", path, "--method", "expected_wins", "bojar", "geq_others", "lopez"),
        *("--resamples", 100),
    )
    given = said["input"]
    assert given["systems"] == expected["n_systems"]
    assert given["comparisons"] + unjudged == expected["pairs"]
    assert given["ties"] + unjudged == expected["ties"]
    assert given["blocks"] + given["skipped"] == expected.get("blocks", 1213)
    assert given["judges"] == expected.get("judges", 12)
    wins, bojar, geq, lopez = said["rankings"]
    rows = expected.get("systems_by_expected_wins") or expected["systems"]
    assert [row["system"] for row in wins["systems"]] == [row["system"] for row in rows]
    assert [row["system"] for row in bojar["systems"]] == expected["bojar_order"]
    scores = {row["system"]: row["score"] for row in bojar["systems"]}
    geq_scores = {row["system"]: row["score"] for row in geq["systems"]}
    for found, row in zip(wins["systems"], rows, strict=True):
        assert found["score"] == pytest.approx(row["expected_wins"], abs=1e-6)
        assert (found["wins"], found["losses"]) == (row["wins"], row["losses"])
        assert scores[row["system"]] == pytest.approx(row["bojar"], abs=1e-6)
        if not unjudged:
            assert found["ties"] == row["ties"]
            if "ge_others" in row:
                assert geq_scores[row["system"]] == pytest.approx(row["ge_others"], abs=1e-6)
    cost = expected.get("lopez_cost", expected.get("lopez", {}).get("minimum_cost"))
    assert (lopez["extra"]["violations"], lopez["extra"]["proven_optimal"]) == (cost, True)


def unjudged_pairs(path: Path) -> int:
    shown = ET.parse(path).iter("translation")
    return sum(comb(len(each.attrib["system"].split(",")), 2) for each in shown)


def test_skips_of_wmt15_are_no_blocks(real_data: Path, run_json: RunJson) -> None:
    said = run_json(
        "rank_judgments", real_data / "wmt15-en-fi" / "judgments.xml", "--resamples", 10
    )
    assert (said["input"]["blocks"], said["input"]["skipped"]) == (2465, 55)


@pytest.mark.parametrize(
    ("pair", "systems", "blocks", "labels", "comparisons", "reference", "intra", "inter"),
    [
        ("cs-en", 13, 543, 2691, 5375, 0.976, 0.700, 0.504),
        ("es-en", 15, 1140, 5665, 11307, 0.989, 0.693, 0.508),
    ],
)
def test_rows_of_table_1_of_bojar_et_al_2011(
    real_data: Path,
    pair: str,
    systems: int,
    blocks: int,
    labels: int,
    comparisons: int,
    reference: float,
    intra: float,
    inter: float,
    run_json: RunJson,
) -> None:
    path = real_data / "wmt10" / f"judgments.{pair}.csv"
    said = run_json("diagnose_campaign", path)
    assert [said[name] for name in ("systems", "blocks", "labels", "comparisons")] == [
        *(systems, blocks, labels, comparisons),
    ]
    assert round(said["geq_others"]["_ref"], 3) == reference
    measured = run_json(
        *("measure_agreement", path, "--reference", "include", "--chance", "uniform"),
        *("--resamples", 20),
    )
    assert round(measured["inter"]["kappa"], 3) == inter
    assert round(measured["intra"]["kappa"], 3) == intra


def test_published_agreement_of_wmt15(real_data: Path, run_json: RunJson) -> None:
    folder = real_data / "wmt15-en-fi"
    published = json.loads((folder / "published-kappa-collapsed.json").read_text(encoding="utf-8"))
    said = run_json(
        *("measure_agreement", folder / "judgments.xml", "--pairing", "presented"),
        *("--chance", "scott", "--resamples", 20),
    )
    for which in ("inter", "intra"):
        found = said[which]
        assert [round(found[name], 3) for name in ("p_agree", "p_chance", "kappa")] + [
            found[name] for name in ("agreeing", "comparable", "ties", "labels")
        ] == published[which]


def test_identical_texts_of_wmt12_ranked_differently(
    wmt12_with_texts: Path, run_json: RunJson
) -> None:
    folder = wmt12_with_texts
    files = {path.name.split(".")[2]: path for path in (folder / "systems").iterdir()}
    arguments = [f"{system}={path}" for system, path in files.items()]
    said = run_json("diagnose_campaign", folder / "judgments.csv", "--system-text", *arguments)
    # Counted again row by row, with the texts found by the simplest of means.
    texts = {system: plain_texts(path) for system, path in files.items()}
    compared, differently = 0, []
    with (folder / "judgments.csv").open(encoding="utf-8", newline="") as file:
        for line in csv.DictReader(file):
            labels = {line[f"system{k}Id"]: int(line[f"system{k}rank"]) for k in range(1, 6)}
            segment = int(line["srcIndex"])
            given = sorted(system for system, label in labels.items() if label > 0)
            for one, other in combinations(given, 2):
                if texts[one][segment - 1] == texts[other][segment - 1]:
                    compared += 1
                    pair = [labels[one], labels[other]]
                    if pair[0] != pair[1]:
                        differently.append([segment, line["judgeId"], [one, other], pair])
    assert (compared, len(differently)) == (274, 22)
    found = said["identical_texts"]
    assert found["compared"] == compared
    rows = [
        [row[key] for key in ("segment", "judge", "systems", "labels")]
        for row in found["differently"]
    ]
    assert rows == sorted(differently)


def plain_texts(path: Path) -> list[str]:
    found = re.findall(
        r"<seg [^>]*>(.*?)</seg>", path.read_text(encoding="utf-8"), re.DOTALL | re.IGNORECASE
    )
    return [html.unescape(text).strip() for text in found]
