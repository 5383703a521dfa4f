"""Exceptions from the content security policy for the pages for MTurk."""

from typing import cast

from csp.constants import SELF
from csp.decorators import csp_replace
from django.http import HttpRequest, HttpResponse

from campaign.panels.entry import FRAME_HOSTS, SUBMIT_HOSTS

_TO_MTURK = [SELF, *(f"https://{host}" for host in SUBMIT_HOSTS)]
_sends = csp_replace({"form-action": _TO_MTURK})
_framed = csp_replace(
    {"form-action": _TO_MTURK, "frame-ancestors": [f"https://{host}" for host in FRAME_HOSTS]}
)


def sends_to_mturk(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Let the page's form with the code go to MTurk."""
    return cast("HttpResponse", _sends(lambda _request: response)(request))


def in_frame_of_mturk(request: HttpRequest, response: HttpResponse) -> HttpResponse:
    """Let MTurk show the page in a frame, and the form in it be sent there."""
    return cast("HttpResponse", _framed(lambda _request: response)(request))
