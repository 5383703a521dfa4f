"""Tasks that show all segments of a HIT on one page: HITs, their systems, and refusals."""

import json
from collections import Counter
from functools import partial
from typing import Any

import pytest

from annotation.importing import test_sets
from annotation.models import HIT
from annotation.selectors.designs import design_in_force
from annotation.selectors.hits import plans_read
from annotation.selectors.judging import assigned_blocks
from annotation.selectors.shown import assignment_data
from annotation.services.planning.designs import (
    DesignRefusedError,
    design_change,
    design_ensure,
)
from annotation.services.planning.pool import hits_plan
from annotation.services.tasks import task_rules_change
from campaign.formats.recognising import recognise
from campaign.formats.streams import StoredFile
from campaign.models import Protocol, Task
from campaign.services.campaigns import task_close
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_task
from tests.media_samples import opened
from tests.redrawn_hits import hit_redraw

pytestmark = pytest.mark.django_db

DOCUMENT = {"page": "document"}
AT_ONCE = {**DOCUMENT, "all_at_once": True}
#: A document of 12 segments, in two parts, and one of 4.
PAGES = {(1, 2, 3, 4, 5, 6), (7, 8, 9, 10, 11, 12), (13, 14, 15, 16)}


def make_page_task(
    protocol: Protocol,
    rules: dict[str, Any],
    *,
    planned: int = 21,
) -> Task:
    ranking = make_task(make_campaign(), documents=(12, 4), identical=(), planned=0)
    task_close(task=ranking)
    task = Task.objects.create(test_set=ranking.test_set, protocol=protocol)
    task_rules_change(task=task, rules=rules)
    design_ensure(task=task, seed=7)
    if planned:
        hits_plan(task_id=task.pk, count=planned)
    return task


@pytest.mark.parametrize(
    ("protocol", "rules"),
    [
        pytest.param(Protocol.SPANS, DOCUMENT, id="spans"),
        pytest.param(Protocol.RATING, DOCUMENT, id="ratings in passes"),
        pytest.param(Protocol.RATING, AT_ONCE, id="ratings at once"),
    ],
)
def test_a_hit_is_a_part_of_a_document_in_outputs_of_one_system(
    protocol: Protocol,
    rules: dict[str, Any],
) -> None:
    task = make_page_task(protocol, rules)
    hits = list(HIT.objects.filter(task=task, part__lte=1, purpose="first"))
    plans = plans_read([hit.pk for hit in hits])
    shown: Counter[str] = Counter()
    for hit in hits:
        blocks = plans[hit.pk].blocks
        assert tuple(block.segment for block in blocks) in PAGES
        [systems] = {block.systems for block in blocks}
        shown.update(name for names in systems for name in names)
        assert hit_redraw(hit) == plans[hit.pk]
    assert max(shown.values()) - min(shown.values()) <= 1


def test_outputs_of_a_system_that_lacks_a_segment_are_not_mixed_with_others() -> None:
    task = make_page_task(Protocol.SPANS, DOCUMENT, planned=0)
    outputs = task.test_set.systems.get(name="amber").outputs
    outputs.filter(segment__number__in=[2, 8, 14]).delete()
    hits_plan(task_id=task.pk, count=12)
    plans = plans_read(list(HIT.objects.filter(task=task).values_list("pk", flat=True)))
    for plan in plans.values():
        [systems] = {block.systems for block in plan.blocks}
        assert systems != (("amber",),)


def test_the_judging_page_learns_that_it_shows_all_blocks() -> None:
    task = make_page_task(Protocol.SPANS, DOCUMENT)
    judge = make_judge(task.test_set.campaign)
    assignment = lend(judge)
    data = assignment_data(assignment, campaign=judge.campaign)
    assert data["rules"]["page"] == "document"
    assert len(data["blocks"]) == len(assigned_blocks(assignment)) > 3


@pytest.mark.parametrize(
    ("parameters", "field"),
    [
        ({"systems_per_block": 2}, "systems_per_block"),
        ({"segments_per_hit": 11}, "segments_per_hit"),
    ],
)
def test_a_design_that_does_not_fit_on_a_page_is_refused(
    parameters: dict[str, Any],
    field: str,
) -> None:
    task = make_page_task(Protocol.SPANS, DOCUMENT, planned=0)
    with pytest.raises(DesignRefusedError) as refused:
        design_change(task=task, **parameters)
    assert refused.value.field == field


def test_damaged_references_are_refused_where_documents_are_rated_in_passes() -> None:
    task = make_page_task(Protocol.RATING, DOCUMENT, planned=0)
    with pytest.raises(DesignRefusedError) as refused:
        design_change(task=task, bad_reference_rate=0.1)
    assert refused.value.field == "bad_reference_rate"


def test_the_rule_sets_the_length_of_pages_and_plans_hits_anew() -> None:
    task = make_page_task(Protocol.SPANS, {}, planned=0)
    design_change(task=task, segments_per_hit=20)
    task_rules_change(task=task, rules=DOCUMENT)
    design = design_in_force(task_id=task.pk)
    assert design is not None
    assert design.segments_per_hit == 10
    hits_plan(task_id=task.pk, count=1)
    task_rules_change(task=task, rules={"page": "segment"})
    assert not task.hits.exists()


def test_a_task_with_several_outputs_cannot_show_documents() -> None:
    task = make_page_task(Protocol.SPANS, {}, planned=0)
    design_change(task=task, systems_per_block=2)
    with pytest.raises(DesignRefusedError):
        task_rules_change(task=task, rules=DOCUMENT)
    task.refresh_from_db()
    assert "page" not in task.rules or task.rules["page"] == "segment"


@pytest.mark.parametrize(
    ("protocol", "page"),
    [(Protocol.SPANS, "document"), (Protocol.RANKING, None)],
)
def test_documents_of_a_pearmut_campaign_are_shown_on_one_page(
    protocol: Protocol,
    page: str | None,
) -> None:
    items = [
        {
            "src": f"Sentence {number}.",
            "tgt": {"amber": f"Satz {number}.", "birch": f"S. {number}."},
        }
        for number in range(3)
    ]
    content = json.dumps(
        {"info": {"assignment": "dynamic"}, "campaign_id": "x", "data": [items]},
    )
    file = StoredFile("campaign.json", partial(opened, content.encode()))
    test_set = test_sets.test_set_from_files(
        campaign=make_campaign(),
        files=test_sets.TestSetFiles(
            recognised=recognise("museum", [file]),
            name="museum",
            source_language="en",
            target_language="de",
        ),
        protocol=protocol,
    )
    assert test_set.tasks.get().rules.get("page") == page
