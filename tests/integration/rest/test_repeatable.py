"""`Idempotency-Key`: a POST that is sent again changes nothing and is answered as before."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.db.models.functions import Now
from django.test import Client

from campaign.models import Campaign, IdempotentAnswer, JudgeGroup, Membership, User
from campaign.tasks import clean_up
from tests.factories import make_campaign

GROUPS = "/api/v1/campaigns/museum/judge-groups/"


@pytest.fixture
def client(organiser: User, client_of: Callable[[User], Client]) -> Client:
    return client_of(organiser)


def post(client: Client, key: str, address: str = GROUPS, **body: Any) -> Any:
    headers = {"Idempotency-Key": key}
    return client.post(address, body, content_type="application/json", headers=headers)


@pytest.mark.django_db
def test_the_same_again_is_answered_as_before(client: Client) -> None:
    key = str(uuid4())
    first = post(client, key, name="Students", blocks_asked=20)
    # In another order it says the same.
    again = post(client, key, blocks_asked=20, name="Students")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert "Idempotency-Replayed" not in first.headers
    assert again.headers["Content-Type"] == "application/json"
    assert JudgeGroup.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "body"),
    [
        (GROUPS, {"name": "Others"}),
        ("/api/v1/campaigns/museum/pause/", {"name": "Students"}),
    ],
)
def test_another_request_with_the_key_is_refused(
    client: Client,
    address: str,
    body: dict[str, str],
) -> None:
    post(client, "k1", name="Students")
    answer = post(client, "k1", address, **body)
    assert (answer.status_code, answer.json()["type"]) == (
        422,
        "urn:quintet:problem:idempotency-key-reused",
    )
    assert JudgeGroup.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize("key", ["", "a b", "x" * 256, "ä"])
def test_a_key_that_is_none_is_refused(client: Client, key: str) -> None:
    answer = post(client, key, name="Students")
    assert (answer.status_code, answer.json()["type"]) == (
        400,
        "urn:quintet:problem:idempotency-key-invalid",
    )
    assert not JudgeGroup.objects.exists()


@pytest.mark.django_db
def test_refused_request_can_be_repeated_later(client: Client) -> None:
    client.post(GROUPS, {"name": "Students"}, content_type="application/json")
    assert post(client, "k1", name="Students").status_code == 400
    JudgeGroup.objects.all().delete()
    assert post(client, "k1", name="Students").status_code == 201


@pytest.mark.django_db
def test_leaving_a_campaign_can_be_repeated_with_the_key(
    campaign: Campaign,
    make_member: Callable[..., User],
    client_of: Callable[[User], Client],
) -> None:
    user = make_member(campaign)
    # The token would end with the last membership.
    Membership.objects.create(campaign=make_campaign("zoo"), user=user, role="owner")
    client = client_of(user)
    address = f"/api/v1/campaigns/{campaign.slug}/members/leave/"
    first, again = post(client, "k1", address), post(client, "k1", address)
    assert (first.status_code, again.status_code) == (204, 204)
    assert again.headers["Idempotency-Replayed"] == "true"
    assert post(client, "k2", address).status_code == 404


@pytest.mark.django_db
def test_a_kept_answer_cannot_be_read_in_the_database(client: Client) -> None:
    """It may hold a link that is shown once."""
    address = "/api/v1/campaigns/museum/members/"
    member = {"email": "eva@example.org", "name": "Eva", "role": "analyst"}
    link = post(client, "k1", address, **member).json()["link"]
    kept = IdempotentAnswer.objects.get()
    assert link.rstrip("/").rpartition("/")[2].encode() not in bytes(kept.body)
    assert post(client, "k1", address, **member).json()["link"] == link
    assert Membership.objects.filter(user__email="eva@example.org").count() == 1


@pytest.mark.django_db
def test_a_day_later_it_is_a_new_key(client: Client) -> None:
    post(client, "k1", name="Students")
    IdempotentAnswer.objects.update(created_at=Now() - timedelta(hours=25))
    assert post(client, "k1", name="Others").status_code == 201
    assert IdempotentAnswer.objects.count() == 1
    post(client, "k2", name="Third")
    IdempotentAnswer.objects.update(created_at=Now() - timedelta(hours=25))
    post(client, "k3", name="Fourth")
    clean_up()
    assert IdempotentAnswer.objects.count() == 1


@pytest.mark.thorough
@pytest.mark.django_db(transaction=True)
def test_a_crash_undoes_what_it_began_and_keeps_no_answer(
    client: Client,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def crash(**_named: object) -> None:
        raise RuntimeError

    client.raise_request_exception = False
    monkeypatch.setattr(IdempotentAnswer.objects, "update_or_create", crash)
    assert post(client, "k1", name="Students").status_code == 500
    assert not JudgeGroup.objects.exists()
    monkeypatch.undo()
    assert post(client, "k1", name="Students").status_code == 201


@pytest.fixture
def senders() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as pool:
        yield pool


@pytest.mark.django_db(transaction=True)
def test_simultaneous_requests_with_one_key_run_once(
    organiser: User,
    client_of: Callable[[User], Client],
    senders: ThreadPoolExecutor,
) -> None:
    """The others hear that it is being done, or what it answered."""
    clients = [client_of(organiser) for _ in range(8)]
    start = Barrier(8)

    def send(client: Client) -> int:
        start.wait()
        try:
            return int(post(client, "k1", name="Students").status_code)
        finally:
            connection.close()

    answers = list(senders.map(send, clients))
    assert 201 in answers
    assert set(answers) <= {201, 409}
    assert JudgeGroup.objects.count() == 1
    assert IdempotentAnswer.objects.count() == 1


@pytest.mark.django_db(transaction=True)
def test_second_request_gets_a_conflict_while_the_first_runs(
    client: Client,
    organiser: User,
) -> None:
    other = connection.copy()
    try:
        with other.cursor() as cursor:
            name = f"campaign.idempotency:{organiser.pk}:k1"
            cursor.execute("SELECT pg_advisory_lock(hashtextextended(%s, 0))", [name])
        answer = post(client, "k1", name="Students")
    finally:
        other.close()
    assert (answer.status_code, answer.headers["Retry-After"]) == (409, "1")
    assert not JudgeGroup.objects.exists()
