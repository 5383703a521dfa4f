"""Reports of errors, as Django sends them by mail."""

from django.http import HttpRequest
from django.utils.safestring import SafeString
from django.views.debug import ExceptionReporter

from config.redaction import HIDDEN, redact, secrets_of


class ErrorReporter(ExceptionReporter):
    """Django's own, without the secret of the address that was asked for."""

    request: HttpRequest | None

    def get_traceback_text(self) -> SafeString:
        return self._redacted(super().get_traceback_text())

    def get_traceback_html(self) -> SafeString:
        return self._redacted(super().get_traceback_html())

    def _redacted(self, report: str) -> SafeString:
        """Return the report without the secret, which also stands in local variables by itself."""
        asked = self.request.get_full_path() if self.request is not None else ""
        for secret in secrets_of(asked):
            report = report.replace(secret, HIDDEN)
        # Rendered by Django's templates; what is replaced needs no escaping.
        return SafeString(redact(report))
