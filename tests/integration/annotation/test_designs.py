"""Changing a design, and reading what was drawn by it and why."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection, transaction
from django.test import Client

from annotation.models import HIT, Design
from annotation.services.planning.batch import PlanningTransaction
from annotation.services.planning.designs import DesignRefusedError, design_change
from annotation.services.planning.pool import hits_plan
from campaign.models import Task
from tests.conftest import Eventually
from tests.factories import make_campaign, make_organiser, make_task
from tests.locks import somebody_waits_for_a_lock

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task(make_campaign(), planned=3)


class TestChange:
    def test_the_change_is_recorded_and_old_hits_keep_their_design(
        self,
        task: Task,
    ) -> None:
        old = task.designs.get()
        organiser = make_organiser(task.test_set.campaign)
        new = design_change(task=task, changed_by=organiser, kind="balanced", seed=3)
        hits_plan(task_id=task.pk, count=2)
        assert [hit.design for hit in HIT.objects.order_by("number")] == [old] * 3 + [
            new,
        ] * 2
        assert (new.changed_by, new.kind, new.seed) == (organiser, "balanced", 3)
        assert new.systems_per_block == old.systems_per_block

    def test_default_seed_has_128_bits(
        self,
        task: Task,
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        monkeypatch.undo()
        Design.objects.all().update(kind="imported")
        design = design_change(task=task)
        design.refresh_from_db()
        assert 2**100 < design.seed < 2**128
        assert design_change(task=task, redundancy=2).seed == design.seed

    def test_omitted_fields_stay_unchanged(self, task: Task) -> None:
        design_change(task=task, intra_share=0.1, documents=[1])
        design = design_change(task=task, redundancy=2)
        assert (design.intra_share, design.documents, design.redundancy) == (
            0.1,
            [1],
            2,
        )

    def test_a_design_that_draws_nothing_is_refused_and_changes_nothing(
        self,
        task: Task,
        subtests: pytest.Subtests,
    ) -> None:
        refused: list[tuple[dict[str, Any], str]] = [
            ({"kind": "random"}, "kind"),
            ({"kind": "imported"}, "imported"),
            ({"systems_per_block": 1}, "systems_per_block: 1 is not between 2 and 26"),
            ({"reference_rate": 1.5}, "reference_rate: 1.5 is not between 0 and 1"),
            ({"intra_share": 0.95}, "intra_share: 0.95 is not between 0 and 0.9"),
            ({"redundancy": 0}, "redundancy: 0 is not between 1 and 50"),
            ({"length_limits": [[30, 1]]}, "length_limits"),
            ({"length_limits": "30:1"}, "length_limits"),
            ({"documents": [3]}, "documents: not in the test set: 3"),
            ({"segments": [1, 99]}, "segments: not in the test set: 99"),
            ({"colour": "blue"}, "colour"),
        ]
        for parameters, message in refused:
            with subtests.test(parameters=parameters):
                with pytest.raises(DesignRefusedError, match=message):
                    design_change(task=task, **parameters)
                assert Design.objects.count() == 1

    def test_redundancy_beyond_what_a_segment_may_have_is_refused(
        self,
        task: Task,
    ) -> None:
        task.blocks_per_segment = 2
        task.save()
        with pytest.raises(DesignRefusedError, match="redundancy: 3 exceeds"):
            design_change(task=task, redundancy=3)


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_design_changes_only_between_two_batches(eventually: Eventually) -> None:
    """While a planner draws, on another connection, the change waits: a batch has one design."""
    task = make_task(make_campaign(), planned=3)

    def change() -> Design:
        try:
            return design_change(task=task, kind="balanced")
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            PlanningTransaction.locked(task.pk)
            changed = pool.submit(change)
            eventually(lambda: changed.done() or somebody_waits_for_a_lock())
            assert not changed.done()
            assert Design.objects.count() == 1
        assert changed.result().kind == "balanced"


class TestWhatOrganisersSee:
    @pytest.fixture
    def organiser(self, client: Client, task: Task) -> Client:
        client.force_login(make_organiser(task.test_set.campaign))
        return client

    def test_the_designs_are_listed_the_one_in_force_first(
        self,
        organiser: Client,
        task: Task,
    ) -> None:
        user = make_organiser(make_campaign("other"), "other@example.org")
        design_change(task=task, changed_by=user, kind="all")
        rows = organiser.get(f"/api/v1/tasks/{task.pk}/designs/").json()["results"]
        assert [(row["kind"], row["changed_by"]) for row in rows] == [
            ("all", "Olga"),
            ("uniform", None),
        ]
        # In digits: JavaScript's numbers have 53 bits.
        assert [row["seed"] for row in rows] == [
            str(each.seed) for each in task.designs.order_by("-id")
        ]

    def test_a_hit_says_why_it_was_drawn(self, organiser: Client, task: Task) -> None:
        design_change(task=task, kind="balanced", redundancy=2)
        hits_plan(task_id=task.pk, count=2)
        address = f"/api/v1/tasks/{task.pk}/hits/?page_size=2"
        first = organiser.get(address).json()
        rows = organiser.get(first["next"]).json()["results"]
        assert [row["number"] for row in rows] == [3, 4]
        copy = organiser.get(f"/api/v1/tasks/{task.pk}/hits/").json()["results"][-1]
        assert (copy["purpose"], copy["repeats"], copy["state"]) == (
            "redundancy",
            4,
            "available",
        )
        assert copy["why"]["purpose"] == "redundancy"
        assert copy["why"]["blocks"][0]["chosen"] == "balanced"

    def test_the_page_lists_hits_with_why(self, organiser: Client, task: Task) -> None:
        page = organiser.get(f"/campaigns/museum/tasks/{task.pk}/hits/")
        assert page.status_code == 200
        text = page.content.decode()
        assert "HIT 3" in text
        assert "all systems equally likely" in text
