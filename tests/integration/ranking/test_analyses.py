"""Questions to the judgments of a test set: one path for page, REST and command, and the same figures."""

import io
import json
import re
from dataclasses import asdict
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from rest_framework.test import APIClient

from annotation.selectors import excluded_judges
from annotation.services import quality_action_take
from campaign.models import Document, Job, JobState, Judge, Segment, Task, User
from campaign.services import judge_group_create, judge_group_members_change
from campaign.services.jobs import jobs_run_waiting
from ranking.analyses import ANALYSES
from ranking.analyses.judgments import JUDGMENT_OPTIONS
from ranking.analyses.methods import predictors_of
from ranking.analyses.options import OptionError
from ranking.core.methods.registry import METHODS
from ranking.core.selection.cross_validation import select_method
from ranking.models import Analysis, LatestRanking
from ranking.reports.stored import report_in
from ranking.selectors.judged_blocks import judged_blocks
from ranking.services import ranking_run_compute
from ranking.services.analyses import (
    MOST_KEPT,
    analysis_ask,
    analysis_choice,
    analysis_compute,
    analysis_reproduce,
)
from tests.benchmarks.answered_pages import QUICK
from tests.factories import make_analyst
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

#: Those of protocols are tried in tests/integration/protocols.
OF_COMPARISONS = [name for name, kind in ANALYSES.items() if kind.protocols is None]


def answer(task: Task, kind: str, **given: Any) -> Analysis:
    """Ask, and compute at once."""
    asked = analysis_ask(task=task, choice=analysis_choice(kind, given), is_queued=False)
    return analysis_compute(analysis=asked)


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
    return varied


@pytest.mark.parametrize("kind", OF_COMPARISONS)
def test_every_kind_is_computed_reproduced_and_told_in_every_language(
    with_reference: TestSetWriter, kind: str
) -> None:
    before = ranking_run_compute(task_id=with_reference.task.pk)
    # As users ask, with all resamples: test_same_bits.py.
    asked = answer(with_reference.task, kind, **QUICK.get(kind, {}))
    assert asked.finished_at is not None
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


def test_the_live_rankings_choice_gives_the_live_ranking(with_reference: TestSetWriter) -> None:
    run = ranking_run_compute(task_id=with_reference.task.pk)
    assert run is not None
    asked = answer(with_reference.task, "ranking")
    found = ranked(asked)
    assert found["systems"] == run.result["systems"]
    assert found["groups"] == run.result["groups"]
    assert [
        [pair["wins"], pair["losses"], pair["ties"], pair["p_value"], pair["adjusted_p"]]
        for pair in found["pairs"]
    ] == run.result["pairs"]
    # All segments are in one document, which reports say in words.
    assert [*found["limits"], "one_document"] == run.result["limits"]
    assert asked.reports is not None
    assert "All judged blocks name the same document" in str(asked.reports["en"])


@pytest.mark.parametrize("method", METHODS)
def test_every_method_ranks_a_task(with_reference: TestSetWriter, method: str) -> None:
    found = ranked(answer(with_reference.task, "ranking", method=method, resamples=100))
    assert found["method"] == method
    assert {row["system"] for row in found["systems"]} <= {"A", "B", "C"}
    assert found["systems"]


def test_which_judgments_count(with_reference: TestSetWriter, organiser: User) -> None:
    task, campaign = with_reference.task, with_reference.campaign

    def judged(**given: Any) -> tuple[int, int]:
        found = answer(task, "diagnosis", **given)
        assert found.data is not None
        return found.data["input"]["blocks"], found.data["input"]["judges"]

    assert judged() == (84, 7)
    assert judged(without=["j6"]) == (78, 6)
    group = judge_group_create(campaign=campaign, name="experts")
    judge_group_members_change(group=group, add=list(Judge.objects.filter(pseudonym="j6")))
    assert judged(judge_group="experts") == (6, 1)
    quality_action_take(
        judge=Judge.objects.get(pseudonym="j0"),
        task=task,
        action="exclude",
        user=organiser,
    )
    assert excluded_judges(campaign_id=campaign.pk) == ["j0"]
    assert judged() == (66, 6)
    assert judged(excluded_judges="count") == (84, 7)
    document = Document.objects.create(test_set=task.test_set, name="news/first", position=99)
    Segment.objects.filter(test_set_id=task.test_set_id, number__lte=2).update(document=document)
    assert judged(documents=["news/first"]) == (10, 5)
    assert judged(domains=["news"]) == (10, 5)


def test_the_reference_ranks_where_it_is_asked_for(with_reference: TestSetWriter) -> None:
    task = with_reference.task
    without = ranked(answer(task, "ranking"))
    included = ranked(answer(task, "ranking", reference="include"))
    assert "_ref" not in {row["system"] for row in without["systems"]}
    assert included["systems"][0]["system"] == "_ref"


@pytest.mark.parametrize(
    ("kind", "given", "field", "words"),
    [
        ("nothing", {}, "kind", "ranking, "),
        ("ranking", {"metod": "lopez"}, "metod", "method, ranges"),
        ("ranking", {"method": "best"}, "method", "expected_wins"),
        ("ranking", {"confidence": "much"}, "confidence", "Enter a number"),
        ("ranking", {"confidence": 1}, "confidence", "between 0 and 0.999"),
        ("ranking", {"resamples": 3.5}, "resamples", "whole number"),
        ("ranking", {"ranges": "anytime", "method": "bojar"}, "ranges", "Expected Wins alone"),
        ("ranking", {"ranges": "sign_test", "resample": "judges"}, "resample", "pairs"),
        ("ranking", {"method": "gt_all_in_block", "resample": "pairs"}, "resample", "whole blocks"),
        ("ranking", {"judge_group": "nobody"}, "judge_group", "no group"),
        ("ranking", {"without": ["stranger"]}, "without", "stranger"),
        ("ranking", {"documents": ["none"]}, "documents", "none"),
        ("ranking", {"reference": "include"}, "reference", "no reference"),
    ],
)
def test_what_cannot_be_asked_is_refused_with_its_field(
    ten_blocks: TestSetWriter, kind: str, given: dict[str, Any], field: str, words: str
) -> None:
    with pytest.raises(OptionError, match=words) as refused:
        analysis_ask(task=ten_blocks.task, choice=analysis_choice(kind, given))
    assert refused.value.field == field
    assert not Analysis.objects.exists()
    assert not Job.objects.exists()


def test_the_same_question_is_answered_once(ten_blocks: TestSetWriter) -> None:
    choice = analysis_choice("ranking", {"method": "bojar"})
    first = analysis_ask(task=ten_blocks.task, choice=choice)
    again = analysis_ask(task=ten_blocks.task, choice=choice)
    assert first == again
    assert Job.objects.count() == 1
    assert jobs_run_waiting() == 1
    done = analysis_ask(task=ten_blocks.task, choice=choice)
    assert done == first
    assert done.finished_at is not None
    assert Job.objects.count() == 1
    ten_blocks.judgment("j3", ten_blocks.block(1, ["A", "B", "C"]), [3, 2, 1])
    later = analysis_ask(task=ten_blocks.task, choice=choice)
    assert later.watermark == first.watermark + 1
    earlier = analysis_ask(task=ten_blocks.task, choice=choice, watermark=first.watermark)
    assert earlier == first


def test_what_failed_may_be_asked_again(ten_blocks: TestSetWriter) -> None:
    everybody = analysis_choice("ranking", {"without": ["j1", "j2"]})
    asked = analysis_ask(task=ten_blocks.task, choice=everybody)
    jobs_run_waiting()
    job = Job.objects.get()
    assert (job.state, job.error) == (JobState.FAILED, "No judgment counts by this choice.")
    again = analysis_ask(task=ten_blocks.task, choice=everybody)
    assert again == asked
    assert again.job != job


def test_only_so_many_are_kept(ten_blocks: TestSetWriter) -> None:
    first = answer(ten_blocks.task, "diagnosis")
    first_copy = Analysis.objects.get(pk=first.pk)
    Analysis.objects.bulk_create(
        Analysis(
            **{
                field.attname: getattr(first_copy, field.attname)
                for field in Analysis._meta.concrete_fields
                if field.name not in {"id", "digest"}
            },
            digest=f"copy {number}",
        )
        for number in range(MOST_KEPT)
    )
    analysis_ask(task=ten_blocks.task, choice=analysis_choice("agreement", {}))
    assert Analysis.objects.finished().count() == MOST_KEPT
    assert not Analysis.objects.filter(pk=first.pk).exists()


def test_page_rest_and_command_give_the_same(
    ten_blocks: TestSetWriter, as_organiser: Client, organiser: User
) -> None:
    task, campaign = ten_blocks.task, ten_blocks.campaign
    api = APIClient()
    api.force_authenticate(organiser)
    asked = api.post(
        reverse("api-rankings", args=[task.pk]),
        {"options": {"method": "bradley_terry", "resample": "blocks"}},
        format="json",
    )
    assert asked.status_code == 202, asked.content
    assert (asked.json()["state"], asked.json()["answer"]) == ("queued", None)
    jobs_run_waiting()
    there = api.get(asked.json()["address"])
    assert there.json()["state"] == "done"
    page = reverse("analysis", args=[campaign.slug, task.pk, "ranking"])
    query = {"method": "bradley_terry", "resample": "blocks"}
    sent = as_organiser.post(page, query)
    assert sent["Location"] == f"{page}?method=bradley_terry&resample=blocks"
    shown = as_organiser.get(sent["Location"])
    assert shown.context["shown"].pk == asked.json()["id"]
    out = io.StringIO()
    call_command(
        *("analyse", "ranking", "--campaign", campaign.slug, "--test-set", task.test_set.name),
        *("--option", "method=bradley_terry", "resample=blocks", "--format", "json"),
        stdout=out,
    )
    assert json.loads(out.getvalue()) == there.json()["answer"]
    file = reverse("analysis-file", args=[campaign.slug, task.pk, asked.json()["id"], "json"])
    assert as_organiser.get(file).json() == there.json()["answer"]
    assert Analysis.objects.count() == 1


def test_a_command_says_what_it_does_not_know(ten_blocks: TestSetWriter) -> None:
    with pytest.raises(CommandError, match="metod: There is no option"):
        call_command(
            *("analyse", "ranking", "--campaign", ten_blocks.campaign.slug),
            *("--test-set", ten_blocks.task.test_set.name, "--option", "metod=lopez"),
        )


def test_a_page_shows_progress_then_the_answer(
    ten_blocks: TestSetWriter, as_organiser: Client
) -> None:
    here = [ten_blocks.campaign.slug, ten_blocks.task.pk]
    page = reverse("analysis", args=[*here, "agreement"])
    assert "Not computed yet" in as_organiser.get(page).content.decode()
    as_organiser.post(page)
    waiting = as_organiser.get(page, headers={"HX-Request": "true"}).content.decode()
    assert "Being computed" in waiting
    assert 'hx-trigger="every 1s"' in waiting
    jobs_run_waiting()
    done = as_organiser.get(page, headers={"HX-Request": "true"}).content.decode()
    assert "hx-trigger" not in done
    assert "Agreement on comparisons" in done
    ten_blocks.judgment("j3", ten_blocks.block(1, ["A", "B", "C"]), [3, 2, 1])
    ranking_run_compute(task_id=ten_blocks.task.pk)
    assert "1 newer judgment is not in it" in as_organiser.get(page).content.decode()
    listed = as_organiser.get(reverse("analyses", args=here)).content.decode()
    assert f'href="{page}"' in listed


def test_a_wrong_choice_is_said_beside_its_field(
    ten_blocks: TestSetWriter, as_organiser: Client
) -> None:
    page = reverse("analysis", args=[ten_blocks.campaign.slug, ten_blocks.task.pk, "ranking"])
    answered = as_organiser.post(page, {"ranges": "anytime", "method": "bojar"})
    assert answered.status_code == 400
    assert answered.context["form"].errors["ranges"] == [
        "Ranges that hold at any time are of Expected Wins alone."
    ]
    assert not Analysis.objects.exists()


def test_analysts_ask_and_change_nothing(
    ten_blocks: TestSetWriter, organiser: User, client: Client
) -> None:
    analyst = make_analyst(ten_blocks.campaign)
    client.force_login(analyst)
    page = reverse("analysis", args=[ten_blocks.campaign.slug, ten_blocks.task.pk, "diagnosis"])
    assert client.post(page).status_code == 302
    assert Analysis.objects.get().asked_by == analyst


def test_accuracy_of_methods_is_that_of_the_core(
    varied: TestSetWriter, as_organiser: Client
) -> None:
    for segment in range(1, 7):
        varied.judgment("j6", varied.block(segment, ["A", "B", "C"]), [1, 1, 2])
    given = {"methods": ["geq_others", "hopkins_may"], "accuracy": True, "folds": 2}
    asked = answer(varied.task, "methods", **given)
    assert asked.data is not None
    blocks = judged_blocks(task_id=varied.task.pk, watermark=asked.watermark)
    names = ("expected_wins", "geq_others", "hopkins_may")
    expected = select_method(blocks, predictors_of({name: {} for name in names}, seed=0), folds=2)
    found = asked.data["accuracy"]
    assert found["methods"] == [
        {"method": name, **asdict(each)} for name, each in expected.methods.items()
    ]
    assert (found["oracle"], found["majority"]) == (expected.oracle, expected.majority)
    # 48 times A is better than B, 24 times B, six times neither; and 78 times C is worse than each.
    assert found["oracle"] == pytest.approx((48 + 78 + 78) / (78 + 78 + 78))
    # The mean over folds may be above it, where folds differ in size.
    assert all(each["correct"] <= 48 + 78 + 78 for each in found["methods"])
    here = [varied.campaign.slug, varied.task.pk]
    query = {"methods": ["geq_others", "hopkins_may"], "accuracy": "yes", "folds": "2"}
    page = as_organiser.get(reverse("analysis", args=[*here, "methods"], query=query))
    assert page.context["shown"] == asked
    (table,) = [each for each in page.context["tables"] if each.name == "accuracy"]
    rows = [[row.head.markup, *(cell.markup for cell in row.cells)] for row in table.rows]
    assert rows[0] == ["oracle", "0.8718", "–", "–", "–"]
    assert [row[0] for row in rows[1:-1]] == list(expected.methods)
    assert rows[-1][0] == "commonest outcome"
    rest = as_organiser.post(
        reverse("api-analyses", args=[varied.task.pk]),
        {"kind": "methods", "options": given},
        content_type="application/json",
    )
    assert (rest.status_code, rest.json()["answer"]) == (200, asked.data)


def test_all_methods_give_an_order(varied: TestSetWriter) -> None:
    asked = answer(varied.task, "methods", methods=list(METHODS))
    assert asked.data is not None
    assert asked.reports is not None
    names = ["expected_wins", *(name for name in METHODS if name != "expected_wins")]
    assert [each["method"] for each in asked.data["orders"]] == names
    (orders,) = [table for table in report_in(asked.reports, "en").tables if table.name == "orders"]
    assert [column.key for column in orders.columns] == ["system", *names]
    assert [list(row) for row in orders.rows] == [
        [name, *[place] * len(names)] for place, name in enumerate("ABC", 1)
    ]
    assert asked.data["accuracy"] is None


def test_each_watermark_has_its_address_and_its_answer(
    ten_blocks: TestSetWriter, organiser: User, client: Client
) -> None:
    # An analyst may choose it, too.
    client.force_login(make_analyst(ten_blocks.campaign))
    here = [ten_blocks.campaign.slug, ten_blocks.task.pk]
    page = reverse("analysis", args=[*here, "diagnosis"])
    all_so_far = answer(ten_blocks.task, "diagnosis")
    assert all_so_far.watermark > 3
    sent = client.post(page, {"watermark": "3"})
    assert sent["Location"] == f"{page}?watermark=3"
    jobs_run_waiting()
    earlier, last = client.get(sent["Location"]), client.get(page)
    assert earlier.context["shown"].watermark == 3
    assert earlier.context["form"]["watermark"].value() == "3"
    assert earlier.context["form"].is_of_some
    assert f"{all_so_far.watermark - 3} newer judgments are not in it" in earlier.content.decode()
    # The page of all has the answer of most judgments, not the one that was asked for last.
    assert last.context["shown"] == all_so_far
    assert last.context["form"]["watermark"].value() is None
    # What was not computed is not answered by another.
    assert client.get(f"{page}?watermark=4").context["answer"].shown is None
    rows = client.get(reverse("analyses", args=here)).context["rows"]
    assert [row.address for row in rows] == [
        f"{page}?watermark=3",
        f"{page}?watermark={all_so_far.watermark}",
    ]
    for row in rows:
        assert client.get(row.address).context["shown"] == row.analysis
    # Beside other options, and in progress.
    both = client.post(page, {"watermark": "3", "without": "j1"})
    assert both["Location"] == f"{page}?without=j1&watermark=3"
    waiting = client.get(both["Location"], headers={"HX-Request": "true"}).content.decode()
    assert f'hx-get="{page}?without=j1&amp;watermark=3"' in waiting


@pytest.mark.parametrize("wrong", ["0", "-1", "two", "1.5", "10000", "9" * 30])
def test_a_watermark_that_is_not_there_is_refused_at_its_field(
    ten_blocks: TestSetWriter, as_organiser: Client, wrong: str
) -> None:
    ranking_run_compute(task_id=ten_blocks.task.pk)
    page = reverse("analysis", args=[ten_blocks.campaign.slug, ten_blocks.task.pk, "diagnosis"])
    for refused in (
        as_organiser.post(page, {"watermark": wrong}),
        as_organiser.get(page, {"watermark": wrong}),
    ):
        assert refused.status_code == 400
        assert list(refused.context["form"].errors) == ["watermark"]
        assert refused.context["form"].is_of_some
    assert not Analysis.objects.exists()


def test_the_ranges_of_a_ranking_are_files_and_drawn_once_on_the_page(
    varied: TestSetWriter, as_organiser: Client
) -> None:
    here = [varied.campaign.slug, varied.task.pk]
    asked = answer(varied.task, "ranking", method="bojar")
    page = as_organiser.get(reverse("analysis", args=[*here, "ranking"]), {"method": "bojar"})
    shown = page.content.decode()
    assert 'class="figure"' not in shown
    assert shown.count('class="rank-plot"') == len(ranked(asked)["systems"])
    files = {
        ending: reverse("analysis-plot", args=[*here, asked.pk, "bojar", ending])
        for ending in ("svg", "png", "csv")
    }
    for address in files.values():
        assert shown.count(f'href="{address}"') == 1
    drawn = as_organiser.get(files["svg"])
    assert drawn["Content-Disposition"] == 'attachment; filename="ranking-bojar.svg"'
    svg = drawn.content.decode()
    assert (svg.count('class="dot"'), svg.count('class="range"')) == (3, 3)
    # Ranks are whole.
    ticks = re.findall(r'text-anchor="middle">([^<]+)<', svg)
    assert ticks == ["1", "2", "3"]
    assert as_organiser.get(files["png"]).content.startswith(b"\x89PNG")
    assert b"rank_low" in as_organiser.get(files["csv"]).content


def test_options_of_kinds_and_of_judgments_have_different_names() -> None:
    of_judgments = {option.name for option in JUDGMENT_OPTIONS}
    for kind in ANALYSES.values():
        names = [option.name for option in kind.options]
        assert len(set(names)) == len(names)
        assert not of_judgments.intersection(names), kind.name


def test_two_choices_stand_side_by_side(varied: TestSetWriter, as_organiser: Client) -> None:
    here = [varied.campaign.slug, varied.task.pk]
    page = reverse("analysis", args=[*here, "ranking"])
    usual = answer(varied.task, "ranking")
    # There is nothing beside it yet.
    assert as_organiser.get(page).context["beside"] is None
    ranking_run_compute(task_id=varied.task.pk)
    shown = as_organiser.get(page)
    assert (shown.context["beside"].chosen, shown.context["beside"].differing) == ("shown", 0)
    assert "Ranks, rank ranges and clusters are the same." in shown.content.decode()
    answer(varied.task, "ranking", without=["j2", "j3", "j4", "j5"])
    asked = f"{page}?without=j2&without=j3&without=j4&without=j5"
    beside = as_organiser.get(f"{asked}&beside={usual.pk}").context["beside"]
    # j0 and j1 prefer B to A.
    assert [(row.system, row.differs) for row in beside.rows][:2] == [("B", True), ("A", True)]
    assert [value for value, _words in beside.choices] == ["shown", str(usual.pk)]
    for nothing in ("0", "x", "9" * 30):
        assert as_organiser.get(f"{asked}&beside={nothing}").status_code == 404


def test_the_form_shows_what_was_asked_and_the_defaults(
    ten_blocks: TestSetWriter, as_organiser: Client
) -> None:
    page = reverse("analysis", args=[ten_blocks.campaign.slug, ten_blocks.task.pk, "methods"])
    sent = as_organiser.post(page, {"methods": ["expected_wins", "bojar"]})
    assert sent["Location"] == f"{page}?methods=bojar&methods=expected_wins"
    form = as_organiser.get(sent["Location"]).context["form"]
    assert form["first"].value() == "expected_wins"
    assert form["accuracy"].value() == "no"
    assert form["folds"].value() == "20"
    assert as_organiser.post(page)["Location"] == page
    without = as_organiser.post(page, {"without": "j2, j1"})
    assert without["Location"] == f"{page}?without=j1&without=j2"
    assert as_organiser.get(without["Location"]).context["form"]["without"].value() == "j1, j2"
