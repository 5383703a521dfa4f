"""`analyse spans` and `convert_spans`."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from protocols.spans.files.formats import SpansFormat, write_spans
from tests.simulated.scores import SpanModel, simulate_spans
from tests.unit.protocols.spans.drawn import judgment, major, output

RunJson = Callable[..., Any]
SCORED = ("analyse", "spans")
FEWER = ("--option", "resamples=100")
CAMPAIGN = simulate_spans(
    SpanModel(systems=4, segments=30, screens=2, spread=30),
    seed=1,
)


def written(path: Path, output_format: SpansFormat) -> Path:
    lines, _losses = write_spans(CAMPAIGN.judgments, output_format)
    path.write_text("".join(lines), encoding="utf-8", newline="")
    return path


def test_scoring_says_all_of_a_campaign(run_json: RunJson, tmp_path: Path) -> None:
    name = written(tmp_path / "j.jsonl", SpansFormat.JSONL)
    found = run_json(*SCORED, name, *FEWER, "rule=wmt25")
    assert (found["scores"], found["segments"], found["format"]) == (
        180,
        30,
        "spans-jsonl",
    )
    best = list(CAMPAIGN.systems)
    for rank in (found["additive"]["rank"], found["means"]["rank"]):
        assert [
            system for _rank, system in sorted(zip(rank, found["systems"], strict=True))
        ] == best
    assert found["rule"]["systems"] == best
    assert [row["system"] for row in found["rankings"][0]["systems"]] == best
    assert found["span_agreement"]["f1"] > 0.5
    assert found["losses"] == []
    assert run_json(*SCORED, name, *FEWER, "rule=wmt25") == found


def test_intervals_of_means_end_where_the_scale_ends(
    run_json: RunJson,
    tmp_path: Path,
) -> None:
    screens = [
        judgment(
            output("A", 0 if number == 3 else 100),
            output("B", 50 + number % 7),
            segment=str(number),
        )
        for number in range(1, 51)
    ]
    lines, _losses = write_spans(screens, SpansFormat.JSONL)
    path = tmp_path / "near_the_end.jsonl"
    path.write_text("".join(lines), encoding="utf-8", newline="")
    report = run_json(*SCORED, path, *FEWER)
    highs = dict(zip(report["systems"], report["means"]["high"], strict=True))
    assert highs["A"] == 100
    assert 50 < highs["B"] < 57


def test_errors_rank_where_there_are_no_scores(
    run_json: RunJson,
    tmp_path: Path,
) -> None:
    name = written(tmp_path / "j.tsv", SpansFormat.MQM_TSV)
    arguments = (*SCORED, name, *FEWER)
    found = run_json(*arguments, "compare=judge")
    assert found["means"]["mean"][0] > found["means"]["mean"][-1]
    assert found["means"]["mean"][0] < 0
    assert found["rankings"][0]["systems"][0]["system"] == CAMPAIGN.systems[0]


def test_scores_of_outputs_alone_imply_no_ranking_unless_asked(
    run_json: RunJson,
    tmp_path: Path,
) -> None:
    name = written(tmp_path / "j.csv", SpansFormat.APPRAISE_CSV)
    found = run_json(*SCORED, name, *FEWER)
    assert found["rankings"] is None
    assert found["additive"] is not None


def test_thresholds_decide_what_is_asked_about(
    run_json: RunJson,
    tmp_path: Path,
) -> None:
    path = tmp_path / "j.jsonl"
    screens = [
        judgment(
            output("A", 70),
            output("B", 95, [major()]),
            judge=judge,
            segment=segment,
        )
        for judge in ("ann", "bob")
        for segment in ("1", "2")
    ]
    path.write_text(
        "".join(write_spans(screens, SpansFormat.JSONL)[0]),
        encoding="utf-8",
    )
    found = run_json(*SCORED, path, *FEWER)
    assert (found["contradictions"]["low_without_error"], found["contradicting"]) == (
        4,
        4,
    )
    assert found["contradictions"]["high_with_major"] == 4
    assert found["additive"]["shortages"]["A"] == {
        "unit": "judges",
        "found": 2,
        "needed": 4,
    }
    for part in ("additive", "means", "rule"):
        assert found[part]["ranges"] == {"low": [None, None], "high": [None, None]}
        assert found[part]["cluster"] == [None, None]
    lenient = ("error_free_from=66", "major_below=100", "margin=30")
    found = run_json(*SCORED, path, *FEWER, *lenient)
    assert found["contradicting"] == 0


def test_conversions_say_what_they_lose(run_json: RunJson, tmp_path: Path) -> None:
    name = written(tmp_path / "j.jsonl", SpansFormat.JSONL)
    to = tmp_path / "j.csv"
    found = run_json(
        "convert_spans",
        name,
        "--to",
        to,
        "--output-format",
        "appraise-csv",
    )
    assert (found["judgments"], found["lost_reading"]) == (60, [])
    assert {loss["what"]: loss["count"] for loss in found["lost_writing"]} == {
        "which outputs were shown side by side": 60,
        "texts of outputs": 180,
    }
    assert len(to.read_text(encoding="utf-8").splitlines()) == 180
    # And back: a row is a screen of its own.
    back = run_json("convert_spans", to, "--to", tmp_path / "back.jsonl")
    assert (back["judgments"], back["lost_reading"], back["lost_writing"]) == (
        180,
        [],
        [],
    )


def test_bad_input_writes_nothing(run_json: RunJson, tmp_path: Path) -> None:
    path, to = tmp_path / "j.jsonl", tmp_path / "out.jsonl"
    path.write_text(
        '{"segment": "1", "judge": "ann", "outputs": [{"systems": ["A"], "score": 200}]}\n',
    )
    with pytest.raises(
        CommandError,
        match=r"line 1 \(field \"outputs\[0\].score\"\)",
    ) as refused:
        run_json("convert_spans", path, "--to", to)
    assert refused.value.returncode == 2
    assert not to.exists()
    path.write_text("Was soll das sein?\n")
    with pytest.raises(CommandError, match="format was not recognised"):
        run_json("convert_spans", path, "--to", to)
    path.write_text(json.dumps({"user_id": "ann", "annotation": "__RESET__"}))
    with pytest.raises(CommandError, match="no usable judgments"):
        run_json("convert_spans", path, "--to", to)
