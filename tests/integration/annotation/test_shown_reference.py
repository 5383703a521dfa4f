"""Judges do not rank a reference that they see, unless an organiser asked for exactly that."""

import pytest
from django.test import Client

from annotation.models import HIT, Design
from annotation.selectors.hits import plans_read
from annotation.services.planning.designs import (
    DesignRefusedError,
    design_change,
    design_ensure,
)
from annotation.services.planning.pool import hits_plan
from campaign.models import Output, Reference, SystemKind, Task
from campaign.services.campaigns import ReferenceRankedError, campaign_change
from tests.damaged_references import damaged_references_approve
from tests.factories import make_campaign, make_organiser, make_task

pytestmark = pytest.mark.django_db
KINDS = ("uniform", "balanced", "active", "binary", "all")
SETTINGS = "/campaigns/museum/settings/"
TWICE = "can spot it among the outputs"


@pytest.fixture
def shown() -> Task:
    """A campaign that shows the reference, which is a system as well."""
    return make_task(make_campaign(), planned=3)


@pytest.fixture
def hidden() -> Task:
    return make_task(make_campaign(show_reference=False), planned=3)


def outputs_by_reference_alone(task: Task) -> int:
    """How often a planned block holds a text that the reference wrote and no system."""
    plans = plans_read(HIT.objects.filter(task=task).values_list("pk", flat=True))
    blocks = [block for plan in plans.values() for block in plan.blocks]
    assert blocks
    return sum(systems == ("_ref",) for block in blocks for systems in block.systems)


def rate_of(task: Task) -> float | None:
    return task.designs.latest().reference_rate


def is_shown(task: Task) -> bool:
    task.test_set.campaign.refresh_from_db()
    return task.test_set.campaign.show_reference


class TestWhereNothingIsSaid:
    @pytest.mark.parametrize("kind", KINDS)
    def test_no_block_holds_a_text_of_a_shown_reference_alone(self, kind: str) -> None:
        task = make_task(make_campaign(), planned=0)
        # A system may have written the same: its text is ranked as the system's.
        same = Reference.objects.get(
            segment__test_set=task.test_set_id,
            segment__number=2,
        )
        Output.objects.filter(system__name="dune", segment=same.segment).update(
            text=same.text,
        )
        damaged_references_approve(task, seed=1)
        design_change(task=task, kind=kind, bad_reference_rate=0.3)
        hits_plan(task_id=task.pk, count=20)
        assert rate_of(task) == 0
        assert outputs_by_reference_alone(task) == 0
        # Attention checks need no reference among the outputs.
        assert HIT.objects.filter(task=task, holds_check=True).exists()

    def test_a_hidden_reference_is_drawn_like_a_system(self, hidden: Task) -> None:
        assert rate_of(hidden) is None
        assert outputs_by_reference_alone(hidden) > 0

    def test_reference_is_recognized_by_its_text(self) -> None:
        """A reference that is no system, or whose text nobody is shown, leaves the design as it was."""
        without = make_task(make_campaign("one"), with_reference=False, planned=0)
        unlike = make_task(make_campaign("two"), planned=0)
        for task in (without, unlike):
            task.designs.all().delete()
        Output.objects.filter(
            system__test_set=unlike.test_set_id,
            system__name="_ref",
        ).update(text="Another.")
        for task in (without, unlike):
            assert design_ensure(task=task).reference_rate is None
            assert design_change(task=task, reference_rate=0.2).reference_rate == 0.2

    def test_a_second_reference_is_shown_as_the_first(self, shown: Task) -> None:
        for segment in shown.test_set.segments.all():
            Reference.objects.create(
                segment=segment,
                number=2,
                text=f"Zweite {segment.number}.",
            )
        second = shown.test_set.systems.create(name="_ref2", kind=SystemKind.REFERENCE)
        shown.test_set.systems.get(name="_ref").delete()
        for segment in shown.test_set.segments.all():
            second.outputs.create(segment=segment, text=f"Zweite {segment.number}.")
        with pytest.raises(DesignRefusedError, match="museum see the reference"):
            design_change(task=shown, reference_rate=0.2)


class TestDesign:
    @pytest.mark.parametrize("rate", [None, 0.1])
    def test_a_rate_at_which_it_is_ranked_is_refused_and_changes_nothing(
        self,
        shown: Task,
        rate: float | None,
    ) -> None:
        with pytest.raises(DesignRefusedError, match="rank_shown_reference"):
            design_change(task=shown, reference_rate=rate)
        assert Design.objects.count() == 1

    def test_shown_reference_is_ranked_on_request_until_changed(
        self,
        shown: Task,
    ) -> None:
        design_change(task=shown, reference_rate=0.5, rank_shown_reference=True)
        assert design_change(task=shown, redundancy=2).reference_rate == 0.5
        hits_plan(task_id=shown.pk, count=10)
        assert outputs_by_reference_alone(shown) > 0
        assert design_change(task=shown, reference_rate=0).reference_rate == 0


class TestCampaign:
    def test_showing_a_ranked_reference_is_refused_with_how_many_hits_hold_it(
        self,
        hidden: Task,
    ) -> None:
        plans = plans_read(HIT.objects.values_list("pk", flat=True)).values()
        holding = sum(
            any("_ref" in s for b in plan.blocks for s in b.systems) for plan in plans
        )
        assert holding > 0
        with pytest.raises(ReferenceRankedError) as refused:
            campaign_change(
                campaign=hidden.test_set.campaign,
                show_reference=True,
                lease_minutes=5,
            )
        said = " ".join(refused.value.facts)
        assert (
            "museum en-de: the reference is drawn as an output like any system." in said
        )
        assert f"{holding} unfinished HIT" in said
        assert TWICE in said
        assert f"rest POST tasks/{hidden.pk}/designs/ reference_rate:=0" in said
        assert not is_shown(hidden)
        assert hidden.test_set.campaign.lease_minutes == 60

    def test_ranked_reference_is_shown_on_request_until_changed(
        self,
        hidden: Task,
    ) -> None:
        campaign_change(
            campaign=hidden.test_set.campaign,
            show_reference=True,
            rank_shown_reference=True,
        )
        assert is_shown(hidden)
        # Asked once: other changes are made as ever.
        campaign_change(
            campaign=hidden.test_set.campaign,
            show_reference=True,
            pay="voluntary",
        )
        campaign_change(campaign=hidden.test_set.campaign, show_reference=False)
        assert not is_shown(hidden)
        assert rate_of(hidden) is None

    def test_nothing_is_asked_where_nothing_ranks_it(self) -> None:
        task = make_task(make_campaign(show_reference=False), with_reference=False)
        campaign_change(campaign=task.test_set.campaign, show_reference=True)
        assert is_shown(task)

    def test_the_page_says_what_it_would_do_and_asks_for_a_tick(
        self,
        client: Client,
        hidden: Task,
    ) -> None:
        client.force_login(make_organiser(hidden.test_set.campaign))
        wanted = {
            "judged_0": "translations",
            "show_source": "on",
            "show_reference": "on",
            "lease_minutes": "61",
        }
        asked = client.post(SETTINGS, wanted)
        assert "like any system" in asked.content.decode()
        assert 'name="lease_minutes" value="61"' in asked.content.decode()
        assert not is_shown(hidden)
        unticked = client.post(SETTINGS, {**wanted, "act": "yes"})
        assert unticked.status_code == 409
        assert not is_shown(hidden)
        done = client.post(
            SETTINGS,
            {**wanted, "act": "yes", "confirmed": "yes"},
            follow=True,
        )
        assert is_shown(hidden)
        assert hidden.test_set.campaign.lease_minutes == 61
        # The page goes on to say it.
        assert TWICE in done.content.decode()
        hides = client.post(
            SETTINGS,
            {"judged_0": "translations", "show_source": "on", "lease_minutes": "61"},
            follow=True,
        )
        assert not is_shown(hidden)
        assert TWICE not in hides.content.decode()
