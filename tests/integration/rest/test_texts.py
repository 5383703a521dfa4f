"""Documents, and outputs by themselves."""

import pytest
from django.test import Client
from django.urls import reverse

from campaign.models import Output, System, SystemKind, Task
from tests.integration.rest.test_lists import results

pytestmark = pytest.mark.django_db


def test_documents_come_in_their_order_with_where_they_begin(
    task: Task,
    analyst: Client,
) -> None:
    rows = results(analyst, reverse("api-documents", args=[task.pk]))
    documents = list(task.test_set.documents.order_by("position"))
    assert [row["name"] for row in rows] == [each.name for each in documents]
    assert [row["position"] for row in rows] == list(range(1, len(rows) + 1))
    first = 1
    for row, document in zip(rows, documents, strict=True):
        assert row["segments"] == document.segments.count() > 0
        assert row["first_segment"] == first
        first += row["segments"]
    (name, *_rest) = [each.name for each in documents]
    found = results(
        analyst,
        reverse("api-documents", args=[task.pk]) + f"?name={name.upper()}",
    )
    assert name in [row["name"] for row in found]
    assert all(name.lower() in row["name"].lower() for row in found)


def test_outputs_are_those_of_the_systems_but_damaged_references(
    task: Task,
    analyst: Client,
) -> None:
    damaged = System.objects.create(
        test_set=task.test_set,
        name="damaged",
        kind=SystemKind.BAD_REFERENCE,
    )
    segment = task.test_set.segments.get(number=1)
    Output.objects.create(system=damaged, segment=segment, text="all wrong")
    rows = results(analyst, reverse("api-outputs", args=[task.pk]) + "?page_size=1000")
    there = Output.objects.filter(system__test_set=task.test_set).exclude(
        system=damaged,
    )
    assert {
        (row["system"], row["segment"], row["text"], row["kind"]) for row in rows
    } == set(
        there.values_list("system__name", "segment__number", "text", "system__kind"),
    )
    assert len(rows) == there.count() > 20
    assert {row["document"] for row in rows} == set(
        task.test_set.documents.values_list("name", flat=True),
    )


@pytest.mark.parametrize(
    ("query", "field", "values"),
    [
        ("system=birch", "system", {"birch"}),
        ("segment=2", "segment", {2}),
        ("system=amber&segment=3", "segment", {3}),
        ("system=nobody", "system", set()),
    ],
)
def test_outputs_are_filtered(
    task: Task,
    analyst: Client,
    query: str,
    field: str,
    values: set[object],
) -> None:
    rows = results(analyst, reverse("api-outputs", args=[task.pk]) + f"?{query}")
    assert {row[field] for row in rows} == values
