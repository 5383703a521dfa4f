"""Leave out repeated rows of JSON Lines, by the rule of all formats (`campaign.formats.repeats`)."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from typing import Any, Generic, TypeVar

from campaign.formats.cells import Refuse
from campaign.formats.errors import Losses
from campaign.formats.repeats import COUNTED_ONCE, Repeatable, counted_repeatable

Row = TypeVar("Row")


class CountedRows(Generic[Row]):
    """The rows of files, of which some may repeat others.

    `statements` returns a row's answer by what it is about, including its judge: of the rows about the same thing, one
    counts. If it is None, judges may repeat answers on purpose. The places of losses name no file if `is_one_file`.
    """

    def __init__(
        self,
        statements: Callable[[Row], Mapping[Hashable, Hashable]] | None,
        *,
        is_one_file: bool = False,
    ) -> None:
        self._statements = statements
        self._is_one_file = is_one_file
        self._rows: list[tuple[str, int, Row]] = []
        # Files may have a million rows, so places are made into words only where they are needed.
        self._earlier_answers: dict[Hashable, tuple[Hashable, str, int]] = {}
        self._losses = Losses()

    def add(self, file: str, line: int, row: Row, refuse: Refuse) -> None:
        """Add a row, unless it repeats an earlier one; refuse another answer about the same thing."""
        if self._statements is not None:
            statements = self._statements(row)
            earlier = {}
            for about in statements:
                if about in self._earlier_answers:
                    earlier[about] = self._earlier_answers[about]
            for about, (answer, first_file, first_line) in earlier.items():
                if answer != statements[about]:
                    refuse(
                        "judge",
                        "the answer differs from that of the same judge in "
                        f"{first_file}, line {first_line},"
                        " and without times it is unclear which is later",
                        "keep the answer that counts",
                    )
            if len(earlier) == len(statements):
                if self._is_one_file:
                    line_place = f"line {line}"
                else:
                    line_place = f"{file}, line {line}"
                self._losses.add(COUNTED_ONCE, line_place)
                return
            for about, answer in statements.items():
                self._earlier_answers.setdefault(about, (answer, file, line))
        self._rows.append((file, line, row))

    def counted(self) -> tuple[list[tuple[int, Row]], Losses]:
        """Return the rows that count, with their lines, and the losses."""
        counts = [True] * len(self._rows)
        if self._statements is None:
            answers = [_repeatable(*row) for row in self._rows]
            counts = counted_repeatable(
                answers,
                self._losses,
                is_one_file=self._is_one_file,
            )
        rows = []
        for (_file, line, row), is_counted in zip(self._rows, counts, strict=True):
            if is_counted:
                rows.append((line, row))
        return rows, self._losses


def _repeatable(file: str, line: int, row: Any) -> Repeatable:
    return Repeatable(file, line, replace(row, duration_ms=None), row.duration_ms)
