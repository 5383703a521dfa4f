"""Configure logs: lines for people, or JSON for machines, with IDs of request, judge and task, and without secrets."""

from __future__ import annotations

import contextlib
import io
import logging
import logging.config
import os
import re
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import TYPE_CHECKING, Any, Final, TextIO, cast
from uuid import uuid4

import redis
import structlog
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import request_finished
from django.utils.safestring import SafeString
from django.views.debug import ExceptionReporter
from structlog.typing import EventDict

from config.queues import ERRORS
from optional_packages import how_to_install

if TYPE_CHECKING:
    from django.http import HttpRequest, HttpResponseBase
    from sentry_sdk._types import Event, Hint

HIDDEN: Final = "[hidden]"

# `tests/integration/test_secrets.py` compares this with all addresses.
_ADDRESS: Final = re.compile(
    r"""((?:/|%2F)(?:i|panel|review)(?:/|%2F))((?!%2F)[^/\s?#"'<>&%\\]+)""",
    re.IGNORECASE,
)
# Lines in errors of PostgreSQL that quote rows or statements, with labels, comments and keys.
_ROW: Final = re.compile(
    r"^(DETAIL|LINE \d+):.*?(?=\n\n|\n(?:CONTEXT|HINT|QUERY):|\Z)",
    re.DOTALL | re.MULTILINE,
)
# Other sites, in Django's reason for refusing a form.
_REFERRER: Final = re.compile(r"(Referer checking failed - )\S+(?= does not match)")
_QUERY: Final = re.compile(r"""(https?://[^\s?"'<>]+\?)[^\s"'<>]+""", re.IGNORECASE)


def redact(text: str) -> str:
    """Return the text without secrets and queries in addresses, referrers, and rows in database errors."""
    text = _ADDRESS.sub(rf"\1{HIDDEN}", text)
    text = _QUERY.sub(rf"\1{HIDDEN}", text)
    text = _REFERRER.sub(rf"\1{HIDDEN}", text)
    return _ROW.sub(rf"\1: {HIDDEN}", text)


def secrets_of(address: str) -> list[str]:
    """Return the tokens and keys in an address."""
    return [match[2] for match in _ADDRESS.finditer(address)]


_FORMATTER: Final = logging.Formatter()


class RedactedRecord(logging.LogRecord):
    """A log record with redacted texts, regardless of how formatters access them.

    Requests that Django refused are logged at level info, without a traceback.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if _is_refusal(self):
            self.levelno = logging.INFO
            self.levelname = "INFO"
            self.exc_info = None
        if self.exc_info:
            # Formatters print this text unchanged.
            self.exc_text = redact(_FORMATTER.formatException(self.exc_info))
        if self.stack_info:
            self.stack_info = redact(self.stack_info)

    def getMessage(self) -> str:  # noqa: N802  its name in the standard library
        return redact(super().getMessage())


def _is_refusal(record: logging.LogRecord) -> bool:
    """Return whether Django logs a 4xx: any scanner can cause these, and operators cannot mend them.

    Django logs a wrong `Host` and other suspicious requests as errors, under `django.security`; other 4xx as warnings.
    """
    # `logging.makeLogRecord` makes records without a name, and names them afterwards.
    name = record.name or ""
    if name == "django.request":
        return record.levelno == logging.WARNING
    return name.startswith("django.security.")


class ErrorReporter(ExceptionReporter):
    """Error report of Django, without the secret in the requested address."""

    request: HttpRequest | None

    def get_traceback_text(self) -> SafeString:
        return self._redact_report(super().get_traceback_text())

    def get_traceback_html(self) -> SafeString:
        return self._redact_report(super().get_traceback_html())

    def _redact_report(self, report: str) -> SafeString:
        """Return the report without the secret, which local variables may also contain."""
        if self.request is not None:
            address = self.request.get_full_path()
        else:
            address = ""
        for secret in secrets_of(address):
            report = report.replace(secret, HIDDEN)
        # The report is rendered by Django's templates; the replaced text needs no escaping.
        return SafeString(redact(report))


def logs_redact() -> None:
    """Redact everything that this process logs from now on."""
    logging.setLogRecordFactory(RedactedRecord)


FORMATS: Final = ("console", "json")
# Loggers of gunicorn do not propagate by default.
_OF_GUNICORN: Final = ("gunicorn.error", "gunicorn.access")


def logging_settings(*, log_format: str, level: str) -> dict[str, Any]:
    """Return the configuration for `logging.config.dictConfig`, shared by Django, workers, beat and gunicorn.

    Raises
    ------
    ImproperlyConfigured
        The format does not exist.
    """
    if log_format not in FORMATS:
        raise ImproperlyConfigured(
            f"LOG_FORMAT is {log_format!r}. Valid values: {', '.join(FORMATS)}.",
        )
    return {
        "version": 1,
        "disable_existing_loggers": False,
        "formatters": {
            "console": {"()": "config.logs.ConsoleFormatter"},
            "json": {"()": "config.logs.json_formatter"},
        },
        "handlers": {
            # The level again, for records whose level is lowered (`RedactedRecord`).
            "console": {
                "class": "logging.StreamHandler",
                "formatter": log_format,
                "level": level,
            },
            "errors": {"class": "config.logs.ErrorCounter", "level": "ERROR"},
        },
        "root": {"handlers": ["console", "errors"], "level": level},
    }


def gunicorn_logging(*, log_format: str, level: str) -> dict[str, Any]:
    """Return the same configuration with the loggers of the web server."""
    settings = logging_settings(log_format=log_format, level=level)
    logger = {"handlers": ["console", "errors"], "propagate": False, "level": level}
    loggers: dict[str, Any] = dict.fromkeys(_OF_GUNICORN, logger)
    # Otherwise, a line for each client that leaves, and for each request that waits for a thread.
    loggers |= {"waitress": {"level": "WARNING"}, "waitress.queue": {"level": "ERROR"}}
    return settings | {"loggers": loggers}


_LINE: Final = "%(asctime)s %(levelname)s %(name)s %(message)s"


class ConsoleFormatter(logging.Formatter):
    """Formatter of lines for people: time, level, logger, message, and context in brackets."""

    def __init__(self) -> None:
        super().__init__(_LINE)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  its name in the standard library
        """Return the line without tracebacks."""
        about = structlog.contextvars.get_contextvars()
        named = " ".join(f"{name}={value}" for name, value in about.items())
        line = super().formatMessage(record)
        if named:
            return f"{line} [{named}]"
        return line


def json_formatter() -> structlog.stdlib.ProcessorFormatter:
    """Return a formatter that writes one JSON object per line, including tracebacks."""
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.contextvars.merge_contextvars,
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            _process_add,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            # Last, since the output of the steps above, such as tracebacks, must not contain secrets either.
            _redact_event,
            structlog.processors.JSONRenderer(),
        ],
    )


def _process_add(_logger: Any, _method: str, event: EventDict) -> EventDict:
    record: logging.LogRecord = event["_record"]
    return {**event, "process": record.process}


def _redact_event(_logger: Any, _method: str, event: EventDict) -> EventDict:
    return {
        name: redact(value) if isinstance(value, str) else value
        for name, value in event.items()
    }


class LoggedLines(io.TextIOBase):
    """A stream that logs each line written to it, and passes on lines of the log itself.

    Python and libraries print some messages, which are not JSON.
    """

    def __init__(self, stream: TextIO, *, level: int) -> None:
        self._stream = stream
        self._level = level
        self._line = ""
        self._lock = threading.Lock()

    def write(self, text: str) -> int:
        """Log the lines that this text completes."""
        if text.startswith("{"):
            return self._stream.write(text)
        with self._lock:
            *lines, self._line = f"{self._line}{text}".split("\n")
        for line in lines:
            if line.strip():
                logging.getLogger("printed").log(self._level, "%s", line)
        return len(text)

    def flush(self) -> None:
        """Write lines of the log that are waiting."""
        self._stream.flush()


def logs_all_json() -> None:
    """If `LOG_FORMAT` is `json`, log warnings, uncaught errors and everything printed to standard error as JSON.

    This is the first thing a process does, so that errors in its settings are JSON, too.
    """
    if not _is_json():
        return
    logging.config.dictConfig(logging_settings(log_format="json", level="INFO"))
    logging.captureWarnings(True)
    sys.excepthook = _uncaught_log
    threading.excepthook = _uncaught_of_thread_log
    sys.stderr = LoggedLines(sys.stderr, level=logging.WARNING)


def output_log() -> None:
    """If `LOG_FORMAT` is `json`, log everything printed to standard output: for processes without another result."""
    if _is_json():
        sys.stdout = LoggedLines(sys.stdout, level=logging.INFO)


def _is_json() -> bool:
    return os.environ.get("LOG_FORMAT") == "json"


def _uncaught_log(
    kind: type[BaseException],
    error: BaseException,
    trace: TracebackType | None,
) -> None:
    logging.getLogger(__name__).critical(
        "Uncaught exception",
        exc_info=(kind, error, trace),
    )


def _uncaught_of_thread_log(uncaught: threading.ExceptHookArgs) -> None:
    if uncaught.exc_value is not None:
        _uncaught_log(uncaught.exc_type, uncaught.exc_value, uncaught.exc_traceback)


class ErrorCounter(logging.Handler):
    """Count errors: in memory in the web server, at the broker in workers and beat."""

    def emit(self, _record: logging.LogRecord) -> None:
        """Count an error."""
        # Not at import, since these modules need the settings.
        if os.environ.get("QUINTET_PROCESS") == "web":
            from config.metrics import ERRORS_LOGGED

            ERRORS_LOGGED.inc()
        elif os.environ.get("QUINTET_PROCESS") in {"worker", "beat"}:
            from annotation.services.notification import broker

            # Periodic tasks catch errors, so no task fails.
            with contextlib.suppress(redis.RedisError):
                broker().incr(ERRORS)


#: Header with the ID of a request, which log lines include.
REQUEST_ID: Final = "X-Request-ID"
# Request IDs of proxies: 32 hexadecimal digits from nginx, UUIDs from others.
_WELL_FORMED: Final = re.compile(r"[A-Za-z0-9._-]{8,64}")


def requests_name(
    get_response: Callable[[HttpRequest], HttpResponseBase],
) -> Callable[[HttpRequest], HttpResponseBase]:
    """Return a middleware that gives each request an ID: that of the proxy, or else a new one."""

    # Not earlier, since Django logs refusals after all middleware.
    request_finished.connect(_forget, dispatch_uid=__name__)

    def name(request: HttpRequest) -> HttpResponseBase:
        if settings.PROXIES:
            sent_id = request.headers.get(REQUEST_ID, "")
        else:
            sent_id = ""
        if _WELL_FORMED.fullmatch(sent_id):
            request_id = sent_id
        else:
            request_id = uuid4().hex
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request=request_id)
        response = get_response(request)
        # Static files are many and small, and their IDs are never looked up.
        if not request.path_info.startswith("/static/"):
            response.headers[REQUEST_ID] = request_id
        return response

    return name


def _forget(**_signal: Any) -> None:
    structlog.contextvars.clear_contextvars()


@contextmanager
def command_logs(name: str) -> Iterator[None]:
    """Add the name of the command to all log lines in the context; log an unexpected error and exit with 1.

    Call it after `django.setup`, so that logs follow the settings and tracebacks contain no secrets.
    """
    if settings.SENTRY_DSN:
        from version import code_version

        errors_report(settings.SENTRY_DSN, release=code_version())
    with structlog.contextvars.bound_contextvars(command=name):
        try:
            yield
        except Exception:
            logging.getLogger(__name__).exception("The command %s failed.", name)
            sys.exit(1)
        finally:
            errors_flush()


_OF_FRAME: Final = ("filename", "function", "module", "lineno", "in_app")
_OF_EXCEPTION: Final = ("type", "module")
_OF_EVENT: Final = (
    "event_id",
    "timestamp",
    "platform",
    "level",
    "logger",
    "release",
    "sdk",
)


def errors_report(dsn: str, *, release: str) -> None:
    """Report errors logged from now on; do nothing without an address.

    Raises
    ------
    ImproperlyConfigured
        There is an address, but the package is not installed.
    """
    if not dsn:
        return
    try:
        import sentry_sdk
        from sentry_sdk.integrations.logging import LoggingIntegration
    except ImportError as error:
        raise ImproperlyConfigured(
            f"SENTRY_DSN is set, but sentry-sdk is not installed. {how_to_install('errors')}",
        ) from error
    sentry_sdk.init(
        dsn=dsn,
        release=release,
        # Errors are captured from the log, since Django and Celery log each of them. Other integrations
        # would also send requests and users.
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
        before_send=_event_to_send,
    )


def errors_flush() -> None:
    """Wait up to two seconds for pending reports before the process ends."""
    if "sentry_sdk" in sys.modules:
        import sentry_sdk

        sentry_sdk.flush(timeout=2)


def _event_to_send(event: Event, hint: Hint) -> Event:
    """Return the parts of an event to send: its place, its identifiers, and only texts from the code."""
    fields = cast("dict[str, Any]", event)
    event_parts: dict[str, Any] = {
        name: fields[name] for name in _OF_EVENT if name in fields
    }
    event_parts["tags"] = {
        name: str(value)
        for name, value in structlog.contextvars.get_contextvars().items()
    }
    record = hint.get("log_record")
    if record is not None:
        # The message template, without its arguments.
        event_parts["logentry"] = {"message": redact(str(record.msg))}
    values = fields.get("exception", {}).get("values", [])
    if values:
        event_parts["exception"] = {"values": [_exception(value) for value in values]}
    return cast("Event", event_parts)


def _exception(value: dict[str, Any]) -> dict[str, Any]:
    """Return only type and places of an exception, since its message may quote a row, an address or a file."""
    frames = value.get("stacktrace", {}).get("frames", [])
    places = []
    for frame in frames:
        places.append({name: frame[name] for name in _OF_FRAME if name in frame})
    return {
        **{name: value[name] for name in _OF_EXCEPTION if name in value},
        "stacktrace": {"frames": places},
    }
