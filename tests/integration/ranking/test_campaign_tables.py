"""Tables over the test sets of a campaign: figures by hand, one path for page, REST and command."""

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import override

from annotation.services.quality import JudgeDecision, quality_action_take
from campaign.models import Campaign, Judge, JudgeGroup, Protocol, Task, User
from campaign.services.judge_groups import (
    judge_group_create,
    judge_group_members_change,
)
from ranking.models import LatestRanking
from ranking.reports import ReportFormat, write
from ranking.reports.analyses.options import OptionError
from ranking.selectors.analyses import table_answer
from ranking.services.analyses import table_ask
from ranking.services.runs import ranking_run_compute
from tests.integration.ranking.conftest import WriteTestSet
from tests.integration.ranking.pages import text_of
from tests.integration.ranking.tabled import rows_of, table_choice, told
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


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


def test_clusters_as_findings_print_them(
    three: list[TestSetWriter],
    campaign: Campaign,
) -> None:
    report = told(campaign, "clusters")
    tables = {table.title: table for table in report.tables}
    third = tables["Czech–English, three"]
    latest = LatestRanking.objects.get(task=three[2].task)
    assert [row[0] for row in third.rows] == ["C", "D", "A", "B"]
    assert [[row[2], row[3], row[4], row[5], row[1]] for row in third.rows] == [
        [row["score"], row["rank"], row["rank_low"], row["rank_high"], row["cluster"]]
        for row in latest.result["systems"]
    ]
    assert [row[6] for row in third.rows] == ["–", "–", "Constrained", "Unconstrained"]
    assert "Left out: reference." in third.notes
    ends = [row["cluster"] for row in latest.result["systems"]]
    assert third.rules == {n for n in range(3) if ends[n] != ends[n + 1]}
    latex = write(report, ReportFormat.LATEX)
    assert latex.count(r"\toprule") == 3
    assert latex.count(r"\midrule") == 3 + sum(
        len(table.rules) for table in report.tables
    )
    typst = write(report, ReportFormat.TYPST)
    assert typst.count("#figure(") == 3
    assert '"A", "' in typst


def test_protocols_are_named_in_the_language_of_the_reader(
    three: list[TestSetWriter],
    campaign: Campaign,
) -> None:
    Task.objects.create(test_set=three[0].task.test_set, protocol=Protocol.QUIZ)
    choice = table_choice("clusters", {})
    with override("de"):
        told(campaign, "clusters")
        german, _ = table_answer(campaign=campaign, choice=choice)
    english, _ = table_answer(campaign=campaign, choice=choice)
    assert german is not None
    assert english is not None
    assert (
        german.tables[0].title
        == "Tschechisch–Englisch, one · Einordnung von fünf Ausgaben"
    )
    assert english.tables[0].title == "Czech–English, one · Five-way ranking"


def test_bojars_table_by_hand(three: list[TestSetWriter], campaign: Campaign) -> None:
    rows = rows_of(told(campaign, "agreement"), "agreement")
    assert [row[0] for row in rows] == ["one", "two", "three", "Average"]
    # Systems with the reference, blocks, labels, comparisons, reference ≥ others, κ with themselves and between.
    # Judges agree throughout, so κ has no interval, and is not reported.
    assert rows[0][2:] == [3, 8, 24, 24, None, None, None]
    assert rows[1][2:] == [3, 4, 9, 9, None, None, None]
    assert rows[2][2:] == [5, 9, 34, 49, 1.0, None, None]
    assert rows[3][2:] == [
        11 / 3,
        7.0,
        pytest.approx(67 / 3),
        pytest.approx(82 / 3),
        1.0,
        None,
        None,
    ]


@pytest.mark.thorough
def test_skipped_blocks_count_where_asked(
    three: list[TestSetWriter],
    campaign: Campaign,
    organiser: User,
) -> None:
    # One more is skipped and then ranked, and one by a judge who is excluded.
    block = three[0].block(6, ["A", "B", "C"])
    three[0].skip("j1", block)
    three[0].judgment("j1", block, [1, 2, 3])
    three[1].skip("j7", three[1].block(5, ["A", "B", "C"]))
    quality_action_take(
        judge=three[1].judge("j7"),
        task=three[1].task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    blocks = {
        skipped: [
            row[3]
            for row in rows_of(
                told(campaign, "agreement", skipped_blocks=skipped),
                "agreement",
            )
        ]
        for skipped in ("leave_out", "count")
    }
    assert blocks == {"leave_out": [9, 4, 9, 22 / 3], "count": [10, 4, 9, 23 / 3]}
    everybody = told(
        campaign,
        "agreement",
        skipped_blocks="count",
        excluded_judges="count",
    )
    assert [row[3] for row in rows_of(everybody, "agreement")] == [10, 5, 9, 8.0]
    assert "“Blocks” includes skipped blocks." in everybody.notes


def test_pairs_that_methods_order_differently_are_named(
    write_test_set: WriteTestSet,
    campaign: Campaign,
) -> None:
    # A ties with C seven times and beats it once; B wins five of eight against C, and loses the others.
    writer = write_test_set(("A", "B", "C"), name="one")
    with writer.at_once():
        for segment in range(1, 9):
            writer.judgment(
                "j1",
                writer.block(segment, ["A", "C"]),
                [1, 1] if segment < 8 else [1, 2],
            )
            writer.judgment(
                "j2",
                writer.block(segment, ["B", "C"]),
                [1, 2] if segment < 6 else [2, 1],
            )
    report = told(campaign, "methods", methods=["expected_wins", "gt_others"])
    swapped = [row[1:] for row in rows_of(report, "orders")]
    assert swapped == [["A", "B", "> others"], ["A", "C", "> others"]]


def test_systems_with_equal_scores_are_in_no_order(
    write_test_set: WriteTestSet,
    campaign: Campaign,
) -> None:
    # A and C win one each, and so do B and C, who tie twice: by Expected Wins all three have one half.
    writer = write_test_set(("A", "B", "C"), name="one")
    for segment, other in enumerate("ABAB", 1):
        labels = [1, 2] if segment < 3 else [2, 1]
        writer.judgment("j1", writer.block(segment, [other, "C"]), labels)
    for segment in (5, 6):
        writer.judgment("j1", writer.block(segment, ["B", "C"]), [1, 1])
    for first, second in (
        ("expected_wins", "geq_others"),
        ("geq_others", "expected_wins"),
    ):
        report = told(campaign, "methods", first=first, methods=[second])
        orders = {
            each["method"]: each["order"]
            for each in report.data["test_sets"][0]["methods"]
        }
        assert orders == {
            "expected_wins": ["A", "B", "C"],
            "geq_others": ["B", "C", "A"],
        }
        assert rows_of(report, "orders") == []
        assert [row[4] for row in rows_of(report, "first_clusters")] == [0, 0]


def test_average_ranks_by_hand(three: list[TestSetWriter], campaign: Campaign) -> None:
    thin = told(campaign, "average-ranks", method="expected_wins")
    assert all(
        row[2:4] + row[5:] == [None] * 4 for row in rows_of(thin, "average_ranks")
    )
    assert any(note.startswith("two: ") and "of 8)" in note for note in thin.notes)
    second = three[1]
    for segment in range(5, 11):
        second.judgment("j1", second.block(segment, ["A", "B", "C"]), [1, 2, 2])
    ranking_run_compute(task_id=second.task.pk)
    report = told(campaign, "average-ranks")
    latest = [
        LatestRanking.objects.get(task=each.task).result["systems"] for each in three
    ]
    rows = rows_of(report, "average_ranks")
    assert [row[0] for row in rows] == ["A", "C", "B"]
    assert [row[1] for row in rows] == [
        pytest.approx(rank / 3) for rank in (5, 6.5, 8.5)
    ]
    for name, rank, low, high, score, score_low, score_high in rows:
        own = [next(row for row in each if row["system"] == name) for each in latest]
        assert rank == pytest.approx(
            sum(row["rank"] + row["last_rank"] for row in own) / 6,
        )
        # Their own ranges are percentiles, whose means do not hold.
        assert (low, high) == (None, None)
        assert score == pytest.approx(sum(row["score"] for row in own) / 3)
        assert (score_low, score_high) == (None, None)
    words = " ".join(report.notes)
    assert "do not generalise to other languages" in words
    assert "1 system is not in every test set and is excluded: D." in words
    by_task = rows_of(report, "ranks")
    assert by_task[-1][0] == "D"
    assert by_task[-1][1:3] == [None, None]
    computed = rows_of(
        told(campaign, "average-ranks", method="expected_wins"),
        "average_ranks",
    )
    assert [row[0] for row in computed] == [row[0] for row in rows]
    assert [row[4] for row in computed] == [pytest.approx(row[4]) for row in rows]
    for row in computed:
        assert 1 <= row[2] <= row[1] <= row[3] <= 4
        assert 0 <= row[5] <= row[4] <= row[6] <= 1
    percentiles = told(
        campaign,
        "average-ranks",
        method="expected_wins",
        ranges="percentile",
    )
    assert all(
        row[2:4] == [None, None] for row in rows_of(percentiles, "average_ranks")
    )
    assert any(
        "Mean ranks have no range" in note for note in percentiles.tables[0].notes
    )


def test_judges_of_several_tasks_count_once(
    write_test_set: WriteTestSet,
    campaign: Campaign,
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
                        f"{prefix}{judge}",
                        block,
                        [2, 1, 3] if judge < 3 else [1, 2, 3],
                    )

    for into, prefix in ((campaign, "j"), (other, "k")):
        half(into, "one", "j")
        half(into, "two", prefix)

    def width(of: Campaign) -> float:
        rows = rows_of(
            told(of, "average-ranks", method="expected_wins"),
            "average_ranks",
        )
        row = next(row for row in rows if row[0] == "A")
        return float(row[6] - row[5])

    assert width(campaign) > 1.3 * width(other) > 0


@pytest.mark.thorough
def test_empty_sections_are_reported(
    write_test_set: WriteTestSet,
    campaign: Campaign,
    as_organiser: Client,
) -> None:
    address = reverse("campaign-tables", args=[campaign.slug])
    assert as_organiser.get(address).status_code == 200
    assert "No test sets yet." in " ".join(told(campaign, "clusters").notes)
    empty = write_test_set(("A", "B"), name="empty")
    alone = write_test_set(("A",), name="alone")
    with pytest.raises(OptionError, match="No judgments in this campaign yet"):
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
            assert "empty: No judgments yet." in report.notes, kind
    notes = [
        note for table in told(campaign, "clusters").tables for note in table.notes
    ]
    assert "Not enough judgments to rank: A." in notes
    assert any("not estimable yet (Effective blocks: 1 of 8)" in note for note in notes)
    assert "The test set is closed." in notes
    assert not told(campaign, "average-ranks").tables
    words = told(campaign, "average-ranks").notes
    assert "alone: not enough judgments to rank any system." in words
    assert "Only one test set has a ranking, so there is nothing to average." in words
    assert empty.task.pk
    page = as_organiser.get(address)
    assert "empty: No judgments yet." in text_of(page)


def test_only_the_judges_of_a_group_count(
    three: list[TestSetWriter],
    campaign: Campaign,
) -> None:
    group: JudgeGroup = judge_group_create(campaign=campaign, name="experts")
    judge_group_members_change(
        group=group,
        add=list(Judge.objects.filter(pseudonym="j2")),
    )
    report = told(campaign, "agreement", judge_group="experts")
    assert rows_of(report, "agreement")[0][:4] == ["one", "Czech–English", 3, 4]
    assert any("No judgments match these options" in note for note in report.notes)
