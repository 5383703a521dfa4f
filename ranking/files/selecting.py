"""Select the requested judgments, and count the others."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import TypedDict

import numpy as np

from campaign.formats import Location
from campaign.formats.errors import Loss
from campaign.formats.repeats import COUNTED_ONCE
from ranking.files.records import (
    NO_JUDGE,
    FileRead,
    JudgmentSelection,
    LanguagePair,
    SelectionError,
    refuse_unknown,
)
from ranking.files.repeats import RowsWithFiles, repeats_among
from ranking.files.vocabulary import Columns, Int32Array, Vocabulary


class SelectedFacts(TypedDict):
    """Fields of `JudgmentFacts`."""

    files: tuple[FileRead, ...]
    skipped: int
    skipped_by: dict[str, int]
    blank_labels: int
    repeated: int
    excluded_judges: tuple[str, ...]


@dataclass(frozen=True)
class Selected:
    """Facts about the selected judgments; those of several parts can be added.

    Attributes
    ----------
    present : tuple of str
        Judges of the language pair, including those who are left out.
    systems : tuple of str
        Systems of the pair, sorted, including those in skips and in excluded judgments, so that a system without
        remaining judgments is still listed.
    skipped_by : mapping of str to int
    blank_labels : int
    repeated : int
    has_labels : bool
    copies : mapping of str to int
        By file, how often it holds its whole content, among the judgments without a duration.
    left_out : mapping of str to int
        By file, the number of judgments and skips that repeat another one and do not count.
    """

    present: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    skipped_by: dict[str, int] = field(default_factory=dict)
    blank_labels: int = 0
    repeated: int = 0
    has_labels: bool = False
    copies: dict[str, int] = field(default_factory=dict)
    left_out: dict[str, int] = field(default_factory=dict)

    def __add__(self, other: Selected) -> Selected:
        copies = dict(self.copies)
        for file, times in other.copies.items():
            copies[file] = gcd(copies.get(file, 0), times)
        skipped_by = Counter(self.skipped_by) + Counter(other.skipped_by)
        return Selected(
            present=tuple({*self.present, *other.present}),
            systems=tuple(sorted({*self.systems, *other.systems})),
            skipped_by=dict(sorted(skipped_by.items())),
            blank_labels=self.blank_labels + other.blank_labels,
            repeated=self.repeated + other.repeated,
            has_labels=self.has_labels or other.has_labels,
            copies=copies,
            left_out=dict(Counter(self.left_out) + Counter(other.left_out)),
        )

    def losses(self, files: Sequence[FileRead]) -> tuple[Loss, ...]:
        """Return the repeats as a loss, first in the first file that has any."""
        for file in files:
            if self.left_out.get(file.name):
                return (Loss(COUNTED_ONCE, sum(self.left_out.values()), file.name),)
        return ()

    def facts(
        self,
        files: Sequence[FileRead],
        selection: JudgmentSelection,
    ) -> SelectedFacts:
        """Return fields of `JudgmentFacts`. Raises FormatError or SelectionError if nothing can be ranked."""
        refuse_few_systems(self.systems, files)
        refuse_unknown("judge", selection.exclude_judges, self.present)
        if not self.has_labels and self.blank_labels:
            raise SelectionError(
                "no block has a rank, so nothing can be ranked. If the answers are ratings or marked errors, analyse their own file (analyse rating, analyse spans)",
            )
        if not self.has_labels:
            raise SelectionError(
                "no judgments left: every block was skipped or excluded",
            )
        return {
            "files": tuple(files),
            "skipped": sum(self.skipped_by.values()),
            "skipped_by": self.skipped_by,
            "blank_labels": self.blank_labels,
            "repeated": self.repeated,
            "excluded_judges": selection.exclude_judges,
        }


@dataclass(frozen=True)
class RowSources:
    """The files of rows.

    Attributes
    ----------
    names : tuple of str
    file : int32, shape (N,)
        The number of the file of each row.
    copies : mapping of str to int or None
        How often each file holds its whole content (once if it is not named); None to find it out from the rows.
    """

    names: tuple[str, ...]
    file: Int32Array
    copies: Mapping[str, int] | None = None


def selected(
    columns: Columns,
    vocabulary: Vocabulary,
    languages: LanguagePair,
    excluded: Collection[str],
    sources: RowSources,
) -> tuple[Columns, Selected]:
    """Return the judgments of a language pair without repeats and those of excluded judges, and facts about them."""
    is_of_pair = columns.language == vocabulary.languages[languages]
    rows = columns.take(is_of_pair)
    file = sources.file[is_of_pair]
    no_judge = vocabulary.judges.get(NO_JUDGE, -1)
    with_files = RowsWithFiles(rows, file)
    copies = with_files.copies()
    applied = copies
    if sources.copies is not None:
        applied = {}
        for number, name in enumerate(sources.names):
            applied[number] = sources.copies.get(name, 1)
    counts = with_files.counted(applied, without_judge=no_judge)
    left_out = {}
    for number, repeats in enumerate(np.bincount(file[~counts]).tolist()):
        if repeats:
            left_out[sources.names[number]] = repeats
    rows = rows.take(counts)
    judges = list(vocabulary.judges)
    systems = _systems_in(rows, vocabulary)
    present = np.flatnonzero(np.bincount(rows.judge)).tolist()
    excluded_numbers = [number for number in present if judges[number] in excluded]
    if excluded_numbers:
        rows = rows.take(~np.isin(rows.judge, excluded_numbers))
    # As in WMT, a judge who saw outputs and labelled none of them has judged the block.
    is_judged = np.asarray((rows.candidate >= 0).any(axis=1))
    judged = rows.take(is_judged)
    skips = rows.take(~is_judged)
    is_blank = (rows.candidate >= 0) & (rows.label == 0)
    skipped_by = {}
    for number, skipped in enumerate(np.bincount(skips.judge).tolist()):
        if skipped:
            skipped_by[judges[number]] = skipped
    return judged, Selected(
        present=tuple(judges[number] for number in present),
        systems=systems,
        skipped_by=skipped_by,
        blank_labels=int(np.count_nonzero(is_blank)),
        repeated=repeats_among(judged.rows(judged.judge != no_judge)),
        has_labels=bool(judged.label.any()),
        copies={sources.names[number]: times for number, times in copies.items()},
        left_out=left_out,
    )


def _systems_in(rows: Columns, vocabulary: Vocabulary) -> tuple[str, ...]:
    """Return the systems in some rows, sorted."""
    candidates = list(vocabulary.candidates)
    systems: set[str] = set()
    # The first count is that of -1, which stands for no candidate.
    counts = np.bincount(rows.candidate.ravel() + 1)[1:]
    for number in np.flatnonzero(counts).tolist():
        systems.update(candidates[number])
    return tuple(sorted(systems))


def pairs_chosen(
    there: Iterable[LanguagePair],
    selection: JudgmentSelection,
) -> list[LanguagePair]:
    """Return the selected language pairs, sorted."""
    pairs = []
    for source, target in sorted(there):
        is_source = selection.source in {None, source}
        if is_source and selection.target in {None, target}:
            pairs.append((source, target))
    return pairs


def one_language_pair(
    there: Collection[LanguagePair],
    selection: JudgmentSelection,
) -> LanguagePair:
    """Return the only selected language pair. Raises SelectionError if there is none or more than one."""
    listed = ", ".join(f"{source} to {target}" for source, target in sorted(there))
    pairs = pairs_chosen(there, selection)
    if len(pairs) > 1:
        raise SelectionError(
            f"the files contain several language pairs: {listed}. "
            "Choose one by its source and target language (--source-language, --target-language)",
        )
    if not pairs:
        source = selection.source or "any language"
        target = selection.target or "any language"
        raise SelectionError(
            f"the files contain no judgments of {source} to {target}; they contain {listed}",
        )
    return pairs[0]


def refuse_few_systems(systems: Sequence[str], files: Sequence[FileRead]) -> None:
    """Refuse files in which fewer than two systems were judged."""
    if len(systems) > 1:
        return
    if systems:
        problem = f"the only system is {systems[0]}"
    else:
        problem = "no block names a system"
    raise Location(", ".join(file.name for file in files), 1, field="system").error(
        problem,
        "provide judgments that compare at least two systems",
    )
