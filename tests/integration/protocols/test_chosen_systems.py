"""Designs of chosen systems: what is drawn, what is refused, and what is said of the others."""

import json
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.export.shown import systems_shown
from annotation.models import HIT, Design
from annotation.selectors import assigned_blocks
from annotation.selectors.planned import plans_read
from annotation.selectors.systems import withdrawal_in_words
from annotation.services import (
    DesignRefusedError,
    design_change,
    design_use_again,
    hit_redraw,
    hits_plan,
    judgment_submit,
    judgments_number,
)
from annotation.services.systems import SystemRefusedError, system_change, system_withdraw
from campaign.models import Protocol, System, Task
from ranking.analyses import ANALYSES
from ranking.selectors.design_forecast import design_forecast
from ranking.services import ranking_run_compute
from ranking.services.analyses import analysis_ask, analysis_choice, analysis_compute
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_organiser, make_task
from tests.integration.protocols.conftest import MakeTask

pytestmark = pytest.mark.django_db

PAIR = ["cobalt", "dune"]


@pytest.fixture
def ranking() -> Task:
    """Six systems and a reference, of which nothing is planned."""
    return make_task(make_campaign(show_reference=False), documents=(6, 5), planned=0)


def shown(task: Task) -> set[str]:
    """Return the systems behind what HITs of the newest design show."""
    newest = HIT.objects.filter(task=task, design=task.designs.latest())
    plans = plans_read(newest.values_list("pk", flat=True))
    return {
        name
        for plan in plans.values()
        for block in plan.blocks
        for names in block.systems
        for name in names
    }


@pytest.mark.parametrize("kind", ["uniform", "balanced", "active", "binary", "all"])
def test_only_chosen_systems_are_drawn_and_drawn_again(ranking: Task, kind: str) -> None:
    hits_plan(task_id=ranking.pk, count=2)
    design_change(task=ranking, kind=kind, systems_per_block=2, systems=["dune", "cobalt", "amber"])
    hits_plan(task_id=ranking.pk, count=8)
    # Birch wrote what amber wrote on every other segment: nothing is said of it.
    assert shown(ranking) == {"amber", "cobalt", "dune"}
    hits = list(HIT.objects.filter(task=ranking).order_by("number"))
    plans = plans_read([hit.pk for hit in hits])
    assert [hit_redraw(hit) for hit in hits] == [plans[hit.pk] for hit in hits]


def test_the_reference_is_chosen_like_a_system_or_drawn_at_its_rate(ranking: Task) -> None:
    design_change(task=ranking, kind="binary", systems=[*PAIR, "_ref"], reference_rate=None)
    hits_plan(task_id=ranking.pk, count=6)
    assert shown(ranking) == {*PAIR, "_ref"}
    with pytest.raises(DesignRefusedError, match="reference_rate") as refused:
        design_change(task=ranking, reference_rate=0.5)
    assert refused.value.field == "systems"
    design_change(task=ranking, systems=PAIR, reference_rate=0.5)
    hits_plan(task_id=ranking.pk, count=6)
    assert shown(ranking) == {*PAIR, "_ref"}
    design_change(task=ranking, reference_rate=0)
    hits_plan(task_id=ranking.pk, count=6)
    assert shown(ranking) == set(PAIR)


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"systems": ["cobalt"], "kind": "binary"}, "a block shows 2 outputs"),
        ({"systems": PAIR}, "a block shows 5 outputs"),
        ({"systems": [*PAIR, "granite"]}, "the test set has no granite"),
    ],
)
def test_what_fills_no_block_is_refused(
    ranking: Task, parameters: dict[str, Any], words: str
) -> None:
    with pytest.raises(DesignRefusedError, match=words) as refused:
        design_change(task=ranking, **parameters)
    assert refused.value.field == "systems"
    assert Design.objects.count() == 1


def test_withdrawn_systems_fill_no_block(ranking: Task) -> None:
    before = design_change(task=ranking, kind="binary", systems=PAIR)
    dune = System.objects.get(name="dune")
    assert "1 of them would be left" in withdrawal_in_words(system=dune)[-1]
    with pytest.raises(SystemRefusedError, match="A design names it"):
        system_change(system=dune, name="hill")
    hits_plan(task_id=ranking.pk, count=4)
    system_withdraw(system=dune)
    assert hits_plan(task_id=ranking.pk, count=4) == 0
    with pytest.raises(DesignRefusedError, match="1 of the chosen systems"):
        design_change(task=ranking, seed=9)
    design_change(task=ranking, systems=["amber", "cobalt", "dune"])
    hits_plan(task_id=ranking.pk, count=4)
    assert shown(ranking) == {"amber", "cobalt"}
    with pytest.raises(DesignRefusedError, match="1 of the chosen systems"):
        design_use_again(design=before)


def test_sorts_and_rounds_are_of_chosen_systems(make_task_of: MakeTask) -> None:
    sorting = make_task_of(Protocol.SORTING, show_reference=False)
    design_change(task=sorting, systems=["amber", *PAIR])
    hits_plan(task_id=sorting.pk, count=6)
    assert shown(sorting) <= {"amber", *PAIR}
    rating = Task.objects.create(test_set=sorting.test_set, protocol=Protocol.RATING)
    design_change(task=rating, systems=PAIR)
    hits_plan(task_id=rating.pk, count=6)
    assert shown(rating) == set(PAIR)


@pytest.fixture
def judged(make_task_of: MakeTask) -> Task:
    """Two of six systems, compared by three judges."""
    task = make_task_of(Protocol.TWO_OUTPUTS, blocks_per_judge=None)
    HIT.objects.filter(task=task).delete()
    cobalt = System.objects.get(name="cobalt").pk
    design_change(
        task=task, systems=PAIR, redundancy=3, segments_per_hit=1, segment_order="sequential"
    )
    hits_plan(task_id=task.pk, count=24)
    for number in range(3):
        judge = make_judge(task.test_set.campaign, f"judge{number}")
        held = None
        for _hit in range(8):
            held = lend(judge, held)
            for block in assigned_blocks(held):
                [first, _second] = systems_shown([block.block_id])[block.block_id]
                verdict = "first" if (cobalt in first) != (number == 2) else "second"
                judgment_submit(assigned=block, client_id=uuid4(), answer={"verdict": verdict})
    judgments_number(task_id=task.pk)
    return task


def test_every_analysis_says_who_was_not_judged(judged: Task) -> None:
    run = ranking_run_compute(task_id=judged.pk)
    assert run is not None
    assert {row["system"] for row in run.result["systems"]} == set(PAIR)
    for kind, analysis in ANALYSES.items():
        if analysis.protocols is not None and Protocol.TWO_OUTPUTS not in analysis.protocols:
            continue
        asked = analysis_ask(task=judged, choice=analysis_choice(kind, {}), is_queued=False)
        done = analysis_compute(analysis=asked)
        assert done.reports is not None, kind
        assert "Not judged: amber, birch, ember, fjord." in json.dumps(done.reports["en"]), kind


def test_the_forecast_is_of_chosen_systems(judged: Task) -> None:
    found = design_forecast(task=judged, design=judged.designs.latest())
    assert found is not None
    assert (found.systems, found.all_systems, found.pairs) == (2, 6, 1)


def test_page_rest_and_command_choose_systems(ranking: Task) -> None:
    campaign = ranking.test_set.campaign
    client = Client()
    client.force_login(make_organiser(campaign))
    hits_plan(task_id=ranking.pk, count=1)
    page = f"/campaigns/{campaign.slug}/tasks/{ranking.pk}/design/"
    form = client.get(page).context["form"]
    assert ("_ref", "_ref (reference)") in form.fields["systems"].choices
    fields = {name: form[name].value() for name in form.fields}
    sent = {
        name: value for name, value in fields.items() if value is not None and value is not False
    }
    asked = client.post(page, {**sent, "kind": "binary", "systems": PAIR})
    assert 'name="systems" value="dune"' in asked.content.decode()
    again = {**asked.context["question"].fields, "act": "yes"}
    done = client.post(page, again, follow=True).content.decode()
    assert ranking.designs.latest().systems == PAIR
    assert "Systems: all → cobalt, dune" in done
    assert "Of 2 chosen systems of 7: the others are not judged" in done

    address = f"/api/v1/tasks/{ranking.pk}/designs/"
    body = {"systems": ["amber", "amber", "dune"], "confirm": True}
    made = client.post(address, body, content_type="application/json")
    assert (made.status_code, made.json()["systems"]) == (201, ["amber", "dune"])
    refused = client.post(address, {"systems": ["amber"]}, content_type="application/json")
    assert list(refused.json()["errors"]) == ["systems"]
    forecast = client.post(f"{address}forecast/", {}, content_type="application/json").json()
    assert (forecast["systems"], forecast["all_systems"]) == (2, 7)

    named = ["--campaign", campaign.slug, "--test-set", ranking.test_set.name]
    call_command("change_design", *named, "--systems", "ember", "fjord", "--verbosity", "0")
    assert ranking.designs.latest().systems == ["ember", "fjord"]
    call_command("change_design", *named, "--systems", "all", "--verbosity", "0")
    assert ranking.designs.latest().systems == []
