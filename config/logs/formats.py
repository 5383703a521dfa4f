"""Records as lines, each with what `structlog.contextvars` holds: which request, judge and task they are about."""

import logging
from typing import Any, Final

import structlog
from structlog.typing import EventDict

from config.redaction import redact

_LINE: Final = "%(asctime)s %(levelname)s %(name)s %(message)s"


class ConsoleFormatter(logging.Formatter):
    """A line for people: time, level, logger, message, and in brackets what it is about."""

    def __init__(self) -> None:
        super().__init__(_LINE)

    def formatMessage(self, record: logging.LogRecord) -> str:  # noqa: N802  its name in the standard library
        """Return the line without tracebacks."""
        about = structlog.contextvars.get_contextvars()
        named = " ".join(f"{name}={value}" for name, value in about.items())
        line = super().formatMessage(record)
        return f"{line} [{named}]" if named else line


def json_formatter() -> structlog.stdlib.ProcessorFormatter:
    """Return a formatter that writes one JSON object a line, tracebacks in it."""
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
            # Last: also what the steps above made, such as tracebacks, holds no secret.
            _redacted,
            structlog.processors.JSONRenderer(),
        ],
        # Records are marked as ours for those formatters only that write them out.
        keep_exc_info=False,
    )


def _process_add(_logger: Any, _method: str, event: EventDict) -> EventDict:
    record: logging.LogRecord = event["_record"]
    return {**event, "process": record.process}


def _redacted(_logger: Any, _method: str, event: EventDict) -> EventDict:
    return {
        name: redact(value) if isinstance(value, str) else value for name, value in event.items()
    }
