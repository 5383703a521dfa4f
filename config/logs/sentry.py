"""Report errors to a service that speaks Sentry's protocol, where `SENTRY_DSN` names one; nothing is sent without.

Only what `_kept` lists is sent: what is not known to be harmless stays here.
"""

import logging
import sys
from typing import TYPE_CHECKING, Any, Final, cast

import structlog
from django.core.exceptions import ImproperlyConfigured

from config.redaction import redact
from optional_packages import how_to_install

if TYPE_CHECKING:
    from sentry_sdk._types import Event, Hint

_OF_FRAME: Final = ("filename", "function", "module", "lineno", "in_app")
_OF_EXCEPTION: Final = ("type", "module")
_OF_EVENT: Final = ("event_id", "timestamp", "platform", "level", "logger", "release", "sdk")


def errors_report(dsn: str, *, release: str) -> None:
    """Report errors that are logged from now on; do nothing without an address.

    Raises
    ------
    ImproperlyConfigured
        There is an address, and the package is not installed.
    """
    if not dsn:
        return
    try:
        import sentry_sdk
        from sentry_sdk.integrations.logging import LoggingIntegration
    except ImportError as error:
        raise ImproperlyConfigured(
            f"SENTRY_DSN is set, and sentry-sdk is not installed. {how_to_install('errors')}"
        ) from error
    sentry_sdk.init(
        dsn=dsn,
        release=release,
        # Errors come by what is logged: Django and Celery log each. The others would send requests and users along.
        default_integrations=False,
        integrations=[LoggingIntegration(level=None, event_level=logging.ERROR)],
        auto_enabling_integrations=False,
        include_local_variables=False,
        include_source_context=False,
        max_breadcrumbs=0,
        traces_sample_rate=None,
        auto_session_tracking=False,
        send_client_reports=False,
        server_name="",
        before_send=_kept,
    )


def errors_flush() -> None:
    """Wait for what is being sent, two seconds at most: for a process that ends."""
    if "sentry_sdk" in sys.modules:
        import sentry_sdk

        sentry_sdk.flush(timeout=2)


def _kept(event: "Event", hint: "Hint") -> "Event":
    """Return the parts of an event to send: where it happened and its identifiers, and no text but our own code's."""
    found = cast("dict[str, Any]", event)
    kept: dict[str, Any] = {name: found[name] for name in _OF_EVENT if name in found}
    kept["tags"] = {
        name: str(value) for name, value in structlog.contextvars.get_contextvars().items()
    }
    record = hint.get("log_record")
    if record is not None:
        # As it stands in the code, without what was put into it.
        kept["logentry"] = {"message": redact(str(record.msg))}
    values = found.get("exception", {}).get("values", [])
    if values:
        kept["exception"] = {"values": [_exception(value) for value in values]}
    return cast("Event", kept)


def _exception(value: dict[str, Any]) -> dict[str, Any]:
    """Return type and places. What an exception says may quote a row, an address or a file."""
    frames = value.get("stacktrace", {}).get("frames", [])
    places = [{name: frame[name] for name in _OF_FRAME if name in frame} for frame in frames]
    return {
        **{name: value[name] for name in _OF_EXCEPTION if name in value},
        "stacktrace": {"frames": places},
    }
