"""Our Content-Security-Policy is django-csp's own, whether it was built anew or not."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from csp.decorators import csp_exempt, csp_replace, csp_update
from csp.middleware import CSPMiddleware
from django.http import HttpRequest, HttpResponse
from django.test import RequestFactory

from config.content_security import ContentSecurityPolicyMiddleware

HEADER = "Content-Security-Policy"


def plain(request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def with_its_own(request: HttpRequest) -> HttpResponse:
    return HttpResponse(headers={HEADER: "default-src 'self'"})


def directives(response: HttpResponse) -> list[str]:
    return sorted(response.headers.get(HEADER, "").split("; "))


@pytest.mark.parametrize(
    "view",
    [
        plain,
        with_its_own,
        csp_exempt()(plain),
        csp_update({"img-src": ["https://example.org"]})(plain),
        csp_replace({"form-action": ["https://example.org"]})(plain),
    ],
)
@pytest.mark.parametrize("debug", [False, True])
def test_the_header_is_the_one_of_django_csp(
    view: Callable[[HttpRequest], HttpResponse], debug: bool, settings: Any
) -> None:
    settings.DEBUG = debug
    found = [
        directives(cast("HttpResponse", middleware(view)(RequestFactory().get("/"))))
        for middleware in (ContentSecurityPolicyMiddleware, CSPMiddleware)
    ]
    assert found[0] == found[1]
