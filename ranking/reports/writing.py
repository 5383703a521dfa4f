"""Write reports in any format."""

import json
import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from itertools import starmap
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


def cell_text(value: Value, column: Column) -> str:
    """Return a value as files for people show it."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return _NOTHING
    if isinstance(value, float):
        return _float_text(value, column)
    if isinstance(value, int):
        return f"{value:,}"
    return value


def _float_text(value: float, column: Column) -> str:
    smallest = 10.0**-column.decimals
    if column.is_p_value and value < smallest / 2:
        return f"< {smallest:.{column.decimals}f}"
    # Avoid "-0".
    rounded = round(value, column.decimals) + 0.0
    return f"{rounded:,.{column.decimals}f}"


def _json(report: Report) -> str:
    data = plain(report.data)
    return json.dumps(data, ensure_ascii=False, indent=2, allow_nan=False) + "\n"


# --- Text ---------------------------------------------------------------------------------------


def _text(report: Report) -> str:
    parts = list(map(_text_table, report.tables))
    if report.sentences:
        parts.insert(0, "\n".join(report.sentences))
    return "\n\n".join(parts) + "\n"


def _text_table(table: Table) -> str:
    lines = _headings_and_rows(table)
    widths = [max(map(_width, column)) for column in zip(*lines, strict=True)]
    rule = "-" * (sum(widths) + len(_GAP) * (len(widths) - 1))
    text = [table.title, ""] if table.title else []
    for number, line in enumerate(lines, -1):
        padded = starmap(_pad_cell, zip(line, widths, table.columns, strict=True))
        text.append(_GAP.join(padded).rstrip())
        if number in table.rules or number == -1:
            text.append(rule)
    text.extend(table.notes)
    return "\n".join(text)


def _headings_and_rows(table: Table) -> list[list[str]]:
    """Return the cells of a table as text, its headings first."""
    lines = [[column.heading for column in table.columns]]
    for row in table.rows:
        lines.append(_row_texts(row, table.columns))
    return lines


def _row_texts(row: Sequence[Value], columns: Sequence[Column]) -> list[str]:
    return list(starmap(cell_text, zip(row, columns, strict=True)))


def _width(text: str) -> int:
    """Return the terminal width of a text: two columns for a Chinese character, none for a combining mark."""
    return sum(map(_character_width, text))


def _character_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    if unicodedata.east_asian_width(character) in "WF":
        return 2
    return 1


def _pad_cell(text: str, width: int, column: Column) -> str:
    padding = " " * (width - _width(text))
    if column.is_text:
        return text + padding
    return padding + text


# --- CSV ----------------------------------------------------------------------------------------


def _csv(report: Report) -> str:
    """Return all tables as one CSV table; if their columns differ, each cell becomes a row.

    Names come from uploads, so texts that look like formulas get an apostrophe; numbers
    stay numbers.
    """
    tables = report.tables
    headings = set(map(_keys, tables))
    if len(tables) == 1:
        lines = [_keys(tables[0]), *_exact_rows(tables[0])]
    elif len(headings) == 1:
        lines = [("table", *headings.pop())]
        for table in tables:
            for row in _exact_rows(table):
                lines.append((table.name, *row))
    else:
        lines = [("table", "row", "column", "value")]
        for table in tables:
            lines += _line_for_each_cell(table)
    return "".join(map(csv_line, lines))


def _keys(table: Table) -> tuple[str, ...]:
    return tuple(column.key for column in table.columns)


def _exact_rows(table: Table) -> Iterator[tuple[Value, ...]]:
    for row in table.rows:
        yield tuple(map(_exact, row))


def _line_for_each_cell(table: Table) -> Iterator[tuple[Value, ...]]:
    columns = table.columns[table.keys :]
    for row in _exact_rows(table):
        name = _name(row[: table.keys])
        for column, value in zip(columns, row[table.keys :], strict=True):
            yield (table.name, name, column.key, value)


def _name(keys: Sequence[Value]) -> Value:
    """Return the name of a row; a single number stays a number."""
    if len(keys) == 1:
        return keys[0]
    return " | ".join(map(str, keys))


def _exact(value: Value) -> str | int | float:
    if value is None or value == _NOTHING:
        return ""
    if isinstance(value, float) and not math.isfinite(value):
        return ""
    return value


# --- Markdown and LaTeX -------------------------------------------------------------------------


def _markdown(report: Report) -> str:
    notes = "\n".join(f"{_escaped_markdown(note)}  " for note in report.sentences)
    parts = [notes, *map(_markdown_table, report.tables)]
    return "\n\n".join(filter(None, parts)) + "\n"


def _markdown_table(table: Table) -> str:
    lines = []
    if table.title:
        lines = [f"### {_escaped_markdown(table.title)}", ""]
    headings, *rows = map(_markdown_row, _headings_and_rows(table))
    lines += [headings, _markdown_rule(table.columns), *rows]
    if table.notes:
        lines.extend(["", *map(_escaped_markdown, table.notes)])
    return "\n".join(lines)


def _markdown_row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(map(_escaped_markdown, cells))} |"


def _markdown_rule(columns: Sequence[Column]) -> str:
    return f"|{'|'.join(_alignments(columns, ':---', '---:'))}|"


def _alignments(columns: Sequence[Column], text: str, number: str) -> list[str]:
    """Return the alignment of each column: that of text, or that of numbers."""
    return [text if column.is_text else number for column in columns]


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
    "–": "--",
    **{character: f"\\{character}" for character in "&%$#_{}"},
}


#: Greek letters of formulas.
_LATEX_GREEK = {
    "α": r"$\alpha$",
    "ε": r"$\varepsilon$",
    "κ": r"$\kappa$",
    "π": r"$\pi$",
    "ρ": r"$\rho$",
    "σ": r"$\sigma$",
    "τ": r"$\tau$",
}
#: Letters of Greek words, such as the names of systems.
_GREEK = "\u0370-\u03ff\u1f00-\u1fff"
#: Letters that pdfLaTeX does not know.
_BEYOND_LATIN = re.compile(r"(?![\u0000-\u024f])[^\W\d_]")
_GREEK_SYMBOL = re.compile(rf"(?<![{_GREEK}])[{''.join(_LATEX_GREEK)}](?![{_GREEK}])")


def escaped_latex(text: str) -> str:
    """Return a text with LaTeX commands escaped. Greek letters are formulas where they stand alone, not in words."""
    escaped = "".join(_LATEX.get(character, character) for character in text)
    return _GREEK_SYMBOL.sub(lambda match: _LATEX_GREEK[match[0]], escaped)


def _latex(report: Report) -> str:
    tables = [_latex_table(table) for table in report.tables]
    notes = [*report.sentences, "Needs \\usepackage{booktabs}."]
    if any(map(_BEYOND_LATIN.search, tables)):
        notes.append("Needs XeLaTeX or LuaLaTeX, and a font for all names.")
    head = "\n".join(f"% {note}" for note in notes)
    return "\n\n".join([head, *tables]) + "\n"


def _latex_table(table: Table) -> str:
    columns = "".join(_alignments(table.columns, "l", "r"))
    headings, *rows = map(_latex_row, _headings_and_rows(table))
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        headings,
        r"\midrule",
    ]
    for number, row in enumerate(rows):
        lines.append(row)
        if number in table.rules:
            lines.append(r"\midrule")
    lines.extend([r"\bottomrule", r"\end{tabular}"])
    caption = _caption(table)
    if caption:
        lines.append(rf"\caption{{{escaped_latex(caption)}}}")
    return "\n".join([*lines, r"\end{table}"])


def _caption(table: Table) -> str:
    """Return the title and the notes of a table as sentences."""
    texts = filter(None, (table.title, *table.notes))
    return sentence_list(map(with_full_stop, texts))


def _latex_row(cells: Sequence[str]) -> str:
    row = " & ".join(map(escaped_latex, cells))
    # At the end of the row before, LaTeX would read these as options of \\.
    start = "{}" if row.startswith(("[", "*")) else ""
    return f"{start}{row} \\\\"


# --- Typst --------------------------------------------------------------------------------------


def _typst(report: Report) -> str:
    comments = "\n".join(f"// {note}" for note in report.sentences)
    parts = [comments, *map(typst_table, report.tables)]
    return "\n\n".join(filter(None, parts)) + "\n"


def typst_string(text: str) -> str:
    """Return a text as a Typst string without markup."""
    escaped = text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'


def typst_table(table: Table) -> str:
    """Return a table as a Typst figure."""
    align = ", ".join(_alignments(table.columns, "left", "right"))
    headings, *rows = map(_typst_row, _headings_and_rows(table))
    lines = [
        "#figure(",
        "  table(",
        f"    columns: {len(table.columns)},",
        f"    align: ({align}),",
        "    stroke: none,",
        "    table.hline(),",
        f"    table.header({headings}),",
        "    table.hline(stroke: 0.5pt),",
    ]
    for number, row in enumerate(rows):
        lines.append(f"    {row},")
        if number in table.rules:
            lines.append("    table.hline(stroke: 0.5pt),")
    caption = typst_string(_caption(table))
    lines += ["    table.hline(),", "  ),", f"  caption: {caption},", ")"]
    return "\n".join(lines)


def _typst_row(cells: Sequence[str]) -> str:
    return ", ".join(map(typst_string, cells))


_WRITERS: dict[ReportFormat, Callable[[Report], str]] = {
    ReportFormat.TEXT: _text,
    ReportFormat.JSON: _json,
    ReportFormat.CSV: _csv,
    ReportFormat.MARKDOWN: _markdown,
    ReportFormat.LATEX: _latex,
    ReportFormat.TYPST: _typst,
}
