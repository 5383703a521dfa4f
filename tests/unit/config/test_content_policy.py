"""The policy that is put together once is the one that django-csp puts together for each answer."""

from collections.abc import Callable
from typing import Any, cast

import pytest
from csp.constants import HEADER, NONCE, SELF
from csp.decorators import csp_exempt, csp_replace, csp_update
from csp.middleware import CSPMiddleware
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.test import RequestFactory

from config.content_policy import ContentPolicyMiddleware

View = Callable[[HttpRequest], HttpResponseBase]


def plain(_request: HttpRequest) -> HttpResponse:
    return HttpResponse()


def with_a_header(_request: HttpRequest) -> HttpResponse:
    return HttpResponse(headers={HEADER: "default-src 'none'"})


def with_a_nonce(request: HttpRequest) -> HttpResponse:
    return HttpResponse(str(request.csp_nonce))  # type: ignore[attr-defined]


VIEWS: dict[str, View] = {
    "plain": plain,
    "its own header": with_a_header,
    "replaced": csp_replace({"frame-ancestors": [SELF]})(plain),
    "more": csp_update({"img-src": ["https://example.org"]})(plain),
    "exempt": csp_exempt()(plain),
}


def answered(middleware: type[CSPMiddleware], view: View) -> HttpResponse:
    return cast("HttpResponse", middleware(view)(RequestFactory().get("/")))


def directives(middleware: type[CSPMiddleware], view: View) -> frozenset[str]:
    """Return the policy in parts, whose order is arbitrary; empty if none is sent."""
    policy = answered(middleware, view).headers.get(HEADER)
    return frozenset(policy.split("; ") if policy else ())


@pytest.mark.parametrize("view", VIEWS.values(), ids=VIEWS)
def test_the_policy_is_that_of_django_csp(view: View) -> None:
    assert directives(ContentPolicyMiddleware, view) == directives(CSPMiddleware, view)


def test_views_have_policies_of_their_own() -> None:
    policies = [directives(ContentPolicyMiddleware, view) for view in VIEWS.values()]
    assert len(set(policies)) == len(VIEWS)


def test_a_page_that_asks_for_a_nonce_has_its_own(settings: Any) -> None:
    settings.CONTENT_SECURITY_POLICY = {"DIRECTIVES": {"script-src": [NONCE]}}
    first, second = (answered(ContentPolicyMiddleware, with_a_nonce) for _ in range(2))
    assert f"'nonce-{first.content.decode()}'" in first.headers[HEADER]
    assert first.content != second.content
