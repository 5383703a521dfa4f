"""The Content-Security-Policy header, built once where nothing changes it."""

from functools import cache

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.conf import settings
from django.http import HttpRequest
from django.http.response import HttpResponseBase


@cache
def _policy() -> str:
    return build_policy()


class ContentSecurityPolicyMiddleware(CSPMiddleware):
    """django-csp's own, which builds two policies out of the settings for every response.

    Its decorators leave what a view changed on the response, its nonce on the request, all as
    `_csp…`. A response without any gets the policy of the settings as it is.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        changed = hasattr(request, "_csp_nonce") or any(
            name.startswith("_csp") for name in vars(response)
        )
        if changed or HEADER in response or settings.DEBUG:
            return super().process_response(request, response)
        response[HEADER] = _policy()
        return response
