"""Errors marked by judges, counted by category, severity and system."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy, pgettext_lazy

from campaign.texts.joining import comma_list
from protocols.spans.records import (
    ERROR,
    MISSING,
    PLACED,
    SOURCE,
    ScoredJudgment,
    Severity,
    Span,
)

#: Names of severities for organisers.
SEVERITIES: Final[dict[Severity, Promise]] = {
    Severity.NEUTRAL: pgettext_lazy("severity", "neutral"),
    Severity.MINOR: gettext_lazy("minor"),
    Severity.MAJOR: gettext_lazy("major"),
    Severity.CRITICAL: pgettext_lazy("severity", "critical"),
}


@dataclass(frozen=True, slots=True)
class MarkedError:
    """An error in an output of a system."""

    system: str
    span: Span
    judgment: ScoredJudgment
    text: str

    @property
    def label(self) -> str:
        """The severity in the current language, and the kind of a special mark."""
        if self.span.kind in (*PLACED, MISSING):
            special = []
        else:
            special = [self.span.kind]
        return comma_list([str(SEVERITIES[self.span.severity]), *special])

    @property
    def output_parts(self) -> tuple[str, str, str]:
        """The output before, in and after the mark."""
        return _parts(self.text, self.span, ERROR)

    @property
    def source_parts(self) -> tuple[str, str, str]:
        """The source before, in and after the mark."""
        return _parts(self.judgment.source or "", self.span, SOURCE)


def _parts(text: str, span: Span, kind: str) -> tuple[str, str, str]:
    if span.kind != kind:
        return text, "", ""
    return text[: span.start], text[span.start : span.end], text[span.end or 0 :]


def marked_errors(judgments: Sequence[ScoredJudgment]) -> Iterator[MarkedError]:
    """Yield the errors; one in an output of several systems is one of each."""
    for judgment in judgments:
        for output in judgment.outputs:
            for span in output.spans or ():
                for system in output.systems:
                    yield MarkedError(system, span, judgment, output.text or "")
