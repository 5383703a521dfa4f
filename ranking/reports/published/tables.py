"""The tables of a published result as Markdown, LaTeX and CSV."""

import json
import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from campaign.export.csv_lines import csv_line
from ranking.core.rankings.ranking import only_estimable
from ranking.reports.published.report import (
    PublishedFile,
    grouped,
    name_of,
    one_line,
    ranking_report,
    title_of,
)
from ranking.reports.tables import Column, Report, Table, Value
from ranking.reports.writing import ReportFormat, escaped_latex, typst_table, write
from ranking.wording.pair_tests import MARKS

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


def typst_file(file: PublishedFile) -> str:
    """Return a figure for each table, rules between clusters."""
    report = published_report(file)
    comments = [f"// {note}" for note in report.notes]
    return "\n".join([*comments, "", *map(typst_table, report.tables)]) + "\n"


_INDENT: Final = "  "
_BRACES: Final = {"{": r"\textbraceleft{}", "}": r"\textbraceright{}"}


def bibtex_file(file: PublishedFile) -> str:
    """Return an entry; braces in the title keep the case of names."""
    content = file.content
    day = content["published_at"][:10]
    fields = {
        "title": f"{{{_tex(title_of(content))}}}",
        # Braces hold a name together: "MT group and friends" is one author.
        "author": " and ".join(_author(each) for each in content["authors"]),
        "year": day[:4],
        "month": str(int(day[5:7])),
        "note": f"Version {content['version']}, SHA-256 {file.digest}",
        # Addresses are ours: nothing in them is markup.
        "url": file.url,
    }
    lines = [f"{_INDENT}{name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@misc{{{_key(file)},", *lines, "}"]) + "\n"


def cff_file(file: PublishedFile) -> str:
    """Return a file by the Citation File Format 1.2; its texts are written as JSON, which YAML is."""
    content = file.content
    authors = content["authors"] or [content["campaign"]["name"]]
    lines = [
        "cff-version: 1.2.0",
        'message: "If you use this result, please cite it as below."',
        "type: dataset",
        f"title: {_text(title_of(content))}",
        "authors:",
        *(f"  - name: {_text(each)}" for each in authors),
        f"version: {_text(str(content['version']))}",
        f"date-released: {_text(content['published_at'][:10])}",
        *([f"url: {_text(file.url)}"] if file.url else []),
        "identifiers:",
        "  - type: other",
        f"    value: {_text('sha256:' + file.digest)}",
        '    description: "SHA-256 of result.json"',
    ]
    return "\n".join(lines) + "\n"


def _key(file: PublishedFile) -> str:
    plain = unicodedata.normalize("NFKD", file.content["campaign"]["name"])
    word = re.sub(r"[^a-z0-9]", "", plain.encode("ascii", "ignore").decode().lower())
    test_set = file.content["test_set"]
    pair = re.sub(r"[^a-z]", "", f"{test_set['source_language']}{test_set['target_language']}")
    return f"{word or 'result'}{pair}{file.digest[:6]}"


def _author(name: str) -> str:
    text = _tex(one_line(name))
    return text if re.search(r",", text) and " and " not in text else f"{{{text}}}"


def _tex(text: str) -> str:
    # BibTeX counts braces whether escaped or not.
    parts = re.split(r"([{}])", text)
    return "".join(_BRACES.get(part) or escaped_latex(part) for part in parts)


def _text(text: str) -> str:
    return json.dumps(one_line(text), ensure_ascii=False)
