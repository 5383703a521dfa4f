"""Tables over the test sets of a campaign: figures by hand, one path for page, REST and command."""

import io
import json
import re
from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone, translation

from annotation.models import WorkedQuarterHour
from annotation.services import quality_action_take
from campaign.models import Campaign, Job, Judge, JudgeGroup, System, Task, TestSet, User
from campaign.services import judge_group_create, judge_group_members_change
from campaign.services.jobs import jobs_run_waiting
from ranking.analyses import OptionError
from ranking.campaign_tables import TABLES
from ranking.models import CampaignTable, LatestRanking
from ranking.pages.table_addresses import TableAddresses
from ranking.reports import Report, ReportFormat, write
from ranking.selectors.campaign_tables import live_rows, stored_report, table_answer
from ranking.services import ranking_run_compute, stopping_rule_set
from ranking.services.campaign_tables import (
    MOST_KEPT,
    table_ask,
    table_choice,
    table_compute,
    table_reproduce,
)
from tests.factories import make_analyst
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db

WriteTestSet = Callable[..., TestSetWriter]


def rows_of(report: Report, name: str) -> list[list[Any]]:
    """The rows of one part of a table."""
    return [list(row) for table in report.tables if table.name == name for row in table.rows]


def told(campaign: Campaign, kind: str, **given: Any) -> Report:
    """The table, computed at once where it has to be."""
    choice = table_choice(kind, given)
    if choice.is_live:
        return choice.kind.tell(live_rows(campaign=campaign, kind=choice.kind), choice.options)
    table = table_ask(campaign=campaign, choice=choice, is_queued=False)
    return stored_report(table_compute(table=table))


@pytest.fixture
def three(write_test_set: WriteTestSet) -> list[TestSetWriter]:
    """Three test sets: A > B > C always, the same with a tie, and C ahead; D is in the last alone.

    j1 and j2 judge in the first, j1 in the second, j3 and j4 in the last. Two days. One skip.
    """
    first = write_test_set(("A", "B", "C"), name="one")
    with first.at_once():
        for segment in range(1, 5):
            block = first.block(segment, ["A", "B", "C"])
            for judge in ("j1", "j2"):
                first.judgment(judge, block, [1, 2, 3])
    first.skip("j2", first.block(5, ["A", "B", "C"]))
    WorkedQuarterHour.objects.create(
        task=first.task,
        judge=first.judge("j1"),
        start=timezone.now(),
        sentences=4,
        active_ms=5_400_000,
        untimed=0,
    )
    second = write_test_set(("A", "B", "C"), name="two")
    for segment in range(1, 4):
        block = second.block(segment, ["A", "B,C"])
        second.judgment("j1", block, [1, 2], at=timezone.now() - timedelta(days=3))
    block = second.block(4, ["A", "B", "C"])
    second.judgment("j1", block, [1, 2, 2], at=timezone.now() - timedelta(days=3))
    third = write_test_set(("A", "B", "C", "D"), name="three")
    third.system("_ref", kind="reference")
    with third.at_once():
        for segment in range(1, 5):
            block = third.block(segment, ["A", "B", "C", "D"])
            for judge in ("j3", "j4"):
                third.judgment(judge, block, [3, 4, 1, 2])
    block = third.block(5, ["A", "_ref"])
    third.judgment("j3", block, [2, 1])
    System.objects.filter(name="A").update(constrained=True)
    System.objects.filter(name="B").update(constrained=False)
    for each in (first, second, third):
        ranking_run_compute(task_id=each.task.pk)
    return [first, second, third]


def test_data_collected_by_hand(three: list[TestSetWriter], campaign: Campaign) -> None:
    rows = rows_of(told(campaign, "collected"), "collected")
    assert [row[0] for row in rows] == ["one", "two", "three", "Total"]
    assert {row[1] for row in rows} == {"Czech–English", ""}
    assert [row[2:] for row in rows] == [
        # Systems, judges, blocks, comparisons, without ties, of texts, per system, sentences, blocks per sentence, …
        [3, 2, 8, 24, 24, 24, 8.0, 4, 2.0, 1, 1.5, 1],
        # Three blocks of A against a text of B and C: two comparisons of systems, one of texts; and a tie.
        [3, 1, 4, 9, 8, 6, 3.0, 4, 1.0, 0, None, 1],
        # A block beside the reference is judged, and no comparison of the ranking.
        [4, 2, 9, 48, 48, 48, 12.0, 5, 1.8, 0, None, 1],
        [10, 4, 21, 81, 80, 78, 8.1, 13, 21 / 13, 1, 1.5, 2],
    ]


def test_ratios_of_data_collected_are_of_what_the_rankings_count(
    three: list[TestSetWriter], write_test_set: WriteTestSet, campaign: Campaign, organiser: User
) -> None:
    # One judge is excluded, one judges on after the ranking, and one test set is not ranked yet.
    quality_action_take(
        judge=three[0].judge("j2"), task=three[0].task, action="exclude", user=organiser
    )
    ranking_run_compute(task_id=three[0].task.pk)
    three[1].judgment("j1", three[1].block(5, ["A", "B", "C"]), [1, 2, 3])
    System.objects.create(test_set=three[1].task.test_set, name="later", kind="system")
    fourth = write_test_set(("A", "B"), name="four")
    for segment in range(1, 7):
        fourth.judgment("j5", fourth.block(segment, ["A", "B"]), [1, 2])
    report = told(campaign, "collected")
    rows = [[row[0], row[2], *row[4:6], *row[8:11]] for row in rows_of(report, "collected")]
    assert rows == [
        # Systems, blocks of everybody, comparisons, per system, sentences, blocks per sentence.
        ["one", 3, 8, 12, 4.0, 4, 1.0],
        ["two", 4, 5, 9, 3.0, 4, 1.0],
        ["three", 4, 9, 48, 12.0, 5, 1.8],
        ["four", 2, 6, None, None, None, None],
        # Of ten systems and 17 blocks.
        ["Total", 13, 28, 69, 6.9, 13, 17 / 13],
    ]
    assert [
        (each["watermark"], *each["counted"].values()) for each in report.data["test_sets"]
    ] == [
        (8, 8, 4, 3),
        (5, 4, 4, 3),
        (9, 9, 9, 4),
        (6, 0, None, None),
    ]
    assert (
        "the ranking of each test set counts, without the reference: one 1–8, two 1–4, three 1–9."
        in (report.notes[0])
    )


def test_clusters_as_findings_print_them(three: list[TestSetWriter], campaign: Campaign) -> None:
    report = told(campaign, "clusters")
    tables = {table.title: table for table in report.tables}
    third = tables["Czech–English, three"]
    latest = LatestRanking.objects.get(task=three[2].task)
    assert [row[0] for row in third.rows] == ["C", "D", "A", "B"]
    assert [[row[2], row[3], row[4], row[5], row[1]] for row in third.rows] == [
        [row["score"], row["rank"], row["rank_low"], row["rank_high"], row["cluster"]]
        for row in latest.result["systems"]
    ]
    assert [row[6] for row in third.rows] == ["–", "–", "constrained", "unconstrained"]
    assert "Reference, not ranked: _ref." in third.notes
    ends = [row["cluster"] for row in latest.result["systems"]]
    assert third.rules == {n for n in range(3) if ends[n] != ends[n + 1]}
    latex = write(report, ReportFormat.LATEX)
    assert latex.count(r"\toprule") == 3
    assert latex.count(r"\midrule") == 3 + sum(len(table.rules) for table in report.tables)
    typst = write(report, ReportFormat.TYPST)
    assert typst.count("#figure(") == 3
    assert '"A", "' in typst


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        ("clusters", {}),
        ("clusters", {"method": "bojar", "resamples": 100}),
        ("average-ranks", {}),
        ("average-ranks", {"method": "bojar", "resamples": 100}),
        ("methods", {"methods": ["bojar"], "resamples": 100}),
    ],
)
def test_tables_with_rankings_say_how_far_each_stopping_rule_is(
    three: list[TestSetWriter], campaign: Campaign, kind: str, given: dict[str, Any]
) -> None:
    first, second, _third = (each.task for each in three)
    stopping_rule_set(task=first, judgments=8, reason="Money ends.")
    stopping_rule_set(task=second, clusters=3, judgments=100, reason="As agreed.")
    for each in (first, second):
        ranking_run_compute(task_id=each.pk)
    found = told(campaign, kind, **given)
    said = [note for note in found.notes if "Stopping rule:" in note]
    assert len(said) == 2
    assert said[0].startswith(
        "one: Stopping rule: Stop at 8 judgments. Set after 8 judgments. It was first met on"
    )
    assert said[1].startswith("two: Stopping rule: Stop at 3 clusters, or 100 judgments")
    assert said[1].endswith("It is not met yet. 2 clusters so far. 4 judgments count.")
    # What it means to look at clusters again and again is said once.
    assert sum("right at one look" in note for note in found.notes) == 1
    rules = [each.get("stopping_rule") for each in found.data["test_sets"]]
    assert [rule and rule["is_met"] for rule in rules] == [True, False, None]


def test_bojars_table_by_hand(three: list[TestSetWriter], campaign: Campaign) -> None:
    rows = rows_of(told(campaign, "agreement"), "agreement")
    assert [row[0] for row in rows] == ["one", "two", "three", "Average"]
    # Systems with the reference, blocks, labels, comparisons, reference ≥ others, κ with themselves and between.
    assert rows[0][2:] == [3, 8, 24, 24, None, None, 1.0]
    assert rows[1][2:] == [3, 4, 9, 9, None, None, None]
    assert rows[2][2:] == [5, 9, 34, 49, 1.0, None, 1.0]
    assert rows[3][2:] == [
        11 / 3,
        7.0,
        pytest.approx(67 / 3),
        pytest.approx(82 / 3),
        1.0,
        None,
        1.0,
    ]


def test_skipped_blocks_count_where_asked(
    three: list[TestSetWriter], campaign: Campaign, organiser: User
) -> None:
    # One more is skipped and then ranked, and one by a judge who is excluded.
    block = three[0].block(6, ["A", "B", "C"])
    three[0].skip("j1", block)
    three[0].judgment("j1", block, [1, 2, 3])
    three[1].skip("j7", three[1].block(5, ["A", "B", "C"]))
    quality_action_take(
        judge=three[1].judge("j7"), task=three[1].task, action="exclude", user=organiser
    )
    blocks = {
        skipped: [
            row[3]
            for row in rows_of(told(campaign, "agreement", skipped_blocks=skipped), "agreement")
        ]
        for skipped in ("leave_out", "count")
    }
    assert blocks == {"leave_out": [9, 4, 9, 22 / 3], "count": [10, 4, 9, 23 / 3]}
    everybody = told(campaign, "agreement", skipped_blocks="count", excluded_judges="count")
    assert [row[3] for row in rows_of(everybody, "agreement")] == [10, 5, 9, 8.0]
    assert "Blocks include those that were skipped." in everybody.notes


def test_methods_and_clusters(three: list[TestSetWriter], campaign: Campaign) -> None:
    report = told(campaign, "methods", methods=["expected_wins", "geq_others"], resamples=200)
    assert [row[0] for row in rows_of(report, "clusters")] == ["one", "two", "three"]
    firsts = rows_of(report, "first_clusters")
    assert [row[:2] for row in firsts[:2]] == [["one", "Expected Wins"], ["one", "≥ others"]]
    # Everybody says the same in the first test set.
    assert firsts[0][2:] == [3, "A", 0]
    orders = report.data["test_sets"][0]["methods"]
    assert [each["order"] for each in orders] == [["A", "B", "C"], ["A", "B", "C"]]


def test_pairs_that_methods_order_differently_are_named(
    write_test_set: WriteTestSet, campaign: Campaign
) -> None:
    # A ties with C seven times and beats it once; B wins five of eight against C, and loses the others.
    writer = write_test_set(("A", "B", "C"), name="one")
    with writer.at_once():
        for segment in range(1, 9):
            writer.judgment(
                "j1", writer.block(segment, ["A", "C"]), [1, 1] if segment < 8 else [1, 2]
            )
            writer.judgment(
                "j2", writer.block(segment, ["B", "C"]), [1, 2] if segment < 6 else [2, 1]
            )
    report = told(campaign, "methods", methods=["expected_wins", "gt_others"])
    swapped = [row[1:] for row in rows_of(report, "orders")]
    assert swapped == [["A", "B", "> others"], ["A", "C", "> others"]]


def test_systems_with_equal_scores_are_in_no_order(
    write_test_set: WriteTestSet, campaign: Campaign
) -> None:
    # A and C win one each, and so do B and C, who tie twice: by Expected Wins all three have one half.
    writer = write_test_set(("A", "B", "C"), name="one")
    for segment, other in enumerate("ABAB", 1):
        labels = [1, 2] if segment < 3 else [2, 1]
        writer.judgment("j1", writer.block(segment, [other, "C"]), labels)
    for segment in (5, 6):
        writer.judgment("j1", writer.block(segment, ["B", "C"]), [1, 1])
    for first, second in (("expected_wins", "geq_others"), ("geq_others", "expected_wins")):
        report = told(campaign, "methods", first=first, methods=[second])
        orders = {each["method"]: each["order"] for each in report.data["test_sets"][0]["methods"]}
        assert orders == {"expected_wins": ["A", "B", "C"], "geq_others": ["B", "C", "A"]}
        assert rows_of(report, "orders") == []
        assert [row[4] for row in rows_of(report, "first_clusters")] == [0, 0]


def test_average_ranks_by_hand(three: list[TestSetWriter], campaign: Campaign) -> None:
    report = told(campaign, "average-ranks")
    latest = [LatestRanking.objects.get(task=each.task).result["systems"] for each in three]
    rows = rows_of(report, "average_ranks")
    assert [row[0] for row in rows] == ["A", "C", "B"]
    assert [row[1] for row in rows] == [pytest.approx(rank / 3) for rank in (5, 7, 8)]
    for name, rank, low, high, score, score_low, score_high in rows:
        own = [next(row for row in each if row["system"] == name) for each in latest]
        assert rank == pytest.approx(sum(row["rank"] for row in own) / 3)
        # Their own ranges are percentiles, whose means do not hold.
        assert (low, high) == (None, None)
        assert score == pytest.approx(sum(row["score"] for row in own) / 3)
        assert (score_low, score_high) == (None, None)
    words = " ".join(report.notes)
    assert "says nothing about other languages" in words
    assert "Without 1 system that does not take part in all test sets: D." in words
    by_task = rows_of(report, "ranks")
    assert by_task[-1][0] == "D"
    assert by_task[-1][1:3] == [None, None]
    computed = rows_of(told(campaign, "average-ranks", method="expected_wins"), "average_ranks")
    assert [row[0] for row in computed] == [row[0] for row in rows]
    assert [row[4] for row in computed] == [pytest.approx(row[4]) for row in rows]
    for row in computed:
        assert 1 <= row[2] <= row[1] <= row[3] <= 4
        assert 0 <= row[5] <= row[4] <= row[6] <= 1
    percentiles = told(campaign, "average-ranks", method="expected_wins", ranges="percentile")
    assert all(row[2:4] == [None, None] for row in rows_of(percentiles, "average_ranks"))
    assert any("no range here" in note for note in percentiles.tables[0].notes)


def test_page_rest_and_command_give_the_same(
    three: list[TestSetWriter], campaign: Campaign, as_organiser: Client
) -> None:
    asked: list[tuple[str, dict[str, Any]]] = [
        ("collected", {}),
        ("clusters", {}),
        ("clusters", {"method": "bojar"}),
        ("agreement", {"confidence": "0.9", "skipped_blocks": "count"}),
        ("methods", {"methods": ["bojar", "geq_others"]}),
        ("average-ranks", {"method": "geq_others"}),
    ]
    for kind, given in asked:
        page = reverse("campaign-table", args=[campaign.slug, kind])
        rest = reverse("api-campaign-table", args=[campaign.slug, kind])
        answer = as_organiser.post(page, given)
        assert answer.status_code == 302
        jobs_run_waiting()
        shown = as_organiser.get(answer["Location"])
        assert shown.status_code == 200
        query = answer["Location"].partition("?")[2]
        body = as_organiser.get(f"{rest}?{query}").json()
        assert body["state"] == "done"
        again = as_organiser.post(rest, {"options": given}, content_type="application/json")
        assert (again.status_code, again.json()) == (200, body)
        out = io.StringIO()
        options = [
            f"{name}={each}"
            for name, value in given.items()
            for each in (value if isinstance(value, list) else [value])
        ]
        said = ["--option", *options] if options else []
        call_command(
            "campaign_table",
            kind,
            "--campaign",
            campaign.slug,
            "--format",
            "json",
            *said,
            stdout=out,
        )
        assert json.loads(out.getvalue()) == body["answer"]
        for ending in ("txt", "csv", "json", "md", "tex", "typ"):
            name = [campaign.slug, kind, ending]
            file = as_organiser.get(f"{reverse('campaign-table-file', args=name)}?{query}")
            same = as_organiser.get(f"{reverse('api-campaign-table-report', args=name)}?{query}")
            assert file.status_code == same.status_code == 200
            assert file.content == same.content
            if ending == "json":
                assert json.loads(file.content) == body["answer"]


def test_a_computed_table_follows_from_what_it_recorded(
    three: list[TestSetWriter], campaign: Campaign
) -> None:
    choice = table_choice("average-ranks", {"method": "expected_wins"})
    table = table_compute(table=table_ask(campaign=campaign, choice=choice, is_queued=False))
    before = table.data, table.reports
    three[0].judgment("j9", three[0].block(1, ["A", "B", "C"]), [3, 2, 1])
    System.objects.filter(name="A").update(constrained=None)
    TestSet.objects.filter(name="one").update(name="another")
    data, reports = table_reproduce(table)
    assert (json.loads(json.dumps(data)), json.loads(json.dumps(reports))) == before
    assert reports.keys() >= {"en", "de", "ar"}
    answer = table_answer(
        campaign=campaign,
        kind=choice.kind,
        options=dict(choice.options),
        choice_digest=choice.digest,
    )
    assert (answer.shown, answer.newer, answer.pending) == (table, 1, None)
    later = table_ask(campaign=campaign, choice=choice)
    assert later != table
    assert Job.objects.get().parameters == {"table": later.pk}
    assert jobs_run_waiting() == 1
    later.refresh_from_db()
    assert later.finished_at is not None
    assert later.test_sets[0]["watermark"] == table.test_sets[0]["watermark"] + 1


def test_who_judged_in_several_tasks_counts_together(
    write_test_set: WriteTestSet, campaign: Campaign
) -> None:
    """The same judgments by the same six judges in two test sets; then as if by others in each."""

    other = Campaign.objects.create(slug="other", name="Other")

    def half(into: Campaign, name: str, prefix: str) -> None:
        writer = write_test_set(("A", "B", "C"), name=name, into=into)
        with writer.at_once():
            for segment in range(1, 9):
                block = writer.block(segment, ["A", "B", "C"])
                for judge in range(6):
                    writer.judgment(
                        f"{prefix}{judge}", block, [2, 1, 3] if judge < 3 else [1, 2, 3]
                    )

    for into, prefix in ((campaign, "j"), (other, "k")):
        half(into, "one", "j")
        half(into, "two", prefix)

    def width(of: Campaign) -> float:
        rows = rows_of(told(of, "average-ranks", method="expected_wins"), "average_ranks")
        row = next(row for row in rows if row[0] == "A")
        return float(row[6] - row[5])

    assert width(campaign) > 1.3 * width(other) > 0


def test_what_there_is_nothing_of_is_said(
    write_test_set: WriteTestSet, campaign: Campaign, as_organiser: Client
) -> None:
    for kind in TABLES:
        page = as_organiser.get(reverse("campaign-table", args=[campaign.slug, kind]))
        assert page.status_code == 200
    assert "There is no test set yet." in " ".join(told(campaign, "clusters").notes)
    empty = write_test_set(("A", "B"), name="empty")
    alone = write_test_set(("A",), name="alone")
    with pytest.raises(OptionError, match="No test set of this campaign has a judgment yet"):
        table_ask(campaign=campaign, choice=table_choice("agreement", {}))
    alone.judgment("j1", alone.block(1, ["A"]), [1])
    tied = write_test_set(("A", "B"), name="tied")
    tied.judgment("j1", tied.block(1, ["A", "B"]), [1, 1])
    for each in (alone, tied):
        ranking_run_compute(task_id=each.task.pk)
    Task.objects.filter(pk=tied.task.pk).update(closed_at=timezone.now())
    for kind, given in [
        ("collected", {}),
        ("clusters", {}),
        ("clusters", {"method": "expected_wins"}),
        ("agreement", {}),
        ("methods", {}),
        ("average-ranks", {}),
        ("average-ranks", {"method": "expected_wins"}),
    ]:
        report = told(campaign, kind, **given)
        for report_format in ReportFormat:
            assert write(report, report_format)
        if kind != "collected":
            assert "empty: no judgment yet." in report.notes, kind
    notes = [note for table in told(campaign, "clusters").tables for note in table.notes]
    assert "Cannot be ranked by these judgments: A, B." in notes
    assert "The test set is closed." in notes
    words = told(campaign, "average-ranks").notes
    assert "tied: no system can be ranked by these judgments." in words
    assert "No test set has a ranking yet." in words
    assert empty.task.pk
    page = as_organiser.get(reverse("campaign-table", args=[campaign.slug, "clusters"]))
    assert "empty: no judgment yet." in text_of(page)


def test_what_cannot_be_asked_is_refused_with_its_field(
    three: list[TestSetWriter], campaign: Campaign, as_organiser: Client
) -> None:
    refused_ones: list[tuple[str, dict[str, Any], str]] = [
        ("nothing", {}, "kind"),
        ("clusters", {"metod": "bojar"}, "metod"),
        ("clusters", {"ranges": "sign_test"}, "ranges"),
        ("clusters", {"excluded_judges": "count"}, "excluded_judges"),
        ("average-ranks", {"method": "lopez"}, "method"),
        ("methods", {"first": "best"}, "first"),
        ("methods", {"methods": ["bojar"], "ranges": "anytime"}, "ranges"),
    ]
    for kind, given, field in refused_ones:
        with pytest.raises(OptionError) as refused:
            table_choice(kind, given)
        assert refused.value.field == field
    address = reverse("campaign-table", args=[campaign.slug, "clusters"])
    assert as_organiser.get(f"{address}?ranges=sign_test").status_code == 400
    rest = reverse("api-campaign-table", args=[campaign.slug, "clusters"])
    assert as_organiser.get(f"{rest}?ranges=sign_test").json()["errors"].keys() == {"ranges"}
    assert (
        as_organiser.get(reverse("campaign-table", args=[campaign.slug, "no"])).status_code == 404
    )
    with pytest.raises(OptionError, match="no group"):
        table_ask(
            campaign=campaign,
            choice=table_choice("clusters", {"method": "bojar", "judge_group": "nobody"}),
        )
    with pytest.raises(CommandError, match="ranges"):
        call_command(
            *("campaign_table", "clusters", "--campaign", campaign.slug),
            *("--option", "ranges=sign_test"),
        )
    assert not CampaignTable.objects.exists()


def test_only_the_judges_of_a_group_count(three: list[TestSetWriter], campaign: Campaign) -> None:
    group: JudgeGroup = judge_group_create(campaign=campaign, name="experts")
    judge_group_members_change(group=group, add=list(Judge.objects.filter(pseudonym="j2")))
    report = told(campaign, "agreement", judge_group="experts")
    assert rows_of(report, "agreement")[0][:4] == ["one", "Czech–English", 3, 4]
    assert any("No judgment counts by this choice" in note for note in report.notes)


def test_analysts_ask_and_the_campaign_stays(
    three: list[TestSetWriter], campaign: Campaign, organiser: User, client: Client
) -> None:
    analyst: User = make_analyst(campaign)
    client.force_login(analyst)
    answer = client.post(
        reverse("campaign-table", args=[campaign.slug, "agreement"]), {"seed": "1"}
    )
    assert answer.status_code == 302
    assert CampaignTable.objects.get().asked_by == analyst
    waiting = client.get(answer["Location"])
    assert "Being computed" in text_of(waiting)
    part = client.get(answer["Location"], headers={"HX-Request": "true"})
    assert "<html" not in part.content.decode()
    assert jobs_run_waiting() == 1
    assert "Rankings collected" in text_of(client.get(answer["Location"]))


def test_the_page_draws_and_the_plot_is_a_file(
    three: list[TestSetWriter], campaign: Campaign, as_organiser: Client
) -> None:
    page = as_organiser.get(reverse("campaign-table", args=[campaign.slug, "clusters"]))
    assert page.content.decode().count('<svg class="figure"') == 3
    files = re.findall(r'href="([^"]+/plots/[^"]+\.svg)"', page.content.decode())
    assert len(files) == 3
    assert as_organiser.get(files[0])["Content-Type"] == "image/svg+xml"
    assert as_organiser.get(files[0].replace(".svg", ".png")).content.startswith(b"\x89PNG")
    assert as_organiser.get(files[0].replace(".svg", ".csv")).content.startswith(b"system,")
    assert as_organiser.get(files[0].replace(".svg", ".gif")).status_code == 404
    with translation.override("de"):
        assert told(campaign, "clusters").tables[0].title == "Tschechisch–Englisch, one"


@pytest.mark.parametrize("name", TABLES)
def test_pages_show_each_row(
    name: str, three: list[TestSetWriter], campaign: Campaign, as_organiser: Client
) -> None:
    rows = [row for table in told(campaign, name).tables for row in table.rows]
    page = as_organiser.get(reverse("campaign-table", args=[campaign.slug, name]))
    words = text_of(page)
    assert rows
    assert all(str(row[0]) in words for row in rows)
    assert page.content.decode().count("<tr") >= len(rows)


def places_of(client: Client, campaign: Campaign, kind: str, **given: Any) -> dict[str, list[str]]:
    """Where the cells of each row of a page lead, by the words of its first cell; all of these pages are there."""
    address = reverse("campaign-table", args=[campaign.slug, kind], query=given)
    found: dict[str, list[str]] = {}
    for row in re.findall(r"<tr[^>]*>(<th scope=\"row\">.*?)</tr>", text_in(client, address)):
        name = re.sub("<[^>]+>", "", row.partition("</th>")[0])
        places = [each.replace("&amp;", "&") for each in re.findall(r'href="([^"]+)"', row)]
        assert all(client.get(each).status_code == 200 for each in places)
        found.setdefault(name, []).extend(places)
    return found


def text_in(client: Client, address: str) -> str:
    page = client.get(address)
    assert page.status_code == 200
    return page.content.decode()


def test_rows_lead_to_their_tasks_and_to_the_judgments_they_count(
    three: list[TestSetWriter],
    write_test_set: WriteTestSet,
    campaign: Campaign,
    as_organiser: Client,
) -> None:
    told(campaign, "agreement")
    told(campaign, "agreement", skipped_blocks="count")
    told(campaign, "methods", methods=["expected_wins", "bojar"])
    of = {each.task.test_set.name: [campaign.slug, each.task.pk] for each in three}
    rankings = {name: reverse("test-set-dashboard", args=of[name]) for name in of}
    lists = {name: f"{reverse('judgments', args=of[name])}?counts=yes" for name in of}
    # One of a later judgment than the ranking counts, and one that is called otherwise by now.
    three[1].judgment("j1", three[1].block(5, ["A", "B", "C"]), [1, 2, 3])
    three[2].task.test_set.name = "third"
    three[2].task.test_set.save(update_fields=["name"])
    assert places_of(as_organiser, campaign, "collected") == {
        "one": [rankings["one"], lists["one"]],
        "two": [rankings["two"]],
        "third": [rankings["three"], lists["three"]],
        "Total": [],
    }
    assert len(as_organiser.get(lists["one"]).context["page"].rows) == 8
    computed = places_of(as_organiser, campaign, "agreement")
    # Below Table 1 stand two of intervals.
    assert {name: computed[name] for name in [*of, "Average"]} == {
        **{name: [rankings[name], lists[name], *[rankings[name]] * 2] for name in of},
        "Average": [],
    }
    skipped = places_of(as_organiser, campaign, "agreement", skipped_blocks="count")
    assert skipped["one"] == [rankings["one"]] * 3
    systems = places_of(as_organiser, campaign, "clusters")
    assert systems["D"] == [
        reverse(
            "system-results", args=[*of["three"], three[2].task.test_set.systems.get(name="D").pk]
        )
    ]
    assert len(set(systems["A"])) == 3
    methods = places_of(as_organiser, campaign, "methods", methods=["expected_wins", "bojar"])
    assert set(methods["three"]) == {rankings["three"]}
    # One that was deleted is on no list, and leads nowhere.
    there = [(each.task.pk, each.task.test_set.name) for each in three[:2]]
    addresses = TableAddresses(campaign, told(campaign, "collected"), there=there)
    assert addresses("one") is not None
    assert (addresses("third"), addresses("Total")) == (None, None)


def test_only_so_many_are_kept(
    three: list[TestSetWriter], campaign: Campaign, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ranking.services.campaign_tables.MOST_KEPT", 2)
    assert MOST_KEPT > 2
    first = None
    for seed in range(3):
        choice = table_choice("clusters", {"method": "bojar", "seed": seed, "resamples": 100})
        table = table_ask(campaign=campaign, choice=choice)
        first = first or table
        jobs_run_waiting()
    table_ask(campaign=campaign, choice=table_choice("agreement", {}))
    assert first is not None
    assert not CampaignTable.objects.filter(pk=first.pk).exists()
    assert CampaignTable.objects.finished().count() == 2


def test_archived_campaigns_show_what_is_there_and_compute_nothing(
    three: list[TestSetWriter], campaign: Campaign, as_organiser: Client
) -> None:
    told(campaign, "agreement")
    Campaign.objects.filter(pk=campaign.pk).update(state="open")
    for state in ("closed", "archived"):
        Campaign.objects.filter(pk=campaign.pk).update(state=state)
    address = reverse("campaign-table", args=[campaign.slug, "clusters"])
    page = as_organiser.get(address)
    assert "nothing new is computed" in text_of(page)
    assert "Compute" not in re.findall(r"<button[^>]*>([^<]*)", page.content.decode())
    assert as_organiser.post(address, {"method": "bojar"}).status_code == 409
    kept = as_organiser.get(reverse("campaign-table", args=[campaign.slug, "agreement"]))
    assert "Rankings collected" in text_of(kept)


def test_days_are_those_of_the_installation(
    write_test_set: WriteTestSet, campaign: Campaign
) -> None:
    writer = write_test_set(("A", "B"), name="one")
    zone = ZoneInfo(timezone.get_current_timezone_name())
    for hour in (0, 23):
        at = datetime(2026, 3, 4, hour, 30, tzinfo=zone)
        writer.judgment(f"j{hour}", writer.block(1, ["A", "B"]), [1, 2], at=at)
    assert [row[-1] for row in rows_of(told(campaign, "collected"), "collected")] == [1, 1]


def test_pages_cost_the_same_for_few_tasks_and_many(
    three: list[TestSetWriter],
    write_test_set: WriteTestSet,
    campaign: Campaign,
    as_organiser: Client,
) -> None:
    queries = [
        *(("collected", ""), ("clusters", ""), ("average-ranks", "")),
        ("agreement", "seed=1"),
        ("average-ranks", "method=bojar"),
    ]
    for kind, given in (("agreement", {"seed": 1}), ("average-ranks", {"method": "bojar"})):
        told(campaign, kind, **given)

    def cost() -> dict[tuple[str, str], int]:
        found = {}
        for kind, query in queries:
            address = reverse("campaign-table", args=[campaign.slug, kind])
            with CaptureQueriesContext(connection) as captured:
                page = as_organiser.get(f"{address}?{query}")
            assert page.status_code == 200
            found[kind, query] = len(captured)
        return found

    cost()
    few = cost()
    for number in range(5):
        writer = write_test_set(("A", "B"), name=f"more {number}")
        for judge in range(4):
            block = writer.block(judge + 1, ["A", "B"])
            writer.judgment(f"more {judge}", block, [1, 2])
        ranking_run_compute(task_id=writer.task.pk)
    assert cost() == few
    assert max(few.values()) <= 25


# --- Figures of the papers ------------------------------------------------------------------------


@pytest.mark.realdata
def test_rows_of_table_1_of_bojar_et_al_2011(campaign: Campaign, real_data: Any) -> None:
    for languages in ("cs", "es"):
        call_command(
            "import_judgments",
            str(real_data / "wmt10" / f"judgments.{languages}-en.csv"),
            campaign=campaign.slug,
            test_set=f"newstest2010 {languages}-en",
            create_test_set=True,
            verbosity=0,
        )
    found = told(campaign, "agreement", skipped_blocks="count")
    czech, spanish, average = rows_of(found, "agreement")
    # As printed: four blocks in each have no label, which an import takes for skips.
    assert czech[2:6] == [13, 543, 2691, 5375]
    assert [round(value, 3) for value in czech[6:]] == [0.976, 0.700, 0.504]
    assert spanish[2:6] == [15, 1140, 5665, 11307]
    assert [round(value, 3) for value in spanish[6:]] == [0.989, 0.693, 0.508]
    assert average[2:6] == [14.0, 841.5, 4178.0, 8341.0]
    assert average[6] == pytest.approx((czech[6] + spanish[6]) / 2)
    without = rows_of(told(campaign, "agreement"), "agreement")
    assert [row[3] for row in without] == [539, 1136, 837.5]
