"""HITs go to judges one to one, however many ask at once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier

import pytest
from django.db import connection
from django.db.backends.postgresql.psycopg_any import DateTimeTZRange
from django.utils import timezone

from annotation.models import HIT, Assignment, Block, Candidate, Design, HITSequence
from annotation.services import assignment_lend, hits_plan, pool_fill
from campaign.models import Judge, Output
from tests.factories import make_campaign, make_judge, make_test_set


def expire(assignment: Assignment) -> None:
    """Let the lease have run out an hour ago."""
    end = timezone.now() - timedelta(hours=1)
    Assignment.objects.filter(pk=assignment.pk).update(
        lease=DateTimeTZRange(end - timedelta(hours=1), end)
    )
    HIT.objects.filter(pk=assignment.hit_id).update(available_at=end)


def lend(judge: Judge, after: Assignment | None = None) -> Assignment:
    assignment = assignment_lend(judge=judge, after=after)
    assert assignment is not None
    return assignment


@pytest.mark.django_db
class TestLending:
    def test_the_hit_still_held_is_returned(self) -> None:
        judge = make_judge(make_test_set(make_campaign()).campaign)
        assert lend(judge) == lend(judge)

    def test_the_next_is_lent_ahead_and_no_more_than_that(self) -> None:
        judge = make_judge(make_test_set(make_campaign()).campaign)
        first = lend(judge)
        second = lend(judge, after=first)
        assert second.hit_id != first.hit_id
        assert lend(judge, after=first) == second
        assert lend(judge) == first
        assert Assignment.objects.count() == 2

    def test_two_judges_hold_two_hits(self) -> None:
        campaign = make_test_set(make_campaign()).campaign
        held = {lend(make_judge(campaign, f"judge{i}")).hit_id for i in range(5)}
        assert len(held) == 5

    def test_an_expired_hit_goes_to_another_judge(self) -> None:
        campaign = make_test_set(make_campaign(), blocks_wanted=1).campaign
        first = lend(make_judge(campaign, "judge01"))
        other = make_judge(campaign, "judge02")
        assert assignment_lend(judge=other) is None
        expire(first)
        assert lend(other).hit_id == first.hit_id

    def test_an_expired_hit_is_renewed_for_its_judge_if_still_there(self) -> None:
        judge = make_judge(make_test_set(make_campaign()).campaign)
        first = lend(judge)
        expire(first)
        again = lend(judge)
        assert again == first
        assert again.expires_at > timezone.now()

    def test_a_judge_whose_expired_hit_went_elsewhere_gets_another(self) -> None:
        campaign = make_test_set(make_campaign()).campaign
        judge = make_judge(campaign, "judge01")
        first = lend(judge)
        expire(first)
        assert lend(make_judge(campaign, "judge02")).hit_id == first.hit_id
        assert lend(judge).hit_id != first.hit_id
        first.refresh_from_db()
        assert first.released_at is not None

    def test_judges_get_only_languages_they_read(self) -> None:
        campaign = make_test_set(make_campaign()).campaign
        arabic = make_test_set(campaign, name="ar", target_language="ar")
        judge = make_judge(campaign, languages=["en", "ar"])
        assert lend(judge).hit.test_set == arabic
        assert assignment_lend(judge=make_judge(campaign, "cz", languages=["cs", "en"])) is None

    def test_lending_looks_at_no_more_rows_with_many_done_hits(self) -> None:
        test_set = make_test_set(make_campaign())
        hits_plan(test_set_id=test_set.pk, count=2)
        design = Design.objects.get()
        HIT.objects.bulk_create(
            HIT(test_set=test_set, design=design, number=1000 + i, completed_at=timezone.now())
            for i in range(5000)
        )
        with connection.cursor() as cursor:
            cursor.execute("ANALYZE annotation_hit")
            query = (
                HIT.objects.filter(
                    test_set=test_set,
                    completed_at__isnull=True,
                    available_at__lte=timezone.now(),
                )
                .order_by("number")[:1]
                .explain()
            )
        assert "Index Scan using hit_pool" in query


@pytest.mark.django_db(transaction=True)
def test_fifty_judges_at_once_hold_fifty_hits() -> None:
    """Real connections, all asking at the same moment, twice each as two tabs would."""
    test_set = make_test_set(make_campaign())
    pool_fill(test_set_id=test_set.pk, size=60)
    judges = [make_judge(test_set.campaign, f"judge{i:02}") for i in range(50)]
    together = Barrier(50)

    def ask(judge: Judge) -> tuple[int, int]:
        try:
            together.wait(timeout=30)
            return judge.pk, lend(judge).hit_id
        finally:
            connection.close()

    with ThreadPoolExecutor(50) as pool:
        lent = list(pool.map(ask, judges)) + list(pool.map(ask, judges))
    assert set(Counter(lent).values()) == {2}
    assert len({hit for _, hit in lent}) == 50
    assert Assignment.objects.count() == 50


@pytest.mark.django_db
class TestPlanning:
    def test_hits_are_the_same_in_another_campaign(self) -> None:
        plans = []
        for slug in ("one", "two"):
            test_set = make_test_set(make_campaign(slug))
            hits_plan(test_set_id=test_set.pk, count=5)
            plans.append(
                list(
                    Candidate.objects.filter(block__hit__test_set=test_set)
                    .order_by("block__hit__number", "block__position", "position", "outputs__text")
                    .values_list(
                        "block__hit__number",
                        "block__segment__number",
                        "position",
                        "outputs__text",
                        "outputs__system__name",
                    )
                )
            )
        assert plans[0] == plans[1]

    def test_hits_planned_in_two_steps_are_those_planned_in_one(self) -> None:
        numbers = []
        for slug, steps in (("one", [6]), ("two", [1, 2, 3])):
            test_set = make_test_set(make_campaign(slug))
            for count in steps:
                hits_plan(test_set_id=test_set.pk, count=count)
            numbers.append(
                list(
                    Block.objects.filter(hit__test_set=test_set)
                    .order_by("hit__number", "position")
                    .values_list("hit__number", "segment__number")
                )
            )
        assert numbers[0] == numbers[1]

    def test_a_hit_holds_consecutive_segments_of_one_document(self) -> None:
        test_set = make_test_set(make_campaign(), documents=(8, 5, 2))
        hits_plan(test_set_id=test_set.pk, count=30)
        for hit in HIT.objects.all():
            places = list(hit.blocks.values_list("segment__document", "segment__position"))
            assert len({document for document, _ in places}) == 1
            positions = [position for _, position in places]
            assert positions == list(range(positions[0], positions[0] + len(positions)))
            assert len(positions) in {2, 3}

    def test_no_block_shows_one_text_twice(self) -> None:
        test_set = make_test_set(make_campaign())
        hits_plan(test_set_id=test_set.pk, count=30)
        for block in Block.objects.all():
            shown = [candidate.outputs.values("text") for candidate in block.candidates.all()]
            texts = [{row["text"] for row in rows} for rows in shown]
            assert all(len(of_one) == 1 for of_one in texts)
            assert len({text for of_one in texts for text in of_one}) == len(texts)

    def test_planning_ends_at_what_is_wanted(self) -> None:
        test_set = make_test_set(make_campaign(), blocks_wanted=10)
        assert pool_fill(test_set_id=test_set.pk) == 4
        assert HITSequence.objects.get().blocks_planned in {10, 11, 12}
        assert pool_fill(test_set_id=test_set.pk) == 0

    def test_outputs_that_are_all_identical_end_planning(self) -> None:
        test_set = make_test_set(make_campaign())
        Output.objects.update(text="überall dasselbe")
        assert pool_fill(test_set_id=test_set.pk) == 0

    def test_the_pool_is_filled_to_its_size(self) -> None:
        test_set = make_test_set(make_campaign())
        pool_fill(test_set_id=test_set.pk, size=20)
        lend(make_judge(test_set.campaign))
        assert pool_fill(test_set_id=test_set.pk, size=20) == 1
