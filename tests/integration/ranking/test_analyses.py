"""Questions to the judgments of a test set: one path for page, REST and command, and the same figures."""

import json
import re
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np
import pytest
from django.test import Client
from django.urls import reverse

from annotation.selectors.judges import excluded_judges
from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Document, Judge, Output, Segment, User
from campaign.services.jobs import jobs_run_waiting
from campaign.services.judge_groups import (
    judge_group_create,
    judge_group_members_change,
)
from ranking.core.methods.registry import METHODS
from ranking.core.rankings.rank import only_estimable
from ranking.models import Analysis, LatestRanking
from ranking.reports.analyses.kind import ProtocolAnalysis
from ranking.reports.analyses.registry import ANALYSES
from ranking.reports.stored import report_in
from ranking.selectors.runs import pairs_of
from ranking.services.analyses import analysis_reproduce
from ranking.services.metrics import metric_store
from ranking.services.runs import ranking_run_compute
from tests.factories import make_analyst
from tests.integration.machines.answering import machine_judges
from tests.integration.ranking.answered import answer
from tests.integration.ranking.writing import TestSetWriter
from tests.some_now import some_now

# What takes long to compute and makes no difference to a page.
QUICK: dict[str, dict[str, Any]] = {
    "ranking": {"resamples": 100},
    "methods": {"methods": ["bojar", "expected_wins"]},
    "agreement": {"resamples": 100},
    "judges": {"resamples": 100},
    "metrics": {"resamples": 100},
    "without": {"resamples": 100},
    "firmness": {"method": "bojar"},
    "metric_orders": {"resamples": 100},
    "predicted_ranking": {"resamples": 100},
    "stopping": {"experiments": 40},
}

pytestmark = pytest.mark.django_db


#: Those of protocols are tried in tests/integration/protocols.
OF_COMPARISONS = [
    name for name, kind in ANALYSES.items() if not isinstance(kind, ProtocolAnalysis)
]


def links_of(page: str) -> list[str]:
    """Return one place of each kind that an answer leads to: a system, a judge, judgments of these, a segment."""
    places = re.findall(r'href="(/(?!static/)[^"#]*)', page)
    kinds = {
        re.sub(r"\d+|=[^&]*", "…", place): place.replace("&amp;", "&")
        for place in places
        if "/analyses/" not in place
    }
    return list(kinds.values())


def ranked(analysis: Analysis) -> dict[str, Any]:
    assert analysis.data is not None
    found: dict[str, Any] = analysis.data["rankings"][0]
    return found


@pytest.fixture
def with_reference(varied: TestSetWriter) -> TestSetWriter:
    varied.system("_ref", kind="reference")
    with varied.at_once():
        for segment in range(13, 19):
            block = varied.block(segment, ["A", "_ref", "B"])
            varied.judgment("j0", block, [2, 1, 3])
            varied.judgment("j6", block, [3, 1, 1])
    metric_store(
        test_set=varied.task.test_set,
        name="COMET",
        file_name="scores.tsv",
        systems=["A", "B", "C"],
        values=np.random.default_rng(1).normal([1, 2, 0], 1, (18, 3)),
    )
    machine_judges(varied.campaign, varied.task)
    return varied


@pytest.mark.parametrize("kind", some_now(OF_COMPARISONS, most=3))
def test_every_kind_is_computed_reproduced_and_told_in_every_language(
    with_reference: TestSetWriter,
    as_organiser: Client,
    kind: str,
) -> None:
    before = ranking_run_compute(task_id=with_reference.task.pk)
    # As users ask, with all resamples: test_same_bits.py.
    given = QUICK.get(kind, {}) | ({"limit": 1000} if kind == "stopping" else {})
    asked = answer(with_reference.task, kind, **given)
    assert asked.finished_at is not None
    here = [with_reference.campaign.slug, with_reference.task.pk, kind]
    section = as_organiser.get(
        reverse("analysis", args=here, query=given),
        headers={"HX-Request": "true"},
    )
    page = section.content.decode()
    for each in links_of(page):
        assert as_organiser.get(each).status_code == 200, each
    with_reference.judgment("j7", with_reference.block(1, ["A", "B", "C"]), [3, 2, 1])
    data, reports = analysis_reproduce(asked)
    assert json.loads(json.dumps(data)) == asked.data
    assert json.loads(json.dumps(reports)) == asked.reports
    assert reports.keys() >= {"en", "de", "cs", "ar"}
    report = report_in(reports, "de")
    assert [table.name for table in report.tables] == [
        table.name for table in report_in(reports, "en").tables
    ]
    # Nothing else changed.
    latest = LatestRanking.objects.get()
    assert before is not None
    assert (latest.watermark, latest.result) == (before.watermark, before.result)


def test_the_live_rankings_choice_gives_the_live_ranking(
    with_reference: TestSetWriter,
) -> None:
    run = ranking_run_compute(task_id=with_reference.task.pk)
    assert run is not None
    asked = answer(with_reference.task, "ranking")
    found = ranked(asked)
    assert found["systems"] == [only_estimable(row) for row in run.result["systems"]]
    assert found["groups"] == run.result["groups"]
    assert found["pairs"] == [asdict(pair) for pair in pairs_of(run)]
    # All segments are in one document, which reports say in words.
    assert [*found["limits"], "one_document"] == run.result["limits"]
    assert asked.reports is not None
    assert "All judged blocks are from one document" in str(asked.reports["en"])


def test_which_judgments_count(with_reference: TestSetWriter, organiser: User) -> None:
    task, campaign = with_reference.task, with_reference.campaign

    def judged(**given: Any) -> tuple[int, int]:
        found = answer(task, "diagnosis", **given)
        assert found.data is not None
        return found.data["input"]["blocks"], found.data["input"]["judges"]

    assert judged() == (84, 7)
    assert judged(without=["j6"]) == (78, 6)
    group = judge_group_create(campaign=campaign, name="experts")
    judge_group_members_change(
        group=group,
        add=list(Judge.objects.filter(pseudonym="j6")),
    )
    assert judged(judge_group="experts") == (6, 1)
    quality_action_take(
        judge=Judge.objects.get(pseudonym="j0"),
        task=task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    assert excluded_judges(campaign_id=campaign.pk) == ["j0"]
    assert judged() == (66, 6)
    assert judged(excluded_judges="count") == (84, 7)
    document = Document.objects.create(
        test_set=task.test_set,
        name="news/first",
        position=99,
    )
    Segment.objects.filter(test_set_id=task.test_set_id, number__lte=2).update(
        document=document,
    )
    assert judged(documents=["news/first"]) == (10, 5)
    assert judged(domains=["news"]) == (10, 5)


def test_the_reference_ranks_where_it_is_asked_for(
    with_reference: TestSetWriter,
) -> None:
    task = with_reference.task
    without = ranked(answer(task, "ranking"))
    included = ranked(answer(task, "ranking", reference="include"))
    assert "_ref" not in {row["system"] for row in without["systems"]}
    assert included["systems"][0]["system"] == "_ref"


def test_identical_texts_ranked_differently_are_named_with_their_judge_and_sentence(
    varied: TestSetWriter,
) -> None:
    """Nobody ties, so all six judges of sentence 3 rank its two equal texts differently; elsewhere all texts differ."""
    for output in Output.objects.filter(segment__test_set=varied.task.test_set_id):
        Output.objects.filter(pk=output.pk).update(
            text=f"{output.system_id} {output.segment_id}",
        )
    alike = Output.objects.filter(segment__number=3, system__name__in=["A", "B"])
    assert alike.update(text="Gleich.") == 2
    asked = answer(varied.task, "diagnosis")
    assert asked.data is not None
    found = asked.data["identical_texts"]
    assert found["compared"] == 6
    assert [
        (row["segment"], row["judge"], row["labels"]) for row in found["differently"]
    ] == [(3, f"j{judge}", [2, 1] if judge < 2 else [1, 2]) for judge in range(6)]


def test_all_methods_give_an_order(varied: TestSetWriter) -> None:
    asked = answer(varied.task, "methods", methods=list(METHODS))
    assert asked.data is not None
    assert asked.reports is not None
    names = ["expected_wins", *(name for name in METHODS if name != "expected_wins")]
    assert [each["method"] for each in asked.data["orders"]] == names
    (orders,) = [
        table
        for table in report_in(asked.reports, "en").tables
        if table.name == "orders"
    ]
    assert [column.key for column in orders.columns] == ["system", *names]
    assert [list(row) for row in orders.rows] == [
        [name, *[place] * len(names)] for place, name in enumerate("ABC", 1)
    ]
    assert asked.data["accuracy"] is None


def test_analyses_have_an_address_for_each_watermark(
    ten_blocks: TestSetWriter,
    organiser: User,
    client: Client,
) -> None:
    # An analyst may choose it, too.
    client.force_login(make_analyst(ten_blocks.campaign))
    here = [ten_blocks.campaign.slug, ten_blocks.task.pk]
    page = reverse("analysis", args=[*here, "diagnosis"])
    section = partial(client.get, headers={"HX-Request": "true"})
    all_so_far = answer(ten_blocks.task, "diagnosis")
    assert all_so_far.watermark > 3
    sent = client.post(page, {"watermark": "3"})
    assert "data/?watermark=3&analysis=diagnosis#diagnosis" in sent["Location"]
    jobs_run_waiting()
    earlier, last = section(f"{page}?watermark=3"), section(page)
    assert earlier.context["analysis"].watermark == 3
    assert earlier.context["form"]["watermark"].value() == "3"
    assert earlier.context["form"].is_of_some
    assert (
        f"{all_so_far.watermark - 3} newer judgments not included"
        in earlier.content.decode()
    )
    # The page of all has the answer of most judgments, not the one that was asked for last.
    assert last.context["analysis"] == all_so_far
    assert last.context["form"]["watermark"].value() is None
    # What was not computed is not answered by another.
    assert section(f"{page}?watermark=4").context["answer"].finished is None
    rows = client.get(reverse("analyses", args=here)).context["rows"]
    assert [row.address for row in rows] == [
        f"{page}?watermark=3",
        f"{page}?watermark={all_so_far.watermark}",
    ]
    for row in rows:
        assert section(row.address).context["analysis"] == row.analysis
    # Beside other options, and in progress.
    both = client.post(page, {"watermark": "3", "without": "j1"})
    assert both.status_code == 302
    waiting = section(f"{page}?without=j1&watermark=3").content.decode()
    assert f'hx-get="{page}?without=j1&amp;watermark=3"' in waiting


@pytest.mark.parametrize("wrong", ["0", "10000", "9" * 30])
def test_a_watermark_that_is_not_there_is_refused_at_its_field(
    ten_blocks: TestSetWriter,
    as_organiser: Client,
    wrong: str,
) -> None:
    ranking_run_compute(task_id=ten_blocks.task.pk)
    page = reverse(
        "analysis",
        args=[ten_blocks.campaign.slug, ten_blocks.task.pk, "diagnosis"],
    )
    for refused in (
        as_organiser.post(page, {"watermark": wrong}, follow=True),
        as_organiser.get(page, {"watermark": wrong}, follow=True),
    ):
        assert refused.status_code == 400
        assert list(refused.context["form"].errors) == ["watermark"]
        assert refused.context["form"].is_of_some
    assert not Analysis.objects.exists()
