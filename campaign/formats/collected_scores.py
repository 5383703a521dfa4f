"""Collect the scores of a metric while its files are read, and refuse an output that is scored twice."""

from __future__ import annotations

import math
from array import array
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, NoReturn

import numpy as np

from campaign.formats.errors import Location
from campaign.formats.metric_scores import FloatArray, MetricScores
from campaign.formats.records import system_name_problem
from campaign.formats.segment_identity import SegmentName

WRITE_SCORE: Final = "write a number, or None for an output without a score"
#: R writes NA.
_MISSING: Final = frozenset({"", "none", "null", "na"})
#: The document and the name there of a segment; both are empty for a whole system.
_Segment = tuple[str, str]
WHOLE_SYSTEM: Final = ("", "")


def _no_numbers() -> array[float]:
    return array("d")


def _no_indices() -> array[int]:
    return array("q")


@dataclass(slots=True)
class CollectedScores:
    """Scores of one metric in the order of the files, with the row, column, file and line of each value."""

    name: str
    signature: str = ""
    higher_is_better: bool | None = None
    direction_at: Location | None = None
    uses_reference: bool | None = None
    is_by_line: bool = False
    segments: dict[_Segment, int] = field(default_factory=dict)
    systems: dict[str, int] = field(default_factory=dict)
    places: list[Location] = field(default_factory=list)
    values: array[float] = field(default_factory=_no_numbers)
    rows: array[int] = field(default_factory=_no_indices)
    columns: array[int] = field(default_factory=_no_indices)
    lines: array[int] = field(default_factory=_no_indices)
    files: list[str] = field(default_factory=list)

    def add(
        self,
        system: str,
        segment: _Segment,
        score: object,
        file: str,
        line: int,
    ) -> None:
        """Add a score. Raises FormatError for an invalid name or score."""
        value = score_number(score, file, line)
        self.extend(system, [segment], [value], file, [line])

    def extend(
        self,
        system: str,
        segments: Sequence[_Segment],
        values: Sequence[float],
        file: str,
        lines: Sequence[int],
    ) -> None:
        """Add scores of a system. Raises FormatError for an invalid name."""
        if system not in self.systems:
            problem = system_name_problem(system)
            if problem:
                raise Location(file, lines[0], field="system").error(
                    problem,
                    "write the name of the system as in the test set",
                )
            self.systems[system] = len(self.systems)
        for segment, line in zip(segments, lines, strict=True):
            if segment not in self.segments:
                self.segments[segment] = len(self.segments)
                self.places.append(Location(file, line))
            self.rows.append(self.segments[segment])
        count = len(lines)
        self.columns.extend([self.systems[system]] * count)
        self.values.extend(values)
        self.lines.extend(lines)
        self.files.extend([file] * count)

    def result(self) -> MetricScores:
        """Return the scores. Raises FormatError for an output that is scored twice."""
        systems = sorted(self.systems)
        columns = [self.systems[system] for system in systems]
        values = self._table()[:, columns]
        segments = []
        rows = []
        of_systems = np.full(len(systems), np.nan)
        for segment, row in self.segments.items():
            if segment == WHOLE_SYSTEM:
                of_systems = values[row]
            else:
                document, name = segment
                segments.append(SegmentName(name, document))
                rows.append(row)
        return MetricScores(
            name=self.name,
            systems=tuple(systems),
            segments=tuple(segments),
            values=values[rows],
            of_systems=of_systems,
            signature=self.signature,
            higher_is_better=self.higher_is_better is not False,
            direction_at=self.direction_at,
            uses_reference=self.uses_reference,
            is_by_line=self.is_by_line,
            places=tuple(self.places[row] for row in rows),
        )

    def _table(self) -> FloatArray:
        """Return the scores by segment and system; NaN if missing."""
        shape = (len(self.segments), len(self.systems))
        cells = np.ravel_multi_index((self.rows, self.columns), shape)
        distinct_cells, first = np.unique(cells, return_index=True)
        if len(distinct_cells) < len(cells):
            repeats = np.setdiff1d(np.arange(len(cells)), first)
            second = int(repeats[0])
            earlier = np.flatnonzero(cells == cells[second])
            self._refuse(int(earlier[0]), second)
        values = np.full(shape, np.nan)
        values.flat[cells] = self.values
        return values

    def _refuse(self, first: int, second: int) -> NoReturn:
        document, name = list(self.segments)[self.rows[second]]
        system = list(self.systems)[self.columns[second]]
        repeat = f"the whole of {system} twice"
        if name:
            repeat = f"{system} twice for segment {name}"
        if name and document:
            repeat = f'{repeat} of the document "{document}"'
        before = f"{self.files[first]}, line {self.lines[first]}"
        raise Location(self.files[second], self.lines[second]).error(
            f"{self.name} scores {repeat}, first in {before}",
            "keep one of the two lines, or name segments by document and position",
        )


def score_number(value: object, file: str, line: int) -> float:
    """Return a score; NaN if there is none."""
    number = math.inf
    # float() reads "1_0" as 10.
    is_unreadable = isinstance(value, bool) or "_" in str(value)
    try:
        if not is_unreadable:
            number = float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError, OverflowError):
        if str(value).strip().lower() in _MISSING:
            number = math.nan
    if math.isinf(number):
        raise Location(file, line, field="score").error(
            f'"{value}" is not a score',
            WRITE_SCORE,
        )
    return number
