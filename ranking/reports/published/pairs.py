"""The pairs of a published result: a matrix for papers and pages, and all their numbers as CSV."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from campaign.export.csv_lines import csv_line
from ranking.reports.published.report import PublishedFile, name_of, one_line, ranking_report
from ranking.reports.tables import Column, Report, Table, Value
from ranking.wording.pair_tests import MARKS

_COLUMNS: Final = ("better", "worse", "wins", "losses", "ties", "p", "adjusted_p")
_CORRECTIONS: Final = {"holm": "Holm", "benjamini_hochberg": "Benjamini and Hochberg"}

_Pairs = Mapping[tuple[str, str], Mapping[str, Any]]


def published_report(file: PublishedFile) -> Report:
    """Return the tables of systems and of pairs, with what must be read beside them."""
    report = ranking_report(file)
    return replace(report, tables=[*report.tables, *_pair_tables(file.content)])


def _pair_tables(content: Mapping[str, Any]) -> list[Table]:
    """Return the matrix of pairs, as one table; none of a single system."""
    pairs = content["ranking"]["pairs"]
    if not pairs:
        return []
    names = [row["system"] for row in content["ranking"]["systems"]]
    by_names = {(pair["better"], pair["worse"]): pair for pair in pairs}
    marks = ", ".join(f"{mark} up to {most:.2f}" for most, mark in reversed(MARKS))
    correction = _CORRECTIONS[content["method"]["correction_of_pairs"]]
    table = Table(
        name="pairs",
        title="How often the row beats the column, in % of comparisons that are no ties",
        columns=(
            Column("system", "System", is_text=True),
            *(Column(f"against_{at}", one_line(name)) for at, name in enumerate(names, 1)),
        ),
        rows=[_row(content, name, names, by_names) for name in names],
        notes=[f"p adjusted by {correction}: {marks}."],
    )
    return [table]


def _row(
    content: Mapping[str, Any], row: str, names: Sequence[str], pairs: _Pairs
) -> Sequence[Value]:
    return [
        name_of(content, row),
        *(None if row == column else _cell(row, column, pairs) for column in names),
    ]


def _cell(row: str, column: str, pairs: _Pairs) -> Value:
    pair, won = pairs.get((row, column)), "wins"
    if pair is None:
        pair, won = pairs.get((column, row)), "losses"
    decided = 0 if pair is None else pair["wins"] + pair["losses"]
    if pair is None or not decided:
        return None
    p = pair["adjusted_p"]
    mark = "" if p is None else next((mark for most, mark in MARKS if p <= most), "")
    return f"{round(100 * pair[won] / decided)}{mark}"


def pairs_file(file: PublishedFile) -> str:
    """Return a line for each pair, in the order of ranks; spreadsheets compute nothing in it."""
    pairs = file.content["ranking"]["pairs"]
    lines = [csv_line(_COLUMNS)]
    lines += [
        csv_line(["" if pair[name] is None else pair[name] for name in _COLUMNS]) for pair in pairs
    ]
    return "".join(lines)
