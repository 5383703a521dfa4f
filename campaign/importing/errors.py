"""Errors that prevent an import of well-formed files."""


class ImportRefusedError(Exception):
    """The database or the chosen options do not allow this import; nothing was changed.

    `problem` and `remedy` are phrases without a full stop, like FormatError's.
    """

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(problem, remedy)
        self.problem = problem
        self.remedy = remedy

    def __str__(self) -> str:
        return f"{self.problem}. What to do: {self.remedy}."
