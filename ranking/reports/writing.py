"""Write reports in any format."""

import json
import math
import re
import unicodedata
from collections.abc import Callable, Sequence
from enum import StrEnum
from typing import Final

from campaign.export.downloads import csv_line, ending
from campaign.texts.joining import sentence_list, with_full_stop
from ranking.reports.tables import Column, Report, Table, Value, plain

_NOTHING = "–"
_GAP = "  "


class ReportFormat(StrEnum):
    """Formats of reports."""

    TEXT = "text"
    JSON = "json"
    CSV = "csv"
    MARKDOWN = "markdown"
    LATEX = "latex"
    TYPST = "typst"


#: File formats by ending.
FILES: Final = {ending(report_format): report_format for report_format in ReportFormat}


def write(report: Report, report_format: ReportFormat) -> str:
    """Return the report as text that ends in a line feed."""
    return _WRITERS[report_format](report)


def shown(value: Value, column: Column) -> str:
    """Return a value as shown in files for people."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return _NOTHING
    if isinstance(value, float):
        return _shown_float(value, column)
    if isinstance(value, int):
        return f"{value:,}"
    return value


def _shown_float(value: float, column: Column) -> str:
    smallest = 10.0**-column.decimals
    if column.is_p_value and value < smallest / 2:
        return f"< {smallest:.{column.decimals}f}"
    # Avoid "-0".
    rounded = round(value, column.decimals) + 0.0
    return f"{rounded:,.{column.decimals}f}"


def _json(report: Report) -> str:
    return (
        json.dumps(plain(report.data), ensure_ascii=False, indent=2, allow_nan=False)
        + "\n"
    )


# --- Text ---------------------------------------------------------------------------------------


def _text(report: Report) -> str:
    if report.sentences:
        parts = ["\n".join(report.sentences)]
    else:
        parts = []
    parts.extend(_text_table(table) for table in report.tables)
    return "\n\n".join(parts) + "\n"


def _text_table(table: Table) -> str:
    cells = [[column.heading for column in table.columns]]
    cells += [_shown_row(row, table.columns) for row in table.rows]
    widths = [
        max(_width(row[place]) for row in cells) for place in range(len(table.columns))
    ]
    rule = "-" * (sum(widths) + len(_GAP) * (len(widths) - 1))
    lines = [table.title, ""] if table.title else []
    for number, row in enumerate(cells, -1):
        padded = (
            _padded(cell, width, is_left=column.is_text)
            for cell, width, column in zip(row, widths, table.columns, strict=True)
        )
        lines.append(_GAP.join(padded).rstrip())
        if number in table.rules or number == -1:
            lines.append(rule)
    lines.extend(table.notes)
    return "\n".join(lines)


def _shown_row(row: Sequence[Value], columns: Sequence[Column]) -> list[str]:
    return [shown(value, column) for value, column in zip(row, columns, strict=True)]


def _width(text: str) -> int:
    """Return the terminal width of a text: two columns for a Chinese character, none for a combining mark."""
    return sum(
        0
        if unicodedata.combining(each)
        else 1 + (unicodedata.east_asian_width(each) in "WF")
        for each in text
    )


def _padded(text: str, width: int, *, is_left: bool) -> str:
    padding = " " * (width - _width(text))
    if is_left:
        return text + padding
    return padding + text


# --- CSV ----------------------------------------------------------------------------------------


def _csv(report: Report) -> str:
    """Return all tables as one CSV table; if their columns differ, each cell becomes a row.

    Names come from uploads, so texts that look like formulas get an apostrophe; numbers
    stay numbers.
    """
    tables = report.tables
    keys = []
    for table in tables:
        keys.append([column.key for column in table.columns])
    several = len(tables) > 1
    if tables and all(each == keys[0] for each in keys):
        lines = [csv_line([*(["table"] if several else []), *keys[0]])]
        for table in tables:
            named = [table.name] if several else []
            lines += [csv_line([*named, *map(_exact, row)]) for row in table.rows]
        return "".join(lines)
    lines = [csv_line(["table", "row", "column", "value"])]
    for table in tables:
        for row in table.rows:
            name = _name(row[: table.keys])
            for column, value in zip(
                table.columns[table.keys :], row[table.keys :], strict=True
            ):
                lines.append(csv_line([table.name, name, column.key, _exact(value)]))
    return "".join(lines)


def _name(keys: Sequence[Value]) -> Value:
    """Return the name of a row; a single number stays a number."""
    exact = [_exact(key) for key in keys]
    if len(exact) == 1:
        return exact[0]
    return " | ".join(map(str, exact))


def _exact(value: Value) -> str | int | float:
    if value is None or value == _NOTHING:
        return ""
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    return value


# --- Markdown and LaTeX -------------------------------------------------------------------------


def _markdown(report: Report) -> str:
    parts = ["\n".join(f"{_escaped_markdown(note)}  " for note in report.sentences)]
    parts.extend(_markdown_table(table) for table in report.tables)
    return "\n\n".join(part for part in parts if part) + "\n"


def _markdown_table(table: Table) -> str:
    if table.title:
        lines = [f"### {_escaped_markdown(table.title)}", ""]
    else:
        lines = []
    lines.append(_markdown_row([column.heading for column in table.columns]))
    lines.append(_markdown_rule(table.columns))
    lines.extend(_markdown_row(_shown_row(row, table.columns)) for row in table.rows)
    if table.notes:
        lines.extend(["", *map(_escaped_markdown, table.notes)])
    return "\n".join(lines)


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escaped_markdown, cells))} |"


def _markdown_rule(columns: Sequence[Column]) -> str:
    return f"|{'|'.join(':---' if column.is_text else '---:' for column in columns)}|"


def _escaped_markdown(text: str) -> str:
    return re.sub(r"([\\`*_\[\]<>|#])", r"\\\1", text)


#: Characters that are commands, that pdfLaTeX does not know, or, as < and >, that its default fonts lack.
_LATEX = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "≤": r"$\leq$",
    "≥": r"$\geq$",
    "≠": r"$\neq$",
    "→": r"$\rightarrow$",
    "−": r"$-$",
    "α": r"$\alpha$",
    "κ": r"$\kappa$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
    "–": "--",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


def escaped_latex(text: str) -> str:
    """Return a text with LaTeX commands escaped."""
    return "".join(_LATEX.get(character, character) for character in text)


def _latex(report: Report) -> str:
    comments = [f"% {note}" for note in report.sentences]
    head = "\n".join([*comments, "% Needs \\usepackage{booktabs}."])
    return "\n\n".join([head, *map(_latex_table, report.tables)]) + "\n"


def _latex_table(table: Table) -> str:
    columns = "".join("l" if column.is_text else "r" for column in table.columns)
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
    ]
    lines.append(_latex_row([column.heading for column in table.columns]))
    lines.append(r"\midrule")
    for number, row in enumerate(table.rows):
        lines.append(_latex_row(_shown_row(row, table.columns)))
        if number in table.rules:
            lines.append(r"\midrule")
    lines.extend([r"\bottomrule", r"\end{tabular}"])
    caption = sentence_list(
        map(with_full_stop, filter(None, (table.title, *table.notes)))
    )
    if caption:
        lines.append(rf"\caption{{{escaped_latex(caption)}}}")
    return "\n".join([*lines, r"\end{table}"])


def _latex_row(cells: Sequence[str]) -> str:
    row = " & ".join(map(escaped_latex, cells))
    # At the end of the row before, LaTeX would read these as options of \\.
    start = "{}" if row.startswith(("[", "*")) else ""
    return f"{start}{row} \\\\"


# --- Typst --------------------------------------------------------------------------------------


def _typst(report: Report) -> str:
    comments = "\n".join(f"// {note}" for note in report.sentences)
    return (
        "\n\n".join(
            [*([comments] if comments else []), *map(typst_table, report.tables)]
        )
        + "\n"
    )


def typst_string(text: str) -> str:
    """Return a text as a Typst string without markup."""
    return (
        '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
    )


def typst_table(table: Table) -> str:
    """Return a table as a Typst figure."""
    align = ", ".join("left" if column.is_text else "right" for column in table.columns)
    heads = ", ".join(typst_string(column.heading) for column in table.columns)
    lines = [
        "#figure(",
        "  table(",
        f"    columns: {len(table.columns)},",
        f"    align: ({align}),",
        "    stroke: none,",
        "    table.hline(),",
        f"    table.header({heads}),",
        "    table.hline(stroke: 0.5pt),",
    ]
    for number, row in enumerate(table.rows):
        cells = ", ".join(map(typst_string, _shown_row(row, table.columns)))
        lines.append(f"    {cells},")
        if number in table.rules:
            lines.append("    table.hline(stroke: 0.5pt),")
    caption = sentence_list(
        map(with_full_stop, filter(None, (table.title, *table.notes)))
    )
    lines += ["    table.hline(),", "  ),", f"  caption: {typst_string(caption)},", ")"]
    return "\n".join(lines)


_WRITERS: dict[ReportFormat, Callable[[Report], str]] = {
    ReportFormat.TEXT: _text,
    ReportFormat.JSON: _json,
    ReportFormat.CSV: _csv,
    ReportFormat.MARKDOWN: _markdown,
    ReportFormat.LATEX: _latex,
    ReportFormat.TYPST: _typst,
}
