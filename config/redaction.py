"""Keep the tokens of links and the keys of panels out of logs and error reports.

Whoever reads one of these addresses can sign in by it, so that no log may hold it. All that this process logs
passes here, whichever library logs it and whichever handler writes it: Django, gunicorn, Celery.
"""

import logging
import re
from typing import Any, Final

HIDDEN: Final = "[hidden]"

# `tests/integration/test_secrets.py` compares this with the addresses there are.
_ADDRESS: Final = re.compile(
    r"""((?:/|%2F)(?:i|panel|review)(?:/|%2F))((?!%2F)[^/\s?#"'<>&%\\]+)""", re.IGNORECASE
)
# The lines of an error of PostgreSQL that quote rows or the statement, with labels, comments and keys.
_ROW: Final = re.compile(
    r"^(DETAIL|LINE \d+):.*?(?=\n\n|\n(?:CONTEXT|HINT|QUERY):|\Z)", re.DOTALL | re.MULTILINE
)


def redact(text: str) -> str:
    """Return the text without the secrets of addresses and without the rows of database errors."""
    return _ROW.sub(rf"\1: {HIDDEN}", _ADDRESS.sub(rf"\1{HIDDEN}", text))


def secrets_of(address: str) -> list[str]:
    """Return the tokens and keys that this address holds."""
    return [found[2] for found in _ADDRESS.finditer(address)]


class RedactedRecord(logging.LogRecord):
    """A log record whose texts are redacted wherever a formatter takes them from."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self._texts: dict[str, str | None] = {}
        super().__init__(*args, **kwargs)

    def getMessage(self) -> str:  # noqa: N802  its name in the standard library
        return redact(super().getMessage())

    @property
    def exc_text(self) -> str | None:
        """The formatted traceback, which formatters store here before they print it."""
        return self._texts.get("traceback")

    @exc_text.setter
    def exc_text(self, text: str | None) -> None:
        self._texts["traceback"] = text and redact(text)

    @property
    def stack_info(self) -> str | None:
        """The formatted stack, if the caller asked for it."""
        return self._texts.get("stack")

    @stack_info.setter
    def stack_info(self, text: str | None) -> None:
        self._texts["stack"] = text and redact(text)


def logs_redact() -> None:
    """Redact all that this process logs from now on."""
    logging.setLogRecordFactory(RedactedRecord)
