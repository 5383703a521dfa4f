"""What a ranking says in words: as much as it shows, and no more."""

from collections.abc import Mapping
from typing import Any

import pytest
from django.utils.translation import override

from ranking.core.rankings.range_kinds import RangeOptions
from ranking.models import RankingRun
from ranking.pages.summary import Summary, names_in_a_row, summarise_run


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
                    "group": 1,
                },
            )
    everybody = [row["system"] for row in systems]
    return RankingRun(
        parameters={
            **RangeOptions(confidence=confidence).recorded,
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


def said(*clusters: list[str]) -> Summary:
    return summarise_run(run_of(list(clusters)))


@pytest.mark.parametrize(
    ("clusters", "headline", "details"),
    [
        ([["a"], ["b"], ["c", "d"], ["e"], ["f"]], "a leads: 5 clusters among 6 systems", ("c and d form one cluster so far, at 95%.",)),
        ([["a"], ["b"], ["c"]], "a leads: 3 clusters among 3 systems", ()),
        ([["a"], ["b"]], "a is ahead of b", ()),
        ([["a", "b"]], "No clusters yet among 2 systems", ("All rank ranges overlap.",)),
        ([["a", "b", "c"]], "No clusters yet among 3 systems", ("All rank ranges overlap.",)),
        ([["a", "b", "c"], ["d"]], "a, b and c lead: 2 clusters among 4 systems", ("a, b and c form one cluster so far, at 95%.",)),
        (
            [list("abcdefg"), list("hijklm")],
            "2 clusters among 13 systems",
            ("7 systems from a to g form one cluster so far, at 95%.", "6 systems from h to m form one cluster so far, at 95%."),
        ),
        ([], "No system can be ranked yet", ()),
    ],
)  # fmt: skip
def test_headline_and_what_cannot_be_told(
    clusters: list[list[str]],
    headline: str,
    details: tuple[str, ...],
) -> None:
    summary = said(*clusters)
    assert (summary.headline, summary.details) == (headline, details)
    assert summary.warnings == ()


@pytest.mark.parametrize(
    ("ranges", "details"),
    [
        ([(1, 2), (1, 3), (2, 3)], ("All rank ranges overlap.",)),
        ([(1, 2), (2, 3), (3, 3)], ("a, b and c form one cluster so far, at 95%.",)),
    ],
)
def test_ranges_of_a_cluster_all_overlap_only_if_they_share_a_rank(
    ranges: list[tuple[int, int]],
    details: tuple[str, ...],
) -> None:
    run = run_of([["a", "b", "c"]])
    for row, (low, high) in zip(run.result["systems"], ranges, strict=True):
        row["rank_low"], row["rank_high"] = low, high

    assert summarise_run(run).details == details


def test_sentence_about_cluster_has_level_of_ranges() -> None:
    run = run_of([["a", "b"], ["c"]], confidence=0.99)

    assert summarise_run(run).details == ("a and b form one cluster so far, at 99%.",)


def test_headline_counts_systems_without_rank() -> None:
    run = run_of([["a"], ["b"], ["c"]])
    run.result["not_estimable"] = [{"system": "d", "reason": "no_comparison"}]

    assert summarise_run(run).headline == "a leads: 3 clusters among 3 of 4 systems"


def test_headline_names_no_leader_while_range_is_not_estimable() -> None:
    run = run_of([["a"], ["b"], ["c"]])
    run.result["systems"][2]["shortage"] = "few_segments"

    assert summarise_run(run).headline == "2 clusters among 3 systems"


def test_systems_never_compared_are_no_ranking_however_clear_it_looks() -> None:
    summary = summarise_run(run_of([["a"], ["b"], ["c"]], groups=[["a", "c"], ["b"]]))

    assert summary.headline == "Some systems were never compared with the others"
    assert summary.details == ()
    assert summary.warnings[0].endswith("so each is ranked separately: a and c; b.")


def test_only_a_name_at_the_start_of_a_sentence_is_capitalised() -> None:
    references = ["_badref", "_ref"]
    with override("cs"):
        within, begins = (
            names_in_a_row(references, begins_sentence=begins_sentence).split()
            for begins_sentence in (False, True)
        )
    assert within == ["poškozený", "referenční", "text", "a", "referenční", "text"]
    assert begins == ["Poškozený", *within[1:]]
