"""Define the block that a submission answers, and the error for refused submissions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any
from uuid import UUID

from annotation.models import Judgment


@dataclass(frozen=True, slots=True)
class AssignedBlock:
    """A block lent to a judge; `candidates` are public ids in shown order, `rules` those of its task.

    `part` is the pass, for protocols with passes.
    """

    block_id: int
    public_id: UUID
    assignment_id: int
    assignment_public_id: UUID
    judge_id: int
    task_id: int
    protocol: str
    rules: Mapping[str, Any]
    candidates: tuple[UUID, ...]
    allow_partial_ranking: bool
    is_training: bool
    part: int = 0


class SubmissionRefusedError(Exception):
    """A submission violates the campaign's rules or a limit.

    Attributes
    ----------
    message : str
        The reason, in words for the judge.
    missing : tuple of UUID
        Candidates without a label.
    retry_after : int, optional
        Seconds until the same submission is accepted; None if it never will be.
    stored : Judgment, optional
        The judgment that counts instead, if the block accepts no more.
    field : str
        The refused field of the request.
    """

    def __init__(
        self,
        message: str,
        *,
        missing: Sequence[UUID] = (),
        retry_after: int | None = None,
        stored: Judgment | None = None,
        field: str = "labels",
    ) -> None:
        super().__init__(message)
        self.message = message
        self.missing = tuple(missing)
        self.retry_after = retry_after
        self.stored = stored
        self.field = field


#: The same for the `answer` of a request.
answer_refused = partial(SubmissionRefusedError, field="answer")
