"""Define the block that a submission answers, and the error for refused submissions."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from uuid import UUID

from annotation.models import BlockControl, Judgment, MachineJudgment
from annotation.models.block import candidate_ids
from campaign.models import CampaignState


@dataclass(frozen=True, slots=True)
class BlockTexts:
    """Texts shown in a block: those of its candidates, in display order, and the source; None for a missing text."""

    candidates: tuple[str | None, ...]
    source: str | None


@dataclass(frozen=True, slots=True)
class AssignedBlock:
    """A block lent to a judge; `rules` are those of its task, and `part` is the pass, in protocols with passes.

    `campaign_state`, `is_past_closing` and `stopping_action` tell whether the judge may go on after this block.
    A machine may be shown the candidates in reverse order. `unstored_texts` are those of a block that is not
    stored: of an answer from a file (`is_imported`), or drawn for a machine alone.
    """

    block_id: int
    public_id: UUID
    control: str
    assignment_id: int
    assignment_public_id: UUID
    judge_id: int
    task_id: int
    protocol: str
    rules: Mapping[str, object]
    candidate_count: int
    allow_partial_ranking: bool
    part: int
    campaign_state: str = CampaignState.OPEN
    is_past_closing: bool = False
    stopping_action: str | None = None
    is_reversed: bool = False
    unstored_texts: BlockTexts | None = None
    is_imported: bool = False

    @property
    def candidates(self) -> tuple[UUID, ...]:
        """Public ids of the candidates in display order."""
        return candidate_ids(self.public_id, self.candidate_count)

    @property
    def is_training(self) -> bool:
        return self.control == BlockControl.TRAINING


class SubmissionRefusedError(Exception):
    """A submission violates the campaign's rules or a limit.

    Attributes
    ----------
    message : str
        The reason, in words for the judge.
    missing : tuple of UUID
        Candidates without a label.
    retry_after : int, optional
        Seconds until the same submission may be accepted; None if it never will be.
    stored : Judgment or MachineJudgment, optional
        The judgment that counts instead, if the block accepts no more judgments.
    field : str
        The refused field of the request.
    is_conflict : bool
        Whether the judge has answered the block elsewhere, which the client did not know.
    """

    def __init__(
        self,
        message: str,
        *,
        missing: Sequence[UUID] = (),
        retry_after: int | None = None,
        stored: Judgment | MachineJudgment | None = None,
        field: str = "labels",
        is_conflict: bool = False,
    ) -> None:
        super().__init__(message)
        self.message = message
        self.missing = tuple(missing)
        self.retry_after = retry_after
        self.stored = stored
        self.field = field
        self.is_conflict = is_conflict


#: The same for the `answer` of a request.
answer_refused = partial(SubmissionRefusedError, field="answer")
