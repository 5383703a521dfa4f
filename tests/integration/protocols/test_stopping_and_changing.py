"""Planning and answers of protocols where judges stop, skip, are late or change their answers."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.db.models.functions import Now
from django.test import Client
from django.utils import timezone

from annotation.models import HIT, Assignment, Block, Judgment
from annotation.protocols.submissions import AssignedBlock, SubmissionRefusedError
from annotation.selectors.comparisons import blocks_wanted
from annotation.selectors.designs import design_in_force
from annotation.selectors.judging import assigned_blocks
from annotation.services.lending.work_requests import NoWorkReason, work_request
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import pool_fill
from annotation.services.submission import SentJudgment, judgment_submit, skip_submit
from campaign.models import Judge, Output, Protocol, Task
from protocols.sorting.answers import comparisons_open
from tests.at_work import assignment_lend, expire, lend
from tests.damaged_references import damaged_references_approve
from tests.factories import make_judge, make_seen
from tests.integration.protocols.conftest import MakeTask
from tests.integration.protocols.every import hit_asked
from tests.integration.protocols.test_rating import rated, to_the_second_pass

pytestmark = pytest.mark.django_db


def skipped(block: AssignedBlock) -> None:
    skip_submit(assigned=block, client_id=uuid4(), reason="cannot_judge")


class TestRating:
    @pytest.fixture
    def task(self, make_task_of: MakeTask) -> Task:
        """11 segments: rounds of ten and of one."""
        return make_task_of(Protocol.RATING)

    @pytest.mark.thorough
    def test_judge_continues_after_losing_a_hit_and_late_answers_are_accepted(
        self,
        judging: Client,
        judge: Judge,
        task: Task,
    ) -> None:
        held = lend(judge)
        first, second, *_others = hit_asked(judging)["blocks"]
        assert rated(judging, first, 3).status_code == 200
        expire(held)
        other = make_judge(task.test_set.campaign, "judge02")
        assert lend(other).hit_id == held.hit_id
        # Not held back by the HIT that went elsewhere.
        to_the_second_pass(judging, judge, task)
        assert rated(judging, second, 4).status_code == 200
        # Earlier fluency ratings stay.
        assert rated(judging, first, 4).status_code == 400

    @pytest.mark.thorough
    def test_skipped_segment_is_not_shown_again(
        self,
        judging: Client,
        judge: Judge,
        task: Task,
    ) -> None:
        held = lend(judge)
        for block in assigned_blocks(held):
            skipped(block)
        blocks, hit = to_the_second_pass(judging, judge, task)
        assert len(hit["blocks"]) == len(blocks)
        assert HIT.objects.filter(task=task, part=2).count() == 1


@pytest.mark.thorough
def test_number_of_rated_texts_follows_the_rules(
    make_task_of: MakeTask,
    client: Client,
) -> None:
    task = make_task_of(Protocol.RATING, rules={"items_per_judge": 20})
    judge = make_judge(task.test_set.campaign)
    assert judge.user is not None
    client.force_login(judge.user)
    blocks, _hit = to_the_second_pass(client, judge, task)
    # Rounds of ten and of one: where ten were rated, ten more may be.
    assert len(blocks) == 11


class TestSorting:
    @pytest.fixture
    def task(self, make_task_of: MakeTask) -> Task:
        return make_task_of(
            Protocol.SORTING,
            rules={"judgments": 5, "extension": 0},
            blocks_per_judge=200,
        )

    def wanted(self, task: Task) -> dict[tuple[str, str], int]:
        design = design_in_force(task_id=task.pk)
        assert design is not None
        return {
            (first, second): count
            for first, second, count in blocks_wanted(design=design)
        }

    def missing(self, task: Task, pair: tuple[str, str]) -> int:
        design = design_in_force(task_id=task.pk)
        assert design is not None
        return {
            (each.first, each.second): each.missing for each in comparisons_open(design)
        }[pair]

    def pair_of(self, held: Assignment) -> Any:
        return tuple(held.hit.why["blocks"][0]["comparison"])

    def test_a_changed_answer_counts_once(self, task: Task, judge: Judge) -> None:
        pool_fill(task_id=task.pk)
        held = lend(judge)
        blocks = assigned_blocks(held)
        for verdict in ("first", "second"):
            judgment_submit(
                assigned=blocks[0],
                client_id=uuid4(),
                sent=SentJudgment(answer={"verdict": verdict}),
            )
        pool_fill(task_id=task.pk)
        assert self.missing(task, self.pair_of(held)) == 5 - 1

    @pytest.mark.thorough
    def test_a_skipped_block_is_planned_again(self, task: Task, judge: Judge) -> None:
        pool_fill(task_id=task.pk)
        assert set(self.wanted(task).values()) == {0}
        held = lend(judge)
        skipped(assigned_blocks(held)[0])
        assert self.wanted(task)[self.pair_of(held)] == 1

    def test_planned_blocks_match_the_judges(self, task: Task) -> None:
        HIT.objects.filter(task=task).delete()
        design_change(task=task, redundancy=2)
        # Five judgments, with two judges per block, are three blocks.
        assert set(self.wanted(task).values()) == {3}

    @pytest.mark.thorough
    def test_attention_checks_come_on_top_of_what_is_wanted(self, task: Task) -> None:
        damaged_references_approve(task)
        HIT.objects.filter(task=task).delete()
        design_change(task=task, bad_reference_rate=0.5)
        for _time in range(3):
            pool_fill(task_id=task.pk)
        blocks = [
            block
            for why in HIT.objects.filter(task=task).values_list("why", flat=True)
            for block in why["blocks"]
        ]
        checks = [block for block in blocks if "bad_reference" in block]
        assert checks
        assert len(blocks) - len(checks) >= 5 * len(self.wanted(task))

    @pytest.mark.thorough
    def test_judge_who_has_seen_everything_does_not_wait(
        self,
        task: Task,
        judge: Judge,
    ) -> None:
        HIT.objects.filter(task=task).update(completed_at=Now())
        make_seen(judge, list(task.test_set.segments.all()), task=task)
        Task.objects.filter(pk=task.pk).update(blocks_wanted=1)
        assert assignment_lend(judge=judge) is None
        work_request(judge=judge)
        pool_fill(task_id=task.pk)
        assert work_request(judge=judge).reason == NoWorkReason.NONE_LEFT


def test_a_span_ends_in_the_text_of_its_own_candidate(make_task_of: MakeTask) -> None:
    """The first candidate stands for two outputs, so that places of candidates and of outputs differ."""
    task = make_task_of(Protocol.SPANS)
    HIT.objects.filter(task=task).delete()
    design = design_change(task=task, systems_per_block=2)
    segment = task.test_set.segments.get(number=2)
    one, twin, long = segment.outputs.order_by("pk")[:3]
    Output.objects.filter(pk=long.pk).update(text="x" * 200)
    hit = HIT.objects.create(
        task=task,
        design=design,
        number=1000,
        segment_ids=[segment.pk],
    )
    Block.objects.create(
        hit=hit,
        segment=segment,
        position=1,
        outputs=[one.pk, twin.pk, long.pk],
        stands_for=[2, 1],
    )
    now = timezone.now()
    lease = DateTimeTZRange(now, now + timedelta(hours=1))
    judge = make_judge(task.test_set.campaign)
    lent = Assignment.objects.create(hit=hit, judge=judge, lease=lease)
    [assigned] = assigned_blocks(lent)

    def marked(*ends: int) -> Judgment:
        outputs = [
            {
                "score": 50,
                "spans": [
                    {"start": 0, "end": end, "severity": "minor", "kind": "error"},
                ],
            }
            for end in ends
        ]
        return judgment_submit(
            assigned=assigned,
            client_id=uuid4(),
            sent=SentJudgment(answer={"outputs": outputs}),
        )

    for ends in ((200, 200), (5, 201)):
        with pytest.raises(SubmissionRefusedError, match="marks no part of the text"):
            marked(*ends)
    assert marked(5, 200).labels == [1, 1]
