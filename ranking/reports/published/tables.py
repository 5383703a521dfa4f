"""The tables of a published result as Markdown, LaTeX and CSV."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

from campaign.export.csv_lines import csv_line
from ranking.core.rankings.rank import only_estimable
from ranking.reports.published.pairs import published_report
from ranking.reports.published.report import PublishedFile, grouped
from ranking.reports.writing import ReportFormat, write

_OF_ROWS: Final = (
    *("cluster", "rank", "system", "score", "rank_low", "rank_high", "wins", "losses", "ties"),
)
_OF_SYSTEMS: Final = ("kind", "constrained", "team", "is_withdrawn")


def markdown_file(file: PublishedFile) -> str:
    """Return the tables for a README or a page."""
    return write(published_report(file), ReportFormat.MARKDOWN)


def latex_file(file: PublishedFile) -> str:
    """Return the tables for a paper, with the rules of booktabs."""
    return write(published_report(file), ReportFormat.LATEX)


def csv_file(file: PublishedFile) -> str:
    """Return a line for each system, the ranked ones first; spreadsheets compute nothing in it.

    The last of shared ranks, and groups that nothing compares, have columns only if there are any.
    """
    about = {each["system"]: each for each in file.content["systems"]}
    ranked = file.content["ranking"]["systems"]
    others = file.content["ranking"]["not_estimable"]
    more = [
        *(
            ["last_rank"]
            if any(row.get("last_rank", row["rank"]) != row["rank"] for row in ranked)
            else []
        ),
        *(["group"] if len(grouped(ranked)) > 1 else []),
    ]
    lines = [csv_line([*_OF_ROWS, *_OF_SYSTEMS, *more])]
    lines += [csv_line(_cells(row, about[row["system"]], more)) for row in [*ranked, *others]]
    return "".join(lines)


def _cells(row: Mapping[str, Any], about: Mapping[str, Any], more: Sequence[str]) -> list[Any]:
    row = only_estimable(row)
    values = [
        *(row.get(name) for name in _OF_ROWS),
        *(about[name] for name in _OF_SYSTEMS),
        *(row.get(name) for name in more),
    ]
    return [_exact(value) for value in values]


def _exact(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return value
