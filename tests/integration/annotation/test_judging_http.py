"""The judging API answers as the rest of the API does."""

from typing import Any

import pytest
from django.test import Client

from campaign.models import Judge
from tests.factories import make_campaign, make_judge, make_task

pytestmark = pytest.mark.django_db
LEND = "/api/v1/judging/assignments/"
JSON = "application/json"


@pytest.fixture
def judge() -> Judge:
    task = make_task(make_campaign())
    return make_judge(task.test_set.campaign)


@pytest.fixture
def judging(judge: Judge) -> Client:
    """A browser, forged requests of which are refused."""
    assert judge.user is not None
    client = Client(enforce_csrf_checks=True)
    client.force_login(judge.user)
    client.get("/judge/museum/")
    return client


def post(client: Client, body: str = "{}", address: str = LEND, **headers: str) -> Any:
    cookie = client.cookies.get("csrftoken")
    token = {"X-CSRFToken": cookie.value} if cookie else {}
    kind = headers.pop("kind", JSON)
    return client.post(address, body, content_type=kind, headers=token | headers)


def test_a_hit_is_lent_as_json_with_the_headers_of_the_api(judging: Client) -> None:
    lent = post(judging)
    assert lent.status_code == 200
    assert lent.headers["Content-Type"] == JSON
    assert lent.headers["Allow"] == "POST, OPTIONS"
    assert "default-src 'none'" in lent.headers["Content-Security-Policy"]
    assert {"Cookie", "Accept-Language"} <= set(lent.headers["Vary"].split(", "))


def test_invalid_requests_have_their_status(judging: Client, judge: Judge) -> None:
    found = {
        "html": post(judging, Accept="text/html"),
        "format": post(judging, address=LEND + "?format=xml"),
        "xml": post(judging, "<a/>", kind="text/xml"),
        "form": post(
            judging,
            "campaign=museum",
            kind="application/x-www-form-urlencoded",
        ),
        "no json": post(judging, "{"),
        "nan": post(judging, '{"after": NaN}'),
        "get": judging.get(LEND),
        "forged": judging.post(LEND, "{}", content_type=JSON),
        "nobody": Client().post(LEND, "{}", content_type=JSON),
        "nobody's token": post(Client(), Authorization="Token 0123456789abcdef"),
    }
    assert {name: answer.status_code for name, answer in found.items()} == {
        "html": 406,
        "format": 400,
        "xml": 415,
        "form": 415,
        "no json": 400,
        "nan": 400,
        "get": 405,
        "forged": 403,
        "nobody": 401,
        "nobody's token": 401,
    }
    for answer in found.values():
        assert answer.headers["Content-Type"] == "application/problem+json"
        assert "detail" in answer.json()
    assert found["nobody"].headers["WWW-Authenticate"] == "Token"
    assert found["forged"].json()["detail"].startswith("CSRF Failed")


@pytest.mark.parametrize("address", ["judgments", "progress"])
def test_a_nul_names_no_campaign(judging: Client, address: str) -> None:
    """Found by `make fuzz`: PostgreSQL refuses the character, and the answer was a 500."""
    assert judging.get(f"/api/v1/judging/{address}/?campaign=museum").status_code == 200
    assert (
        judging.get(f"/api/v1/judging/{address}/?campaign=museum%00").status_code == 400
    )
