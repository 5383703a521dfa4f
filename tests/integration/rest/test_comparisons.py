"""Comparisons: those of the judgments that count, pair by pair."""

from collections import Counter
from itertools import combinations

import pytest
from django.test import Client
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from annotation.models import QualityActionKind
from annotation.selectors.judgment_list import comparisons_of
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Judge, Task
from ranking.models import RankingRun
from tests.factories import make_organiser
from tests.integration.rest.test_lists import results


def address(task: Task, query: str = "") -> str:
    return reverse("api-comparisons", args=[task.pk]) + f"?{query}"


@given(st.lists(st.one_of(st.none(), st.integers(1, 5)), min_size=1, max_size=5))
def test_any_two_texts_with_a_label_are_compared_once(labels: list[int | None]) -> None:
    names = [[f"s{place}", f"t{place}"] for place in range(len(labels))]
    found = list(comparisons_of(names, labels))
    ranked = [place for place, label in enumerate(labels) if label is not None]
    assert [(each.first, each.second) for each in found] == [
        (names[one], names[other]) for one, other in combinations(ranked, 2)
    ]
    for each in found:
        better = each.first_label - each.second_label
        assert each.outcome == (
            "tied" if better == 0 else "won" if better < 0 else "lost"
        )
        assert each.turned().turned() == each
        assert {each.outcome, each.turned().outcome} in ({"tied"}, {"won", "lost"})


@pytest.mark.django_db
def test_they_add_up_to_what_the_ranking_counts(
    task: Task,
    ranking: RankingRun,
    analyst: Client,
) -> None:
    rows = results(analyst, address(task))
    judged = {row["number"]: row for row in results(analyst, judgments(task))}
    counted: Counter[tuple[str, str, str]] = Counter()
    for row in rows:
        judgment = judged[row["judgment"]]
        assert judgment["current"]
        assert (row["judge"], row["segment"], row["document"]) == tuple(
            judgment[name] for name in ("judge", "segment", "document")
        )
        for first in row["first"]:
            for second in row["second"]:
                counted[first, second, row["outcome"]] += 1
    assert sum(counted.values()) == ranking.result["input"]["comparisons"] > 0
    assert {row["judgment"] for row in rows} == {
        number for number, row in judged.items() if row["current"]
    }


def judgments(task: Task) -> str:
    return reverse("api-judgments", args=[task.pk]) + "?page_size=1000"


@pytest.mark.thorough
@pytest.mark.django_db
def test_comparisons_of_a_system_name_it_first(
    task: Task,
    ranking: RankingRun,
    analyst: Client,
) -> None:
    everything = results(analyst, address(task))
    named = results(analyst, address(task, "system=birch"))
    assert named
    assert all("birch" in row["first"] for row in named)
    assert len(named) == sum(
        "birch" in [*row["first"], *row["second"]] for row in everything
    )
    for outcome in ("won", "lost", "tied"):
        found = results(analyst, address(task, f"system=birch&outcome={outcome}"))
        assert found == [row for row in named if row["outcome"] == outcome]
    against = results(analyst, address(task, "system=birch&other=dune"))
    assert against == [row for row in named if "dune" in row["second"]]
    assert against


@pytest.mark.thorough
@pytest.mark.django_db
def test_uncounted_judgments_are_left_out(
    task: Task,
    ranking: RankingRun,
    judge: Judge,
    analyst: Client,
) -> None:
    assert {row["judge"] for row in results(analyst, address(task))} == {"ada", "bob"}
    quality_action_take(
        judge=judge,
        task=task,
        decision=JudgeDecision(
            action=QualityActionKind.EXCLUDE,
            user=make_organiser(task.test_set.campaign, "olga@example.org"),
        ),
    )
    assert {row["judge"] for row in results(analyst, address(task))} == {"bob"}
    refused = analyst.get(address(task, "counts=no"))
    assert (refused.status_code, refused.json()["title"]) == (400, "Unknown parameter")
