"""What the organiser's pages say."""

import re

import pytest
from django.test import Client

from ranking.models import RankingRun
from ranking.services import quality_evaluate, ranking_run_compute
from ranking.tasks import rank_task
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.pages import addresses, text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def test_the_table_carries_what_the_plot_shows(as_organiser: Client, judged: TestSetWriter) -> None:
    content = as_organiser.get(addresses(judged)["dashboard"]).content.decode()
    table = re.search(r'<table class="ranking".*?</table>', content, flags=re.DOTALL)
    assert table is not None
    rows = [
        re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", row)).replace(" ,", ",").strip()
        for row in re.findall(
            r"<tr.*?</tr>", re.sub(r"<svg.*?</svg>", "", table[0], flags=re.DOTALL), flags=re.DOTALL
        )
    ]

    assert rows[1:] == [
        "1 A 0.900 rank 1–2, cluster 1 18 2 0",
        "2 B 0.550 rank 1–2, cluster 1 10 9 1",
        "3 C 0.050 rank 3, cluster 2 1 18 1",
    ]
    assert content.count('class="begins-cluster"') == 1
    assert re.findall(r"<svg(?![^>]*aria-hidden=\"true\")", content) == []


def test_progress_and_judges(as_organiser: Client, judged: TestSetWriter) -> None:
    judged.task.blocks_wanted = 40
    judged.task.save()
    judged.skip("j2", judged.block(9, ["A", "B"]))
    # Times are those of the judges' measurement, which follows each ranking.
    quality_evaluate(run=RankingRun.objects.get())

    page = text_of(as_organiser.get(addresses(judged)["dashboard"]))

    assert "25 % of 40 blocks" in page
    assert "Skipped 1" in page
    assert "j1 5 0 2 min 5 s just now" in page
    assert "j2 5 1 –" in page
    assert "Two judges gave the same answer in 80 % of 15 shared comparisons" in page
    # The words of Landis and Koch stand beside κ, with their caution.
    assert "In words: " in page
    assert "They are conventions and no test" in page
    # The bars are said, too.
    assert re.search(r": 10\. Blocks by the hour, the last 24 hours; at most 10", page)


def test_a_careless_judge_is_worth_a_look(as_organiser: Client, writer: TestSetWriter) -> None:
    # Each careful judge slips once, and the other once gets it right.
    slips = {"good": 2, "fine": 3, "sound": 4, "random": 1}
    with writer.at_once():
        for segment in range(1, 26):
            block = writer.block(segment, ["A", "B", "C"])
            for judge, other in slips.items():
                usual, once = (
                    ([3, 1, 2], [1, 2, 3]) if judge == "random" else ([1, 2, 3], [2, 1, 3])
                )
                writer.judgment(judge, block, once if segment == other else usual)
    rank_task(writer.task.pk)

    content = as_organiser.get(addresses(writer)["dashboard"])

    assert (
        "random agrees with the others less than is usual here: κ −0.25 (−0.37 to −0.15, 225 comparisons) against 0.35."
        in text_of(content)
    )
    assert content.content.decode().count('class="low-agreement"') == 1


def test_names_are_text_whatever_they_hold(
    as_organiser: Client, write_test_set: WriteTestSet
) -> None:
    writer = write_test_set(["<b>A</b>", "B"], name="<script>alert(1)</script>")
    writer.judgment("<i>j</i>", writer.block(1, ["<b>A</b>", "B"]), [1, 2])
    ranking_run_compute(task_id=writer.task.pk)

    content = as_organiser.get(addresses(writer)["dashboard"]).content.decode()

    for raw in ("<script>alert", "<b>A", "<i>j"):
        assert raw not in content
