"""What the worker plans: by every design, for everybody and for one judge, and again the same."""

from collections import Counter
from itertools import combinations
from typing import Any

import pytest
from django.utils import timezone

from annotation.models import HIT, Design, Exposure, HITSequence
from annotation.selectors.hits import plans_read
from annotation.services.lending.work_requests import work_request
from annotation.services.planning.designs import design_change
from annotation.services.planning.for_judge import judge_plan
from annotation.services.planning.pool import (
    hits_plan,
    pool_fill,
    sampling_state_record,
)
from campaign.models import Output, Segment, Task
from campaign.services.judges import conflict_declare
from tests.at_work import assignment_lend, judge_all_of, judge_one_hit, lend
from tests.factories import (
    make_campaign,
    make_judge,
    make_long_task,
    make_seen,
    make_task,
)
from tests.outputs_shown import outputs_shown
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db

DESIGNS: list[dict[str, Any]] = [
    {"kind": "uniform"},
    {"kind": "balanced", "reference_rate": 0.2},
    {
        "kind": "active",
        "segment_order": "sequential",
        "normalisation": "nfc_whitespace",
    },
    {"kind": "binary", "redundancy": 2, "inter_share": 0.1},
    {"kind": "all", "length_limits": [[4, 3]], "documents": [1]},
]


def shown_in(task: Task) -> list[tuple[Any, ...]]:
    """What each HIT of a test set shows, lent or not, in words that no row's id is in."""
    hits = HIT.objects.filter(task=task).order_by("number")
    plans = plans_read([hit.pk for hit in hits])
    texts = dict(
        Output.objects.filter(system__test_set=task.test_set_id).values_list(
            "pk",
            "text",
        ),
    )
    return [
        (
            hit.number,
            hit.purpose,
            [
                (
                    block.segment,
                    block.systems,
                    [{texts[id_] for id_ in ids} for ids in shown],
                )
                for block in plans[hit.pk].blocks
                for shown in [block.candidates]
            ],
        )
        for hit in hits
    ]


class TestPool:
    @pytest.mark.thorough
    @pytest.mark.parametrize("parameters", DESIGNS, ids=lambda each: each["kind"])
    def test_hits_planned_in_steps_are_those_planned_at_once(
        self,
        parameters: dict[str, Any],
    ) -> None:
        numbers = []
        for slug, steps in (("one", [12]), ("two", [1, 2, 4, 5])):
            task = make_task(make_campaign(slug, show_reference=False), planned=0)
            design_change(task=task, **parameters)
            for count in steps:
                assert hits_plan(task_id=task.pk, count=count) == count
            numbers.append(shown_in(task))
        assert len(numbers[0]) == 12
        assert numbers[0] == numbers[1]

    def test_a_hit_holds_consecutive_segments_of_one_document(self) -> None:
        make_task(make_campaign(), documents=(8, 5, 2), planned=30)
        for hit in HIT.objects.all():
            segments = Segment.objects.filter(pk__in=hit.segment_ids).order_by(
                "position",
            )
            places = list(segments.values_list("document", "position"))
            assert len({document for document, _ in places}) == 1
            positions = [position for _, position in places]
            assert positions == list(range(positions[0], positions[0] + len(positions)))
            assert len(positions) in {2, 3}

    def test_no_block_shows_one_text_twice(self) -> None:
        task = make_task(make_campaign(), planned=30)
        blocks = [block for *_hit, shown in shown_in(task) for block in shown]
        assert len(blocks) > 60
        for _segment, _systems, texts in blocks:
            assert all(len(of_one) == 1 for of_one in texts)
            assert len({text for of_one in texts for text in of_one}) == len(texts)

    def test_a_hit_says_which_segments_and_systems_it_shows(self) -> None:
        task = make_task(make_campaign(), planned=10)
        judges = [
            make_judge(task.test_set.campaign, f"judge{number}") for number in range(4)
        ]
        for hit in [lend(judge).hit for judge in judges]:
            assert hit.segment_ids == list(
                hit.blocks.values_list("segment_id", flat=True),
            )
            shown = Output.objects.filter(pk__in=outputs_shown(hit=hit))
            assert hit.system_ids == sorted(
                set(shown.values_list("system_id", flat=True)),
            )

    def test_planning_ends_at_what_is_wanted(self) -> None:
        task = make_task(make_campaign(), blocks_wanted=10, planned=0)
        assert pool_fill(task_id=task.pk) == 4
        assert HITSequence.objects.get().blocks_planned in {10, 11, 12}
        assert pool_fill(task_id=task.pk) == 0

    def test_no_segment_is_planned_into_more_blocks_than_wanted(self) -> None:
        task = make_task(make_campaign(), blocks_per_segment=4, planned=0)
        design_change(task=task, redundancy=2, inter_share=0.2)
        pool_fill(task_id=task.pk)
        planned = Counter(
            segment for *_hit, blocks in shown_in(task) for segment, *_shown in blocks
        )
        assert len(planned) == 7
        assert max(planned.values()) == 4
        assert sum(planned.values()) >= 24
        assert HITSequence.objects.get().segment_blocks == [
            planned[n] for n in range(1, 8)
        ]

    def test_the_pool_is_filled_to_its_size(self) -> None:
        task = make_task(make_campaign(), planned=0)
        pool_fill(task_id=task.pk, size=20)
        lend(make_judge(task.test_set.campaign))
        assert pool_fill(task_id=task.pk, size=20) == 1

    def test_pairs_of_a_balanced_design_meet_equally_often(self) -> None:
        task = make_long_task(make_campaign(), segments=30)
        design_change(task=task, kind="balanced", systems_per_block=2)
        for _step in range(4):
            hits_plan(task_id=task.pk, count=10)
        pairs: Counter[tuple[str, ...]] = Counter()
        for plan in plans_read(HIT.objects.values_list("pk", flat=True)).values():
            for block in plan.blocks:
                pairs.update(combinations(sorted(name for (name,) in block.systems), 2))
        assert len(pairs) == 15
        assert max(pairs.values()) - min(pairs.values()) <= 1

    def test_redundant_design_plans_blocks_for_its_number_of_judges(self) -> None:
        task = make_task(make_campaign(), planned=0)
        design_change(task=task, redundancy=3)
        hits_plan(task_id=task.pk, count=9)
        firsts = HIT.objects.filter(purpose="first")
        assert firsts.count() == 3
        for first in firsts:
            copies = list(first.repeated_by.all())
            assert [copy.purpose for copy in copies] == ["redundancy"] * 2
            assert {tuple(copy.segment_ids) for copy in copies} == {
                tuple(first.segment_ids),
            }

    def test_an_active_design_draws_by_what_the_judges_said(self) -> None:
        task = make_long_task(make_campaign(), segments=30, systems=4)
        design_change(task=task, kind="active", systems_per_block=2, active_floor=0)
        names = sorted(task.test_set.systems.values_list("name", flat=True))
        # The first two are as good as each other; the others are far apart from all.
        wins = [[0, 50, 400, 400], [50, 0, 400, 400], [0, 0, 0, 400], [0, 0, 0, 0]]
        sampling_state_record(
            task_id=task.pk,
            watermark=9,
            systems=names,
            wins=wins,
            ties=[[0] * 4] * 4,
        )
        hits_plan(task_id=task.pk, count=10)
        shown = Counter(
            tuple(sorted(name for (name,) in block.systems))
            for plan in plans_read(HIT.objects.values_list("pk", flat=True)).values()
            for block in plan.blocks
        )
        assert shown.most_common(1)[0][0] == (names[0], names[1])
        assert HIT.objects.earliest("number").why["blocks"][0]["watermark"] == 9


@pytest.mark.thorough
@pytest.mark.parametrize("parameters", DESIGNS, ids=lambda each: each["kind"])
def test_a_stored_hit_is_drawn_again_bit_for_bit(parameters: dict[str, Any]) -> None:
    hidden = make_campaign(show_reference=False)
    task = make_task(hidden, blocks_per_segment=30, planned=0)
    design_change(task=task, intra_share=0.5, repeat_gap=0, **parameters)
    for count in (3, 8, 4):
        hits_plan(task_id=task.pk, count=count)
    judge = make_judge(task.test_set.campaign)
    conflict_declare(judge=judge, system=task.test_set.systems.get(name="dune"))
    work_request(judge=judge)
    for _round in range(5):
        pool_fill(task_id=task.pk, size=10)
        judge_one_hit(judge)
    hits = list(HIT.objects.order_by("number"))
    plans = plans_read([hit.pk for hit in hits])
    purposes = {hit.purpose for hit in hits}
    assert {"first", "intra"} <= purposes
    assert any(hit.reserved_for_id and hit.purpose == "first" for hit in hits)
    for hit in hits:
        assert hit_redraw(hit) == plans[hit.pk], hit.purpose


class TestForOneJudge:
    @pytest.fixture
    def task(self) -> Task:
        return make_task(make_campaign(), documents=(9,), planned=0)

    def test_a_judge_who_finds_nothing_is_planned_for(self, task: Task) -> None:
        judge = make_judge(task.test_set.campaign)
        work_request(judge=judge)
        Design.objects.update(segments=[1, 2, 3])
        pool_fill(task_id=task.pk, size=5)
        assert judge_one_hit(judge) is not None
        # The pool holds nothing but the three segments this judge has seen by now.
        Design.objects.update(segments=[])
        assert assignment_lend(judge=judge) is None
        work_request(judge=judge)
        pool_fill(task_id=task.pk, size=1)
        hit = lend(judge).hit
        assert hit.reserved_for == judge
        assert set(hit.blocks.values_list("segment__number", flat=True)) <= set(
            range(4, 10),
        )

    def test_a_judge_reaches_every_segment_once(self, task: Task) -> None:
        judge = make_judge(task.test_set.campaign)
        for _ask in range(12):
            if judge_one_hit(judge) is None:
                work_request(judge=judge)
                pool_fill(task_id=task.pk, size=5)
        assert Counter(
            Exposure.objects.filter(judge=judge).values_list(
                "segment__number",
                flat=True,
            ),
        ) == Counter(range(1, 10))

    def test_hits_planned_for_a_judge_at_once_share_no_segment(
        self,
        task: Task,
    ) -> None:
        """They could be lent only one of them: the other would wait for nobody, then go to others."""
        for number in range(8):
            judge = make_judge(task.test_set.campaign, f"judge{number}")
            judge_plan(task_id=task.pk, judge_id=judge.pk)
            planned = list(HIT.objects.filter(reserved_for=judge))
            shown = Counter(segment for hit in planned for segment in hit.segment_ids)
            assert len(planned) == 2
            assert set(shown.values()) == {1}
            for hit in planned:
                assert hit_redraw(hit) == plans_read([hit.pk])[hit.pk]

    def test_hits_waiting_for_a_judge_are_not_planned_again(self, task: Task) -> None:
        """A HIT kept for the judge alone, as training is, of which they were sent nothing yet."""
        judge = make_judge(task.test_set.campaign)
        waiting = Segment.objects.filter(test_set_id=task.test_set_id, number__lte=6)
        HIT.objects.create(
            task=task,
            design=task.designs.get(),
            number=1000,
            purpose="training",
            reserved_for=judge,
            reserved_until=timezone.now(),
            segment_ids=list(waiting.values_list("pk", flat=True)),
        )
        assert judge_plan(task_id=task.pk, judge_id=judge.pk) > 0
        planned = HIT.objects.filter(purpose="first").values_list(
            "segment_ids",
            flat=True,
        )
        assert {pk for ids in planned for pk in ids}.isdisjoint(
            waiting.values_list("pk", flat=True),
        )

    def test_reserved_hit_with_a_seen_segment_goes_to_others(self, task: Task) -> None:
        """The pool may lend a segment while a HIT with it is drawn for the same judge."""
        judge = make_judge(task.test_set.campaign, "quick")
        judge_plan(task_id=task.pk, judge_id=judge.pk)
        seen, unseen = HIT.objects.filter(reserved_for=judge).order_by("number")
        segment = Segment.objects.get(pk=seen.segment_ids[0])
        make_seen(judge, [segment], task=task)
        pool_fill(task_id=task.pk, size=0)
        other = make_judge(task.test_set.campaign, "other")
        given = lend(other)
        assert given.hit == seen
        judge_all_of(given)
        # What they can still be lent waits for them.
        assert assignment_lend(judge=other) is None
        assert lend(judge).hit == unseen

    def test_judges_are_not_shown_systems_of_their_interest(self) -> None:
        """Their own system's text, not even as another system's."""
        task = make_task(make_campaign(), documents=(6, 6), planned=30)
        judge = make_judge(task.test_set.campaign)
        conflict_declare(judge=judge, system=task.test_set.systems.get(name="birch"))
        judged = 0
        for _ask in range(8):
            work_request(judge=judge)
            pool_fill(task_id=task.pk, size=30)
            judged += judge_one_hit(judge) is not None
        shown = Output.objects.filter(
            pk__in=outputs_shown(hit__assignments__judge=judge),
        )
        assert judged >= 4
        assert not shown.filter(system__name="birch").exists()
        assert not shown.filter(
            system__name="amber",
            segment__number__in=[1, 3, 5],
        ).exists()

    def test_a_conflict_declared_later_takes_the_hit_back(self) -> None:
        task = make_task(make_campaign(), systems=("a", "b"), identical=())
        judge = make_judge(task.test_set.campaign)
        held = lend(judge)
        conflict_declare(judge=judge, system=task.test_set.systems.get(name="a"))
        assert assignment_lend(judge=judge) is None
        held.refresh_from_db()
        assert held.released_at is not None
