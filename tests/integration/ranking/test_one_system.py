"""The page of a system: what it won and lost, the sentences behind it, and what leads there."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Segment
from campaign.services.judge_groups import (
    judge_group_create,
    judge_group_members_change,
)
from ranking.models import Analysis
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.runs import ranking_run_compute
from tests.factories import make_organiser
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter
from tests.page_tables import page_tables

pytestmark = pytest.mark.django_db


def address(writer: TestSetWriter, name: str, page: str = "system-results") -> str:
    system = writer.task.test_set.systems.get(name=name)
    return reverse(page, args=[writer.campaign.slug, writer.task.pk, system.pk])


def computed(writer: TestSetWriter, name: str, **given: Any) -> dict[str, Any]:
    choice = analysis_choice("system", {"system": name, **given})
    asked = analysis_ask(task=writer.task, choice=choice, is_queued=False)
    data = analysis_compute(analysis=asked).data
    assert data is not None
    found: dict[str, Any] = data
    return found


@pytest.fixture
def by_length(write_test_set: WriteTestSet) -> TestSetWriter:
    """A wins in short sentences, B in long ones; C always loses. Three judges of each of twelve segments."""
    writer = write_test_set(["A", "B", "C"])
    with writer.at_once():
        for segment in range(1, 13):
            block = writer.block(segment, ["A", "B", "C"])
            is_long = segment % 2 == 0
            Segment.objects.filter(pk=block.segment_id).update(
                source_text=" ".join(["word"] * (25 if is_long else 5)),
            )
            for judge in ("ann", "ben", "cat", "dan"):
                writer.judgment(judge, block, [2, 1, 3] if is_long else [1, 2, 3])
    ranking_run_compute(task_id=writer.task.pk)
    return writer


def test_figures_by_hand(ten_blocks: TestSetWriter) -> None:
    """Of ten blocks A beat B and C in nine, and lost to both in one, where B and C were tied."""
    found = computed(ten_blocks, "A")
    assert (found["blocks"], found["judges"], found["segments"]) == (10, 2, 5)
    assert [found["all"][key] for key in ("won", "lost", "tied")] == [18, 2, 0]
    opponents = {row["opponent"]: row for row in found["opponents"]}
    assert [opponents["B"][key] for key in ("won", "lost", "tied", "share")] == [
        9,
        1,
        0,
        0.9,
    ]
    assert 0 < opponents["B"]["low"] < 0.9 < opponents["B"]["high"] < 1
    # Two judges are too few to tell how judges differ.
    assert "few_judges" in opponents["B"]["limits"]
    of_b = computed(ten_blocks, "B")
    assert [of_b["all"][key] for key in ("won", "lost", "tied")] == [10, 9, 1]
    # A label of 1 beside a 2 on all but one sentence: there the means of the two judges are alike.
    won = found["won_most_clearly"][0]
    assert (won["segment"], won["other"], won["distance"], won["judgments"]) == (
        1,
        "C",
        2.0,
        2,
    )
    assert won["ranks"] == {"A": 1.0, "B": 2.0, "C": 3.0}
    lost = of_b["lost_most_clearly"]
    assert [row["segment"] for row in lost] == [1, 2, 4, 5]
    assert {row["other"] for row in lost} == {"A"}
    assert found["lost_most_clearly"] == []


def test_parts_by_length_and_group(by_length: TestSetWriter) -> None:
    campaign = by_length.campaign
    group = judge_group_create(campaign=campaign, name="experts")
    judge_group_members_change(group=group, add=[campaign.judges.get(pseudonym="ann")])
    found = computed(by_length, "A")
    counts = {row["length"]: (row["won"], row["lost"]) for row in found["lengths"]}
    assert counts == {"1–10": (48, 0), "21–30": (24, 24)}
    assert found["length_trend"]["slope"] < 0
    assert found["length_trend"]["p_value"] < 0.05
    groups = {row["group"]: (row["won"], row["lost"]) for row in found["groups"]}
    assert groups == {"experts": (18, 6), None: (54, 18)}
    # Kept by name: the group of later makes no difference.
    assert Analysis.objects.get().judgments["groups"] == {"experts": ["ann"]}


def test_the_page_shows_the_ranking_at_once_and_asks_for_the_rest(
    by_length: TestSetWriter,
    as_organiser: Client,
) -> None:
    page = as_organiser.get(address(by_length, "A")).content.decode()
    assert "A is tied for ranks 1–2" in page
    assert "96 comparisons: 72 won, 24 lost, 0 tied." in page
    assert 'hx-trigger="load, submit"' in page
    assert Analysis.objects.count() == 0
    asked = as_organiser.post(
        address(by_length, "A", "system-results-ask"),
        headers={"HX-Request": "true"},
    )
    assert 'hx-trigger="every 1s"' in asked.content.decode()
    analysis = Analysis.objects.get()
    # While it is awaited the page does not ask again.
    assert (
        'hx-trigger="load'
        not in as_organiser.get(address(by_length, "A")).content.decode()
    )
    analysis_compute(analysis=analysis)
    part = as_organiser.get(address(by_length, "A"), headers={"HX-Request": "true"})
    assert part["HX-Retarget"] == "#system-results"
    shown = part.content.decode()
    assert "A is tied for ranks 1–2, and worse on longer sentences" in shown
    assert "from 48 blocks by 4 judges." in shown
    assert "By source length" in text_of(part)
    assert "21–30" in text_of(part)
    assert (
        'hx-trigger="' not in as_organiser.get(address(by_length, "A")).content.decode()
    )


@pytest.mark.thorough
def test_an_old_answer_is_asked_for_again(
    by_length: TestSetWriter,
    as_organiser: Client,
) -> None:
    computed(by_length, "A")
    page = address(by_length, "A")
    assert "hx-post" not in as_organiser.get(page).content.decode()
    by_length.judgment("eve", by_length.block(13, ["A", "B"]), [1, 2])
    shown = as_organiser.get(page).content.decode()
    assert "1 newer judgment not included" in shown
    assert "hx-post" in shown


def test_systems_without_a_rank_have_a_page(
    ten_blocks: TestSetWriter,
    as_organiser: Client,
) -> None:
    ten_blocks.system("D")
    ten_blocks.system("_bad", kind="bad_reference")
    assert (
        "No ranking yet" in as_organiser.get(address(ten_blocks, "A")).content.decode()
    )
    ranking_run_compute(task_id=ten_blocks.task.pk)
    assert (
        "D is not ranked" in as_organiser.get(address(ten_blocks, "D")).content.decode()
    )
    page = as_organiser.get(address(ten_blocks, "_bad")).content.decode()
    assert "hx-post" not in page
    missing = reverse(
        "system-results",
        args=[ten_blocks.campaign.slug, ten_blocks.task.pk, 0],
    )
    assert as_organiser.get(missing).status_code == 404


def test_systems_are_listed_best_first_with_score_and_comparisons(
    by_length: TestSetWriter,
    client: Client,
) -> None:
    client.force_login(make_organiser(by_length.campaign))
    page = client.get(
        reverse("systems", args=[by_length.campaign.slug, by_length.task.pk]),
    )
    (table,) = page_tables(page.content.decode())
    # Nothing is known of approach, team and the like.
    assert table.headings == ["System", "Rank", "Score", "Comparisons", "Kind"]
    assert [row[0] for row in table.rows][2:] == ["C"]
    assert [row[3] for row in table.rows] == ["96"] * 3
    assert table.rows[2][1:3] == ["3", "0.000"]
