"""A proxy that serves Quintet below a path it was not told."""

import pytest
from django.http import HttpResponse
from django.test import RequestFactory
from pytest_django import Settings

from config.requests import prefix_demand


@pytest.mark.parametrize(
    ("sent", "status"),
    [("", 200), ("/", 200), ("/quintet", 200), ("/quintet/", 200), ("/else", 500), ("//x<", 200)],
)
def test_another_prefix_is_answered_with_the_setting_that_is_missing(
    settings: Settings, sent: str, status: int
) -> None:
    settings.URL_PREFIX = "/quintet"
    request = RequestFactory().get("/", headers={"x-forwarded-prefix": sent})
    answer = prefix_demand(lambda _request: HttpResponse("there"))(request)
    assert answer.status_code == status
    assert isinstance(answer, HttpResponse)
    assert (b"URL_PREFIX=/else" in answer.content) == (status == 500)
