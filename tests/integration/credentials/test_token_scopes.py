"""What a token may do: every address of the API, from its registry, for read-only tokens and those of one campaign."""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import URLPattern, reverse
from django.urls.resolvers import RoutePattern
from rest_framework.permissions import AllowAny

from campaign.models import (
    ActivityEvent,
    ApiToken,
    Campaign,
    Membership,
    TokenScope,
    User,
)
from campaign.services.api_tokens import (
    CredentialRefusedError,
    token_create,
    tokens_revoke,
)
from campaign.services.members import member_remove
from config.api.urls import urlpatterns
from tests.factories import make_campaign, make_organiser, make_task

pytestmark = pytest.mark.django_db

UNSAFE = ("post", "put", "patch", "delete")
SLUGS = {
    "slug": "museum",
    "transition": "open",
    "name": "ranks",
    "ending": "csv",
    "rest": "x",
}


def addresses(
    patterns: list[Any],
    before: str = "/api/v1/",
) -> Iterator[tuple[str, str, Any]]:
    """Each address of the API: its route, an example of it in the campaign "museum", and its view."""
    for pattern in patterns:
        assert isinstance(pattern.pattern, RoutePattern)
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLPattern):
            yield route, example(route), getattr(pattern.callback, "cls", None)
        else:
            yield from addresses(pattern.url_patterns, route)


def example(route: str) -> str:
    for part in [each.partition(">")[0] for each in route.split("<")[1:]]:
        kind, _colon, name = part.rpartition(":")
        value = {"int": "1", "uuid": "0" * 8 + "-0000-4000-8000-" + "0" * 12}.get(kind)
        route = route.replace(f"<{part}>", value or SLUGS.get(name, "x"))
    return route


ALL = list(addresses(list(urlpatterns)))


def client_with(user: User, **asked: Any) -> Client:
    _token, text = token_create(user=user, **asked)
    return Client(headers={"Authorization": f"Token {text}"})


@pytest.fixture
def organiser() -> User:
    return make_organiser(make_campaign("museum"))


@pytest.mark.thorough
def test_read_only_tokens_get_403_on_every_method_that_could_change_something(
    organiser: User,
) -> None:
    client = client_with(organiser, scope=TokenScope.READ)
    assert len(ALL) > 100
    assert client.get("/api/v1/campaigns/").status_code == 200
    for route, address, view in ALL:
        if AllowAny in view.permission_classes:
            continue
        for method in UNSAFE:
            response = getattr(client, method)(address)
            assert response.status_code == 403, (method, route)
            assert "read-only" in str(response.json()), (method, route)


def answered_methods(view: Any) -> list[str]:
    return [method for method in ("get", *UNSAFE) if hasattr(view, method)]


def test_a_token_of_one_campaign_never_reaches_another(organiser: User) -> None:
    own, other = Campaign.objects.get(slug="museum"), make_campaign("zoo")
    Membership.objects.create(campaign=other, user=organiser, role="owner")
    task = make_task(other)
    client = client_with(organiser, campaign=own)
    for route, _address, view in ALL:
        if AllowAny in view.permission_classes:
            continue
        address = example(
            route.replace("<slug:slug>", "zoo")
            .replace("<int:task_id>", str(task.pk))
            .replace("<int:test_set_id>", str(task.test_set_id)),
        )
        if getattr(view, "narrows_to_campaign_of_token", False):
            continue
        for method in answered_methods(view):
            status = getattr(client, method)(address).status_code
            assert status in {403, 404}, (method, route)
    slugs = [
        each["slug"] for each in client.get(reverse("api-campaigns")).json()["results"]
    ]
    assert slugs == ["museum"]
    assert client.get(reverse("api-campaign", args=["museum"])).status_code == 200


def test_a_token_of_one_campaign_makes_no_other(organiser: User) -> None:
    own = Campaign.objects.get(slug="museum")
    client = client_with(organiser, campaign=own)
    cloned = client.post(
        "/api/v1/campaigns/museum/clone/",
        {"slug": "copy", "name": "Copy"},
    )
    assert cloned.status_code == 403
    assert not Campaign.objects.filter(slug="copy").exists()


def test_sessions_are_held_to_no_scope(organiser: User) -> None:
    client = Client()
    client.force_login(organiser)
    made = client.post(
        "/api/v1/tokens/",
        {"name": "notebook"},
        content_type="application/json",
    )
    assert made.status_code == 201
    assert made.json()["scope"] == "read"


def test_tokens_by_rest(organiser: User) -> None:
    client = client_with(organiser, days=30)
    asked = {"name": "plots", "scope": "read", "campaign": "museum", "days": 7}
    made = client.post("/api/v1/tokens/", asked, content_type="application/json").json()
    text = made.pop("token")
    assert made["campaign"] == "museum"
    assert text.startswith(made["begins_with"])
    listed = client.get("/api/v1/tokens/")
    assert listed.json()["results"][0] == made
    assert text not in listed.content.decode()
    other = Client(headers={"Authorization": f"Token {text}"})
    assert other.get("/api/v1/campaigns/museum/").status_code == 200
    assert client.delete(f"/api/v1/tokens/{made['id']}/").status_code == 204
    assert other.get("/api/v1/campaigns/museum/").status_code == 401
    assert client.delete(f"/api/v1/tokens/{made['id']}/").status_code == 404
    assert client.delete("/api/v1/tokens/").status_code == 204
    assert client.get("/api/v1/tokens/").status_code == 401


def test_tokens_of_others_and_beyond_oneself_are_not_made(organiser: User) -> None:
    stranger = make_organiser(make_campaign("zoo"), "z@example.org")
    token, _text = token_create(user=stranger)
    client = client_with(organiser, days=30)
    assert client.delete(f"/api/v1/tokens/{token.pk}/").status_code == 404
    for asked, status in (
        ({"name": "x", "days": 31}, 400),
        ({"name": "x", "days": 100_000}, 400),
        ({"name": "x", "campaign": "zoo", "days": 1}, 400),
        ({"name": "", "days": 1}, 400),
        ({"name": "x", "scope": "all", "days": 1}, 400),
    ):
        answer = client.post("/api/v1/tokens/", asked, content_type="application/json")
        assert answer.status_code == status, asked
    assert ApiToken.objects.count() == 2
    with pytest.raises(CredentialRefusedError, match="at most 730 days"):
        token_create(user=organiser, days=731)
    with pytest.raises(CredentialRefusedError, match="not a member"):
        token_create(user=organiser, campaign=Campaign.objects.get(slug="zoo"))


def test_last_use_is_noted_once_an_hour(organiser: User) -> None:
    client = client_with(organiser)
    client.get("/api/v1/campaigns/")
    first = ApiToken.objects.get().last_used_at
    client.get("/api/v1/campaigns/")
    assert first is not None
    assert ApiToken.objects.get().last_used_at == first
    ApiToken.objects.update(last_used_at=first - timedelta(hours=2))
    client.get("/api/v1/campaigns/")
    assert ApiToken.objects.get().last_used_at > first - timedelta(hours=1)  # type: ignore[operator]


def test_token_is_recorded_in_all_its_campaigns(organiser: User) -> None:
    museum, zoo = Campaign.objects.get(slug="museum"), make_campaign("zoo")
    Membership.objects.create(campaign=zoo, user=organiser, role="owner")
    token_create(user=organiser, name="both")
    token_create(user=organiser, name="one", campaign=museum)
    tokens_revoke(tokens=ApiToken.objects.filter(name="one"))
    events = ActivityEvent.objects.filter(kind="campaign.apitoken").order_by("pk")
    assert sorted(events.values_list("campaign__slug", "operation", "object_name")) == [
        ("museum", "created", "both"),
        ("museum", "created", "one"),
        ("museum", "deleted", "one"),
        ("zoo", "created", "both"),
    ]


def test_tokens_of_a_campaign_end_with_the_membership(organiser: User) -> None:
    museum, zoo = Campaign.objects.get(slug="museum"), make_campaign("zoo")
    other = make_organiser(museum, "second@example.org")
    Membership.objects.create(campaign=zoo, user=other, role="owner")
    token_create(user=other, name="of museum", campaign=museum)
    token_create(user=other, name="of all")
    member_remove(membership=Membership.objects.get(campaign=museum, user=other))
    assert [each.name for each in ApiToken.objects.all()] == ["of all"]
