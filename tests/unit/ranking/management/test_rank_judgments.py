"""`rank_judgments`: what it says, in which format, and where it writes it."""

import csv
import io
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from django.core.management.base import CommandError

from ranking.core.counting.resampling import Level
from ranking.core.ranges import Correction
from ranking.core.rankings.rank import only_estimable, rank
from ranking.files.reading import read_judgments
from ranking.management.commands import rank_judgments

Run = Callable[..., str]
RunJson = Callable[..., Any]


def test_json_holds_the_input_and_every_ranking(
    judgments: str,
    run_json: RunJson,
) -> None:
    said = run_json(
        "rank_judgments",
        judgments,
        "--method",
        "expected_wins",
        "lopez",
        "--resamples",
        50,
    )
    assert said["version"]
    given = said["input"]
    assert [file["name"] for file in given["files"]] == [judgments]
    assert len(given["files"][0]["sha256"]) == 64
    counts = {
        name: given[name] for name in ("blocks", "skipped", "blank_labels", "judges")
    }
    assert counts == {"blocks": 8, "skipped": 0, "blank_labels": 2, "judges": 2}
    # Without the reference: 3 + 1 + 1 + 3 comparisons of each judge, one of them a tie.
    assert (given["comparisons"], given["ties"], given["systems"]) == (16, 2, 3)
    assert [ranking["method"] for ranking in said["rankings"]] == [
        "expected_wins",
        "lopez",
    ]
    first = said["rankings"][0]
    assert (first["seed"], first["resample"], first["parameters"]) == (0, "two_way", {})
    assert (first["ranges"], first["correction"], first["sides"]) == (
        "percentile",
        "none",
        2,
    )
    # 3, 1, 0 and 3 decided comparisons of each of two judges on the four segments.
    assert first["limits"] == ["few_judges", "few_segments"]
    assert first["effective_judges"] == 2
    assert first["effective_segments"] == pytest.approx(7**2 / (3**2 + 1**2 + 3**2))
    assert set(first["systems"][0]) == {
        *("system", "score", "rank", "rank_low", "rank_high", "cluster"),
        *("wins", "losses", "ties", "shortage", "last_rank", "group"),
    }
    assert [(row["rank"], row["last_rank"]) for row in first["systems"]] == [
        (1, 2),
        (1, 2),
        (3, 3),
    ]
    assert said["rankings"][1]["extra"]["violations"] >= 0
    assert said["rankings"][1]["extra"]["proven_optimal"] is True


IGNORED = [
    ("d,d,d,d", "only_one_is_named", "All judged blocks are from one document"),
    (
        "d,,e,e",
        "some_blocks_name_none",
        "Warning: only 6 of 8 judged blocks name a document",
    ),
    (
        "d,e/f,e,e",
        "a_segment_is_of_two",
        "Warning: at least one segment is in two documents",
    ),
    ("d,d,e,e", None, None),
    (",,,", None, None),
]


@pytest.mark.parametrize(("names", "code", "sentence"), IGNORED)
def test_documents_ignored_by_ranges_are_reported(
    names: str,
    code: str | None,
    sentence: str | None,
    judgments: str,
    run: Run,
    run_json: RunJson,
) -> None:
    """`names`: the document of each segment; "e/f" is one for the first judge, one for the second."""
    path = Path(judgments)
    header, *rows = path.read_text(encoding="utf-8").splitlines()
    named = [name.split("/") for name in names.split(",") for _judge in range(2)]
    path.write_text(
        "\n".join(
            [header]
            + [
                row.replace(",d,", f",{name[number % len(name)]},")
                for number, (row, name) in enumerate(zip(rows, named, strict=True))
            ],
        ),
        encoding="utf-8",
    )
    text = run("rank_judgments", judgments, "--resamples", 10)
    said = run_json("rank_judgments", judgments, "--resamples", 10)
    assert said["input"]["documents_ignored"] == code
    sentences = [other for _names, _code, other in IGNORED if other]
    assert [other for other in sentences if other in text] == (
        [sentence] if sentence else []
    )
    # Ranges over segments alone do not ask for documents.
    by_segments = run(
        "rank_judgments",
        judgments,
        "--resamples",
        10,
        "--resample",
        "segments",
    )
    assert not any(other in by_segments for other in sentences)


def test_the_reference_can_be_ranked_and_named(
    judgments: str,
    run_json: RunJson,
) -> None:
    def systems(*arguments: str) -> set[str]:
        said = run_json("rank_judgments", judgments, "--resamples", 10, *arguments)
        return {row["system"] for row in said["rankings"][0]["systems"]}

    assert systems() == {"A", "B", "C"}
    assert systems("--reference", "include") == {"A", "B", "C", "_ref"}
    assert systems("--reference-system", "A") == {"B", "C", "_ref"}
    with pytest.raises(
        CommandError,
        match="reference system 'ref' not found",
    ) as refused:
        systems("--reference-system", "ref")
    assert refused.value.returncode == 2


def test_csv_and_latex_and_markdown_and_text(judgments: str, run: Run) -> None:
    rows = list(
        csv.DictReader(
            io.StringIO(run("rank_judgments", judgments, "--format", "csv")),
        ),
    )
    assert [row["rank"] for row in rows] == ["1", "1", "3"]
    both = run(
        "rank_judgments",
        judgments,
        "--format",
        "csv",
        "--method",
        "bojar",
        "lopez",
    )
    assert {row["table"] for row in csv.DictReader(io.StringIO(both))} == {
        "bojar",
        "lopez",
    }
    latex = run("rank_judgments", judgments, "--format", "latex")
    assert latex.count(r"\\") == 4
    assert "They account for neither segments nor judges." in latex
    markdown = run("rank_judgments", judgments, "--format", "markdown")
    assert markdown.count("\n|") == 5
    text = run("rank_judgments", judgments, "--seed", 4)
    assert "rank ranges from 1,000 draws." in text
    assert "They account for neither segments nor judges." in text
    assert "Only 2 judges: rank ranges do not generalise" in text
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
    judgments: str,
    run_json: RunJson,
    arguments: list[str],
    level: Level,
) -> None:
    (said,) = run_json("rank_judgments", judgments, *arguments)["rankings"]
    expected = rank(
        read_judgments([judgments]).blocks.without(["_ref"]),
        resample=level,
    )
    assert (said["ranges"], said["resample"]) == ("percentile", level)
    assert [(row["rank_low"], row["rank_high"]) for row in said["systems"]] == [
        (row["rank_low"], row["rank_high"])
        for row in map(only_estimable, expected.rows())
    ]


@pytest.mark.parametrize(
    ("arguments", "chosen"),
    [
        (["--rank-ranges", "sign_test"], {"ranges": "sign_test"}),
        (
            ["--rank-ranges", "sign_test", "--correction", "holm", "--sided", "two"],
            {"ranges": "sign_test", "correction": Correction.HOLM, "sides": 2},
        ),
        (["--rank-ranges", "confidence_set"], {"ranges": "confidence_set"}),
        (
            [
                "--rank-ranges",
                "confidence_set",
                "--resample",
                "blocks",
                "--correction",
                "holm",
            ],
            {
                "ranges": "confidence_set",
                "resample": "blocks",
                "correction": Correction.HOLM,
            },
        ),
        (["--rank-ranges", "anytime"], {"ranges": "anytime"}),
        (["--correction", "bh"], {"correction": Correction.BENJAMINI_HOCHBERG}),
    ],
)
def test_pairs_are_told_with_their_tests_in_every_format(
    enough: str,
    run: Run,
    run_json: RunJson,
    arguments: list[str],
    chosen: dict[str, Any],
) -> None:
    expected = rank(read_judgments([enough]).blocks.without(["_ref"]), **chosen)
    (said,) = run_json("rank_judgments", enough, *arguments)["rankings"]
    assert not expected.shortages
    assert said["pairs"] == [asdict(pair) for pair in expected.pairs]
    assert (said["correction"], said["sides"]) == (expected.correction, expected.sides)
    best, last = expected.pairs[0], expected.pairs[-1]
    text = run("rank_judgments", enough, *arguments)
    assert "Pairs of systems by Expected Wins" in text
    is_corrected = expected.correction is not Correction.NONE
    p = best.adjusted_p if is_corrected else best.p_value
    assert f"{p:.3f}" in text
    assert ("Corrected p" in text) == is_corrected
    told = sum(pair.significant is True for pair in expected.corrected_pairs)
    assert f"{told} of 3 pairs told apart." in text
    assert said["told_apart"]["told_apart"] == told
    markdown = run("rank_judgments", enough, *arguments, "--format", "markdown")
    assert f"| {best.better} | {best.worse} | {best.wins} |" in markdown
    assert r"\caption{Pairs" in run(
        "rank_judgments",
        enough,
        *arguments,
        "--format",
        "latex",
    )
    cells = list(
        csv.DictReader(
            io.StringIO(run("rank_judgments", enough, *arguments, "--format", "csv")),
        ),
    )
    (p_value,) = [
        cell["value"]
        for cell in cells
        if (cell["table"], cell["row"], cell["column"])
        == ("expected_wins_pairs", f"{last.better} | {last.worse}", "p_value")
    ]
    assert float(p_value) == last.p_value


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--rank-ranges", "two_way", "--resample", "blocks"], "cannot be combined"),
        (["--rank-ranges", "bootstrap", "--resample", "two_way"], "cannot be combined"),
        (["--rank-ranges", "sign_test", "--resample", "blocks"], "always use pairs"),
        (["--rank-ranges", "anytime", "--resample", "blocks"], "always use two_way"),
        (
            ["--rank-ranges", "anytime", "--correction", "none"],
            "hold for all pairs together",
        ),
        (["--rank-ranges", "confidence_set", "--correction", "bh"], "each by itself"),
        (["--rank-ranges", "confidence_set", "--sided", "one"], "two-sided"),
    ],
)
def test_options_that_contradict_each_other_are_refused_before_the_work(
    run: Run,
    arguments: list[str],
    words: str,
) -> None:
    with pytest.raises(CommandError, match=words) as refused:
        run("rank_judgments", "/no/such/file.csv", *arguments)
    assert refused.value.returncode == 2


def test_output_replaces_the_file_whole(
    judgments: str,
    run: Run,
    tmp_path: Path,
) -> None:
    output = tmp_path / "ranking.csv"
    output.write_text("old", encoding="utf-8")
    assert run("rank_judgments", judgments, "--format", "csv", "--output", output) == ""
    assert output.read_text(encoding="utf-8").startswith("system,score,rank")
    assert {path.name for path in tmp_path.iterdir()} == {
        "judgments.csv",
        "ranking.csv",
    }


def test_ctrl_c_leaves_what_was_there(
    judgments: str,
    run: Run,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupted(*_args: object, **_options: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(rank_judgments, "rank", interrupted)
    output = tmp_path / "ranking.csv"
    output.write_text("old", encoding="utf-8")
    with pytest.raises(CommandError, match="Nothing was written") as ended:
        run("rank_judgments", judgments, "--output", output)
    assert ended.value.returncode == 130
    monkeypatch.setattr(Path, "replace", interrupted)
    with pytest.raises(CommandError, match="Nothing was written"):
        run("analyse", "diagnosis", judgments, "--output", output)
    assert output.read_text(encoding="utf-8") == "old"
    assert {path.name for path in tmp_path.iterdir()} == {
        "judgments.csv",
        "ranking.csv",
    }


def test_fit_that_does_not_converge_ends_with_a_message(
    judgments: str,
    run: Run,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("ranking.core.methods.bradley_terry._MAX_STEPS", 1)
    with pytest.raises(CommandError, match="did not converge in 1 steps"):
        run("rank_judgments", judgments, "--method", "bradley_terry", "--resamples", 20)


def test_parameters_of_methods_are_taken_and_recorded(
    judgments: str,
    run_json: RunJson,
) -> None:
    said = run_json(
        *(
            "rank_judgments",
            judgments,
            "--method",
            "bradley_terry",
            "hopkins_may",
            "trueskill_wmt",
        ),
        *("--parameter", "bradley_terry.prior=0.5", "hopkins_may.radius=0.4"),
        *("--parameter", "trueskill_wmt.runs=20", "trueskill_wmt.collapsed_tie=no"),
        *("--resamples", 5, "--resample", "blocks"),
    )
    given = {ranking["method"]: ranking["parameters"] for ranking in said["rankings"]}
    assert given["bradley_terry"] == {"prior": 0.5}
    assert given["hopkins_may"] == {"inference": "collapsed", "radius": 0.4}
    assert given["trueskill_wmt"]["runs"] == 20
    assert given["trueskill_wmt"]["collapsed_tie"] is False
    blocks = read_judgments([judgments]).blocks.without(["_ref"])
    expected = rank(blocks, "bradley_terry", resamples=5, parameters={"prior": 0.5})
    scores = {row["system"]: row["score"] for row in said["rankings"][0]["systems"]}
    assert scores == {row.system: row.score for row in expected.systems}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("prior=1", "'prior=1' does not have the form METHOD.NAME=VALUE"),
        ("bradley_terry.prior", "does not have the form METHOD.NAME=VALUE"),
        ("elo.k=1", "'elo' is not one of geq_others"),
        (
            "bradley_terry.sigma=1",
            r"bradley_terry has no parameter 'sigma' \(parameters: prior\)",
        ),
        (
            "expected_wins.x=1",
            r"expected_wins has no parameter 'x' \(parameters: none\)",
        ),
        ("bradley_terry.prior=much", "bradley_terry.prior: 'much' is not a number"),
        ("trueskill.runs=1.5", "trueskill.runs: '1.5' is not a whole number"),
        ("hopkins_may.inference=guess", "'guess' is not one of collapsed, gibbs"),
        ("trueskill_wmt.collapsed_tie=1", "'1' is not one of yes, true, no, false"),
        ("bradley_terry.prior=-1", "prior: expected a number of wins, 0 or more"),
        ("hopkins_may.radius=none", "hopkins_may.radius: method not selected"),
        (
            "bradley_terry.prior=1 bradley_terry.prior=2",
            "bradley_terry.prior is set twice",
        ),
    ],
)
def test_parameters_that_are_wrong_are_refused_in_words(
    judgments: str,
    run: Run,
    given: str,
    said: str,
) -> None:
    with pytest.raises(CommandError, match=said):
        run(
            *("rank_judgments", judgments, "--method", "bradley_terry"),
            *("--parameter", *given.split()),
        )
