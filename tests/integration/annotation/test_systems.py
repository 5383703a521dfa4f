"""Systems: what is said of them, and one that is withdrawn while judges judge."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import OperationalError, connection, transaction
from django.test import Client
from django.urls import reverse

from annotation.models import HIT, HITPurpose, PlanningBatch
from annotation.selectors.drawing import texts_now
from annotation.selectors.hits import plans_read
from annotation.selectors.systems import (
    hits_never_lent,
    judgments_showing,
)
from annotation.services.lending.lend import assignments_release
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan, pool_fill
from annotation.services.systems import (
    SystemRefusedError,
    system_change,
    system_restore,
    system_withdraw,
)
from campaign.models import (
    System,
    Task,
)
from campaign.services.judges import conflict_declare
from ranking.services.runs import ranking_run_compute
from tests.at_work import assignment_lend, expire, judge_all_of, lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), documents=(30, 30), planned=30)


def named(task: Task, name: str) -> System:
    return task.test_set.systems.get(name=name)


def shown_in(hits: Any, system: System) -> int:
    return int(hits.filter(system_ids__contains=[system.pk]).count())


def redrawn(task: Task) -> None:
    hits = HIT.objects.filter(task=task).exclude(purpose=HITPurpose.TRAINING)
    plans = plans_read(list(hits.values_list("pk", flat=True)))
    for hit in hits:
        assert hit_redraw(hit) == plans[hit.pk], hit.number


class TestWithdrawing:
    @pytest.mark.thorough
    def test_unlent_hits_of_a_withdrawn_system_are_withdrawn(self, task: Task) -> None:
        dune = named(task, "dune")
        before = shown_in(HIT.objects.incomplete(), dune)
        assert before > 5
        assert system_withdraw(system=dune) == before
        assert shown_in(HIT.objects.incomplete(), dune) == 0
        assert HIT.objects.exclude(withdrawn_at=None).count() == before
        hits_plan(task_id=task.pk, count=40)
        assert shown_in(HIT.objects.incomplete(), dune) == 0
        assert HIT.objects.incomplete().count() == 30 - before + 40
        redrawn(task)

    @pytest.mark.thorough
    def test_another_system_that_wrote_the_same_is_still_shown(
        self,
        task: Task,
    ) -> None:
        system_withdraw(system=named(task, "amber"))
        hits_plan(task_id=task.pk, count=30)
        birch = named(task, "birch")
        odd = task.test_set.segments.filter(number__in=range(1, 60, 2)).values_list(
            "pk",
            flat=True,
        )
        fresh = HIT.objects.filter(batch=PlanningBatch.objects.latest("pk"))
        shown = fresh.filter(
            system_ids__contains=[birch.pk],
            segment_ids__overlap=list(odd),
        )
        assert shown.exists()
        redrawn(task)

    @pytest.mark.thorough
    @pytest.mark.parametrize("kind", ["uniform", "balanced", "active"])
    def test_every_design_leaves_it_out_and_takes_it_back(
        self,
        task: Task,
        kind: str,
    ) -> None:
        design_change(task=task, kind=kind, redundancy=2, inter_share=0.3)
        hits_plan(task_id=task.pk, count=20)
        ember = named(task, "ember")
        system_withdraw(system=ember)
        pool_fill(task_id=task.pk, size=60)
        assert shown_in(HIT.objects.incomplete(), ember) == 0
        system_restore(system=ember)
        hits_plan(task_id=task.pk, count=20)
        assert shown_in(HIT.objects.incomplete(), ember) > 0
        redrawn(task)

    @pytest.mark.thorough
    def test_standby_hits_of_a_withdrawn_system_are_withdrawn(
        self,
        task: Task,
        settings: Any,
    ) -> None:
        settings.POOL_MIN_HITS = 60
        design_change(task=task, kind="active", systems_per_block=2, segments_per_hit=1)
        pool_fill(task_id=task.pk)
        ember = named(task, "ember")
        assert shown_in(HIT.objects.standby(), ember)
        system_withdraw(system=ember)
        assert HIT.objects.standby().exists()
        pool_fill(task_id=task.pk)
        assert shown_in(HIT.objects.incomplete(), ember) == 0
        redrawn(task)

    def test_texts_that_were_read_before_are_of_no_use(self, task: Task) -> None:
        texts = texts_now(task.pk)
        dune = named(task, "dune")
        system_withdraw(system=dune)
        hits_plan(task_id=task.pk, count=20, texts=texts)
        assert shown_in(HIT.objects.incomplete(), dune) == 0

    @pytest.mark.thorough
    def test_holder_finishes_a_withdrawn_hit_and_expired_judge_gets_another(
        self,
        task: Task,
    ) -> None:
        judge, away = (
            make_judge(task.test_set.campaign),
            make_judge(task.test_set.campaign, "away"),
        )
        held, left = lend(judge), lend(away)
        for system in System.objects.filter(
            pk__in={*held.hit.system_ids, *left.hit.system_ids},
        ):
            if system.pk in held.hit.system_ids and system.pk in left.hit.system_ids:
                break
        expire(left)
        system_withdraw(system=system)
        assert lend(judge) == held
        judge_all_of(held)
        pool_fill(task_id=task.pk, size=30)
        other = lend(away)
        assert other != left
        assert system.pk not in other.hit.system_ids
        for number in range(12):
            assert (
                system.pk
                not in lend(
                    make_judge(task.test_set.campaign, f"j{number}"),
                ).hit.system_ids
            )

    def test_returned_hit_is_lent_again_only_after_its_system_is_restored(self) -> None:
        task = make_task(make_campaign(), planned=1)
        judge = make_judge(task.test_set.campaign)
        held = lend(judge)
        system = System.objects.get(pk=held.hit.system_ids[0])
        assignments_release(judge=judge)
        system_withdraw(system=system)
        other = make_judge(task.test_set.campaign, "other")
        assert assignment_lend(judge=other) is None
        system_restore(system=system)
        assert lend(other).hit == held.hit

    @pytest.mark.thorough
    def test_a_ranking_goes_on_listing_it(self, task: Task) -> None:
        judge = make_judge(task.test_set.campaign)
        for _hit in range(8):
            judge_all_of(lend(judge))
        dune = named(task, "dune")
        judged = judgments_showing(dune)
        assert judged.number > 0
        assert not judged.is_estimated
        system_withdraw(system=dune)
        run = ranking_run_compute(task_id=task.pk)
        assert run is not None
        rows = run.result["systems"] + run.result["not_estimable"]
        assert "dune" in {row["system"] for row in rows}
        assert judgments_showing(dune) == judged
        client = Client()
        client.force_login(make_organiser(task.test_set.campaign))
        page = client.get(reverse("test-set-dashboard", args=["museum", task.pk]))
        assert (
            'dune</bdi></a></span> <span class="badge">Withdrawn</span>'
            in page.content.decode()
        )


@pytest.mark.django_db(transaction=True)
def test_a_withdrawal_waits_for_who_is_planning() -> None:
    task = make_task(make_campaign(), documents=(30,), planned=0)
    dune = named(task, "dune")

    def withdraw() -> int:
        try:
            with connection.cursor() as cursor:
                cursor.execute("SET lock_timeout = '300ms'")
            return system_withdraw(system=dune)
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            hits_plan(task_id=task.pk, count=10)
            with pytest.raises(OperationalError, match="lock timeout"):
                pool.submit(withdraw).result()
        assert (
            shown_in(HIT.objects.incomplete(), dune) == pool.submit(withdraw).result()
        )
    assert shown_in(HIT.objects.incomplete(), dune) == 0


class TestSaying:
    def test_the_name_may_change_until_hits_are_drawn(self) -> None:
        task = make_task(make_campaign(), planned=0)
        dune = named(task, "dune")
        system_change(system=dune, name="dunes", team="Dune GmbH", constrained=True)
        hits_plan(task_id=task.pk, count=1)
        with pytest.raises(SystemRefusedError, match="drawn or judged") as refused:
            system_change(system=dune, name="dune", team="other")
        assert refused.value.field == "name"
        dune.refresh_from_db()
        assert (dune.name, dune.team, dune.constrained) == ("dunes", "Dune GmbH", True)

    def test_the_pages(self, task: Task, client: Client) -> None:
        dune = named(task, "dune")
        conflict_declare(
            judge=make_judge(task.test_set.campaign, "cousin"),
            system=dune,
        )
        client.force_login(make_organiser(task.test_set.campaign))
        of = ["museum", task.pk]
        page = reverse("system", args=[*of, dune.pk])
        assert "cousin" in client.get(page, follow=True).content.decode()
        assert client.post(page, {"approach": "x" * 300}).status_code == 400
        sent = {"approach": "neural", "constrained": "false", "name": "other"}
        assert client.post(page, sent).status_code == 302
        dune.refresh_from_db()
        assert (dune.name, dune.approach, dune.constrained) == ("dune", "neural", False)
        listed = client.get(reverse("systems", args=of)).content.decode()
        assert "cousin" in listed
        assert "neural" in listed
        withdraw = reverse("system-withdraw", args=[*of, dune.pk])
        count = hits_never_lent(system=dune).count()
        asked = client.post(withdraw).content.decode()
        assert f"{count} planned HITs with it are replaced" in asked
        assert "6 systems remain" in asked
        assert client.post(withdraw, {"act": "yes"}).status_code == 302
        dune.refresh_from_db()
        assert dune.withdrawn_at is not None
        client.post(reverse("system-restore", args=[*of, dune.pk]))
        dune.refresh_from_db()
        assert dune.withdrawn_at is None
