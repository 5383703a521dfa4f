"""Reports as pages show them: as many rows as are read at once, and what is left to the files."""

import pytest

from ranking.pages.report_shown import shown_tables
from ranking.reports.tables import Column, Report, Table


@pytest.mark.parametrize(
    ("columns", "rows", "shown"),
    [
        # All pairs of twenty systems.
        (12, 190, 190),
        # A thousand judges with what is known of each.
        (17, 1_000, 141),
        (2, 1_000, 500),
        (17, 0, 0),
    ],
)
def test_so_many_cells_are_shown_and_the_rest_is_counted(
    columns: int, rows: int, shown: int
) -> None:
    table = Table(
        name="judges",
        title="Judges",
        columns=[Column(f"c{at}", f"C{at}") for at in range(columns)],
        rows=[[f"row {row}", *range(columns - 1)] for row in range(rows)],
    )
    (found,) = shown_tables(Report(tables=[table], data={}))
    assert [row.head.shown for row in found.rows] == [f"row {row}" for row in range(shown)]
    assert found.more == rows - shown
