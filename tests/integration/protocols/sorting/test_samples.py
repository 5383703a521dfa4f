"""A sort in which each judge gets only a sample of the sentences of each comparison."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from django.db.models.functions import Now
from django.utils import timezone

from annotation.export.five_way import systems_shown
from annotation.models import HIT, Assignment, Design, Judgment
from annotation.sampling.drawing import sample_order
from annotation.selectors.comparisons import COMPARISON, blocks_wanted, sentences_taken
from annotation.selectors.hits import plans_read
from annotation.selectors.judging import assigned_blocks
from annotation.services.lending.work_requests import work_request
from annotation.services.planning.for_judge import judge_plan
from annotation.services.planning.pool import pool_fill
from annotation.services.submission import SentJudgment, judgment_submit, skip_submit
from campaign.models import Judge, Protocol, Segment, Task
from protocols.models import ClosedComparison
from protocols.sorting.answers import comparisons_open
from tests.at_work import assignment_lend, expire
from tests.factories import make_judge
from tests.integration.protocols.conftest import MakeTask
from tests.redrawn_hits import hit_redraw

RULES = {"judgments": 6, "extension": 3, "most_of_a_judge": 2}


@pytest.fixture
def task(make_task_of: MakeTask) -> Task:
    return make_task_of(Protocol.SORTING, rules=RULES, blocks_per_judge=200)


def judges_of(task: Task, count: int) -> list[Judge]:
    return [
        make_judge(task.test_set.campaign, f"judge{number}") for number in range(count)
    ]


def lend_asked(judge: Judge) -> Assignment | None:
    """Lend a HIT to the judge, planning first; None if there is nothing for them now."""
    found = assignment_lend(judge=judge)
    if found is None:
        work_request(judge=judge)
        for account in judge.accounts.filter(requested_at__isnull=False):
            pool_fill(task_id=account.task_id)
        found = assignment_lend(judge=judge)
    return found


def answer_all(assignment: Assignment) -> None:
    """Prefer the system that was made first."""
    blocks = assigned_blocks(assignment)
    shown = systems_shown(block.block_id for block in blocks)
    for block in blocks:
        first, second = (min(ids) for ids in shown[block.block_id])
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(
                answer={"verdict": "first" if first < second else "second"},
            ),
        )


def ask_again_and_again(judge: Judge) -> list[Assignment]:
    """Judge all HITs available to the judge."""
    found = []
    while (assignment := lend_asked(judge)) is not None:
        answer_all(assignment)
        found.append(assignment)
    return found


def given_by(task: Task) -> Counter[tuple[str, tuple[str, str]]]:
    """Return the judgments of each judge in each comparison."""
    rows = Judgment.objects.of(task.pk).values_list(
        "judge__pseudonym",
        f"block__hit__{COMPARISON}",
    )
    return Counter((judge, (pair[0], pair[1])) for judge, pair in rows)


@pytest.mark.thorough
@pytest.mark.django_db
def test_judge_gets_one_sample_per_comparison(task: Task) -> None:
    judge, other = judges_of(task, 2)
    assert not HIT.objects.filter(task=task).exists(), (
        "nothing is drawn before somebody asks"
    )
    lent = ask_again_and_again(judge)
    open_now = {(each.first, each.second) for each in comparisons_open(design_of(task))}
    given = given_by(task)
    assert {pair for _name, pair in given} == open_now
    assert set(given.values()) == {2}
    seed = design_of(task).seed
    met: set[int] = set()
    for assignment in lent:
        [pair] = {tuple(block["comparison"]) for block in assignment.hit.why["blocks"]}
        numbers = list(
            Segment.objects.filter(pk__in=assignment.hit.segment_ids).values_list(
                "number",
                flat=True,
            ),
        )
        order = sample_order(range(1, 12), seed=seed, pair=pair, judge=judge.pseudonym)
        free = [
            number
            for number in order
            if number not in met and differs(task, number, pair)
        ]
        assert set(numbers) == set(free[:2])
        met |= set(numbers)
        plan = plans_read([assignment.hit_id])[assignment.hit_id]
        assert hit_redraw(assignment.hit) == plan
    # The rest is for others: another judge gets as many of the same comparisons.
    ask_again_and_again(other)
    assert set(given_by(task).values()) == {2}
    assert {pair for _name, pair in given_by(task)} == open_now
    assert not ClosedComparison.objects.exists()


def design_of(task: Task) -> Design:
    return Design.objects.filter(task=task).latest("pk")


def differs(task: Task, number: int, pair: tuple[str, ...]) -> bool:
    segment = task.test_set.segments.get(number=number)
    texts = {output.text for output in segment.outputs.filter(system__name__in=pair)}
    return len(texts) == 2


@pytest.mark.django_db
def test_lending_refuses_what_planning_should_not_have_planned(task: Task) -> None:
    """Lending enforces it whatever HITs exist and however they were planned."""
    [judge] = judges_of(task, 1)
    planned_with = {**RULES, "most_of_a_judge": 6}
    Task.objects.filter(pk=task.pk).update(rules=planned_with)
    work_request(judge=judge)
    assert judge_plan(task_id=task.pk, judge_id=judge.pk) == 2
    blocks = [len(hit.why["blocks"]) for hit in HIT.objects.filter(task=task)]
    assert blocks == [3, 3]
    Task.objects.filter(pk=task.pk).update(rules={**RULES, "most_of_a_judge": 3})
    pairs = {
        tuple(hit.why["blocks"][0]["comparison"])
        for hit in HIT.objects.filter(task=task)
    }
    lent = 0
    while (assignment := assignment_lend(judge=judge)) is not None:
        answer_all(assignment)
        lent += 1
    assert lent == len(pairs)
    Task.objects.filter(pk=task.pk).update(rules={**RULES, "most_of_a_judge": 2})
    HIT.objects.filter(task=task).incomplete().delete()
    assert assignment_lend(judge=judge) is None
    assert set(given_by(task).values()) == {3}


@pytest.mark.thorough
@pytest.mark.django_db
def test_abandoned_sample_goes_to_others(task: Task) -> None:
    leaves, *others = judges_of(task, 4)
    held = lend_asked(leaves)
    assert held is not None
    pair = tuple(held.hit.why["blocks"][0]["comparison"])
    blocks = assigned_blocks(held)
    expire(held)
    # Their sample is not lent to others.
    for judge in others:
        found = ask_again_and_again(judge)
        assert held.hit_id not in {assignment.hit_id for assignment in found}
    pool_fill(task_id=task.pk)
    held.hit.refresh_from_db()
    assert held.hit.completed_at is not None
    row = ClosedComparison.objects.get(winner__in=pair, loser__in=pair)
    for block in blocks:
        judgment_submit(
            assigned=block,
            client_id=uuid4(),
            sent=SentJudgment(answer={"verdict": "second"}),
        )
    pool_fill(task_id=task.pk)
    before = row.judgments
    row.refresh_from_db()
    assert row.judgments == before
    assert sentences_taken(judge_id=leaves.pk, task_id=task.pk)[pair[0], pair[1]] == 2


@pytest.mark.thorough
@pytest.mark.django_db
def test_unclaimed_hit_is_planned_again_for_others(task: Task) -> None:
    away, other = judges_of(task, 2)
    work_request(judge=away)
    pool_fill(task_id=task.pk)
    hits = HIT.objects.filter(task=task, reserved_for=away)
    assert hits.incomplete().count() == 2
    # Expected judges keep their sentences for a while, and are not asked about fewer.
    assert pool_fill(task_id=task.pk) == 0
    hits.update(reserved_until=timezone.now())
    pool_fill(task_id=task.pk)
    assert not hits.incomplete().exists()
    assert not hits.filter(withdrawn_at=None).exists()
    wanted = {
        (first, second): blocks
        for first, second, blocks in blocks_wanted(design=design_of(task))
    }
    assert set(wanted.values()) == {6}
    assert lend_asked(other) is not None
    # They come back to the same sentences: a sample is a function of the judge.
    first_of = set(hits.earliest("number").segment_ids)
    again = lend_asked(away)
    assert again is not None
    if (
        again.hit.why["blocks"][0]["comparison"]
        == hits.earliest("number").why["blocks"][0]["comparison"]
    ):
        assert set(again.hit.segment_ids) == first_of


@pytest.mark.thorough
@pytest.mark.django_db
def test_skipped_sentences_are_replaced_by_the_next_of_the_sample(task: Task) -> None:
    [judge] = judges_of(task, 1)
    held = lend_asked(judge)
    assert held is not None
    pair = tuple(held.hit.why["blocks"][0]["comparison"])
    for block in assigned_blocks(held):
        skip_submit(assigned=block, client_id=uuid4(), reason="cannot_judge")
    ask_again_and_again(judge)
    assert given_by(task)[judge.pseudonym, (pair[0], pair[1])] == 2


@pytest.mark.thorough
@pytest.mark.django_db
def test_a_planning_that_is_lost_plans_the_same_again(task: Task) -> None:
    [judge] = judges_of(task, 1)
    work_request(judge=judge)

    def planned() -> list[Any]:
        rows = HIT.objects.filter(task=task).order_by("number")
        return [(row.number, row.segment_ids, row.why["blocks"]) for row in rows]

    with transaction.atomic():
        judge_plan(task_id=task.pk, judge_id=judge.pk)
        lost = planned()
        transaction.set_rollback(True)
    assert planned() == []
    judge_plan(task_id=task.pk, judge_id=judge.pk)
    assert planned() == lost


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_two_tabs_and_a_planner_at_once_give_no_more(task: Task) -> None:
    [judge] = judges_of(task, 1)
    together = Barrier(3)

    def asks() -> None:
        try:
            for _time in range(12):
                together.wait(timeout=60)
                assignment = assignment_lend(judge=judge)
                if assignment is not None:
                    for block in assigned_blocks(assignment):
                        judgment_submit(
                            assigned=block,
                            client_id=uuid4(),
                            sent=SentJudgment(answer={"verdict": "same"}),
                        )
        finally:
            connection.close()

    def plans() -> None:
        try:
            for _time in range(12):
                together.wait(timeout=60)
                work_request(judge=judge)
                pool_fill(task_id=task.pk)
        finally:
            connection.close()

    with ThreadPoolExecutor(3) as pool:
        for done in [pool.submit(asks), pool.submit(asks), pool.submit(plans)]:
            done.result()
    pairs = (
        Judgment.objects.of(task.pk)
        .current()
        .values_list(f"block__hit__{COMPARISON}", flat=True)
    )
    assert set(Counter(tuple(pair) for pair in pairs).values()) == {2}
    assert HIT.objects.filter(task=task, completed_at__lte=Now()).exists()
