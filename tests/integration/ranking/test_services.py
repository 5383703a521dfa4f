"""Ranking runs: what they say, and when there is a new one."""

import json
from pathlib import Path
from typing import Any

import pytest
from psycopg2.extensions import cursor

from annotation.models import Judgment
from campaign.models import Task
from ranking.core.live.state import LiveTallies
from ranking.models import RankingRun
from ranking.services import live_tallies as live_tallies_services
from ranking.services import runs as services
from ranking.services.live_tallies import live_tallies
from ranking.services.reproduced_runs import ranking_run_reproduce
from ranking.services.runs import ranking_history_compute, ranking_run_compute
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def by_name(result: dict[str, Any]) -> dict[str, dict[str, Any]]:
    return {row["system"]: row for row in result["systems"]}


@pytest.mark.realdata
def test_wmt12_gives_the_published_numbers(wmt12: Task, wmt12_folder: Path) -> None:
    expected = json.loads((wmt12_folder / "expected.json").read_text(encoding="utf-8"))

    run = ranking_run_compute(task_id=wmt12.pk)

    assert run is not None
    run.refresh_from_db()
    result = run.result
    assert (run.method, run.seed, run.watermark) == ("expected_wins", 0, 1291)
    assert result["input"] == {
        # The file's rows less the three without a single label.
        "blocks": expected["blocks"] - 3,
        "comparisons": expected["pairs"],
        "ties": expected["ties"],
        "judges": expected["judges"],
        "systems": expected["n_systems"],
        "segments": 950,
        "effective_segments": pytest.approx(731.9, abs=0.05),
        "effective_judges": pytest.approx(13.8, abs=0.05),
    }
    # The file says "cs-en.test" of every segment.
    assert result["limits"] == ["one_document"]
    published = expected["systems_by_expected_wins"]
    assert [row["system"] for row in result["systems"]] == [
        row["system"] for row in published
    ]
    for found, row in zip(result["systems"], published, strict=True):
        assert found["score"] == pytest.approx(row["expected_wins"], abs=5e-7)
        assert {key: found[key] for key in ("rank", "wins", "losses", "ties")} == {
            key: row[key] for key in ("rank", "wins", "losses", "ties")
        }
    clusters: dict[int, list[str]] = {}
    for row in result["systems"]:
        clusters.setdefault(row["cluster"], []).append(row["system"])
    assert (
        list(clusters.values())
        == expected["clusters_pairs_ties_dropped"][0]["clusters"]
    )
    assert result["not_estimable"] == []
    assert len(result["agreement"]["judges"]) == expected["judges"]


def test_ranks_and_counts(ten_blocks: TestSetWriter) -> None:
    run = ranking_run_compute(task_id=ten_blocks.task.pk)

    assert run is not None
    rows = by_name(run.result)
    assert [row["system"] for row in run.result["systems"]] == ["A", "B", "C"]
    assert (rows["A"]["wins"], rows["A"]["losses"], rows["A"]["ties"]) == (18, 2, 0)
    assert (rows["B"]["wins"], rows["B"]["losses"], rows["B"]["ties"]) == (10, 9, 1)
    assert rows["A"]["score"] == pytest.approx(0.9)
    # The tie of j2 is no decided comparison: 15 of j1, 14 of j2; 6 a segment but for one with 5.
    assert run.result["input"] == {
        "blocks": 10, "comparisons": 30, "ties": 1, "judges": 2, "systems": 3, "segments": 5,
        "effective_segments": pytest.approx(29**2 / (4 * 6**2 + 5**2)),
        "effective_judges": pytest.approx(29**2 / (15**2 + 14**2)),
    }  # fmt: skip
    assert run.result["agreement"]["inter"]["comparable"] == 15
    assert run.result["agreement"]["inter"]["agreeing"] == 12


def test_references_are_left_out_by_kind_and_recorded_by_name(
    writer: TestSetWriter,
) -> None:
    writer.system("human", kind="reference")
    writer.system("spoilt", kind="bad_reference")
    writer.judgment("j", writer.block(1, ["human", "A", "spoilt", "B"]), [1, 2, 5, 3])

    run = ranking_run_compute(task_id=writer.task.pk)

    assert run is not None
    assert [row["system"] for row in run.result["systems"]] == ["A", "B"]
    assert run.result["input"]["comparisons"] == 1
    assert run.parameters["reference"] == "exclude"
    assert run.parameters["left_out"] == ["human", "spoilt"]
    assert run.parameters["systems"] == ["A", "B", "C"]


def test_a_superseded_judgment_does_not_count(writer: TestSetWriter) -> None:
    block = writer.block(1, ["A", "B"])
    first = writer.judgment("j", block, [1, 2])
    before = ranking_run_compute(task_id=writer.task.pk)
    writer.judgment("j", block, [2, 1], supersedes=first)

    after = ranking_run_compute(task_id=writer.task.pk)

    assert before is not None
    assert after is not None
    assert [row["system"] for row in before.result["systems"]] == ["A", "B"]
    assert [row["system"] for row in after.result["systems"]] == ["B", "A"]
    assert after.result["input"]["blocks"] == 1
    assert ranking_run_reproduce(RankingRun.objects.get(pk=before.pk)) == before.result


def test_collapsed_outputs_count_for_every_system_but_not_against_each_other(
    writer: TestSetWriter,
) -> None:
    writer.judgment("j", writer.block(1, ["A,B", "C"]), [1, 2])

    run = ranking_run_compute(task_id=writer.task.pk)

    assert run is not None
    assert run.result["input"]["comparisons"] == 2
    assert {name: row["wins"] for name, row in by_name(run.result).items()} == {
        "A": 1,
        "B": 1,
        "C": 0,
    }


def test_systems_that_only_tied_share_their_rank(writer: TestSetWriter) -> None:
    writer.judgment("j", writer.block(1, ["A", "B"]), [3, 3])

    run = ranking_run_compute(task_id=writer.task.pk)

    assert run is not None
    assert [
        (row["system"], row["rank"], row["last_rank"], row["score"], row["ties"])
        for row in run.result["systems"]
    ] == [("A", 1, 2, None, 1), ("B", 1, 2, None, 1)]
    assert run.result["not_estimable"] == [
        {"system": "C", "reason": "no_comparison", "ties": 0},
    ]
    json.dumps(run.result, allow_nan=False)


def test_without_judgments_there_is_no_run(writer: TestSetWriter) -> None:
    assert ranking_run_compute(task_id=writer.task.pk) is None
    assert not RankingRun.objects.exists()


def test_a_history_has_a_run_for_each_step_and_ends_now(
    ten_blocks: TestSetWriter,
) -> None:
    runs = ranking_history_compute(task_id=ten_blocks.task.pk, steps=4)

    assert [run.watermark for run in runs] == [3, 5, 8, 10]
    assert [run.result["input"]["blocks"] for run in runs] == [3, 5, 8, 10]
    assert RankingRun.objects.latest().watermark == 10
    assert ranking_run_compute(task_id=ten_blocks.task.pk) is None


def test_nothing_new_is_no_new_run(ten_blocks: TestSetWriter) -> None:
    assert ranking_run_compute(task_id=ten_blocks.task.pk) is not None

    assert ranking_run_compute(task_id=ten_blocks.task.pk) is None
    assert RankingRun.objects.count() == 1


def test_other_code_is_a_new_run(
    ten_blocks: TestSetWriter,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert ranking_run_compute(task_id=ten_blocks.task.pk) is not None
    for module in (services, live_tallies_services):
        monkeypatch.setattr(module, "code_version", lambda: "9.9.9")

    run = ranking_run_compute(task_id=ten_blocks.task.pk)

    assert run is not None
    assert run.code_version == "9.9.9"


@pytest.mark.django_db(transaction=True)
def test_while_one_worker_ranks_a_task_another_goes_on_at_once(
    ten_blocks: TestSetWriter,
    other_session: cursor,
) -> None:
    other_session.execute("BEGIN")
    other_session.execute(
        "SELECT pg_try_advisory_xact_lock(hashtextextended(%s, 0))",
        [f"ranking run of test set {ten_blocks.task.pk}"],
    )
    assert ranking_run_compute(task_id=ten_blocks.task.pk) is None

    other_session.execute("ROLLBACK")
    assert ranking_run_compute(task_id=ten_blocks.task.pk) is not None


@pytest.mark.django_db(transaction=True)
def test_ranking_holds_up_no_submission_and_ranks_exactly_what_it_says(
    ten_blocks: TestSetWriter,
    other_session: cursor,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    count = live_tallies

    def submit_and_count(run: RankingRun, **arguments: Any) -> LiveTallies:
        # Another judge's submission, committed between the watermark and the judgments.
        other_session.execute("SET lock_timeout = '1s'")
        other_session.execute(
            "INSERT INTO annotation_judgment (task_id, client_id, judge_id, block_id,"
            " labels, comment, supersedes_id, submitted_at)"
            " SELECT task_id, gen_random_uuid(), judge_id, block_id, '{3,2,1}', '', id, now()"
            " FROM annotation_judgment WHERE id ="
            " (SELECT min(id) FROM annotation_judgment WHERE task_id = %(task)s)",
            {"task": ten_blocks.task.pk},
        )
        return count(run, **arguments)

    monkeypatch.setattr(services, "live_tallies", submit_and_count)
    run = ranking_run_compute(task_id=ten_blocks.task.pk)
    monkeypatch.undo()

    assert run is not None
    assert Judgment.objects.count() == 11
    assert run.watermark == 10
    assert by_name(run.result)["A"]["losses"] == 2
    later = ranking_run_compute(task_id=ten_blocks.task.pk)
    assert later is not None
    assert later.watermark == 11
    assert by_name(later.result)["A"]["losses"] == 4
