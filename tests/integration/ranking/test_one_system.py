"""The page of a system: what it won and lost, the sentences behind it, and what leads there."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from campaign.models import Output, Segment
from campaign.services import judge_group_create, judge_group_members_change
from ranking.models import Analysis
from ranking.services import ranking_run_compute
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.factories import make_analyst, make_judge
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.writing import TestSetWriter

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
                source_text=" ".join(["word"] * (25 if is_long else 5))
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
    assert [opponents["B"][key] for key in ("won", "lost", "tied", "share")] == [9, 1, 0, 0.9]
    assert 0 < opponents["B"]["low"] < 0.9 < opponents["B"]["high"] < 1
    # Two judges are too few to tell how judges differ.
    assert "few_judges" in opponents["B"]["limits"]
    of_b = computed(ten_blocks, "B")
    assert [of_b["all"][key] for key in ("won", "lost", "tied")] == [10, 9, 1]
    # A label of 1 beside a 2 on all but one sentence: there the means of the two judges are alike.
    won = found["won_most_clearly"][0]
    assert (won["segment"], won["other"], won["distance"], won["judgments"]) == (1, "C", 2.0, 2)
    assert won["ranks"] == {"A": 1.0, "B": 2.0, "C": 3.0}
    lost = of_b["lost_most_clearly"]
    assert [row["segment"] for row in lost] == [1, 2, 4, 5]
    assert {row["other"] for row in lost} == {"A"}
    assert found["lost_most_clearly"] == []


def test_the_first_is_looked_at_where_none_is_named(ten_blocks: TestSetWriter) -> None:
    assert computed(ten_blocks, "")["system"] == "A"


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


def test_documents_worst_first_with_domains(by_length: TestSetWriter) -> None:
    from campaign.models import Document

    other = Document.objects.create(test_set=by_length.task.test_set, name="news/long", position=2)
    Document.objects.filter(name="d").update(name="talks/short")
    for place, number in enumerate(range(2, 13, 2), 1):
        Segment.objects.filter(number=number).update(document=other, position=place)
    found = computed(by_length, "A")
    assert [row["document"] for row in found["documents"]] == ["news/long", "talks/short"]
    assert [row["domain"] for row in found["domains"]] == ["news", "talks"]


def test_the_page_shows_the_ranking_at_once_and_asks_for_the_rest(
    by_length: TestSetWriter, as_organiser: Client
) -> None:
    page = as_organiser.get(address(by_length, "A")).content.decode()
    assert "A is tied for ranks 1–2" in page
    assert "96 comparisons: 72 won, 24 lost, 0 tied." in page
    assert 'hx-trigger="load, submit"' in page
    assert Analysis.objects.count() == 0
    asked = as_organiser.post(
        address(by_length, "A", "system-results-ask"), headers={"HX-Request": "true"}
    )
    assert 'hx-trigger="every 1s"' in asked.content.decode()
    analysis = Analysis.objects.get()
    # While it is awaited the page does not ask again.
    assert 'hx-trigger="load' not in as_organiser.get(address(by_length, "A")).content.decode()
    analysis_compute(analysis=analysis)
    part = as_organiser.get(address(by_length, "A"), headers={"HX-Request": "true"})
    assert part["HX-Retarget"] == "#system-results"
    shown = part.content.decode()
    assert "A is tied for ranks 1–2, and loses ground as sentences grow" in shown
    assert "from 48 blocks by 4 judges." in shown
    assert "It wins 100 % in the shortest sentences, 50 % in the longest." in shown
    assert 'hx-trigger="' not in as_organiser.get(address(by_length, "A")).content.decode()


def test_figures_of_the_page_are_rounded_as_elsewhere(
    by_length: TestSetWriter, as_organiser: Client
) -> None:
    """Only exact shares are 0 or 100 per cent, and mean ranks are not cut off."""
    data = computed(by_length, "A")
    shortest, longest = data["lengths"]
    shortest |= {"share": 0.998, "low": 0.9951, "high": 0.9999}
    longest |= {"share": 0.003, "low": 0.0001, "high": 0.02}
    data["lost_most_clearly"][0]["ranks"] |= {"A": 1.96}
    Analysis.objects.update(data=data)
    page = as_organiser.get(address(by_length, "A")).content.decode()
    assert "It wins 99 % in the shortest sentences, 1 % in the longest." in page
    assert "99–99" in page
    assert "1–2" in page
    assert "99–100" not in page
    assert "0–2" not in page
    assert re.search(r"\b2\.0\b", page)
    assert not re.search(r"\b1\.9\b", page)


def test_a_small_p_is_not_said_to_be_0(by_length: TestSetWriter) -> None:
    computed(by_length, "A")
    (answer,) = Analysis.objects.all()
    assert answer.reports is not None
    notes = answer.reports["en"]["notes"]
    assert any("changes by -0.215 (p < 0.001)" in note for note in notes), notes


def test_a_page_without_scripts_asks_by_a_button(
    by_length: TestSetWriter, as_organiser: Client
) -> None:
    answer = as_organiser.post(address(by_length, "A", "system-results-ask"))
    assert answer["Location"] == address(by_length, "A")
    assert Analysis.objects.count() == 1


def test_an_old_answer_is_asked_for_again(by_length: TestSetWriter, as_organiser: Client) -> None:
    computed(by_length, "A")
    page = address(by_length, "A")
    assert "hx-post" not in as_organiser.get(page).content.decode()
    by_length.judgment("eve", by_length.block(13, ["A", "B"]), [1, 2])
    shown = as_organiser.get(page).content.decode()
    assert "1 newer judgment is not in it" in shown
    assert "hx-post" in shown


def test_sentences_have_what_differs_marked(
    ten_blocks: TestSetWriter, as_organiser: Client
) -> None:
    ranking_run_compute(task_id=ten_blocks.task.pk)
    for name, text in (("A", "Der <b>Hund</b> schläft."), ("C", "Der Kater schläft.")):
        Output.objects.filter(system__name=name).update(text=text)
    computed(ten_blocks, "A")
    page = as_organiser.get(address(ten_blocks, "A")).content.decode()
    hidden = '<span class="visually-hidden" lang="en">only here: </span>'
    assert f"Der <mark>{hidden}&lt;b&gt;Hund&lt;/b&gt;</mark> schläft." in page
    assert f"Der <mark>{hidden}Kater</mark> schläft." in page
    assert 'lang="en" dir="ltr"' in page


def test_sentences_without_any_text_have_no_empty_lines_for_them(
    ten_blocks: TestSetWriter, as_organiser: Client
) -> None:
    ranking_run_compute(task_id=ten_blocks.task.pk)
    Output.objects.update(text="Der Hund schläft.")
    computed(ten_blocks, "A")
    before = as_organiser.get(address(ten_blocks, "A")).content.decode()
    assert 'class="sentence"' in before
    assert "<dt>Source</dt>" in before
    Output.objects.update(text=None)
    page = as_organiser.get(address(ten_blocks, "A")).content.decode()
    assert page.count('class="sentence"') == before.count('class="sentence"')
    assert "<dt>Source</dt>" not in page


def links_of(page: str) -> set[str]:
    main = page.partition("<main")[2]
    return {each.replace("&amp;", "&") for each in re.findall(r'href="(/(?!static/)[^"#]*)', main)}


def test_numbers_lead_to_as_many_judgments(by_length: TestSetWriter, as_organiser: Client) -> None:
    """Each number of an opponent is that of the rows it leads to."""
    writer = by_length
    # What does not count in rankings: corrected judgments.
    block = writer.block(14, ["A", "B"])
    first = writer.judgment("ann", block, [2, 1])
    writer.judgment("ann", block, [1, 2], supersedes=first)
    ranking_run_compute(task_id=writer.task.pk)
    computed(writer, "A")
    page = as_organiser.get(address(writer, "A")).content.decode()
    found = re.findall(r'<a href="([^"]*other=B[^"]*)">(\d+)</a>', page)
    assert {number for _address, number in found} == {"25", "24"}
    for each, number in found:
        rows = as_organiser.get(each.replace("&amp;", "&")).content.decode()
        # A page has fifty.
        assert rows.count('<tr role="row">') - 1 == int(number), each
    for each in links_of(page):
        assert as_organiser.get(each).status_code == 200, each


def test_systems_without_a_rank_have_a_page(
    ten_blocks: TestSetWriter, as_organiser: Client
) -> None:
    ten_blocks.system("D")
    ten_blocks.system("_bad", kind="bad_reference")
    assert "There is no ranking yet." in as_organiser.get(address(ten_blocks, "A")).content.decode()
    ranking_run_compute(task_id=ten_blocks.task.pk)
    assert "D has no rank" in as_organiser.get(address(ten_blocks, "D")).content.decode()
    page = as_organiser.get(address(ten_blocks, "_bad")).content.decode()
    assert "hx-post" not in page
    missing = reverse("system-results", args=[ten_blocks.campaign.slug, ten_blocks.task.pk, 0])
    assert as_organiser.get(missing).status_code == 404


def test_analysts_read_and_ask_judges_do_not(by_length: TestSetWriter, organiser: Any) -> None:
    del organiser
    client = Client()
    client.force_login(make_analyst(by_length.campaign))
    assert client.get(address(by_length, "A")).status_code == 200
    assert client.post(address(by_length, "A", "system-results-ask")).status_code == 302
    judge = make_judge(by_length.campaign, "someone")
    assert judge.user is not None
    client.force_login(judge.user)
    assert client.get(address(by_length, "A")).status_code == 404
    assert client.post(address(by_length, "A", "system-results-ask")).status_code == 404


def test_more_judgments_cost_no_query_more(by_length: TestSetWriter, as_organiser: Client) -> None:
    computed(by_length, "A")
    page = address(by_length, "A")
    as_organiser.get(page)
    with CaptureQueriesContext(connection) as few:
        as_organiser.get(page)
    with by_length.at_once():
        for segment in range(20, 40):
            by_length.judgment("ann", by_length.block(segment, ["A", "B", "C"]), [1, 2, 3])
    ranking_run_compute(task_id=by_length.task.pk)
    computed(by_length, "A")
    with CaptureQueriesContext(connection) as many:
        as_organiser.get(page)
    assert len(few) == len(many) <= 20
