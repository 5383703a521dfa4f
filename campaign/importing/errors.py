"""Errors that prevent an import of well-formed files."""

from campaign.formats.errors import ProblemError


class ImportRefusedError(ProblemError):
    """The database or the chosen options do not allow this import; nothing was changed."""

    def __str__(self) -> str:
        return f"{self.problem}. What to do: {self.remedy}."
