"""A report as shown on a page: figures in the reader's locale, plots, and links to the judgments behind them."""

from collections.abc import Callable, Sequence
from datetime import date
from html import escape
from importlib.resources import files
from typing import Any, Final

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
from ranking.pages.analysis_form import asked_in_words
from ranking.pages.formats import Addresses, figure
from ranking.pages.plot_drawing import drawn, drawn_for_page
from ranking.reports.plots import PointPlot, RowPlot
from ranking.reports.tables import BETWEEN, Column, Named, Report, Table, Value
from ranking.reports.wording.numbers import decimals
from ranking.reports.wording.ranges import rank_cell, rank_range
from ranking.reports.writing import FILES, ReportFormat, write
from ranking.selectors.analyses import analyses_asked, answer_with_data
from ranking.selectors.runs import latest_run

#: Addresses of all rows, or those of the test set of a row, by its name.
Links = Addresses | Callable[[str], Addresses | None] | None
_NOTHING = "–"
#: Longer tables only show their first rows; all rows are in the files.
_MOST_ROWS = 500
_MOST_CELLS = 2_400
_FIRST_ROWS = 100


def shown_tables(
    report: Report,
    *,
    without: frozenset[str] = frozenset(),
    addresses: Links = None,
    file_address: Callable[[str, str], str] | None = None,
) -> list[dict[str, Any]]:
    """Return the tables of a report, except those named in `without`.

    With `addresses`, cells have links. `file_address` returns the address of a file, given the name of a table
    and an ending.
    """
    tables = [table for table in report.tables if table.name not in without]
    if isinstance(addresses, Addresses):
        addresses.judges_look_up(
            name
            for table in tables
            for at, column in enumerate(table.columns)
            if column.names in ("judge", "judges")
            for row in _first(table)
            for name in str(row[at]).split(
                BETWEEN if column.names == "judges" else "\n"
            )
        )
    return [_table(table, addresses, file_address) for table in tables]


def _first(table: Table) -> Sequence[Sequence[Value]]:
    most = min(_MOST_ROWS, _MOST_CELLS // len(table.columns))
    if len(table.rows) <= most:
        return table.rows
    return table.rows[: min(most, _FIRST_ROWS)]


def _table(
    table: Table, addresses: Links, file_address: Callable[[str, str], str] | None
) -> dict[str, Any]:
    """Return a table for the page: headings, flagged if numeric, markup of the first rows, and files."""
    rows = _first(table)
    filled = _filled_columns(table)
    won = None
    if isinstance(addresses, Addresses):
        won = addresses.won
    if _is_one_dot(table):
        plot = None
    else:
        plot = drawn_for_page(table, pair_address=won)
    return {
        "name": table.name,
        "title": table.title,
        "headings": [
            (system_label(column.heading), not column.is_text)
            for place, column in enumerate(table.columns)
            if place in filled
        ],
        "body": _body(table, rows, filled, addresses),
        "notes": table.notes,
        "plot": plot,
        "more": len(table.rows) - len(rows),
        "files": []
        if plot is None or file_address is None
        else [
            (ending.upper(), file_address(table.name, ending)) for ending in PLOT_FILES
        ],
    }


def _is_one_dot(table: Table) -> bool:
    """Return whether the plot of a table would compare nothing: it has one value."""
    plot = table.plot
    if not isinstance(plot, RowPlot | PointPlot):
        return False
    position = [column.key for column in table.columns].index(plot.value)
    most = None
    if isinstance(plot, RowPlot):
        most = plot.most
    drawn = table.rows[:most]
    return sum(row[position] is not None for row in drawn) == 1


def _filled_columns(table: Table) -> frozenset[int]:
    """Return the positions of the columns with a value in any row; files have the empty ones, too."""
    return frozenset(
        place
        for place in range(len(table.columns))
        if any(row[place] not in (None, "") for row in table.rows)
    )


#: What has a name that people wrote, in any script.
_WRITTEN_BY_PEOPLE: Final = frozenset(
    {"system", "other", "systems", "judge", "judges", "test_set", "document"}
)


def _is_name(column: Column) -> bool:
    """Return whether a column's cells are names; frozen tables only have the keys of their columns."""
    return column.is_text and (column.names or column.key) in _WRITTEN_BY_PEOPLE


def _body(
    table: Table,
    rows: Sequence[Sequence[Value]],
    filled: frozenset[int],
    addresses: Links,
) -> SafeString:
    """Return the filled columns of rows as markup, without a template, which takes ten times as long for many cells."""
    parts = []
    for number, row in enumerate(rows):
        here = _addresses(table, row, addresses)
        about = {} if here is None else _about(table, row)
        parts.append('<tr class="ends">' if number in table.rules else "<tr>")
        for place, (value, column) in enumerate(zip(row, table.columns, strict=True)):
            if place not in filled:
                continue
            words = _words(value, column)
            markup = escape(words)
            if here is not None and value is not None:
                markup = _markup(words, value, column, about, here)
            if _is_name(column):
                markup = f"<bdi>{markup}</bdi>"
            if place:
                tag = "td"
                scope = ""
            else:
                tag = "th"
                scope = ' scope="row"'
            kind = "" if column.is_text else ' class="number"'
            parts.append(f"<{tag}{scope}{kind}>{markup}</{tag}>")
        parts.append("</tr>")
    # Each part is escaped.
    return mark_safe("".join(parts))  # noqa: S308


def linked(words: str, address: str | None) -> str:
    """Return escaped text, as a link if there is an address."""
    if address is None:
        return escape(words)
    return f'<a href="{escape(address)}">{escape(words)}</a>'


def _addresses(
    table: Table, row: Sequence[Value], addresses: Links
) -> Addresses | None:
    """Return the addresses for a row, if there are any."""
    if addresses is None or isinstance(addresses, Addresses):
        return addresses
    named = [
        str(value)
        for value, column in zip(row, table.columns, strict=True)
        if column.names == "test_set"
    ]
    name = named[0] if named else table.about.get("test_set")
    return None if name is None else addresses(name)


def _about(table: Table, row: Sequence[Value]) -> dict[Named, str]:
    """Return the objects a row is about, except its test set: those of all rows, and those in its first cells."""
    found: dict[Named, str] = {
        name: said for name, said in table.about.items() if name != "test_set"
    }
    for value, column in zip(row, table.columns, strict=True):
        if column.names is None:
            break
        if column.names == "systems":
            found |= _two_systems(str(value))
        elif column.names not in ("judges", "test_set") and value is not None:
            found[column.names] = str(value)
    return found


def _two_systems(words: str) -> dict[Named, str]:
    one, _between, other = words.partition(BETWEEN)
    return {"system": one, "other": other}


def _markup(
    words: str,
    value: Value,
    column: Column,
    about: dict[Named, str],
    addresses: Addresses,
) -> str:
    """Return a cell, linked to the object or the judgments it refers to."""
    address = None
    if column.names == "judges":
        return BETWEEN.join(
            linked(name, addresses.judge(name)) for name in words.split(BETWEEN)
        )
    if column.names is not None:
        address = _named(str(value), column.names, addresses)
    elif column.counts == "skipped" and value:
        address = addresses.skips(about.get("judge", ""))
    elif column.counts is not None and value and _is_there(about, addresses):
        if column.counts == "judgments":
            outcome = None
        else:
            outcome = column.counts
        address = addresses.judgments(**about, outcome=outcome)
    return linked(words, address)


def _named(value: str, names: Named, addresses: Addresses) -> str | None:
    """Return the address of an object named in a cell; None if it no longer exists."""
    if names == "test_set":
        return addresses.ranking
    if names == "systems":
        systems = _two_systems(value)
        return addresses.judgments(**systems) if _is_there(systems, addresses) else None
    pages = {
        "system": addresses.system,
        "other": addresses.system,
        "judge": addresses.judge,
    }
    if names == "segment":
        return addresses.segment(int(value))
    if names in pages:
        return pages[names](value)
    return addresses.judgments(**{names: value})


def _is_there(about: dict[Named, str], addresses: Addresses) -> bool:
    """Return whether the judgments of a row can be listed: its systems exist under these names."""
    systems = [about[name] for name in ("system", "other") if name in about]
    return (bool(about) or addresses.is_all_listed) and all(
        name in addresses.systems for name in systems
    )


def _words(value: Value, column: Column) -> str:
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
PLOT_FILES: Final = ("svg", "png", "csv") if has_extra("png") else ("svg", "csv")


def report_file(
    report: Report, ending: str, *, named: str, table: str | None = None
) -> HttpResponse:
    """Return a report as a file of one of the formats, or one of its tables as plot or rows; 404 without such a file."""
    content: str | bytes | None
    if table is None:
        content = None
        if ending in FILES:
            content = write(report, FILES[ending])
    else:
        named = f"{named}-{table}"
        found = next((each for each in report.tables if each.name == table), None)
        if found is None or ending not in PLOT_FILES:
            content = None
        else:
            content = plot_file(found, ending)
    if content is None:
        raise Http404
    return download(f"{named}.{ending}", content)


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
    analysis: Analysis, ending: str, table: str | None = None
) -> HttpResponse:
    """Return the answer of an analysis of a task as a file, or one of its tables."""
    if table is None:
        named = f"{analysis.kind}-{analysis.task_id}-{analysis.watermark}"
    else:
        named = analysis.kind
    return report_file(answer_with_data(analysis), ending, named=named, table=table)


#: Stands for the ranking that the test set shows.
SHOWN = "shown"
_OFFERED = 20
# Maximum digits of IDs in PostgreSQL.
_DIGITS = 18


def rankings_beside(
    *, task: Task, this: Analysis, systems: Sequence[RankedRow], chosen: str
) -> dict[str, Any] | None:
    """Return the systems of an analysis compared with another ranking of the task, if any.

    `chosen` is `SHOWN` or the ID of a finished analysis; raises Http404 if it does not exist. `choices` are the other
    rankings, and `differing` is the number of systems with another rank.
    """
    asked = analyses_asked(task=task).finished().filter(kind=this.kind)
    others = asked.exclude(pk=this.pk)
    run = latest_run(task_id=task.pk)
    if run is None:
        choices = []
    else:
        choices = [(SHOWN, _("current ranking"))]
    for each in others[:_OFFERED]:
        asked_for = asked_in_words(each, task)["words"] or _("Default")
        choices.append((str(each.pk), f"{asked_for} ({each.watermark})"))
    if not choices:
        return None
    if chosen == "" or (chosen == SHOWN and run is None):
        chosen = choices[0][0]
    if chosen == SHOWN and run is not None:
        others_systems = run.result["systems"]
    else:
        if not chosen.isdecimal() or len(chosen) > _DIGITS:
            raise Http404
        found = (
            Analysis.objects.of(task.pk)
            .finished()
            .filter(pk=chosen, kind=this.kind)
            .first()
        )
        if found is None or found.data is None:
            raise Http404
        others_systems = found.data["rankings"][0]["systems"]
    table = _beside(systems, others_systems, dict(choices).get(chosen, chosen))
    return {
        "table": shown_tables(Report(tables=[table], data={}))[0],
        "differing": sum(row[-1] != "" for row in table.rows),
        "chosen": chosen,
        "choices": choices,
    }


def _beside(
    these: Sequence[RankedRow], those: Sequence[RankedRow], words: str
) -> Table:
    sides = [
        {row["system"]: only_estimable(row) for row in rows} for rows in (these, those)
    ]
    has_groups = any(row.get("group", 1) > 1 for side in sides for row in side.values())
    rows: list[tuple[Value, ...]] = []
    for name in dict.fromkeys([*sides[0], *sides[1]]):
        this, other = (_place(side.get(name), has_groups=has_groups) for side in sides)
        rows.append((name, *this, *other, "≠" if this != other else ""))
    heads = [
        *([_("Group")] if has_groups else []),
        _("Rank"),
        _("Rank range"),
        _("Cluster"),
    ]
    return Table(
        name="beside",
        title=_("Side by side"),
        columns=[
            Column("system", _("System"), is_text=True),
            *(
                Column(f"{side}_{number}", f"{head} · {side_words}")
                for side, side_words in (("this", _("This choice")), ("other", words))
                for number, head in enumerate(heads)
            ),
            Column("differs", _("Differs"), is_text=True),
        ],
        rows=rows,
    )


def _place(row: RankedRow | None, *, has_groups: bool) -> tuple[Value, ...]:
    """Return group, rank, rank range and cluster of a system; dashes for missing ones."""
    if row is None:
        return (None,) * (3 + has_groups)
    group = (row.get("group", 1),) if has_groups else ()
    return (*group, rank_cell(row), rank_range(row), row["cluster"])


#: Scale of a PNG, for print quality.
_ZOOM: Final = 2
#: Maximum number of pixels, for drawings of a thousand judges.
_MOST_PIXELS: Final = 64_000_000
_FAMILY: Final = "DejaVu Sans"
#: Scripts missing from DejaVu Sans: from Devanagari to Myanmar, and from Hangul on except Latin,
#: Greek, symbols and forms of Arabic letters.
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
        )
    )


def needs_other_fonts(text: str) -> bool:
    """Return whether a text needs scripts that DejaVu Sans lacks."""
    return any(
        ord(letter) in block for letter in set(text) for block in _BEYOND
    ) or any(ord(letter) > 0x1F000 for letter in set(text))


def _number(svg: str, name: str) -> int:
    return int(svg.partition(f' {name}="')[2].partition('"')[0])
