"""Files of judgments on their way into the database: opened again as often as needed."""

from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from campaign.formats import ByteStream, FiveWayColumns, FiveWayNames, read_five_way_columns
from campaign.importing.languages import language_tag

# Many enough that what is asked once a batch costs little: by the 2,000 a row costs 1 to 2 µs more, of some 48. Few
# enough to stay in memory: by the 10,000 Python takes 1 to 3 µs more.
ROWS_AT_ONCE: Final = 5_000


@dataclass(frozen=True, slots=True)
class JudgmentsFile:
    """A file of judgments; `open` begins at its first byte each time."""

    name: str
    open: Callable[[], AbstractContextManager[ByteStream]]


@dataclass(frozen=True, slots=True, order=True)
class LanguagePair:
    source: str
    target: str

    @property
    def tags(self) -> "LanguagePair":
        """The pair as BCP 47 tags, where they are known."""
        return LanguagePair(language_tag(self.source), language_tag(self.target))

    def __str__(self) -> str:
        return f"{self.source} → {self.target}"


def columns_placed(
    files: Sequence[JudgmentsFile],
    *,
    languages: LanguagePair | None = None,
    known_systems: Collection[str] | None = None,
    rows_at_once: int = ROWS_AT_ONCE,
) -> Generator[FiveWayColumns]:
    """Yield the rows of all files in order, as columns; with `languages`, those of that pair only.

    Raises FormatError from the reader, for systems not in `known_systems` too.
    """
    # Rows of other languages may name systems of other test sets.
    names = FiveWayNames(None if languages else known_systems)
    for file in files:
        with file.open() as stream:
            for columns in read_five_way_columns(
                stream, file.name, names=names, rows_at_once=rows_at_once
            ):
                chosen = columns.only(is_of(columns, languages)) if languages else columns
                if len(chosen):
                    if languages:
                        _refuse_unknown_systems(chosen, known_systems)
                    yield chosen


def is_of(columns: FiveWayColumns, languages: LanguagePair) -> npt.NDArray[np.bool_]:
    """Return which rows are of these languages, by whatever names."""
    wanted = languages.tags
    return np.array([LanguagePair(*pair).tags == wanted for pair in columns.names.pairs])[
        columns.pairs
    ]


def _refuse_unknown_systems(columns: FiveWayColumns, known_systems: Collection[str] | None) -> None:
    if known_systems is None:
        return
    unknown = [
        next((system for system in systems if system not in known_systems), None)
        for systems in columns.names.candidates
    ]
    # The last is for -1, where a place shows no candidate.
    is_unknown = np.array([*(system is not None for system in unknown), False])[columns.candidates]
    if is_unknown.any():
        row, place = np.argwhere(is_unknown)[0]
        raise columns.error(
            row,
            f"the system {unknown[columns.candidates[row, place]]} is unknown",
            "correct the name, or add the system to the test set first; "
            f"it has {', '.join(sorted(known_systems))}",
        )
