"""Damaged references and training over REST: what the pages of organisers do, and refuse."""

from collections.abc import Callable

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import TrainingBlock
from campaign.models import BadReference, Campaign, Task, User
from campaign.services.bad_references import bad_reference_review, bad_references_make
from tests.factories import make_organiser
from tests.integration.rest.test_lists import results

pytestmark = pytest.mark.django_db

JSON = "application/json"


@pytest.fixture
def organiser(campaign: Campaign, client_of: Callable[[User], Client]) -> Client:
    return client_of(make_organiser(campaign, "boss@example.org"))


@pytest.fixture
def damaged(task: Task) -> str:
    """The address of a task whose segments all have a damaged reference."""
    bad_references_make(test_set=task.test_set, seed=1)
    return reverse("api-bad-references", args=[task.pk])


@pytest.fixture
def training(task: Task, damaged: str) -> str:
    """The address of the training of a task whose damaged references are all approved."""
    for row in BadReference.objects.all():
        bad_reference_review(bad_reference=row, approve=True, reviewer=None)
    return reverse("api-training", args=[task.pk])


def test_damaged_references_are_made_and_listed_beside_what_they_were_made_of(
    task: Task,
    organiser: Client,
) -> None:
    address = reverse("api-bad-references", args=[task.pk])
    assert results(organiser, address) == []
    count = task.test_set.segments.count()
    assert organiser.post(address, {"share": 1}, JSON).json() == {"made": count}
    assert organiser.post(address, {"share": 1}, JSON).json() == {"made": 0}
    rows = results(organiser, address)
    assert [row["segment"] for row in rows] == list(range(1, count + 1))
    for row in rows:
        made = BadReference.objects.get(pk=row["id"])
        segment = made.output.segment
        assert row["text"] == made.output.text
        assert row["source"] == segment.source_text
        assert (
            row["reference"]
            == segment.references.earliest("number").text
            != row["text"]
        )
        assert (row["seed"], row["status"]) == (str(made.seed), "pending")


def test_one_is_reviewed_and_withdrawn_for_good_only_if_that_is_confirmed(
    organiser: Client,
    damaged: str,
) -> None:
    row = results(organiser, damaged)[0]
    address = f"{damaged}{row['id']}/"
    approved = organiser.patch(address, {"status": "approved"}, JSON).json()
    assert approved["status"] == "approved"
    assert approved == organiser.get(address).json()
    assert results(organiser, f"{damaged}?status=approved") == [approved]
    asked = organiser.patch(address, {"status": "rejected"}, JSON)
    assert (asked.status_code, len(asked.json()["words"])) == (409, 3)
    assert BadReference.objects.get(pk=row["id"]).status == "approved"
    sent = {"status": "rejected", "confirm": True}
    assert organiser.patch(address, sent, JSON).json()["withdrawn_at"] is not None
    again = organiser.patch(address, {"status": "approved"}, JSON)
    assert (again.status_code, list(again.json()["errors"])) == (400, ["status"])


def test_damaged_reference_of_a_segment_is_written_and_reviewed(
    organiser: Client,
    task: Task,
) -> None:
    listed = reverse("api-bad-references", args=[task.pk])
    address = f"{listed}segments/2/"
    body = {"text": "Ganz anders.", "damage": "swapped"}
    made = organiser.put(address, body, JSON).json()
    assert (made["segment"], made["text"], made["status"]) == (
        2,
        body["text"],
        "pending",
    )
    body = {"text": "Noch anders.", "damage": "dropped", "status": "approved"}
    changed = organiser.put(address, body, JSON).json()
    assert (changed["id"], changed["text"]) == (made["id"], body["text"])
    assert changed["approved_at"] is not None
    refused = organiser.put(address, body | {"text": "Zu spät."}, JSON)
    assert (refused.status_code, list(refused.json()["errors"])) == (400, ["text"])
    reviewed = organiser.put(address, body | {"status": "pending"}, JSON)
    assert (reviewed.status_code, list(reviewed.json()["errors"])) == (400, ["status"])
    assert results(organiser, listed) == [changed]
    withdrawn = body | {"status": "rejected"}
    assert organiser.put(address, withdrawn, JSON).status_code == 409
    confirmed = organiser.put(address, withdrawn | {"confirm": True}, JSON)
    assert confirmed.json()["withdrawn_at"] is not None


def test_training_is_proposed_explained_and_removed(
    organiser: Client,
    task: Task,
    training: str,
) -> None:
    made = organiser.post(training, {"count": 2}, JSON)
    assert (made.status_code, len(made.json())) == (201, 2)
    rows = results(organiser, training)
    assert rows == made.json()
    assert [row["position"] for row in rows] == [1, 2]
    kinds = {each["expected"]: each["kind"] for each in rows[0]["candidates"]}
    assert (kinds[1], kinds[5]) == ("reference", "bad_reference")
    address = f"{training}{rows[0]['id']}/"
    changed = organiser.patch(
        address,
        {"explanation": "Words are missing."},
        JSON,
    ).json()
    assert changed == rows[0] | {"explanation": "Words are missing."}
    assert organiser.get(address).json() == changed
    assert organiser.delete(address).status_code == 204
    assert organiser.get(address).status_code == 404
    assert TrainingBlock.objects.get(task=task).pk == rows[1]["id"]


def test_training_of_a_segment_is_written_by_systems(
    organiser: Client,
    task: Task,
    training: str,
) -> None:
    body = {"explanation": "Read on.", "expected": {"_ref": 1, "_badref": 4}}
    address = f"{training}segments/2/"
    made = organiser.put(address, body, JSON).json()
    ranks = {each["system"]: each["expected"] for each in made["candidates"]}
    assert (made["segment"], made["position"], ranks) == (2, 1, body["expected"])
    assert organiser.put(address, body, JSON).json()["id"] == made["id"]
    assert TrainingBlock.objects.filter(task=task).count() == 1
    unknown = organiser.put(address, body | {"expected": {"nobody": 1}}, JSON)
    errors = unknown.json()["errors"]
    assert (unknown.status_code, list(errors)) == (400, ["expected.nobody"])
    assert organiser.put(f"{training}segments/99/", body, JSON).status_code == 404


def test_the_ranks_that_are_expected_are_changed_all_at_once(
    organiser: Client,
    training: str,
) -> None:
    (row,) = organiser.post(training, {"count": 1}, JSON).json()
    address = f"{training}{row['id']}/"
    best, *others = row["candidates"]
    wanted = [
        {"output": best["output"], "expected": 2},
        {"output": others[0]["output"], "expected": 4},
    ]
    changed = organiser.patch(
        address,
        {"candidates": wanted, "position": 7},
        JSON,
    ).json()
    assert changed["position"] == 7
    assert [(each["output"], each["expected"]) for each in changed["candidates"]] == [
        (best["output"], 2),
        (others[0]["output"], 4),
    ]
    # Moved alone, it shows the same.
    moved = organiser.patch(address, {"position": 3}, JSON).json()
    assert moved == changed | {"position": 3}
