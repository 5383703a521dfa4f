"""“Top or not” with the rule of best-worst scaling: answers, rankings, files and REST have the same comparisons."""

from dataclasses import asdict
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from annotation.protocols.submissions import SubmissionRefusedError
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.words_to_read import design_words
from annotation.services.numbers import judgments_number
from annotation.services.planning.designs import DesignRefusedError, design_change
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedWork,
    campaign_simulate,
)
from annotation.services.submission import SentJudgment, judgment_submit
from campaign.models import Judge, Output, Protocol, Task
from protocols.top.statistics import best_minus_worst
from ranking.core.counting.counts import tally
from ranking.core.judged.blocks import Blocks
from ranking.core.rankings.rank import rank
from ranking.export.asked import requested_export
from ranking.export.kinds import KINDS
from ranking.export.writing import export_bytes
from ranking.files.bundles import JUDGMENTS
from ranking.files.reading import read_judgments
from ranking.selectors.analyses import analyses_of
from ranking.selectors.judged_columns import judged_blocks
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from ranking.services.runs import ranking_run_compute
from tests.at_work import lend
from tests.factories import make_organiser
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import plans_delete
from tests.integration.protocols.judging import labelled
from tests.integration.publishing.bundled import bundled, files_of, said

pytestmark = pytest.mark.django_db
SYSTEMS = ("alpha", "beta", "gamma", "delta")


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    return make_task_of(Protocol.TOP, rules={"best_worst": True}, systems=SYSTEMS)


def judge_all(task: Task, judge: Judge) -> int:
    """Judge three segments, and return the number of the last judgment."""
    for number, labels in enumerate(([1, 2, 2, 3], [2, 1, 3, 2], [2, 2, 1, 3]), 1):
        labelled(task, judge, *SYSTEMS, number=number, labels=labels)
    return judgments_number(task_id=task.pk)


def scores(blocks: Blocks) -> list[dict[str, Any]]:
    return [asdict(row) for row in rank(blocks).systems]


def test_comparisons_of_the_others_are_not_counted(task: Task, judge: Judge) -> None:
    watermark = judge_all(task, judge)
    tallies = tally(judged_blocks(task=task, watermark=watermark))
    assert (tallies.comparisons, tallies.tied) == (15, 0)


@pytest.mark.parametrize("file_format", ["five-way-csv", "jsonl", "parquet"])
def test_file_of_judgments_gives_the_same_ranking(
    task: Task,
    judge: Judge,
    tmp_path: Path,
    file_format: str,
) -> None:
    watermark = judge_all(task, judge)
    path = tmp_path / "judgments"
    export = requested_export(task=task, kind="counted", file_format=file_format)
    path.write_bytes(b"".join(export_bytes(export)))
    blocks = read_judgments([str(path)]).blocks
    assert scores(blocks) == scores(judged_blocks(task=task, watermark=watermark))


def test_exported_and_listed_comparisons_are_those_counted(
    task: Task,
    judge: Judge,
    client: Client,
) -> None:
    judge_all(task, judge)
    export = requested_export(task=task, kind="comparisons", file_format="pairwise-csv")
    assert len(b"".join(export_bytes(export)).splitlines()) == 1 + 15
    client.force_login(make_organiser(task.test_set.campaign))
    address = f"/api/v1/tasks/{task.pk}/comparisons/"
    outcomes = [row["outcome"] for row in client.get(address).json()["results"]]
    assert len(outcomes) == 15
    assert "tied" not in outcomes


def submit(judge: Judge, answer: dict[str, Any]) -> Any:
    block = assigned_blocks(lend(judge))[0]
    return judgment_submit(
        assigned=block,
        client_id=uuid4(),
        sent=SentJudgment(answer=answer),
    )


def test_best_and_worst_are_stored_as_labels(task: Task, judge: Judge) -> None:
    stored = submit(judge, {"best": 3, "worst": 1})
    assert (stored.labels[2], stored.labels[0], stored.labels.count(2)) == (
        1,
        3,
        len(stored.labels) - 2,
    )


@pytest.mark.parametrize(
    "answer",
    [
        {"best": 1, "worst": 1},
        {"best": 1, "worst": 5},
        {"top": [True, False, False, False]},
    ],
)
def test_impossible_answer_is_refused(
    task: Task,
    judge: Judge,
    answer: dict[str, Any],
) -> None:
    with pytest.raises(SubmissionRefusedError):
        submit(judge, answer)


def test_blocks_show_three_outputs_or_more(task: Task) -> None:
    plans_delete(task)
    with pytest.raises(DesignRefusedError):
        design_change(task=task, kind="uniform", systems_per_block=2)
    assert (
        design_change(task=task, kind="uniform", systems_per_block=3).systems_per_block
        == 3
    )


def test_forecast_expects_only_comparisons_with_the_best_or_worst(task: Task) -> None:
    plans_delete(task)
    design = design_change(task=task, kind="uniform", systems_per_block=4)
    assert design_words(task=task, design=design).comparisons == 5


def test_scores_are_computed_beside_the_ranking(task: Task, judge: Judge) -> None:
    judge_all(task, judge)
    assert "best_worst" in analyses_of(task=task)
    asked = analysis_ask(
        task=task,
        choice=analysis_choice("best_worst", {}),
        is_queued=False,
    )
    analysis = analysis_compute(analysis=asked)
    assert analysis.data is not None
    scores = {row["system"]: row for row in analysis.data["best_worst"]["scores"]}
    assert (scores["delta"]["shown"], scores["delta"]["best"]) == (3, 0)
    assert scores["delta"]["score"] == pytest.approx(-2 / 3)


def test_layout_of_the_scripts_for_best_worst_scaling_has_the_choices(
    task: Task,
    judge: Judge,
) -> None:
    judge_all(task, judge)
    export = requested_export(
        task=task,
        kind="comparisons",
        file_format="best-worst-csv",
    )
    header, first, *_others = b"".join(export_bytes(export)).decode().splitlines()
    assert header == "segment,judge,Item1,Item2,Item3,Item4,Item5,BestItem,WorstItem"
    assert first.split(",")[2:] == [*SYSTEMS, "", "alpha", "delta"]


def test_format_that_cannot_tell_ties_from_no_comparison_is_not_offered(
    task: Task,
) -> None:
    assert "appraise-xml" not in KINDS["counted"].formats_of(task)


def test_scores_are_not_offered_where_judges_mark_the_top(
    make_task_of: MakeTask,
) -> None:
    assert "best_worst" not in analyses_of(task=make_task_of(Protocol.TOP))


def test_simulated_judges_choose_the_better_systems(task: Task) -> None:
    outputs = Output.objects.filter(segment__test_set=task.test_set_id)
    qualities = {
        pk: 90.0 - 20 * SYSTEMS.index(name) if name in SYSTEMS else 100.0
        for pk, name in outputs.values_list("pk", "system__name")
    }
    judged = campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[SimulatedJudge("bot", noise=5)],
        languages=["en", "de"],
        work=SimulatedWork(hits_each=3, qualities=qualities, seed=1),
        task=task,
    )
    assert judged > 0
    blocks = judged_blocks(task=task, watermark=judgments_number(task_id=task.pk))
    scores = {row.system: row.score for row in best_minus_worst(blocks)}
    assert scores["alpha"] > scores["delta"]


def test_bundle_of_a_published_result_gives_its_numbers_again(
    task: Task,
    judge: Judge,
    tmp_path: Path,
) -> None:
    judge_all(task, judge)
    ranking_run_compute(task_id=task.pk)
    _result, zipped = bundled(task)
    path = tmp_path / "bundle.zip"
    path.write_bytes(zipped)
    status, found = said(path)
    assert (status, found["differences"]) == (0, [])
    assert b"bestWorst" in files_of(zipped)[JUDGMENTS].splitlines()[0]
