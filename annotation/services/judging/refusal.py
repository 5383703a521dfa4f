"""Why a submission is refused."""

from collections.abc import Sequence
from uuid import UUID

from annotation.models import Judgment


class SubmissionRefusedError(Exception):
    """A submission breaks the campaign's rules or a limit.

    Attributes
    ----------
    message : str
        Why, in words for the judge.
    missing : tuple of UUID
        Candidates without a label.
    retry_after : int, optional
        In how many seconds the same would be taken; None: never as it is.
    stored : Judgment, optional
        What counts instead, where nothing more is taken for the block.
    """

    def __init__(
        self,
        message: str,
        *,
        missing: Sequence[UUID] = (),
        retry_after: int | None = None,
        stored: Judgment | None = None,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.missing = tuple(missing)
        self.retry_after = retry_after
        self.stored = stored
