"""Stored ranking runs are computed again to the bit."""

import pytest

from annotation.models import Judgment
from annotation.services.numbers import judgments_number
from campaign.models import System, Task
from ranking.core.judged.blocks import CONTENT_KEY_VERSION
from ranking.core.rankings.records import RankedRow, RunResult
from ranking.models import RankingRun
from ranking.services.kept_rankings import latest_ranking_keep
from ranking.services.reproduced_runs import ranking_run_reproduce
from ranking.services.runs import ranking_run_compute
from tests.integration.ranking.writing import TestSetWriter

pytestmark = pytest.mark.django_db


def by_name(result: RunResult) -> dict[str, RankedRow]:
    return {row["system"]: row for row in result["systems"]}


@pytest.mark.thorough
@pytest.mark.realdata
def test_wmt12_is_reproduced_after_later_judgments_and_revisions(wmt12: Task) -> None:
    run = ranking_run_compute(task_id=wmt12.pk)
    assert run is not None
    revised = Judgment.objects.get(task=wmt12, numbered__number=5)
    Judgment.objects.create(
        task=wmt12,
        client_id="00000000-0000-4000-8000-000000000001",
        judge=revised.judge,
        block=revised.block,
        labels=[1, 2, 3, 4, 5],
        supersedes=revised,
    )
    assert judgments_number(task_id=wmt12.pk) == 1292
    System.objects.create(test_set=wmt12.test_set, name="late-comer")

    stored = RankingRun.objects.get(pk=run.pk)

    assert ranking_run_reproduce(stored) == stored.result
    again = ranking_run_compute(task_id=wmt12.pk)
    assert again is not None
    assert again.watermark == 1292
    assert again.result["not_estimable"] == [
        {"system": "late-comer", "reason": "no_comparison", "ties": 0},
    ]
    assert ranking_run_reproduce(stored) == stored.result


def test_former_reference_is_still_left_out_when_reproduced(
    writer: TestSetWriter,
) -> None:
    human = writer.system("human", kind="reference")
    writer.judgment("j", writer.block(1, ["human", "A", "B"]), [1, 2, 3])
    run = ranking_run_compute(task_id=writer.task.pk)
    assert run is not None
    System.objects.filter(pk=human.pk).update(kind="system")

    assert ranking_run_reproduce(RankingRun.objects.get(pk=run.pk)) == run.result
    assert by_name(run.result).keys() == {"A", "B"}


def test_a_run_of_another_kind_is_refused_not_approximated(
    ten_blocks: TestSetWriter,
) -> None:
    run = ranking_run_compute(task_id=ten_blocks.task.pk)
    assert run is not None
    run.method = "coin_toss"
    with pytest.raises(ValueError, match="coin_toss"):
        ranking_run_reproduce(run)

    run.method = "expected_wins"
    run.parameters["content_key_version"] = CONTENT_KEY_VERSION + 1
    with pytest.raises(ValueError, match="content keys"):
        ranking_run_reproduce(run)


def test_a_system_lacks_the_same_in_a_live_and_in_a_reproduced_ranking(
    varied: TestSetWriter,
) -> None:
    varied.system("D")
    ranking_run_compute(task_id=varied.task.pk)
    varied.judgment("j0", varied.block(1, ["A", "B", "D"]), [1, 2, 3])

    ranking_run_compute(task_id=varied.task.pk)
    run = latest_ranking_keep(task_id=varied.task.pk)

    assert run is not None
    rows = by_name(run.result)
    assert {name for name, row in rows.items() if "shortage" in row} == {"D"}
    again = by_name(ranking_run_reproduce(run))
    assert again["D"]["shortage"] == rows["D"]["shortage"]
    assert {name for name, row in again.items() if "shortage" in row} == {"D"}
