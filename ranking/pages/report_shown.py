"""A report as shown on a page: figures in the reader's locale, plots, and links to the judgments behind them."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from importlib.resources import files
from typing import Final

from django.http import Http404, HttpResponse
from django.utils.formats import date_format, number_format
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from campaign.export.downloads import download
from campaign.models import Task
from campaign.models.system import system_label
from optional_packages import extra_require, has_extra
from ranking.core.rankings.rank import only_estimable
from ranking.core.rankings.records import RankedRow
from ranking.models import Analysis
from ranking.pages.analysis_form import listed_analysis
from ranking.pages.formats import Addresses, figure
from ranking.pages.plot_drawing import drawn, drawn_for_page
from ranking.reports.plots import PointPlot, RowPlot
from ranking.reports.tables import BETWEEN, Column, Named, Report, Table, Value
from ranking.reports.wording.numbers import decimals
from ranking.reports.wording.ranges import (
    rank_cell,
    rank_range,
    rows_by_group,
    rows_by_system,
)
from ranking.reports.writing import FILES, ReportFormat, write
from ranking.selectors.analyses import answer_with_data, requested_analyses
from ranking.selectors.runs import latest_run

#: Addresses of all rows, or those of the test set of a row, by its name.
Links = Addresses | Callable[[str], Addresses | None] | None
#: Returns the address of a file, given the name of a table and an ending.
FileAddress = Callable[[str, str], str]
_NOTHING = "–"
#: Longer tables only show their first rows; all rows are in the files.
_MOST_ROWS = 500
_MOST_CELLS = 2_400
_FIRST_ROWS = 100


@dataclass(slots=True)
class RenderedTable:
    """A table as a page shows it.

    Attributes
    ----------
    name, title : str
    headings : list of (str, bool)
        Headings of the columns with a value in any row, and whether they are numeric.
    body : SafeString
        Markup of the first rows.
    notes : sequence of str
    plot : SafeString or None
    more : int
        Number of rows that are only in files.
    files : list of (str, str)
        Labels and addresses of the files of the plot.
    """

    name: str
    title: str
    headings: list[tuple[str, bool]]
    body: SafeString
    notes: Sequence[str]
    plot: SafeString | None
    more: int
    files: list[tuple[str, str]]


def rendered_tables(
    report: Report,
    *,
    without: frozenset[str] = frozenset(),
    addresses: Links = None,
    file_address: FileAddress | None = None,
) -> list[RenderedTable]:
    """Return the tables of a report, except those named in `without`.

    With `addresses`, cells have links.
    """
    tables = [table for table in report.tables if table.name not in without]
    if isinstance(addresses, Addresses):
        judges: list[str] = []
        for table in tables:
            judges += _judges_in(table)
        addresses.judges_look_up(judges)
    return [_table(table, addresses, file_address) for table in tables]


def _judges_in(table: Table) -> Iterator[str]:
    """Yield the judges named in the shown rows of a table."""
    for position, column in enumerate(table.columns):
        if column.names == "judge":
            separator = "\n"
        elif column.names == "judges":
            separator = BETWEEN
        else:
            continue
        for row in _first(table):
            yield from str(row[position]).split(separator)


def _first(table: Table) -> Sequence[Sequence[Value]]:
    most = min(_MOST_ROWS, _MOST_CELLS // len(table.columns))
    if len(table.rows) <= most:
        return table.rows
    return table.rows[: min(most, _FIRST_ROWS)]


def _table(
    table: Table,
    addresses: Links,
    file_address: FileAddress | None,
) -> RenderedTable:
    rows = _first(table)
    filled = _filled_columns(table)
    headings = []
    for position in filled:
        column = table.columns[position]
        headings.append((system_label(column.heading), not column.is_text))
    pair_address = None
    if isinstance(addresses, Addresses):
        pair_address = addresses.won
    plot = None
    if not _is_one_dot(table):
        plot = drawn_for_page(table, pair_address=pair_address)
    plot_files = []
    if plot is not None and file_address is not None:
        for ending in PLOT_FILES:
            plot_files.append((ending.upper(), file_address(table.name, ending)))
    return RenderedTable(
        name=table.name,
        title=table.title,
        headings=headings,
        body=_body(table, _unify_number_types(rows), filled, addresses),
        notes=table.notes,
        plot=plot,
        more=len(table.rows) - len(rows),
        files=plot_files,
    )


def _unify_number_types(rows: Sequence[Sequence[Value]]) -> list[list[Value]]:
    """Return rows in which all numbers of a column are floats if one is; published results are JSON, which has no 1.0."""
    measured = set()
    for row in rows:
        for position, value in enumerate(row):
            if isinstance(value, float):
                measured.add(position)
    unified_rows = []
    for row in rows:
        cells = list(row)
        for position in measured:
            value = cells[position]
            if isinstance(value, int):
                cells[position] = float(value)
        unified_rows.append(cells)
    return unified_rows


def _is_one_dot(table: Table) -> bool:
    """Return whether the plot of a table would compare nothing: it has one value."""
    plot = table.plot
    if not isinstance(plot, RowPlot | PointPlot):
        return False
    position = [column.key for column in table.columns].index(plot.value)
    most = None
    if isinstance(plot, RowPlot):
        most = plot.most
    values = [row[position] for row in table.rows[:most]]
    return len(values) - values.count(None) == 1


def _filled_columns(table: Table) -> list[int]:
    """Return the positions of the columns with a value in any row; files have the empty ones, too."""
    positions = []
    for position in range(len(table.columns)):
        values = {row[position] for row in table.rows}
        if values - {None, ""}:
            positions.append(position)
    return positions


#: What has a name that people wrote, in any script.
_WRITTEN_BY_PEOPLE: Final = frozenset(
    {"system", "other", "systems", "judge", "judges", "test_set", "document"},
)


def _is_name(column: Column) -> bool:
    """Return whether a column's cells are names; frozen tables only have the keys of their columns."""
    return column.is_text and (column.names or column.key) in _WRITTEN_BY_PEOPLE


def _body(
    table: Table,
    rows: Sequence[Sequence[Value]],
    filled: Sequence[int],
    addresses: Links,
) -> SafeString:
    """Return the filled columns of rows as markup, without a template, which takes ten times as long for many cells."""
    parts = []
    for number, row in enumerate(rows):
        row_addresses = _addresses(table, row, addresses)
        about: dict[Named, str] = {}
        if row_addresses is not None:
            about = _row_objects(table, row)
        if number in table.rules:
            parts.append('<tr class="ends">')
        else:
            parts.append("<tr>")
        for position in filled:
            column = table.columns[position]
            markup = _markup(row[position], column, about, row_addresses)
            if _is_name(column):
                markup = f"<bdi>{markup}</bdi>"
            kind = ' class="number"'
            if column.is_text:
                kind = ""
            if position:
                parts.append(f"<td{kind}>{markup}</td>")
            else:
                parts.append(f'<th scope="row"{kind}>{markup}</th>')
        parts.append("</tr>")
    # Each part is escaped.
    return mark_safe("".join(parts))  # noqa: S308


def linked(text: str, address: str | None) -> str:
    """Return escaped text, as a link if there is an address."""
    if address is None:
        return escape(text)
    return f'<a href="{escape(address)}">{escape(text)}</a>'


def _addresses(
    table: Table,
    row: Sequence[Value],
    addresses: Links,
) -> Addresses | None:
    """Return the addresses for a row, if there are any."""
    if addresses is None or isinstance(addresses, Addresses):
        return addresses
    name = table.about.get("test_set")
    for value, column in zip(row, table.columns, strict=True):
        if column.names == "test_set":
            name = str(value)
            break
    if name is None:
        return None
    return addresses(name)


def _row_objects(table: Table, row: Sequence[Value]) -> dict[Named, str]:
    """Return the objects a row is about, except its test set: those of all rows, and those in its first cells."""
    about: dict[Named, str] = dict(table.about)
    for value, column in zip(row, table.columns, strict=True):
        if column.names is None:
            break
        if column.names == "systems":
            about |= _two_systems(str(value))
        elif column.names != "judges" and value is not None:
            about[column.names] = str(value)
    about.pop("test_set", None)
    return about


def _two_systems(pair: str) -> dict[Named, str]:
    system, _between, other = pair.partition(BETWEEN)
    return {"system": system, "other": other}


def _markup(
    value: Value,
    column: Column,
    about: dict[Named, str],
    addresses: Addresses | None,
) -> str:
    """Return a cell, linked to the object or the judgments it refers to."""
    text = _text(value, column)
    if addresses is None or value is None:
        return escape(text)
    if column.names == "judges":
        links = [linked(name, addresses.judge(name)) for name in text.split(BETWEEN)]
        return BETWEEN.join(links)
    return linked(text, _address(value, column, about, addresses))


def _address(
    value: Value,
    column: Column,
    about: dict[Named, str],
    addresses: Addresses,
) -> str | None:
    """Return the address of the object or the judgments that a cell refers to."""
    if column.names is not None:
        return _object_address(str(value), column.names, addresses)
    if column.counts is None or not value:
        return None
    if column.counts == "skipped":
        return addresses.skips(about.get("judge", ""))
    if not _is_there(about, addresses):
        return None
    if column.counts == "judgments":
        return addresses.judgments(**about)
    return addresses.judgments(**about, outcome=column.counts)


def _object_address(value: str, names: Named, addresses: Addresses) -> str | None:
    """Return the address of an object named in a cell; None if it no longer exists."""
    if names == "test_set":
        return addresses.ranking
    if names == "systems":
        systems = _two_systems(value)
        if not _is_there(systems, addresses):
            return None
        return addresses.judgments(**systems)
    if names in ("system", "other"):
        return addresses.system(value)
    if names == "judge":
        return addresses.judge(value)
    if names == "segment":
        return addresses.segment(int(value))
    return addresses.judgments(**{names: value})


def _is_there(about: dict[Named, str], addresses: Addresses) -> bool:
    """Return whether the judgments of a row can be listed: its systems exist under these names."""
    if not about and not addresses.is_all_listed:
        return False
    systems: tuple[Named, ...] = ("system", "other")
    for name in systems:
        if name in about and about[name] not in addresses.systems:
            return False
    return True


def _text(value: Value, column: Column) -> str:
    if value is None:
        return _NOTHING
    if isinstance(value, float):
        smallest = 10.0**-column.decimals
        if column.is_p_value and value < smallest / 2:
            return f"< {number_format(smallest, column.decimals)}"
        return decimals(value, column.decimals)
    if isinstance(value, int):
        return figure(value)
    if column.names == "day":
        return date_format(date.fromisoformat(value), "DATE_FORMAT")
    return BETWEEN.join(map(system_label, value.split(BETWEEN)))


#: Endings of the files of a plot.
PLOT_FILES: Final[list[str]] = ["svg", "csv"]
if has_extra("png"):
    PLOT_FILES.insert(1, "png")


def report_file(
    report: Report,
    ending: str,
    *,
    named: str,
    table: str | None = None,
) -> HttpResponse:
    """Return a report as a file of one of the formats, or one of its tables as plot or rows; 404 without such a file."""
    if table is not None:
        return _table_file(report, ending, named=named, table=table)
    if ending not in FILES:
        raise Http404
    return download(f"{named}.{ending}", write(report, FILES[ending]))


def _table_file(report: Report, ending: str, *, named: str, table: str) -> HttpResponse:
    tables = {report_table.name: report_table for report_table in report.tables}
    if table not in tables or ending not in PLOT_FILES:
        raise Http404
    content = plot_file(tables[table], ending)
    if content is None:
        raise Http404
    return download(f"{named}-{table}.{ending}", content)


def plot_file(table: Table, ending: str) -> bytes | None:
    """Return the plot of a table as a file; None for an empty plot."""
    if ending == "csv":
        return write(Report(tables=[table], data={}), ReportFormat.CSV).encode()
    svg = drawn(table, as_file=True)
    if svg is None:
        return None
    if ending == "svg":
        return svg.encode()
    return png_of(svg)


def answer_file(
    analysis: Analysis,
    ending: str,
    table: str | None = None,
) -> HttpResponse:
    """Return the answer of an analysis of a task as a file, or one of its tables."""
    if table is None:
        named = f"{analysis.kind}-{analysis.task_id}-{analysis.watermark}"
    else:
        named = analysis.kind
    return report_file(answer_with_data(analysis), ending, named=named, table=table)


#: Stands for the ranking that the test set shows.
CURRENT = "shown"
_OFFERED = 20
# Maximum digits of IDs in PostgreSQL.
_DIGITS = 18


@dataclass(frozen=True, slots=True)
class RankingsBeside:
    """Systems of an analysis compared with another ranking.

    `choices` are the other rankings, and `differing` is the number of systems with another rank.
    """

    table: RenderedTable
    differing: int
    chosen: str
    choices: list[tuple[str, str]]


def rankings_beside(
    *,
    task: Task,
    this: Analysis,
    systems: Sequence[RankedRow],
    chosen: str,
) -> RankingsBeside | None:
    """Return the systems of an analysis compared with another ranking of the task, if any.

    `chosen` is `CURRENT` or the ID of a finished analysis; raises Http404 if it does not exist.
    """
    analyses = requested_analyses(task=task).finished().filter(kind=this.kind)
    run = latest_run(task_id=task.pk)
    choices = []
    if run is not None:
        choices.append((CURRENT, _("current ranking")))
    for analysis in analyses.exclude(pk=this.pk)[:_OFFERED]:
        options = listed_analysis(analysis, task).words or _("Default")
        choices.append((str(analysis.pk), f"{options} ({analysis.watermark})"))
    if not choices:
        return None
    if chosen == "" or (chosen == CURRENT and run is None):
        chosen = choices[0][0]
    if chosen == CURRENT and run is not None:
        other_systems = run.result["systems"]
    else:
        other_systems = _systems_of(chosen, task=task, kind=this.kind)
    label = dict(choices).get(chosen, chosen)
    table = _side_by_side_table(systems, other_systems, label)
    return RankingsBeside(
        table=rendered_tables(Report(tables=[table], data={}))[0],
        differing=sum(row[-1] != "" for row in table.rows),
        chosen=chosen,
        choices=choices,
    )


def _systems_of(analysis_id: str, *, task: Task, kind: str) -> list[RankedRow]:
    """Return the systems of a finished analysis; raise Http404 without one."""
    if not analysis_id.isdecimal() or len(analysis_id) > _DIGITS:
        raise Http404
    finished = Analysis.objects.of(task.pk).finished()
    analysis = finished.filter(pk=analysis_id, kind=kind).first()
    if analysis is None or analysis.data is None:
        raise Http404
    systems: list[RankedRow] = analysis.data["rankings"][0]["systems"]
    return systems


def _side_by_side_table(
    these: Sequence[RankedRow],
    those: Sequence[RankedRow],
    label: str,
) -> Table:
    """Return a table of two rankings; `label` names the second one."""
    has_groups = len(rows_by_group(these)) > 1 or len(rows_by_group(those)) > 1
    this_side = rows_by_system(map(only_estimable, these))
    other_side = rows_by_system(map(only_estimable, those))
    rows: list[tuple[Value, ...]] = []
    for name in {**this_side, **other_side}:
        this = _standing(this_side.get(name), has_groups=has_groups)
        other = _standing(other_side.get(name), has_groups=has_groups)
        mark = ""
        if this != other:
            mark = "≠"
        rows.append((name, *this, *other, mark))
    return Table(
        name="beside",
        title=_("Side by side"),
        columns=[
            Column("system", _("System"), is_text=True),
            *_side_columns("this", _("This choice"), has_groups=has_groups),
            *_side_columns("other", label, has_groups=has_groups),
            Column("differs", _("Differs"), is_text=True),
        ],
        rows=rows,
    )


def _side_columns(key: str, label: str, *, has_groups: bool) -> Iterator[Column]:
    """Yield the columns of one of two rankings."""
    headings = [_("Rank"), _("Rank range"), _("Cluster")]
    if has_groups:
        headings.insert(0, _("Group"))
    for number, heading in enumerate(headings):
        yield Column(f"{key}_{number}", f"{heading} · {label}")


def _standing(row: RankedRow | None, *, has_groups: bool) -> tuple[Value, ...]:
    """Return group, rank, rank range and cluster of a system; dashes for missing ones."""
    if row is None:
        return (None,) * (3 + has_groups)
    standing = (rank_cell(row), rank_range(row), row["cluster"])
    if has_groups:
        return (row.get("group", 1), *standing)
    return standing


#: Scale of a PNG, for print quality.
_ZOOM: Final = 2
#: Maximum number of pixels, for drawings of a thousand judges.
_MOST_PIXELS: Final = 64_000_000
_FAMILY: Final = "DejaVu Sans"
#: Scripts missing from DejaVu Sans: from Devanagari to Myanmar, and from Hangul on except Latin,
#: Greek, symbols and forms of Arabic letters.
_LAST_SYMBOL: Final = 0x1F000
_BEYOND: Final = (range(0x0900, 0x10A0), range(0x1100, 0x1400), range(0x2E80, 0xFB00))


def png_of(svg: str) -> bytes:
    """Return a drawing as PNG on white; large drawings are scaled down.

    The font is DejaVu Sans, which is installed with Quintet, so that files are the same on all
    machines. The machine's own fonts are only used for scripts that it lacks.
    """
    # Imported here, because it takes 50 ms and a few megabytes.
    extra_require("png", "Plots as PNG")
    import resvg_py

    width = _number(svg, "width")
    height = _number(svg, "height")
    zoom = min(_ZOOM, (_MOST_PIXELS / max(1, width * height)) ** 0.5)
    return bytes(
        resvg_py.svg_to_bytes(
            svg_string=svg,
            background="#ffffff",
            zoom=zoom,
            font_files=[str(files("ziafont") / "fonts" / "DejaVuSans.ttf")],
            font_family=_FAMILY,
            sans_serif_family=_FAMILY,
            skip_system_fonts=not needs_other_fonts(svg),
        ),
    )


def needs_other_fonts(text: str) -> bool:
    """Return whether a text needs scripts that DejaVu Sans lacks."""
    return any(map(_is_beyond, set(text)))


def _is_beyond(letter: str) -> bool:
    code = ord(letter)
    if code > _LAST_SYMBOL:
        return True
    return any(code in block for block in _BEYOND)


def _number(svg: str, name: str) -> int:
    _before, _name, after = svg.partition(f' {name}="')
    number, _quote, _rest = after.partition('"')
    return int(number)
