"""HITs go to judges one to one, however many ask at once."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any

import pytest
from django.db import IntegrityError, connection, transaction
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from annotation.models import HIT, Assignment, Exposure, JudgeAccount, Judgment
from annotation.selectors import hits_for_judge
from annotation.services import (
    assignment_lend,
    design_change,
    hits_plan,
    leases_release,
    pool_fill,
    work_want,
)
from campaign.models import Judge, TestSet
from tests.at_work import expire, judge_all_of, judge_one_hit, lend
from tests.factories import make_campaign, make_judge, make_long_test_set, make_test_set


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

    def test_judges_get_only_languages_they_read(self) -> None:
        campaign = make_test_set(make_campaign()).campaign
        arabic = make_test_set(campaign, name="ar", target_language="ar")
        judge = make_judge(campaign, languages=["en", "ar"])
        assert lend(judge).hit.test_set == arabic
        assert assignment_lend(judge=make_judge(campaign, "cz", languages=["cs", "en"])) is None

    def test_judges_get_only_subjects_they_know(self) -> None:
        campaign = make_campaign()
        make_test_set(campaign, name="law", expertise=["law", "patents"])
        general = make_test_set(campaign, name="general")
        assert lend(make_judge(campaign, "1", expertise=["law"])).hit.test_set == general
        lawyer = make_judge(campaign, "2", expertise=["patents", "law", "cooking"])
        assert lend(lawyer).hit.test_set.name == "law"

    def test_a_judge_never_sees_a_segment_twice(self) -> None:
        test_set = make_test_set(make_campaign(), documents=(9, 6), planned=60)
        judge = make_judge(test_set.campaign)
        while judge_one_hit(judge) is not None:
            pass
        seen = Counter(Judgment.objects.values_list("block__segment", flat=True))
        assert len(seen) > 6
        assert set(seen.values()) == {1}

    def test_the_database_refuses_to_show_a_segment_twice(self) -> None:
        judge = make_judge(make_test_set(make_campaign()).campaign)
        assignment = lend(judge)
        segment = assignment.hit.segment_ids[0]
        again = {"judge": judge, "segment_id": segment, "assignment": assignment}
        with pytest.raises(IntegrityError, match="exposure_once"), transaction.atomic():
            Exposure.objects.create(**again)
        Exposure.objects.create(**again, is_repeat=True)

    def test_copies_for_other_judges_go_to_other_judges(self) -> None:
        test_set = make_test_set(make_campaign(), planned=0)
        design_change(test_set=test_set, redundancy=3)
        hits_plan(test_set_id=test_set.pk, count=3)
        judges = [make_judge(test_set.campaign, f"judge{i}") for i in range(3)]
        held = [lend(judge).hit for judge in judges]
        assert sorted(hit.purpose for hit in held) == ["first", "redundancy", "redundancy"]
        assert len({tuple(hit.segment_ids) for hit in held}) == 1
        assert all(judge_one_hit(judge) for judge in judges)
        assert all(judge_one_hit(judge) is None for judge in judges)

    @pytest.mark.parametrize("asked", [3, 4, 6])
    def test_a_judge_is_done_after_what_is_asked_of_a_judge(self, asked: int) -> None:
        test_set = make_test_set(make_campaign(blocks_per_judge=asked), documents=(30,), planned=40)
        judge = make_judge(test_set.campaign)
        first = lend(judge)
        ahead = assignment_lend(judge=judge, after=first)
        assert (ahead is None) == (asked == 3)
        judge_all_of(first)
        if ahead is not None:
            judge_all_of(ahead)
        assert assignment_lend(judge=judge) is None
        assert work_want(judge=judge).lack == "done"
        assert assignment_lend(judge=make_judge(test_set.campaign, "other")) is not None

    @pytest.mark.parametrize("planned", [3, 150])
    def test_lending_takes_as_many_queries_however_full_the_pool(
        self, planned: int, django_assert_max_num_queries: DjangoAssertNumQueries
    ) -> None:
        test_set = make_long_test_set(make_campaign(), segments=40)
        hits_plan(test_set_id=test_set.pk, count=planned)
        judge = make_judge(test_set.campaign)
        with django_assert_max_num_queries(19):
            lend(judge)


@pytest.mark.django_db
class TestLeases:
    @pytest.fixture
    def test_set(self) -> TestSet:
        return make_test_set(make_campaign(), blocks_wanted=1)

    def test_an_expired_hit_goes_to_another_judge(self, test_set: TestSet) -> None:
        first = lend(make_judge(test_set.campaign, "judge01"))
        other = make_judge(test_set.campaign, "judge02")
        assert assignment_lend(judge=other) is None
        expire(first)
        assert lend(other).hit_id == first.hit_id

    @pytest.mark.parametrize("marked", [False, True])
    def test_an_expired_hit_is_resumed_by_its_judge_if_still_there(
        self, test_set: TestSet, marked: bool
    ) -> None:
        judge = make_judge(test_set.campaign)
        first = lend(judge)
        expire(first)
        if marked:
            assert leases_release() == 1
        again = lend(judge)
        assert again == first
        assert again.released_at is None
        assert again.expires_at > timezone.now()
        assert Exposure.objects.count() == len(first.hit.segment_ids)

    def test_a_judge_whose_expired_hit_went_elsewhere_gets_another(self) -> None:
        campaign = make_test_set(make_campaign()).campaign
        judge = make_judge(campaign, "judge01")
        first = lend(judge)
        expire(first)
        assert lend(make_judge(campaign, "judge02")).hit_id == first.hit_id
        assert lend(judge).hit_id != first.hit_id
        first.refresh_from_db()
        assert first.released_at is not None

    def test_only_leases_that_ran_out_are_released(self) -> None:
        campaign = make_test_set(make_campaign()).campaign
        lent = [lend(make_judge(campaign, f"judge{i}")) for i in range(3)]
        expire(lent[1])
        judge_all_of(lent[2])
        assert leases_release() == 1
        assert Assignment.objects.get(released_at__isnull=False) == lent[1]

    def test_a_late_judgment_is_kept_and_the_hit_is_not_lent_again(self, test_set: TestSet) -> None:
        late = lend(make_judge(test_set.campaign, "late"))
        expire(late)
        leases_release()
        judge_all_of(late)
        assert Judgment.objects.count() == len(late.hit.segment_ids)
        assert assignment_lend(judge=make_judge(test_set.campaign, "next")) is None

    @pytest.mark.parametrize("hours", [-3, 3])
    def test_a_servers_wrong_clock_changes_nothing(
        self, hours: int, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Only the database's clock counts: planned, lent, held, released, submitted."""
        right = timezone.now
        monkeypatch.setattr(timezone, "now", lambda: right() + timedelta(hours=hours))
        test_set = make_test_set(make_campaign(), blocks_wanted=6)
        judge = make_judge(test_set.campaign)
        first = lend(judge)
        assert lend(judge) == first
        assert leases_release() == 0
        assert abs(first.expires_at - right() - timedelta(hours=1)) < timedelta(minutes=5)
        judge_all_of(first)
        first.refresh_from_db()
        assert first.completed_at is not None
        assert abs(first.completed_at - right()) < timedelta(minutes=5)
        other = lend(make_judge(test_set.campaign, "other"))
        assert other.hit_id != first.hit_id


@pytest.mark.django_db
class TestCost:
    def test_lending_costs_the_same_with_a_long_history(self) -> None:
        """One walk over the index of the pool, which ends at the first HIT that suits."""
        test_set = make_test_set(make_campaign(), documents=(30,), planned=50)
        judge = make_judge(test_set.campaign)
        judge_one_hit(judge)
        _history_make(test_set, hits=range(1_000, 5_000), judges=range(300))
        before = _walk(judge, test_set)
        _history_make(test_set, hits=range(5_000, 105_000), judges=range(300, 3_300))
        after = _walk(judge, test_set)
        assert _nodes(after) == _nodes(before)
        assert ("Index Scan", "hit_pool") in _nodes(after)
        assert not any("Seq Scan" in kind or kind == "Sort" for kind, _index in _nodes(after))
        assert _rows_examined(after) == _rows_examined(before) <= 60
        assert after["Shared Hit Blocks"] + after["Shared Read Blocks"] <= 200


def _history_make(test_set: TestSet, *, hits: range, judges: range) -> None:
    """HITs that are done, and judges who saw every segment."""
    design = test_set.designs.get()
    with connection.cursor() as cursor:
        cursor.execute(
            """
            INSERT INTO annotation_hit (
                test_set_id, design_id, number, purpose, segment_ids, system_ids, why,
                available_at, completed_at
            )
            SELECT %s, %s, n, 'first', '{1,2,3}', '{1,2}', '{}', now(), now()
            FROM generate_series(%s, %s) n
            """,
            [test_set.pk, design.pk, hits[0], hits[-1]],
        )
        cursor.execute(
            """
            WITH judges AS (
                INSERT INTO campaign_judge (
                    campaign_id, pseudonym, origin, languages, expertise, note, created_at
                )
                SELECT %s, 'judge ' || n, 'imported', '{}', '{}', '', now()
                FROM generate_series(%s, %s) n
                RETURNING id
            )
            INSERT INTO annotation_exposure (judge_id, segment_id, assignment_id, is_repeat)
            SELECT j.id, s.id, (SELECT min(id) FROM annotation_assignment), false
            FROM judges j, campaign_segment s WHERE s.test_set_id = %s
            """,
            [test_set.campaign_id, judges[0], judges[-1], test_set.pk],
        )


def _walk(judge: Judge, test_set: TestSet) -> dict[str, Any]:
    hits = hits_for_judge(judge=judge, test_set_id=test_set.pk, conflicts=[999_999])
    query = hits.waiting().select_for_update(skip_locked=True, no_key=True)[:1]
    sql, parameters = query.query.sql_with_params()
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE annotation_hit, annotation_exposure")
        cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", parameters)
        plan: dict[str, Any] = cursor.fetchone()[0][0]["Plan"]
    return plan


def _each(plan: dict[str, Any]) -> list[dict[str, Any]]:
    return [plan, *(node for child in plan.get("Plans", []) for node in _each(child))]


def _nodes(plan: dict[str, Any]) -> list[tuple[str, str]]:
    return [(node["Node Type"], node.get("Index Name", "")) for node in _each(plan)]


def _rows_examined(plan: dict[str, Any]) -> int:
    return sum(
        (node["Actual Rows"] + node.get("Rows Removed by Filter", 0)) * node["Actual Loops"]
        for node in _each(plan)
        if node["Node Type"] == "Index Scan"
    )


@pytest.mark.django_db(transaction=True)
class TestManyAtOnce:
    def test_fifty_judges_at_once_hold_fifty_hits(self) -> None:
        """Real connections, all asking at the same moment, twice each as two tabs would."""
        test_set = make_test_set(make_campaign(), planned=60)
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

    def test_fifty_judges_judge_everything_while_the_pool_is_filled(self) -> None:
        """No HIT is lost, none judged twice, and each window by as many judges as wanted."""
        test_set = make_long_test_set(make_campaign(), segments=60, systems=3, blocks_wanted=240)
        design_change(test_set=test_set, segments_per_hit=2, redundancy=2, inter_share=0.1)
        pool_fill(test_set_id=test_set.pk, size=30)
        judges = [make_judge(test_set.campaign, f"judge{i:02}") for i in range(50)]
        together = Barrier(51)

        def work(judge: Judge) -> None:
            try:
                together.wait(timeout=60)
                for _ask in range(8):
                    if judge_one_hit(judge) is None:
                        work_want(judge=judge)
            finally:
                connection.close()

        def plan() -> None:
            try:
                together.wait(timeout=60)
                for _round in range(25):
                    pool_fill(test_set_id=test_set.pk, size=30)
            finally:
                connection.close()

        with ThreadPoolExecutor(51) as pool:
            planner = pool.submit(plan)
            list(pool.map(work, judges))
            planner.result()
        for judge in judges:
            pool_fill(test_set_id=test_set.pk)
            while judge_one_hit(judge) is not None:
                pass
        assert not HIT.objects.filter(completed_at__isnull=True).exists()
        assert set(Counter(Assignment.objects.values_list("hit", flat=True)).values()) == {1}
        assert 240 <= Judgment.objects.count() <= 243
        assert set(Counter(Judgment.objects.values_list("block", flat=True)).values()) == {1}
        twice = Counter(Exposure.objects.values_list("judge", "segment"))
        assert set(twice.values()) == {1}
        for first in HIT.objects.filter(purpose="first", repeated_by__purpose="redundancy"):
            by = {first.assignments.get().judge_id}
            by.update(copy.assignments.get().judge_id for copy in first.repeated_by.all())
            assert len(by) == 1 + first.repeated_by.count()
        lent = sum(JudgeAccount.objects.values_list("hits_lent", flat=True))
        assert lent == Assignment.objects.count()
