"""Errors of the API by RFC 9457, whoever answers."""

import json
from collections.abc import Callable

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.http import HttpResponse, JsonResponse
from django.test import Client, RequestFactory

from campaign.models import Campaign, User
from config.api.errors import problem_make
from tests.factories import make_organiser

pytestmark = pytest.mark.django_db


def test_no_such_address(client: Client) -> None:
    answer = client.get("/api/v1/nothing/")
    assert (answer.status_code, answer.headers["Content-Type"]) == (
        404,
        "application/problem+json",
    )
    assert answer.json() == {
        "type": "about:blank",
        "title": "Not Found",
        "status": 404,
        "detail": "Page not found.",
        "instance": "/api/v1/nothing/",
    }
    assert answer.headers["Cache-Control"] == "private, no-store"


def test_a_refused_body_has_its_fields(campaign: Campaign, client: Client) -> None:
    client.force_login(make_organiser(campaign))
    answer = client.patch(
        "/api/v1/campaigns/museum/",
        {"blocks_per_judge": "many"},
        content_type="application/json",
    )
    said = answer.json()
    assert (said["status"], said["type"]) == (400, "urn:quintet:problem:invalid-input")
    assert said["title"] == "Invalid input"
    assert "blocks_per_judge" in said["errors"]


@pytest.mark.parametrize(
    ("questions", "place"),
    [
        ([1], "questions.0"),
        ({"name": "age"}, "questions"),
        ([{"name": ["age"], "kind": "text"}], "questions.0.name"),
    ],
)
def test_errors_inside_lists_are_lists_of_messages_by_place(
    campaign: Campaign,
    client: Client,
    questions: object,
    place: str,
) -> None:
    client.force_login(make_organiser(campaign))
    answer = client.patch(
        "/api/v1/campaigns/museum/",
        {"questions": questions},
        content_type="application/json",
    )
    assert answer.status_code == 400
    [(path, [message])] = answer.json()["errors"].items()
    assert path == place
    assert isinstance(message, str)


def test_errors_are_lists_and_detail_says_what_concerns_no_field(
    campaign: Campaign,
    client: Client,
) -> None:
    client.force_login(make_organiser(campaign))
    unknown_key = "slug: museum\nname: Museum\ncolour: red\n"
    answer = client.put(
        "/api/v1/campaigns/museum/file/",
        unknown_key,
        "application/yaml",
    )
    assert answer.status_code == 400
    problem = answer.json()
    assert problem["errors"] == {"detail": [problem["detail"]]}
    assert "colour" in problem["detail"]


def test_body_that_is_too_large_is_named(campaign: Campaign, client: Client) -> None:
    client.force_login(make_organiser(campaign))
    answer = client.patch(
        "/api/v1/campaigns/museum/",
        {"name": "x" * 3_000_000},
        content_type="application/json",
    )
    said = answer.json()
    assert (said["status"], said["title"]) == (413, "Request Entity Too Large")
    assert "larger than 2,621,440 bytes" in said["detail"]


def test_body_with_too_many_values_is_named(campaign: Campaign, client: Client) -> None:
    client.force_login(make_organiser(campaign))
    answer = client.post(
        "/api/v1/campaigns/museum/webhooks/",
        {"url": "https://example.org/", "events": [{}] * 60_000},
        content_type="application/json",
    )
    said = answer.json()
    assert (said["status"], said["detail"]) == (
        413,
        "The JSON has more than 50,000 values. Send fewer at once.",
    )


@pytest.mark.parametrize(
    "form",
    [
        {"text": "x" * 3_000_000},
        {f"field {number}": "x" for number in range(2_000)},
        {f"file {number}": SimpleUploadedFile("a", b"a") for number in range(200)},
    ],
)
def test_form_that_is_too_large_is_named(
    campaign: Campaign,
    client: Client,
    form: dict[str, object],
) -> None:
    client.force_login(make_organiser(campaign))
    answer = client.post("/campaigns/museum/instructions/", form)
    assert answer.status_code == 413
    assert "Request too large" in answer.content.decode()


def test_a_session_without_the_token_of_its_form(campaign: Campaign) -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_organiser(campaign))
    answer = client.post(
        "/api/v1/campaigns/museum/pause/",
        {},
        content_type="application/json",
    )
    assert (answer.status_code, answer.headers["Content-Type"]) == (
        403,
        "application/problem+json",
    )
    assert answer.json()["detail"].startswith("CSRF Failed")


def test_a_crash_is_one_too(
    campaign: Campaign,
    make_member: Callable[..., User],
    client_of: Callable[[User], Client],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = client_of(make_member(campaign))
    client.raise_request_exception = False

    def crash(*_args: object, **_named: object) -> None:
        raise RuntimeError

    monkeypatch.setattr("config.api.views.absolute", crash)
    answer = client.get("/api/v1/")
    said = answer.json()
    assert (said["status"], said["title"]) == (500, "Internal Server Error")
    assert said["detail"] == "Internal server error."


def test_json_of_an_error_stays_and_html_becomes_a_problem() -> None:
    request = RequestFactory().get("/api/v1/x/")
    response = JsonResponse({"detail": "No.", "effects": [1]}, status=409)
    problem_make(request, response)
    assert b'"effects": [1]' in response.content
    page = HttpResponse("<p>No</p>", status=409)
    problem_make(request, page)
    problem = json.loads(page.content)
    assert problem["title"] == "Conflict"
    assert problem["detail"] not in ("Conflict", "")
    assert b"<p>" not in page.content
