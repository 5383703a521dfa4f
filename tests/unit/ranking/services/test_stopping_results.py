"""What a ranking says of its stopping rule: pairs and clusters are of all systems, whoever was judged first."""

from typing import Unpack

import pytest

from ranking.core.judged.blocks import BlockRow, blocks_from_rows
from ranking.core.methods.registry import counts_method_named
from ranking.core.rankings.counted_judgments import count_judgments
from ranking.core.rankings.range_kinds import RangeOptions
from ranking.core.rankings.rank import rank_judged
from ranking.core.rankings.records import RecordedRule, RuleProgress
from ranking.reports.wording.stopping_rules import rule_state, rule_with_progress
from ranking.services.run_results import stopping_result

NAMES = [f"s{number:02}" for number in range(12)]


def found_under(systems: list[str], **rule: Unpack[RecordedRule]) -> RuleProgress:
    """Fourteen segments by six judges, who all say s00 before s01 before s02."""
    rows = [
        BlockRow(
            judge=f"j{judge}",
            segment=segment,
            candidates=[[name] for name in NAMES[:3]],
            labels=[1, 2, 3],
        )
        for segment in range(14)
        for judge in range(6)
    ]
    method = counts_method_named("expected_wins")
    blocks = blocks_from_rows(rows, systems)
    counted = count_judgments(blocks, method, keeps="two_way", resamples=0, seed=0)
    ranking = rank_judged(counted, method, {}, RangeOptions(), seed=0)
    assert len(ranking.systems) == 3
    terms: RecordedRule = {
        "pairs_share": None,
        "clusters": None,
        "judgments": None,
        "confidence": 0.95,
    }
    return stopping_result(counted, ranking, terms | rule)["stopping"]


@pytest.mark.parametrize("tests", ["holm", "anytime"])
def test_a_share_of_the_pairs_is_of_all_systems(tests: str) -> None:
    """Three of twelve systems were judged: three of 66 pairs are told apart, not three of three."""
    found = found_under(NAMES, tests=tests, pairs_share=0.8)
    assert (found["pairs_apart"], found["pairs"]) == (3, 66)
    assert found["criteria"] == []
    of_three = found_under(NAMES[:3], tests=tests, pairs_share=0.8)
    assert (of_three["pairs_apart"], of_three["pairs"]) == (3, 3)
    assert of_three["criteria"] == ["pairs_share"]


@pytest.mark.parametrize("tests", ["holm", "anytime"])
def test_clusters_are_known_once_all_systems_are_ranked(tests: str) -> None:
    """Three of twelve systems were judged, each a cluster of its own: where the others belong nobody knows."""
    rule: RecordedRule = {
        "tests": tests,
        "clusters": 3,
        "until": None,
        "after_judgments": 0,
    }
    found = found_under(NAMES, **rule)
    assert found["clusters"] is None
    assert found["criteria"] == []
    terms: RecordedRule = {
        "pairs_share": None,
        "judgments": None,
        "confidence": 0.95,
        **rule,
    }
    said = rule_with_progress(
        rule_state(terms, progress=found, met=None, judgments=84),
    ).state
    assert said == [
        "Not met yet.",
        "Clusters are counted once every system has a rank range.",
    ]
    of_three = found_under(NAMES[:3], **rule)
    assert of_three["clusters"] == 3
    assert of_three["criteria"] == ["clusters"]
