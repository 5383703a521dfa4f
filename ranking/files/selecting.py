"""Choose the judgments that were asked for, and count what is left out."""

from __future__ import annotations

from collections.abc import Sequence
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


def selected(
    columns: Columns,
    vocabulary: Vocabulary,
    selection: JudgmentSelection,
    files: Sequence[FileRead],
) -> Selected:
    """Keep one language pair without the judges to be left out, and part judgments from skips."""
    languages = _one_pair(vocabulary, selection)
    rows = columns.take(columns.language == vocabulary.languages[languages])
    judges, candidates = list(vocabulary.judges), list(vocabulary.candidates)
    used = np.unique(rows.candidate[rows.candidate >= 0]).tolist()
    # Of skipped blocks and of excluded judges, too: a system nobody is left to judge is listed as
    # such, not forgotten.
    systems = sorted({name for one in used for name in candidates[one]})
    _refuse_few_systems(systems, files)
    rows = rows.take(~np.isin(rows.judge, _excluded(rows, vocabulary, selection)))
    # As WMT counts: who was shown outputs and labelled none of them has judged the block.
    is_judged = np.asarray((rows.candidate >= 0).any(axis=1))
    judged, skips = rows.take(is_judged), rows.take(~is_judged)
    if not judged.label.any():
        raise SelectionError("no judgment is left: every block was skipped or left out")
    count = np.bincount(skips.judge, minlength=len(judges)).tolist()
    blocks = blocks_of(judged, systems, judges, candidates)
    return Selected(
        blocks=blocks,
        duration_ms=judged.duration_ms,
        languages=languages,
        skipped_by={judges[one]: number for one, number in enumerate(count) if number},
        blank_labels=int(np.count_nonzero((rows.candidate >= 0) & (rows.label == 0))),
        judges=sum(name != NO_JUDGE for name in blocks.judges),
        ignored_documents=ignored_documents(judged.document, used=blocks.document is not None),
    )


def _one_pair(vocabulary: Vocabulary, selection: JudgmentSelection) -> LanguagePair:
    there = sorted(vocabulary.languages)
    listed = ", ".join(f"{source} to {target}" for source, target in there)
    found = [
        pair
        for pair in there
        if selection.source in {None, pair[0]} and selection.target in {None, pair[1]}
    ]
    if len(found) > 1:
        raise SelectionError(
            f"the files hold several language pairs: {listed}. "
            "Choose one with --source and --target (--source-language and --target-language)"
        )
    if not found:
        asked = " to ".join(name or "any language" for name in (selection.source, selection.target))
        raise SelectionError(f"the files hold no judgments of {asked}; they hold {listed}")
    return found[0]


def _refuse_few_systems(systems: Sequence[str], files: Sequence[FileRead]) -> None:
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


def _excluded(columns: Columns, vocabulary: Vocabulary, selection: JudgmentSelection) -> list[int]:
    judges = list(vocabulary.judges)
    present = {judges[one]: one for one in np.unique(columns.judge).tolist()}
    for name in selection.exclude_judges:
        if name not in present or name == NO_JUDGE:
            named = sorted(present)[:_NAMED_AT_MOST]
            more = ", …" if len(present) > _NAMED_AT_MOST else ""
            raise SelectionError(
                f"there is no judge {name!r} to leave out; there are {', '.join(named)}{more}"
            )
    return [present[name] for name in selection.exclude_judges]
