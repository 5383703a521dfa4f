"""Content security policy: allowed resources, form targets and frames of a page."""

from collections.abc import Callable, Mapping
from functools import wraps
from typing import Any, Final, TypeVar

from django.conf import settings
from django.http.response import HttpResponseBase

#: The header; responses without it get the policy of the settings.
CONTENT_POLICY: Final = "Content-Security-Policy"

_Response = TypeVar("_Response", bound=HttpResponseBase)
_View = Callable[..., _Response]


def content_policy(instead: Mapping[str, str] | None = None) -> str:
    """Return the policy of the settings, with other sources for the directives named."""
    directives = {**settings.CONTENT_SECURITY_POLICY, **(instead or {})}
    return "; ".join(f"{name} {sources}" for name, sources in directives.items())


def with_content_policy(
    instead: Mapping[str, str],
) -> Callable[[_View[_Response]], _View[_Response]]:
    """Apply a separate policy to a view's responses; see `content_policy`."""

    def decorated(view: _View[_Response]) -> _View[_Response]:
        @wraps(view)
        def answered(*arguments: Any, **named: Any) -> _Response:
            response = view(*arguments, **named)
            response.headers[CONTENT_POLICY] = content_policy(instead)
            return response

        return answered

    return decorated
