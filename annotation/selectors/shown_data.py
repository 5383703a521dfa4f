"""Types of the data sent to judging pages, in the shape of `annotation.api.serializers`."""

from datetime import datetime
from typing import NotRequired, TypedDict
from uuid import UUID

from annotation.protocols.answer_kinds import Answer
from campaign.selectors.media import ShownFile
from campaign.texts.languages import LanguageDescribed


class TextShown(TypedDict):
    """A text with its language and the files that it shows."""

    text: str
    lang: str
    dir: str
    media: NotRequired[list[ShownFile]]


class NeighbourShown(TypedDict):
    """A segment near a block's, with source and reference, or only an output."""

    source: TextShown | None
    reference: TextShown | None
    output: TextShown | None


class ContextShown(TypedDict):
    """The segments before and after a block's."""

    before: list[NeighbourShown]
    after: list[NeighbourShown]


class CandidateShown(TextShown):
    """A candidate; `suggested` are errors from which its answer starts."""

    id: UUID
    suggested: NotRequired[list[dict[str, object]]]


class JudgmentShown(TypedDict):
    """The judge's latest judgment of a block."""

    id: UUID
    labels: list[int | None]
    comment: str
    answer: Answer | None


class BlockShown(TypedDict):
    """A block as its judge sees it, without rules, which are sent once for all blocks of the HIT."""

    id: UUID
    source: TextShown | None
    references: list[TextShown]
    context: ContextShown
    candidates: list[CandidateShown]
    state: str
    judgment: JudgmentShown | None
    skip_reason: str | None


class LanguagesShown(TypedDict):
    """The two languages of a HIT."""

    source: LanguageDescribed
    target: LanguageDescribed


class ProgressShown(TypedDict):
    """The judge's progress."""

    done: int
    wanted: int | None
    minutes_left: int | None


class AssignmentShown(TypedDict):
    """A HIT as its judge sees it; progress and notice are added when it is sent."""

    id: UUID
    revisable_hits: int
    expires_at: datetime
    blocks: list[BlockShown]
    languages: LanguagesShown
    protocol: str
    rules: dict[str, object]
    progress: NotRequired[ProgressShown]
    notice: NotRequired[str]


class DoneBlockShown(TypedDict):
    """A block that the judge has answered or skipped, with its place in the HIT."""

    assignment: UUID
    position: int
    total: int
    judged_at: datetime
    languages: LanguagesShown
    protocol: str
    rules: dict[str, object]
    block: BlockShown
