"""What the organiser's pages say."""

import re

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Campaign
from ranking.models import RankingRun
from ranking.services import quality_evaluate, ranking_run_compute
from ranking.tasks import rank_task
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.pages import addresses, text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def test_the_overview_leads_to_each_task(as_organiser: Client, judged: TestSetWriter) -> None:
    page = as_organiser.get(addresses(judged)["campaign"])
    assert f'<a href="{addresses(judged)["dashboard"]}">one</a>' in page.content.decode()
    assert "Two clusters among three systems" in text_of(page)


def test_a_campaign_without_tasks_says_how_it_comes_by_one(
    as_organiser: Client, campaign: Campaign
) -> None:
    response = as_organiser.get(reverse("campaign-detail", kwargs={"slug": campaign.slug}))
    said = "A test set is a source text, its reference and the output of each system. Add texts"
    assert said in text_of(response)
    assert reverse("test-sets", args=[campaign.slug]) in response.content.decode()


def test_the_summary_in_words_and_what_it_rests_on(
    as_organiser: Client, judged: TestSetWriter
) -> None:
    page = text_of(as_organiser.get(addresses(judged)["dashboard"]))

    assert "Two clusters among three systems" in page
    assert "A and B cannot be told apart yet." in page
    assert "30 comparisons from 10 blocks by 2 judges." in page
    assert "95 % rank ranges that account for segments, not for judges, from 1,000 draws." in page
    assert "Only two judges: rank ranges hold for these judges" in page
    assert "The ranks the system could have with other segments. Many sets of scores" in page
    assert "Reference left out" not in page


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


def test_the_judgments_are_a_link_away(as_organiser: Client, judged: TestSetWriter) -> None:
    address = reverse(
        "judgments-download",
        kwargs={"slug": judged.campaign.slug, "task_id": judged.task.pk},
    )
    page = as_organiser.get(addresses(judged)["dashboard"]).content.decode()
    assert f'href="{address}" download' in page
    assert as_organiser.get(address).status_code == 200


def test_before_the_first_judgment_the_page_says_so(
    as_organiser: Client, writer: TestSetWriter
) -> None:
    page = text_of(as_organiser.get(addresses(writer)["dashboard"]))

    assert "No ranking yet It will appear with the first judgments." in page
    assert "Nobody has judged anything yet." in page


def test_systems_without_a_rank_are_listed_with_the_reason(
    as_organiser: Client, writer: TestSetWriter
) -> None:
    writer.system("human", kind="reference")
    writer.judgment("j", writer.block(1, ["A", "B", "human"]), [3, 3, 1])
    ranking_run_compute(task_id=writer.task.pk)

    page = text_of(as_organiser.get(addresses(writer)["dashboard"]))

    assert "Rank ranges are not estimable yet" in page
    assert "Reference left out." in page
    assert "1–2, tied A" in page
    assert "C not compared yet" in page
    assert "No two judges have judged the same comparison yet." in page


def test_groups_that_were_never_compared_are_no_ranking(
    as_organiser: Client, write_test_set: WriteTestSet
) -> None:
    writer = write_test_set(["A", "B", "C", "D"])
    writer.judgment("j", writer.block(1, ["A", "B"]), [1, 2])
    writer.judgment("j", writer.block(2, ["C", "D"]), [1, 2])
    ranking_run_compute(task_id=writer.task.pk)

    page = text_of(as_organiser.get(addresses(writer)["dashboard"]))

    assert "Some systems were never compared with the others" in page
    assert "each is ranked by itself: A and B; C and D." in page


def test_two_judges_have_a_kappa_and_no_interval(
    as_organiser: Client, writer: TestSetWriter
) -> None:
    with writer.at_once():
        for segment in range(1, 5):
            block = writer.block(segment, ["A", "B"])
            writer.judgment("one", block, [1, 2])
            writer.judgment("other", block, [1, 2] if segment > 1 else [2, 1])
    ranking_run_compute(task_id=writer.task.pk)

    page = text_of(as_organiser.get(addresses(writer)["dashboard"]))

    assert "No interval yet: too few judges to tell how judges differ." in page
    assert "– to –" not in page


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
