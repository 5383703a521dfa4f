"""Reports in every format, whatever the names in them."""

import csv
import io
import json
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
import pytest

from ranking.reports import Column, Report, ReportFormat, Table, write
from ranking.reports.writing import escaped_latex

COLUMNS = (
    Column("system", "System", is_text=True),
    Column("score", "Score"),
    Column("n", "N"),
)
TABLE = Table(
    name="t",
    title="A & B",
    columns=COLUMNS,
    rows=[("a_b|c,d", 0.12345, 1234), ("中文", None, 5), ("x", float("nan"), 6)],
    notes=["50 % of it."],
    rules=frozenset({0}),
)
REPORT = Report(notes=["Note #1"], tables=[TABLE], data={})


def test_text_is_aligned_also_where_characters_are_wide() -> None:
    assert write(REPORT, ReportFormat.TEXT) == (
        "Note #1\n\nA & B\n\n"
        "System   Score      N\n"
        "---------------------\n"
        "a_b|c,d  0.123  1,234\n"
        "---------------------\n"
        "中文         –      5\n"
        "x            –      6\n"
        "50 % of it.\n"
    )


def test_csv_has_exact_numbers_and_empty_cells() -> None:
    rows = list(csv.reader(io.StringIO(write(REPORT, ReportFormat.CSV))))
    assert rows == [
        ["system", "score", "n"],
        ["a_b|c,d", "0.12345", "1234"],
        ["中文", "", "5"],
        ["x", "", "6"],
    ]


def test_csv_leaves_a_cell_empty_that_shows_a_dash() -> None:
    columns = [
        Column("system", "System", is_text=True),
        Column("data", "Data", is_text=True),
    ]
    table = Table(name="t", title="", columns=columns, rows=[("x", "–")])
    assert (
        write(Report(tables=[table], data={}), ReportFormat.CSV).splitlines()[1] == "x,"
    )


def test_csv_of_tables_with_other_columns_has_a_value_a_row() -> None:
    other = Table(name="u", title="", columns=COLUMNS[:2], rows=[("y", 1.0)])
    report = Report(tables=[TABLE, other], data={})
    rows = list(csv.reader(io.StringIO(write(report, ReportFormat.CSV))))
    assert rows[:2] == [
        ["table", "row", "column", "value"],
        ["t", "a_b|c,d", "score", "0.12345"],
    ]
    assert rows[-1] == ["u", "y", "score", "1.0"]
    assert write(Report(tables=[], data={}), ReportFormat.CSV).splitlines() == [
        ",".join(rows[0]),
    ]


def test_csv_has_no_formula_and_keeps_negative_numbers() -> None:
    """zvory/csv-safe#25: some spreadsheets pass over white space before a formula; OWASP/www-community#1115 (line feeds)."""
    formulas = [
        '=HYPERLINK("http://evil.example")',
        "+1",
        "-1",
        "@SUM(A1)",
        "\t=1",
        "\r=1",
        "\n=1",
        " =1",
        "\xa0@SUM(A1)",
    ]
    table = Table(
        name="t",
        title="",
        columns=[
            Column("system", "System", is_text=True),
            Column("=key", "Difference"),
        ],
        rows=[*((each, -0.5) for each in formulas), ("plain", -3), (-2, -1e-17)],
    )
    rows = list(
        csv.reader(
            io.StringIO(write(Report(tables=[table], data={}), ReportFormat.CSV)),
        ),
    )
    assert rows == [
        ["system", "'=key"],
        *([f"'{each}", "-0.5"] for each in formulas),
        ["plain", "-3"],
        ["-2", "-1e-17"],
    ]
    other = Table(name="u", title="", columns=COLUMNS, rows=[("=1", 1.0, "=2")], keys=2)
    rows = list(
        csv.reader(
            io.StringIO(
                write(Report(tables=[table, other], data={}), ReportFormat.CSV),
            ),
        ),
    )
    assert rows[1] == ["t", f"'{formulas[0]}", "'=key", "-0.5"]
    assert rows[-2:] == [["t", "-2", "'=key", "-1e-17"], ["u", "'=1 | 1.0", "n", "'=2"]]


def test_markdown_and_latex_escape_what_they_would_take_for_their_own() -> None:
    assert r"| a\_b\|c,d | 0.123 | 1,234 |" in write(REPORT, ReportFormat.MARKDOWN)
    latex = write(REPORT, ReportFormat.LATEX)
    assert r"a\_b\textbar{}c,d & 0.123 & 1,234 \\" in latex
    assert r"\caption{A \& B. 50 \% of it.}" in latex
    assert latex.count(r"\midrule") == 2


@pytest.mark.parametrize(
    ("text", "latex"),
    [
        ("Kendall’s τ-b ≤ ε", r"Kendall’s $\tau$-b $\leq$ $\varepsilon$"),
        ("κ_σ", r"$\kappa$\_$\sigma$"),
        ("Σύστημα α", r"Σύστημα $\alpha$"),
        ("εἰκών", "εἰκών"),
    ],
)
def test_greek_letters_are_formulas_in_latex_unless_they_are_in_a_word(
    text: str,
    latex: str,
) -> None:
    assert escaped_latex(text) == latex


@pytest.mark.parametrize(
    ("name", "is_needed"),
    [("Σύστημα", True), ("系统", True), ("système-α", False)],
)
def test_latex_with_names_in_other_scripts_says_what_it_needs(
    name: str,
    is_needed: bool,
) -> None:
    table = Table(name="t", title="", columns=[Column("name", "Name")], rows=[(name,)])
    latex = write(Report(tables=[table], data={}), ReportFormat.LATEX)
    assert ("% Needs XeLaTeX or LuaLaTeX" in latex) is is_needed


def test_files_for_people_have_no_p_value_of_zero_and_no_negative_zero() -> None:
    table = Table(
        name="pairs",
        title="",
        columns=[Column("p_value", "p"), Column("difference", "Difference")],
        rows=[(4e-9, -4e-9), (0.0006, 0.0), (0.0004, -1000.0)],
    )
    report = Report(tables=[table], data={})
    markdown = write(report, ReportFormat.MARKDOWN).splitlines()
    assert markdown[-3:] == [
        r"| \< 0.001 | 0.000 |",
        "| 0.001 | 0.000 |",
        r"| \< 0.001 | -1,000.000 |",
    ]
    assert r"\textless{} 0.001 & 0.000 \\" in write(report, ReportFormat.LATEX)
    assert "4e-09,-4e-09" in write(report, ReportFormat.CSV)


def test_latex_of_names_and_notes_compiles_with_pdflatex() -> None:
    table = Table(
        name="t",
        title="Kendall’s τ → p ≤ 0.05",
        columns=[Column("system", "System", is_text=True)],
        rows=[("[base]",), ("*star",), ("a<b>c",)],
    )
    latex = write(Report(tables=[table], data={}), ReportFormat.LATEX)
    # After the end of a row, [ and * would be options of \\.
    assert "\n{}[base] \\\\\n{}*star \\\\\n" in latex
    assert r"a\textless{}b\textgreater{}c" in latex
    assert r"$\tau$ $\rightarrow$ p $\leq$ 0.05" in latex


class Kind(StrEnum):
    ONE = "one"


@dataclass(frozen=True)
class Found:
    kind: Kind
    values: np.ndarray


def test_json_is_plain_and_has_null_for_what_is_no_number() -> None:
    found = Found(Kind.ONE, np.array([1.5, np.nan]))
    report = Report(
        tables=[],
        data={"found": found, Kind.ONE: np.int64(3), "t": (1, None)},
    )
    assert json.loads(write(report, ReportFormat.JSON)) == {
        "found": {"kind": "one", "values": [1.5, None]},
        "one": 3,
        "t": [1, None],
    }
