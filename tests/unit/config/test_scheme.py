"""A proxy that does not say whether requests came by HTTPS."""

import logging

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from pytest_django import Settings

from config.requests import scheme_demand


@pytest.fixture(autouse=True)
def behind_a_proxy(settings: Settings) -> None:
    settings.HTTPS = True
    settings.PROXIES = 1


def status_of(path: str, **headers: str) -> int:
    request = RequestFactory().get(path, headers=headers)
    return scheme_demand(lambda _request: HttpResponse("there"))(request).status_code


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 400),
        ({"x-forwarded-proto": "https"}, 200),
        # A request to port 80, which is redirected once.
        ({"x-forwarded-proto": "http"}, 200),
        ({"x-forwarded-proto": "https,http"}, 200),
    ],
)
def test_only_a_missing_header_is_refused(headers: dict[str, str], status: int) -> None:
    assert status_of("/sign-in/", **headers) == status


def test_checks_that_pass_the_proxy_by_are_answered() -> None:
    assert status_of("/readyz") == 200


@pytest.mark.parametrize("setting", ["HTTPS", "PROXIES"])
def test_the_header_is_needed_only_behind_a_proxy_with_https(
    settings: Settings,
    setting: str,
) -> None:
    setattr(settings, setting, 0)
    assert status_of("/sign-in/") == 200


def test_only_the_first_of_many_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    demand = scheme_demand(lambda _request: HttpResponse("there"))
    for _number in range(3):
        demand(RequestFactory().get("/"))
    assert [record.levelno for record in caplog.records] == [logging.WARNING]
