"""The table of a published result in Typst. Texts are strings there, in which nothing is markup."""

from ranking.reports.published.report import PublishedFile, published_report
from ranking.reports.tables import Column, Table, Value
from ranking.reports.writing import shown


def typst_file(file: PublishedFile) -> str:
    """Return a figure with the table, rules between clusters."""
    report = published_report(file)
    comments = [f"// {note}" for note in report.notes]
    return "\n".join([*comments, "", *map(_table, report.tables)]) + "\n"


def typst_string(text: str) -> str:
    """Return a text as a string of Typst."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


def _table(table: Table) -> str:
    align = ", ".join("left" if column.is_text else "right" for column in table.columns)
    lines = [
        "#figure(",
        "  table(",
        f"    columns: {len(table.columns)},",
        f"    align: ({align}),",
        "    stroke: none,",
        "    table.hline(),",
        f"    table.header({_cells([(column.heading, column) for column in table.columns])}),",
        "    table.hline(stroke: 0.5pt),",
    ]
    for number, row in enumerate(table.rows):
        lines.append(f"    {_cells(list(zip(row, table.columns, strict=True)))},")
        if number in table.rules:
            lines.append("    table.hline(stroke: 0.5pt),")
    caption = " ".join(part.rstrip(".") + "." for part in (table.title, *table.notes) if part)
    lines += ["    table.hline(),", "  ),", f"  caption: {typst_string(caption)},", ")"]
    return "\n".join(lines)


def _cells(cells: list[tuple[Value, Column]]) -> str:
    return ", ".join(typst_string(shown(value, column)) for value, column in cells)
