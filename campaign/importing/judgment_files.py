"""Files of judgments on their way into the database: opened again as often as needed."""

from collections.abc import Callable, Collection, Generator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from campaign.formats import ByteStream, FiveWayRow, FormatError, read_five_way_csv
from campaign.importing.languages import language_tag


@dataclass(frozen=True, slots=True)
class JudgmentsFile:
    """A five-way CSV; `open` begins at its first byte each time."""

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


@dataclass(frozen=True, slots=True)
class PlacedRow:
    """A row and the file it stands in."""

    file: str
    row: FiveWayRow

    @property
    def languages(self) -> LanguagePair:
        return LanguagePair(self.row.source_language.strip(), self.row.target_language.strip())

    def error(self, problem: str, remedy: str, field: str | None = None) -> FormatError:
        return FormatError(self.file, problem, remedy, line=self.row.line, field=field)


def rows_placed(
    files: Sequence[JudgmentsFile],
    *,
    languages: LanguagePair | None = None,
    known_systems: Collection[str] | None = None,
) -> Generator[PlacedRow]:
    """Yield the rows of all files in order; with `languages`, those of that pair only.

    Raises FormatError from the reader, for systems not in `known_systems` too.
    """
    wanted = languages.tags if languages else None
    for file in files:
        with file.open() as stream:
            # Rows of other languages may name systems of other test sets.
            known = None if wanted else known_systems
            for row in read_five_way_csv(stream, file.name, known_systems=known):
                placed = PlacedRow(file.name, row)
                if wanted is None:
                    yield placed
                elif placed.languages.tags == wanted:
                    _refuse_unknown_systems(placed, known_systems)
                    yield placed


def _refuse_unknown_systems(placed: PlacedRow, known_systems: Collection[str] | None) -> None:
    if known_systems is None:
        return
    for candidate in placed.row.candidates:
        for system in candidate:
            if system not in known_systems:
                raise placed.error(
                    f"the system {system} is unknown",
                    "correct the name, or add the system to the test set first; "
                    f"it has {', '.join(sorted(known_systems))}",
                )
