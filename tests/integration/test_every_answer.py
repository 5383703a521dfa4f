"""Headers that every answer carries, and what HTTPS=1 changes."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.test import Client, RequestFactory, override_settings

from campaign.models import User
from campaign.pages.content_policy import (
    CONTENT_POLICY,
    content_policy,
    with_content_policy,
)
from config.requests import PERMISSIONS_POLICY, headers_add

ROOT = Path(__file__).parents[2]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    ["/sign-in/", "/no-such-page/", "/api/v1/campaigns/", "/healthz"],
)
def test_browsers_are_told_what_no_page_needs(client: Client, address: str) -> None:
    policy = client.get(address).headers["Permissions-Policy"]
    assert policy == PERMISSIONS_POLICY
    assert {"camera=()", "geolocation=()", "microphone=()"} <= set(policy.split(", "))


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("address", "status"),
    [
        ("/sign-in/", 200),
        ("/no-such-page/", 404),
        ("/api/v1/campaigns/", 401),
        ("/%00", 400),
    ],
)
def test_browsers_load_and_send_nothing_elsewhere(
    client: Client,
    address: str,
    status: int,
) -> None:
    answer = client.get(address)
    assert answer.status_code == status
    policy = answer.headers[CONTENT_POLICY].split("; ")
    assert {"default-src 'none'", "script-src 'self'", "frame-ancestors 'none'"} <= set(
        policy,
    )
    assert "unsafe" not in answer.headers[CONTENT_POLICY]


def test_an_answer_keeps_the_policy_it_has() -> None:
    @with_content_policy({"frame-ancestors": "https://example.org"})
    def framed(_request: HttpRequest) -> HttpResponse:
        return HttpResponse()

    answer = headers_add(framed)(RequestFactory().get("/"))
    own, usual = (
        set(policy.split("; "))
        for policy in (answer.headers[CONTENT_POLICY], content_policy())
    )
    assert own - usual == {"frame-ancestors https://example.org"}
    assert usual - own == {"frame-ancestors 'none'"}


@pytest.mark.django_db
@pytest.mark.parametrize(
    "address",
    ["/api/v1/campaigns/", "/api/v1/nothing/", "/api/v1/campaigns/x/"],
)
def test_no_cache_keeps_an_answer_of_the_api(client: Client, address: str) -> None:
    user = User.objects.create_user(name="Ada", email="ada@example.org")
    for _signed_in in range(2):
        assert client.get(address).headers["Cache-Control"] == "private, no-store"
        client.force_login(user)


@pytest.mark.parametrize(
    ("address", "is_streamed", "told"),
    [
        ("/x/", True, "no"),
        ("/api/v1/x/", True, "no"),
        ("/x/", False, None),
        ("/static/x", True, None),
    ],
)
def test_streams_have_the_header_against_buffering(
    address: str,
    is_streamed: bool,
    told: str | None,
) -> None:
    answer = StreamingHttpResponse([b"1", b"2"]) if is_streamed else HttpResponse(b"12")
    passed = headers_add(lambda _request: answer)(RequestFactory().get(address))
    assert passed.headers.get("X-Accel-Buffering") == told


@pytest.mark.parametrize(
    "address",
    [
        "/panel/%00/",
        "/sign-in/?next=%0d%0aSet-Cookie:%20a=b",
        "/sign-in/?x=%7F",
        "/?a=%1b",
    ],
)
def test_control_characters_in_an_address_are_refused(
    client: Client,
    address: str,
) -> None:
    response = client.get(address)
    assert response.status_code == 400
    assert "Bad request" in response.content.decode()


@pytest.mark.django_db
@override_settings(
    SECURE_SSL_REDIRECT=True,
    SECURE_REDIRECT_EXEMPT=[r"^healthz$", r"^readyz$"],
    ALLOWED_HOSTS=["*"],
)
def test_plain_http_is_led_to_https_except_for_health(client: Client) -> None:
    response = client.get("/sign-in/?next=/campaigns/", headers={"host": "example.org"})
    assert (response.status_code, response.headers["Location"]) == (
        301,
        "https://example.org/sign-in/?next=/campaigns/",
    )
    assert client.get("/healthz").status_code == 200
    assert client.get("/sign-in/", secure=True).status_code == 200


@pytest.mark.django_db
@override_settings(ALLOWED_HOSTS=["campaign.example.org"])
@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_health_is_answered_for_any_host(client: Client, path: str) -> None:
    # The launcher and load balancers ask the address that the server listens on.
    assert client.get(path, headers={"host": "127.0.0.1:8000"}).status_code == 200
    answer = client.get("/sign-in/", headers={"host": "127.0.0.1:8000"})
    assert answer.status_code == 400


@pytest.mark.thorough
def test_django_has_nothing_to_say_against_a_deployment() -> None:
    """`check --deploy` under HTTPS=1, with a key as the documentation has one made."""
    found = subprocess.run(
        [sys.executable, "manage.py", "check", "--deploy", "--fail-level", "WARNING"],
        cwd=ROOT,
        env={
            **{
                name: os.environ[name] for name in ("PATH", "DATABASE_URL", "REDIS_URL")
            },
            "HTTPS": "1",
            "SECRET_KEY": os.urandom(40).hex(),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert (found.returncode, found.stdout + found.stderr) == (
        0,
        "System check identified no issues (2 silenced).\n",
    )
