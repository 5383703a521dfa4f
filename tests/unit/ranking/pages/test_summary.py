"""What a ranking says in words: as much as it shows, and no more."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.utils import translation

from ranking.models import RankingRun
from ranking.pages.summary import RankingSummary, names_in_a_row, summarise_run
from ranking.wording.not_ranked import reason_in_words
from ranking.wording.numbers import number_in_words

RANGES = "95 % rank ranges that account for segments and judges, from 1,000 draws."


def run_of(
    clusters: list[list[str]],
    *,
    groups: list[list[str]] | None = None,
    left_out: list[str] | None = None,
    counts: Mapping[str, float] | None = None,
    confidence: float = 0.95,
    limits: list[str] | None = None,
    **parameters: Any,
) -> RankingRun:
    systems: list[dict[str, Any]] = []
    for number, names in enumerate(clusters, start=1):
        first = len(systems) + 1
        for name in names:
            systems.append(
                {
                    "system": name,
                    "cluster": number,
                    "rank": len(systems) + 1,
                    "rank_low": first,
                    "rank_high": first + len(names) - 1,
                }
            )
    everybody = [row["system"] for row in systems]
    return RankingRun(
        parameters={
            "resample": "two_way",
            "confidence": confidence,
            "resamples": 1000,
            "left_out": left_out or [],
            **parameters,
        },
        result={
            "systems": systems,
            "groups": groups or [everybody],
            "limits": limits or [],
            "input": counts or {"comparisons": 12775, "blocks": 1291, "judges": 45},
        },
    )


def said(*clusters: list[str]) -> RankingSummary:
    return summarise_run(run_of(list(clusters)))


def test_before_the_first_run() -> None:
    assert summarise_run(None).headline == "No ranking yet"


@pytest.mark.parametrize(
    ("clusters", "headline", "details"),
    [
        (
            [["a"], ["b"], ["c", "d"], ["e"], ["f"]],
            "Five clusters among six systems",
            ("c and d cannot be told apart yet.",),
        ),
        ([["a"], ["b"], ["c"]], "All three systems are told apart", ()),
        ([["a"], ["b"]], "a is ahead of b", ()),
        (
            [["a", "b"]],
            "No clusters yet among two systems",
            ("a and b cannot be told apart yet.",),
        ),
        (
            [["a", "b", "c"]],
            "No clusters yet among three systems",
            ("Their rank ranges overlap from first to last.",),
        ),
        (
            [["a", "b", "c"], ["d"]],
            "Two clusters among four systems",
            ("a, b and c overlap in one cluster.",),
        ),
        (
            [list("abcdefg"), list("hijklm")],
            "Two clusters among 13 systems",
            (
                "Seven systems from a to g overlap in one cluster.",
                "Six systems from h to m overlap in one cluster.",
            ),
        ),
        ([], "No system can be ranked yet", ()),
    ],
)
def test_headline_and_what_cannot_be_told(
    clusters: list[list[str]], headline: str, details: tuple[str, ...]
) -> None:
    summary = said(*clusters)
    assert (summary.headline, summary.details) == (headline, details)
    assert summary.warnings == ()


def test_systems_never_compared_are_no_ranking_however_clear_it_looks() -> None:
    summary = summarise_run(run_of([["a"], ["b"], ["c"]], groups=[["a", "c"], ["b"]]))

    assert summary.headline == "Some systems were never compared with the others"
    assert summary.details == ()
    # Runs from before groups were ranked by themselves have one order of all.
    assert summary.warnings[0].endswith("so their common order means nothing: a and c; b.")


@pytest.mark.parametrize(
    ("left_out", "last"),
    [
        ([], RANGES),
        (["_ref"], "Reference left out."),
        (["_bad", "_ref"], "Two references left out."),
    ],
)
def test_what_it_rests_on(left_out: list[str], last: str) -> None:
    basis = summarise_run(run_of([["a"], ["b"]], left_out=left_out)).basis
    assert basis[0] == "12,775 comparisons from 1,291 blocks by 45 judges."
    assert basis[1] == RANGES
    assert basis[-1] == last


def test_one_of_each_is_in_the_singular() -> None:
    counts = {"comparisons": 1, "blocks": 1, "judges": 1}
    basis = summarise_run(run_of([["a"], ["b"]], counts=counts, confidence=0.975)).basis
    assert basis[:2] == (
        "1 comparison from 1 block by 1 judge.",
        RANGES.replace("95", "97.5"),
    )


def test_a_run_from_before_there_were_levels_is_of_blocks() -> None:
    run = run_of([["a"], ["b"]], resample="blocks")
    del run.result["limits"]
    summary = summarise_run(run)
    assert summary.basis[1] == "95 % rank ranges from 1,000 resamples of blocks."
    assert "neither segments nor judges" in summary.basis[2]
    assert "Blocks are drawn at random again and again" in summary.range_meaning
    assert summary.warnings == ()


def test_two_judges_are_a_warning_and_one_document_is_part_of_the_basis() -> None:
    counts = {"comparisons": 1, "blocks": 1, "judges": 2, "segments": 90, "effective_judges": 2}
    run = run_of([["a"], ["b"]], counts=counts, limits=["few_judges", "one_document"])
    summary = summarise_run(run)
    assert summary.basis[1].startswith("95 % rank ranges that account for segments, not for judges")
    assert "one document" in summary.basis[2]
    assert summary.warnings == (
        "Only two judges: rank ranges hold for these judges and say nothing about others.",
    )


def test_documents_are_named_where_they_count_and_warned_of_where_they_are_few() -> None:
    counts: dict[str, float] = {"comparisons": 1, "blocks": 1, "judges": 9, "segments": 90}
    counts |= {"documents": 2, "effective_documents": 1.9}
    finding = summarise_run(run_of([["a"], ["b"]], counts=counts))
    assert finding.basis[1] == RANGES.replace("segments", "documents")
    assert "could have with other documents" in finding.range_meaning
    few = summarise_run(run_of([["a"], ["b"]], counts=counts, limits=["few_documents"]))
    assert few.basis[1] == RANGES
    assert len(few.warnings) == 1
    assert few.warnings[0].startswith("Only two documents: rank ranges account for their")


def test_where_nothing_is_ranked_no_range_is_warned_of() -> None:
    assert summarise_run(run_of([], limits=["few_judges", "few_segments"])).warnings == ()


def test_figures_follow_the_readers_language() -> None:
    with translation.override("de"):
        basis = summarise_run(run_of([["a"], ["b"]], confidence=0.975)).basis
    assert "12.775" in basis[0]
    assert "97,5" in basis[1]


def test_numbers_and_names() -> None:
    assert [number_in_words(n) for n in (1, 12, 13, 1300)] == ["one", "twelve", "13", "1,300"]
    assert names_in_a_row(["a"]) == "a"
    assert names_in_a_row(["a", "b", "c"]) == "a, b and c"
    assert reason_in_words("only_ties") == "only ties so far"
    assert reason_in_words("something_new") == "something_new"
