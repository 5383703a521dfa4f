"""Reports of errors, as Django sends them by mail."""

from django.http import HttpRequest
from django.views.debug import ExceptionReporter

from config.redaction import HIDDEN, redact, secrets_of


class ErrorReporter(ExceptionReporter):
    """Django's own, without the secret of the address that was asked for."""

    request: HttpRequest | None

    def get_traceback_text(self) -> str:
        return self._redacted(super().get_traceback_text())

    def get_traceback_html(self) -> str:
        return self._redacted(super().get_traceback_html())

    def _redacted(self, report: str) -> str:
        """Return the report without the secret, which also stands in local variables by itself."""
        asked = self.request.get_full_path() if self.request is not None else ""
        for secret in secrets_of(asked):
            report = report.replace(secret, HIDDEN)
        return redact(report)
