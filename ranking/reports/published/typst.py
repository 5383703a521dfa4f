"""The tables of a published result in Typst. Texts are strings there, in which nothing is markup."""

from ranking.reports.published.pairs import published_report
from ranking.reports.published.report import PublishedFile
from ranking.reports.writing import typst_table


def typst_file(file: PublishedFile) -> str:
    """Return a figure for each table, rules between clusters."""
    report = published_report(file)
    comments = [f"// {note}" for note in report.notes]
    return "\n".join([*comments, "", *map(typst_table, report.tables)]) + "\n"
