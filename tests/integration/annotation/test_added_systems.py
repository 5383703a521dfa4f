"""A system that is added to a test set while judges judge."""

from datetime import timedelta
from functools import partial
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from rest_framework.test import APIClient

from annotation.models import HIT, Assignment
from annotation.selectors.drawing import texts_now
from annotation.selectors.hits import plans_read
from annotation.services.planning.designs import design_change
from annotation.services.planning.pool import hits_plan
from annotation.services.systems import SystemRefusedError, system_add
from campaign.formats.streams import StoredFile
from campaign.models import Output, System, Task
from tests.factories import make_judge, make_organiser
from tests.redrawn_hits import hit_redraw
from tests.some_now import some_now

pytestmark = pytest.mark.django_db

LINES = [f"Neu {number}." for number in range(1, 8)]


def given(lines: list[str], name: str = "gneiss.txt") -> StoredFile:
    content = "".join(f"{line}\n" for line in lines).encode()
    return StoredFile(name, partial(BytesIO, content))


@pytest.mark.parametrize("kind", some_now(["balanced", "uniform", "active"]))
def test_new_system_is_in_later_hits_and_waiting_ones_are_redrawn(
    task: Task,
    kind: str,
) -> None:
    design_change(task=task, kind=kind)
    hits_plan(task_id=task.pk, count=6)
    first = HIT.objects.order_by("number")[0]
    Assignment.objects.create(
        hit=first,
        judge=make_judge(task.test_set.campaign),
        lease=(first.available_at, first.available_at + timedelta(hours=1)),
    )
    read_before = texts_now(task.pk)
    # Read, so that they are kept.
    assert read_before[1].outputs
    before = set(HIT.objects.values_list("pk", flat=True))
    system = system_add(test_set=task.test_set, name="gneiss", file=given(LINES))
    texts = Output.objects.filter(system=system).order_by("segment__number")
    assert list(texts.values_list("text", flat=True)) == LINES
    assert list(HIT.objects.incomplete()) == [first]
    hits_plan(task_id=task.pk, count=20, texts=read_before)
    fresh = HIT.objects.exclude(pk__in=before)
    assert sum(system.pk in hit.system_ids for hit in fresh.order_by("number")[:3]) >= 1
    plans = plans_read(list(HIT.objects.values_list("pk", flat=True)))
    for hit in HIT.objects.all():
        assert hit_redraw(hit) == plans[hit.pk]


@pytest.mark.parametrize(
    ("lines", "said"),
    [
        (LINES[:-1], "line 6: the file ends too early: segment 7"),
        ([*LINES, "more"], "line 8: the file continues after the last of 7 segments"),
        ([*LINES[:2], " ", *LINES[3:]], "line 3: the output for segment 3 is empty"),
        (['{"src_text": "a", "doc_id": "b"}'], "it is WMT's JSON Lines"),
        ([], "the file ends too early: segment 1"),
    ],
)
def test_the_first_thing_that_does_not_fit_is_named_and_nothing_is_stored(
    task: Task,
    lines: list[str],
    said: str,
) -> None:
    before = (System.objects.count(), Output.objects.count())
    with pytest.raises(SystemRefusedError, match=said) as refused:
        system_add(test_set=task.test_set, name="gneiss", file=given(lines))
    assert refused.value.field == "file"
    assert (System.objects.count(), Output.objects.count()) == before


def uploaded(lines: list[str]) -> Any:
    return SimpleUploadedFile("gneiss.txt", "\n".join(lines).encode())


def test_rest(task: Task) -> None:
    api = APIClient()
    address = f"/api/v1/tasks/{task.pk}/systems/"
    assert (
        api.post(address, {"name": "gneiss", "file": uploaded(LINES)}).status_code
        == 401
    )
    api.force_login(make_organiser(task.test_set.campaign))
    wrong = api.post(
        address,
        {"name": "gneiss", "file": uploaded([*LINES, "more"])},
        format="multipart",
    )
    assert (wrong.status_code, list(wrong.json()["errors"])) == (400, ["file"])
    done = api.post(
        address,
        {"name": "gneiss", "file": uploaded(LINES)},
        format="multipart",
    )
    assert (done.status_code, done.json()["name"]) == (201, "gneiss")
