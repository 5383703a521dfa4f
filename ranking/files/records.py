"""Records read from files of judgments, and their selection."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import numpy.typing as npt

from campaign.formats.errors import Loss
from ranking.core.judged.blocks import Blocks


class IgnoredBecause(StrEnum):
    """Reasons for ignoring the documents that files name."""

    SOME_UNNAMED = "some_blocks_name_none"
    ONE = "only_one_is_named"
    SEGMENT_OF_TWO = "a_segment_is_of_two"


@dataclass(frozen=True, slots=True)
class IgnoredDocuments:
    """Documents that are named but ignored.

    Attributes
    ----------
    reason : IgnoredBecause
    naming : int
        Number of judged blocks that name a document.
    """

    reason: IgnoredBecause
    naming: int


def ignored_documents(
    document: npt.NDArray[np.int32],
    *,
    used: bool,
) -> IgnoredDocuments | None:
    """Return why the documents of blocks are ignored; None if they are used or none is named.

    Parameters
    ----------
    document : int32, shape (N,)
        Number of the document that each judged block names, -1 if it names none.
    used : bool
        Whether they count, as found by `ranking.core.judged.blocks.several_documents`.
    """
    naming = document[document >= 0]
    several = bool(len(naming)) and not bool((naming == naming[0]).all())
    if used:
        return None
    return ignored_of(len(naming), len(document), several=several)


def ignored_of(naming: int, blocks: int, *, several: bool) -> IgnoredDocuments | None:
    """Return why documents are ignored if `naming` of the blocks name one; `several` tells whether these differ."""
    if not naming:
        return None
    if naming < blocks:
        return IgnoredDocuments(IgnoredBecause.SOME_UNNAMED, naming)
    if several:
        because = IgnoredBecause.SEGMENT_OF_TWO
    else:
        because = IgnoredBecause.ONE
    return IgnoredDocuments(because, naming)


#: Name of the judge in files without judges; no judge in a file can have it.
NO_JUDGE = ""

LanguagePair = tuple[str, str]

#: Largest number of candidates that the core can count.
MAX_CANDIDATES = 127

_NAMED_AT_MOST = 20


class InputFormat(StrEnum):
    """Formats of files of judgments."""

    FIVE_WAY_CSV = "five-way-csv"
    PAIRWISE_CSV = "pairwise-csv"
    APPRAISE_XML = "appraise-xml"
    RANK = "rank"
    JSONL = "jsonl"
    PARQUET = "parquet"
    ARENA_VOTES = "arena-votes"


class SelectionError(ValueError):
    """The files are valid, but the requested selection matches nothing or is ambiguous."""


def refuse_unknown(
    kind: str,
    columns: Iterable[str | None],
    there: Iterable[str],
) -> None:
    """Refuse to select or exclude names that do not exist. Raises SelectionError."""
    named = sorted(filter(None, there))
    for name in columns:
        if name not in named:
            if len(named) > _NAMED_AT_MOST:
                more = ", …"
            else:
                more = ""
            listed = ", ".join(named[:_NAMED_AT_MOST])
            raise SelectionError(
                f"{kind} {name!r} not found; choose from {listed}{more}",
            )


@dataclass(frozen=True, slots=True)
class JudgmentSelection:
    """Selection of judgments from files.

    Attributes
    ----------
    source, target : str or None
        Languages as the files spell them; None accepts any language if there is only one pair.
    exclude_judges : tuple of str
        Pseudonyms whose judgments and skips are left out.
    """

    source: str | None = None
    target: str | None = None
    exclude_judges: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class FileRead:
    """A file that was read: its name as given, and the hash of its bytes as stored."""

    name: str
    sha256: str


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgmentFacts:
    """Content of files other than their judgments.

    Attributes
    ----------
    files : tuple of FileRead
        In the order given.
    input_format : InputFormat or None
        None if the judgments are not from files.
    languages : tuple of str
        Source and target, as the files spell them.
    skipped : int
        Number of skipped blocks, which have no candidates.
    skipped_by : mapping of str to int
        Pseudonym to number of skips, for judges with any.
    blank_labels : int
        Number of candidates without a label.
    judges : int
        Number of judges of at least one block; 0 if the format has no judges.
    ignored_documents : IgnoredDocuments or None
        Documents that some blocks name but that are ignored; None if there are none.
    excluded_judges : tuple of str
        Pseudonyms that the selection leaves out.
    repeated : int
        Number of judged blocks that exactly repeat an earlier one by the same judge; they count.
    losses : tuple of Loss
        Content of the files that is not read.
    watermark : int or None
        Number of the last judgment of a test set; None if the judgments are from files.
    """

    files: tuple[FileRead, ...]
    input_format: InputFormat | None
    languages: LanguagePair
    skipped: int
    blank_labels: int
    judges: int
    skipped_by: dict[str, int] = field(default_factory=dict)
    ignored_documents: IgnoredDocuments | None = None
    excluded_judges: tuple[str, ...] = ()
    repeated: int = 0
    losses: tuple[Loss, ...] = ()
    watermark: int | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class JudgmentsRead(JudgmentFacts):
    """The selected judgments of all files.

    Attributes
    ----------
    blocks : Blocks
        B judged blocks with all systems, including the reference; skipped blocks are left out. The
        keys are those of the same judgments in the database. Documents are known if every block
        names one, at least two are named, and no segment belongs to two.
    duration_ms : int64, shape (B,)
        Time spent on each block, -1 if the file does not give it.
    day : int32, shape (B,), or None
        UTC day on which each block was judged, counted from 1 January 1970; None for files, which
        do not give it.
    documents : tuple of str
        Names of the documents, by their numbers in `blocks`.
    """

    blocks: Blocks
    duration_ms: npt.NDArray[np.int64]
    day: npt.NDArray[np.int32] | None = None
    documents: tuple[str, ...] = ()
