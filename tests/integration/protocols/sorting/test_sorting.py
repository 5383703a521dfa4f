"""A task that sorts its systems: HITs of open comparisons, final verdicts, and the order."""

from typing import Any
from uuid import uuid4

import pytest
from django.db import transaction
from django.db.models.functions import Now

from annotation.export.five_way import systems_shown
from annotation.models import HIT, Assignment
from annotation.selectors.comparisons import blocks_wanted
from annotation.selectors.designs import design_in_force
from annotation.selectors.hits import plans_read
from annotation.selectors.judging import assigned_blocks
from annotation.services.lending.work_requests import NoWorkReason, work_request
from annotation.services.planning.pool import pool_fill
from annotation.services.quality import JudgeDecision, quality_action_take
from annotation.services.simulation import (
    SimulatedJudge,
    SimulatedWork,
    campaign_simulate,
)
from annotation.services.submission import SentJudgment, judgment_submit
from annotation.services.systems import system_withdraw
from campaign.models import Output, Protocol, System, Task
from protocols.models import ClosedComparison, SystemSort
from protocols.sorting.answers import comparisons_close, comparisons_open, sort_decided
from ranking.core.sorting import Verdict, most_comparisons, next_comparisons
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.at_work import assignment_lend, expire, lend
from tests.factories import make_judge, make_organiser
from tests.integration.protocols.conftest import MakeTask
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db

QUALITY = {
    "fjord": 95.0,
    "cobalt": 80.0,
    "amber": 65.0,
    "ember": 50.0,
    "dune": 35.0,
    "birch": 20.0,
}
RULES = {"judgments": 6, "extension": 3}


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    return make_task_of(Protocol.SORTING, rules=RULES, blocks_per_judge=200)


def design_of(task: Task) -> Any:
    design = design_in_force(task_id=task.pk)
    assert design is not None
    return design


def judged_by(task: Task, judges: int, *, hits_each: int) -> int:
    """Judge as judges who see all differences between systems; the reference is best."""
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    names = outputs.values_list("pk", "system__name")
    return campaign_simulate(
        campaign=task.test_set.campaign,
        judges=[
            SimulatedJudge(f"exact{n:02}", noise=0, ties_within=0)
            for n in range(judges)
        ],
        languages=["en", "de"],
        work=SimulatedWork(
            hits_each=hits_each,
            qualities={pk: QUALITY.get(name, 99.0) for pk, name in names},
            seed=3,
        ),
    )


def answer_all(assignment: Assignment) -> None:
    """Prefer the system that was made first."""
    blocks = assigned_blocks(assignment)
    shown = systems_shown(block.block_id for block in blocks)
    for block in blocks:
        first, second = (min(ids) for ids in shown[block.block_id])
        answer = {"verdict": "first" if first < second else "second"}
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer=answer),
        )


@pytest.mark.thorough
def test_systems_are_sorted_by_closed_verdicts(task: Task) -> None:
    judged_by(task, 16, hits_each=8)
    pool_fill(task_id=task.pk)
    sort = SystemSort.objects.get()
    verdicts = [Verdict(row.winner, row.loser) for row in sort.verdicts.all()]
    state = next_comparisons(sort.systems, verdicts, sort.seed)
    assert state.order is not None, ClosedComparison.objects.count()
    known = [name for name in state.order if name in QUALITY]
    # For every second sentence, amber and birch have the same output, which is judged as that of one of them.
    assert [name for name in known if name not in {"amber", "birch"}] == [
        "fjord",
        "cobalt",
        "ember",
        "dune",
    ]
    assert (
        state.closed
        == ClosedComparison.objects.count()
        <= most_comparisons(len(sort.systems))
    )
    for row in ClosedComparison.objects.all():
        assert len(row.judgments) in {6, 9}
        assert max(row.judgments) <= row.watermark
    # No more HITs are lent or planned.
    assert comparisons_open(design_of(task)) == []
    assert not HIT.objects.filter(task=task).available().exists()
    assert comparisons_close(design_of(task)) == 0


@pytest.mark.thorough
def test_hits_are_of_one_comparison_that_is_open(task: Task) -> None:
    pool_fill(task_id=task.pk)
    open_now = {(each.first, each.second) for each in comparisons_open(design_of(task))}
    hits = HIT.objects.filter(task=task).incomplete().order_by("number")
    blocks = 0
    for hit in hits:
        pairs = {tuple(block["comparison"]) for block in hit.why["blocks"]}
        assert len(pairs) == 1
        assert pairs <= open_now
        blocks += len(hit.why["blocks"])
        plan = plans_read([hit.pk])[hit.pk]
        for block in plan.blocks:
            (pair,) = pairs
            assert [any(name in shown for name in pair) for shown in block.systems] == [
                True,
                True,
            ]
        assert hit_redraw(hit) == plan
    assert blocks == 6 * len(open_now)
    assert pool_fill(task_id=task.pk) == 0


def test_a_late_answer_is_kept_and_changes_no_verdict(task: Task) -> None:
    pool_fill(task_id=task.pk)
    late, *others = (make_judge(task.test_set.campaign, f"judge{n}") for n in range(9))
    held = lend(late)
    pair = held.hit.why["blocks"][0]["comparison"]
    blocks = assigned_blocks(held)
    expire(held)
    for judge in others:
        for _time in range(3):
            assignment = assignment_lend(judge=judge)
            if assignment is not None:
                answer_all(assignment)
    pool_fill(task_id=task.pk)
    row = ClosedComparison.objects.get(winner__in=pair, loser__in=pair)
    before = (row.winner, row.judgments)
    for block in blocks:
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer={"verdict": "second"}),
        )
    pool_fill(task_id=task.pk)
    row.refresh_from_db()
    assert (row.winner, row.judgments) == before
    found = sorted_report(task)
    [step] = [
        each
        for each in found["comparisons"]
        if {each["first"], each["second"]} == {row.winner, row.loser}
    ]
    assert (step["last"], step["late"]) == (max(row.judgments), len(blocks))


def sorted_report(task: Task) -> Any:
    choice = analysis_choice("sorting", {})
    asked = analysis_ask(task=task, choice=choice, is_queued=False)
    return analysis_compute(analysis=asked).data


def test_a_system_that_is_withdrawn_begins_a_new_sort_of_the_others(task: Task) -> None:
    pool_fill(task_id=task.pk)
    system_withdraw(system=System.objects.get(test_set=task.test_set, name="dune"))
    pool_fill(task_id=task.pk)
    first, second = SystemSort.objects.order_by("number")
    assert set(first.systems) - set(second.systems) == {"dune"}
    for hit in HIT.objects.filter(task=task).available():
        assert "dune" not in hit.why["blocks"][0]["comparison"]


def test_a_closing_that_is_lost_comes_out_again(task: Task) -> None:
    """A worker ended before its commit; the second to close finds the comparison closed."""
    pool_fill(task_id=task.pk)
    for number in range(8):
        assignment = assignment_lend(
            judge=make_judge(task.test_set.campaign, f"judge{number}"),
        )
        if assignment is not None:
            answer_all(assignment)
    with transaction.atomic():
        assert comparisons_close(design_of(task))
        lost = rows_closed()
        transaction.set_rollback(True)
    assert not ClosedComparison.objects.exists()
    assert comparisons_close(design_of(task)) == len(lost)
    assert comparisons_close(design_of(task)) == 0
    assert rows_closed() == lost


def rows_closed() -> list[Any]:
    fields = (
        "step",
        "winner",
        "loser",
        "wins",
        "losses",
        "same",
        "judgments",
        "watermark",
    )
    return list(ClosedComparison.objects.order_by("step").values_list(*fields))


def test_excluded_judge_does_not_count_for_later_verdicts(task: Task) -> None:
    pool_fill(task_id=task.pk)
    judge = make_judge(task.test_set.campaign)
    held = lend(judge)
    pair = tuple(held.hit.why["blocks"][0]["comparison"])
    answer_all(held)
    pool_fill(task_id=task.pk)

    def missing() -> int:
        found = comparisons_open(design_of(task))
        return next(each.missing for each in found if (each.first, each.second) == pair)

    before = missing()
    organiser = make_organiser(task.test_set.campaign)
    quality_action_take(
        judge=judge,
        task=task,
        decision=JudgeDecision(action="exclude", user=organiser),
    )
    assert (before, missing()) == (6 - len(held.hit.segment_ids), 6)
    pool_fill(task_id=task.pk)
    assert not [
        wanted for *_pair, wanted in blocks_wanted(design=design_of(task)) if wanted > 0
    ]


def test_systems_that_differ_nowhere_are_decided_by_lot(task: Task) -> None:
    outputs = Output.objects.filter(segment__test_set=task.test_set)
    for each in outputs.filter(system__name="dune"):
        outputs.filter(system__name="amber", segment=each.segment).update(
            text=f" {each.text}",
        )
    for systems, decision in (
        (["amber", "dune"], (True, 0, 0)),
        (["amber", "ember"], (False, 6, 6)),
    ):
        sort = SystemSort(task=task, systems=systems, seed=3)
        [found] = sort_decided(sort, watermark=0)[0].values()
        assert (found.arbitrary, found.judgments, found.missing) == decision


@pytest.mark.thorough
def test_a_judge_waits_while_the_sort_goes_on(task: Task) -> None:
    """A judge who gets nothing now is not told that all is done: the next comparison needs more judgments."""
    pool_fill(task_id=task.pk)
    judge = make_judge(task.test_set.campaign)
    HIT.objects.filter(task=task).update(completed_at=Now())
    task.blocks_wanted = 1
    task.save()
    assert assignment_lend(judge=judge) is None
    work_request(judge=judge)
    pool_fill(task_id=task.pk)
    assert work_request(judge=judge).reason == NoWorkReason.WAITING
