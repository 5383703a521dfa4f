"""The content security policy of answers."""

from typing import Final

from csp.constants import HEADER
from csp.middleware import CSPMiddleware
from csp.utils import build_policy
from django.http import HttpRequest, HttpResponseBase

from config.requests import GetResponse

# What the decorators of django-csp leave on an answer, and templates that ask for a nonce on a request.
_OWN_OF_RESPONSE: Final = frozenset({"_csp_config", "_csp_update", "_csp_replace", "_csp_exempt"})
_NONCE: Final = "_csp_nonce"


class ContentPolicyMiddleware(CSPMiddleware):
    """Send the policy of the settings, put together once, and with views that have one of their own, theirs.

    django-csp puts it together anew for each answer, which costs 55 µs, and a policy for reports alone, which we have
    none of: 1.5 % of what a judged item costs.
    """

    def __init__(self, get_response: GetResponse) -> None:
        super().__init__(get_response)
        self._of_settings = build_policy()

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        """Add the header, unless it is there."""
        if hasattr(request, _NONCE) or not _OWN_OF_RESPONSE.isdisjoint(vars(response)):
            return super().process_response(request, response)
        response.headers.setdefault(HEADER, self._of_settings)
        return response
