"""What dashboards ask every second is read in the same statement as the session of whoever asks."""

from collections.abc import Callable
from typing import Any, Final

from django.http import HttpRequest, HttpResponseBase
from django.urls.resolvers import RoutePattern

from ranking.selectors.dashboards import dashboard_state_asked

#: Where dashboards ask, below the root.
POLLS: Final = "campaigns/<slug:slug>/tasks/<int:task_id>/live/"
_PATTERN: Final = RoutePattern(POLLS, is_endpoint=True)


def dashboard_polls(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Have the state of a dashboard read with the session of a poll. A middleware, before whatever reads the session.

    Who is signed in and may look is decided afterwards, as ever: what was read counts only for the very user and
    test set (`dashboard_state`).
    """

    def ask(request: HttpRequest) -> HttpResponseBase:
        # By its own pattern: to look through all addresses takes as long as the query that is saved.
        match: Any = _PATTERN.match(request.path_info.removeprefix("/"))
        if match:
            _rest, _unnamed, named = match
            session: Any = request.session
            session.asked_beside = dashboard_state_asked(**named)
        return get_response(request)

    return ask
