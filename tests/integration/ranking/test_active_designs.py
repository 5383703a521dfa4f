"""What a ranking tells the drawing."""

from uuid import uuid4

import numpy as np
import pytest

from annotation.models import PlanningBatch, SamplingState
from annotation.sampling.state import DrawState
from annotation.selectors.judging import assigned_blocks
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan, sampling_state_record
from annotation.services.quality import JudgeDecision, quality_action_take
from annotation.services.submission import SentJudgment, judgment_submit, skip_submit
from annotation.services.tasks import task_rules_change
from campaign.models import Protocol, Task
from ranking.core.counting.counts import tally
from ranking.core.rankings.rank import rank
from ranking.selectors.judged_columns import judged_blocks
from ranking.services.reproduced_runs import ranking_run_reproduce
from ranking.services.runs import ranking_run_compute
from tests.at_work import judge_one_hit, lend
from tests.factories import make_campaign, make_judge, make_long_task, make_organiser

pytestmark = pytest.mark.django_db


def test_active_design_gets_the_tallies_of_each_ranking(task: Task) -> None:
    design_change(task=task, kind="active")
    for pseudonym in ("ada", "bob"):
        judge_one_hit(make_judge(task.test_set.campaign, pseudonym))
        run = ranking_run_compute(task_id=task.pk)
        assert run is not None
        state = SamplingState.objects.get()
        expected = tally(judged_blocks(task=task, watermark=run.watermark))
        assert state.watermark == run.watermark
        assert tuple(state.systems) == expected.systems
        assert np.array_equal(state.wins, expected.wins)
        assert np.array_equal(state.ties, expected.ties)


def test_active_design_is_ranked_by_bradley_terry(task: Task) -> None:
    design_change(task=task, kind="active")
    judge_one_hit(make_judge(task.test_set.campaign))
    design_change(task=task, kind="balanced")
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    assert run.method == "bradley_terry"
    blocks = judged_blocks(task=task, watermark=run.watermark)
    left_out = set(run.parameters["left_out"]).intersection(blocks.systems)
    expected = rank(blocks.without(left_out), "bradley_terry")
    assert [(row["system"], row["score"]) for row in run.result["systems"]] == [
        (row.system, row.score) for row in expected.systems
    ]
    assert ranking_run_reproduce(run) == run.result
    assert run.parameters["method_parameters"] == {"prior": 0.1}


def test_a_judge_who_is_excluded_steers_no_drawing(task: Task) -> None:
    design_change(task=task, kind="active")
    judges = [
        make_judge(task.test_set.campaign, pseudonym) for pseudonym in ("ada", "bob")
    ]
    for judge in judges:
        judge_one_hit(judge)
    quality_action_take(
        judge=judges[1],
        task=task,
        decision=JudgeDecision(
            action="exclude",
            user=make_organiser(task.test_set.campaign),
        ),
    )
    run = ranking_run_compute(task_id=task.pk)
    assert run is not None
    everybody = tally(judged_blocks(task=task, watermark=run.watermark))
    without = tally(
        judged_blocks(task=task, watermark=run.watermark).without_judges(["bob"]),
    )
    told = SamplingState.objects.get()
    assert np.sum(told.wins) == without.wins.sum() < everybody.wins.sum()


def test_an_earlier_ranking_does_not_take_the_place_of_a_later_one(task: Task) -> None:
    for watermark in (7, 3):
        sampling_state_record(
            task_id=task.pk,
            watermark=watermark,
            systems=["a", "b"],
            wins=[[0, watermark], [0, 0]],
            ties=[[0, 0], [0, 0]],
        )
    assert SamplingState.objects.get().wins == [[0, 7], [0, 0]]


@pytest.mark.parametrize(("answer", "compared"), [("best and worst", 5), ("skip", 0)])
def test_pairs_left_uncompared_are_not_awaited(answer: str, compared: int) -> None:
    test_set = make_long_task(make_campaign(), segments=9, systems=4).test_set
    task = Task.objects.create(test_set=test_set, protocol=Protocol.TOP)
    task_rules_change(task=task, rules={"best_worst": True})
    design_change(
        task=task,
        kind="active",
        systems_per_block=4,
        segments_per_hit=1,
        redundancy=2,
    )
    hits_plan(task_id=task.pk, count=4)
    [block] = assigned_blocks(lend(make_judge(task.test_set.campaign)))
    if answer == "skip":
        skip_submit(assigned=block, client_id=uuid4(), reason="other")
        # A ranking without judgments.
        sampling_state_record(
            task_id=task.pk,
            watermark=0,
            systems=[],
            wins=[],
            ties=[],
        )
    else:
        sent = SentJudgment(answer={"best": 1, "worst": 2})
        judgment_submit(assigned=block, client_id=uuid4(), sent=sent)
    ranking_run_compute(task_id=task.pk)

    hits_plan(task_id=task.pk, count=1)
    state = DrawState.from_json(PlanningBatch.objects.latest("pk").state)
    # Each of the two first HITs is for two judges; three of the four wait.
    awaited = state.pair_counts * 2 - state.uncompared
    assert awaited.sum() == 2 * (3 * 6 + compared)
