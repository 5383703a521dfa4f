"""The page of a test set's texts, for organisers."""

import re
from typing import Any

import pytest
from django.test import Client

from campaign.models import Segment, System, Task
from campaign.selectors.texts import texts_page
from tests.factories import make_campaign, make_organiser, make_task

pytestmark = pytest.mark.django_db


@pytest.fixture
def task() -> Task:
    return make_task(
        make_campaign(),
        documents=(30, 25),
        planned=0,
        target_language="ar",
    )


def test_pages_are_in_order_and_lead_to_one_another(task: Task) -> None:
    def numbers(start: int) -> tuple[int | None, list[int], int | None]:
        page = texts_page(task=task, start=start)
        return page.before, [each.number for each in page.segments], page.after

    assert numbers(1) == (None, list(range(1, 26)), 26)
    assert numbers(26) == (1, list(range(26, 51)), 51)
    assert numbers(51) == (26, list(range(51, 56)), None)
    assert numbers(31) == (6, list(range(31, 56)), None)
    assert numbers(99) == (31, [], None)


def test_the_same_text_of_several_systems_stands_once(task: Task) -> None:
    segment = Segment.objects.get(test_set_id=task.test_set_id, number=2)
    System.objects.filter(
        test_set_id=task.test_set_id,
        name="fjord",
    ).get().outputs.filter(segment=segment).update(
        text=segment.outputs.get(system__name="amber").text,
    )
    damaged = System.objects.create(
        test_set=task.test_set,
        name="damaged",
        kind="bad_reference",
    )
    segment.outputs.create(system=damaged, text="Damaged on purpose.")
    found: Any = texts_page(task=task, start=2).segments[0]
    systems = [tuple(names) for _text, names in found.shared]
    assert ("amber", "fjord") in [
        tuple(n for n in each if n != "birch") for each in systems
    ]
    assert "damaged" not in {name for each in systems for name in each}
    assert list(found.in_order) == [segment.references.get()]


def test_the_page_says_languages(task: Task, client: Client) -> None:
    client.force_login(make_organiser(task.test_set.campaign))
    address = f"/campaigns/museum/tasks/{task.pk}/texts/"
    page = client.get(address, {"segment": "30"}).content.decode()
    assert re.findall(r"Segment (\d+)</a> ·", page)[:2] == ["30", "31"]
    assert 'dir="ltr" translate="no" lang="en"' in page
    # The texts of the outputs have no Arabic letters.
    assert 'dir="auto" translate="no" lang="ar"' in page
    assert 'value="30"' in page
    assert (
        "No segment with this number"
        in client.get(address, {"segment": "56"}).content.decode()
    )
    for nonsense in ("-1", "x", "²", "9" * 30):
        assert (
            "Segment 1</a> ·"
            in client.get(address, {"segment": nonsense}).content.decode()
        )
