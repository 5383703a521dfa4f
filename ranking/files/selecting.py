"""Choose the judgments that were asked for, and count what is left out."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from campaign.formats import FormatError
from ranking.core.judged.blocks import Blocks
from ranking.files.build import blocks_of
from ranking.files.documents import IgnoredDocuments, ignored_documents
from ranking.files.records import (
    NO_JUDGE,
    FileRead,
    JudgmentSelection,
    LanguagePair,
    SelectionError,
)
from ranking.files.vocabulary import Columns, Vocabulary

_NAMED_AT_MOST = 20


@dataclass(frozen=True, eq=False)
class Selected:
    """As in `JudgmentsRead`."""

    blocks: Blocks
    duration_ms: npt.NDArray[np.int64]
    languages: LanguagePair
    skipped_by: dict[str, int]
    blank_labels: int
    judges: int
    ignored_documents: IgnoredDocuments | None
    repeated: int


@dataclass(frozen=True, eq=False)
class Parts:
    """The judgments and skips of one language pair, without the judges to be left out.

    Attributes
    ----------
    judged : Columns
    skipped_by : mapping of str to int
    present : tuple of str
        Judges of the pair, those who are left out among them.
    systems : tuple of str
        Systems of the pair, sorted; also of skips and of judges who are left out: a system nobody is
        left to judge is listed as such, not forgotten.
    blank_labels : int
    repeated : int
    """

    judged: Columns
    skipped_by: dict[str, int]
    present: tuple[str, ...]
    systems: tuple[str, ...]
    blank_labels: int
    repeated: int


def selected(
    columns: Columns,
    vocabulary: Vocabulary,
    selection: JudgmentSelection,
    files: Sequence[FileRead],
) -> Selected:
    """Keep one language pair without the judges to be left out, and part judgments from skips."""
    languages = one_language_pair(vocabulary.languages, selection)
    parts = parts_of(columns, vocabulary, languages, selection.exclude_judges)
    refuse_few_systems(parts.systems, files)
    refuse_unknown_judges(parts.present, selection)
    judged = parts.judged
    refuse_no_judgment(is_any=bool(judged.label.any()))
    blocks = blocks_of(judged, parts.systems, list(vocabulary.judges), list(vocabulary.candidates))
    return Selected(
        blocks=blocks,
        duration_ms=judged.duration_ms,
        languages=languages,
        skipped_by=parts.skipped_by,
        blank_labels=parts.blank_labels,
        judges=sum(name != NO_JUDGE for name in blocks.judges),
        ignored_documents=ignored_documents(judged.document, used=blocks.document is not None),
        repeated=parts.repeated,
    )


def parts_of(
    columns: Columns, vocabulary: Vocabulary, languages: LanguagePair, excluded: Collection[str]
) -> Parts:
    """Return the judgments of a language pair without some judges, and what is counted of the rest."""
    rows = columns.take(columns.language == vocabulary.languages[languages])
    judges, candidates = list(vocabulary.judges), list(vocabulary.candidates)
    # One entry more, for -1.
    used = np.bincount(rows.candidate.ravel() + 1, minlength=1)[1:].nonzero()[0].tolist()
    present = np.bincount(rows.judge).nonzero()[0].tolist()
    left_out = [one for one in present if judges[one] in excluded]
    if left_out:
        rows = rows.take(~np.isin(rows.judge, left_out))
    # As WMT counts: who was shown outputs and labelled none of them has judged the block.
    is_judged = np.asarray((rows.candidate >= 0).any(axis=1))
    judged, skips = rows.take(is_judged), rows.take(~is_judged)
    count = np.bincount(skips.judge, minlength=len(judges)).tolist()
    return Parts(
        judged=judged,
        skipped_by={judges[one]: number for one, number in enumerate(count) if number},
        present=tuple(judges[one] for one in present),
        systems=tuple(sorted({name for one in used for name in candidates[one]})),
        blank_labels=int(np.count_nonzero((rows.candidate >= 0) & (rows.label == 0))),
        repeated=_repeated(judged, vocabulary),
    )


def _repeated(judged: Columns, vocabulary: Vocabulary) -> int:
    """Count the rows that equal an earlier one in judge, segment, candidates in order and labels."""
    named = judged.rows(judged.judge != vocabulary.judges.get(NO_JUDGE, -1))
    if not len(named):
        return 0
    said = np.column_stack(
        [named.judge, named.segment, named.document, named.candidate, named.label]
    ).astype(np.int32)
    whole_rows = np.ascontiguousarray(said).view(f"V{said.itemsize * said.shape[1]}")
    return len(named) - len(np.unique(whole_rows))


def pairs_chosen(there: Iterable[LanguagePair], selection: JudgmentSelection) -> list[LanguagePair]:
    """Return the language pairs that the selection asks for, sorted."""
    return [
        pair
        for pair in sorted(there)
        if selection.source in {None, pair[0]} and selection.target in {None, pair[1]}
    ]


def one_language_pair(
    there: Collection[LanguagePair], selection: JudgmentSelection
) -> LanguagePair:
    """Return the one pair that the selection asks for; SelectionError if there is not one."""
    listed = ", ".join(f"{source} to {target}" for source, target in sorted(there))
    found = pairs_chosen(there, selection)
    if len(found) > 1:
        raise SelectionError(
            f"the files hold several language pairs: {listed}. "
            "Choose one with --source and --target (--source-language and --target-language)"
        )
    if not found:
        asked = " to ".join(name or "any language" for name in (selection.source, selection.target))
        raise SelectionError(f"the files hold no judgments of {asked}; they hold {listed}")
    return found[0]


def refuse_few_systems(systems: Sequence[str], files: Sequence[FileRead]) -> None:
    """Refuse files that compare nothing."""
    if len(systems) > 1:
        return
    problem = f"the only system is {systems[0]}" if systems else "no block names a system"
    raise FormatError(
        ", ".join(file.name for file in files),
        problem,
        "give judgments that compare two systems or more",
        line=1,
        field="system",
    )


def refuse_unknown_judges(present: Collection[str], selection: JudgmentSelection) -> None:
    """Refuse to leave out judges who are not there."""
    for name in selection.exclude_judges:
        if name not in present or name == NO_JUDGE:
            named = sorted(present)[:_NAMED_AT_MOST]
            more = ", …" if len(present) > _NAMED_AT_MOST else ""
            raise SelectionError(
                f"there is no judge {name!r} to leave out; there are {', '.join(named)}{more}"
            )


def refuse_no_judgment(*, is_any: bool) -> None:
    """Refuse a selection in which no label is left."""
    if not is_any:
        raise SelectionError("no judgment is left: every block was skipped or left out")
