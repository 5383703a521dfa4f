"""A proxy that serves Quintet below a path it was not told."""

import logging

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from pytest_django import Settings

from config.requests import prefix_demand


@pytest.fixture(autouse=True)
def below_a_path(settings: Settings) -> None:
    settings.URL_PREFIX = "/quintet"
    settings.PROXIES = 1


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        ("", 200),
        ("/", 200),
        ("/quintet", 200),
        ("/quintet/", 200),
        ("/else", 400),
        ("//x<", 200),
    ],
)
def test_another_prefix_is_answered_with_the_setting_that_is_missing(
    sent: str,
    status: int,
) -> None:
    request = RequestFactory().get("/", headers={"x-forwarded-prefix": sent})
    answer = prefix_demand(lambda _request: HttpResponse("there"))(request)
    assert answer.status_code == status
    assert isinstance(answer, HttpResponse)
    assert (b"URL_PREFIX=/else" in answer.content) == (status == 400)


def test_only_the_first_of_many_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    demand = prefix_demand(lambda _request: HttpResponse("there"))
    for prefix in ("/else", "/else", "/forged"):
        demand(RequestFactory().get("/", headers={"x-forwarded-prefix": prefix}))
    assert [record.levelno for record in caplog.records] == [logging.WARNING]


def test_without_a_proxy_the_header_is_ignored(settings: Settings) -> None:
    settings.PROXIES = 0
    request = RequestFactory().get("/", headers={"x-forwarded-prefix": "/else"})
    answer = prefix_demand(lambda _request: HttpResponse("there"))(request)
    assert answer.status_code == 200
