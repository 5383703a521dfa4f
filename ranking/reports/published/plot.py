"""The rank ranges of a published result as SVG: readable in grey, in print, and by screen readers."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from xml.sax.saxutils import escape

from ranking.reports.published.report import (
    PublishedFile,
    basis_of,
    firmness_of,
    one_line,
    rank_range_of,
    title_of,
)

_LINE: Final = 24
_TOP: Final = 40
_STEP: Final = 36
#: Pixels that a letter takes, on average, in the font's size.
_LETTER: Final = 7.5
_WIDEST: Final = 320


def svg_file(file: PublishedFile) -> str:
    """Return a plot: names, a bar from the first to the last rank each may have, a dot at its rank."""
    content = file.content
    rows = content["ranking"]["systems"]
    names = [one_line(row["system"]) for row in rows]
    begin = min(_WIDEST, round(_LETTER * max(map(len, names), default=0))) + 24
    width, height = begin + _STEP * len(rows) + 12, _TOP + _LINE * len(rows) + 12
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    said = 'role="img" aria-labelledby="title desc" font-family="sans-serif" font-size="13"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {said}>',
        f'<title id="title">{escape("Rank ranges: " + title_of(content))}</title>',
        f'<desc id="desc">{escape(_described(content, rows))}</desc>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
        *_axis(len(rows), begin, height),
        *(part for at, row in enumerate(rows) for part in _row(rows, at, names[at], begin, width)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def _described(content: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    ranks = "; ".join(
        f"{one_line(row['system'])}: rank {row['rank']}, range {rank_range_of(row)}, "
        f"cluster {row['cluster']}"
        for row in rows
    )
    said = " ".join([basis_of(content), *firmness_of(content)])
    return f"{said} {ranks}."


def _axis(count: int, begin: int, height: int) -> list[str]:
    parts = []
    for rank in range(1, count + 1):
        x = _x(rank, begin)
        parts.append(f'<line x1="{x}" x2="{x}" y1="{_TOP - 8}" y2="{height - 8}" stroke="#ddd"/>')
        parts.append(
            f'<text x="{x}" y="{_TOP - 16}" text-anchor="middle" fill="#555">{rank}</text>'
        )
    return parts


def _row(
    rows: Sequence[Mapping[str, Any]], at: int, name: str, begin: int, width: int
) -> list[str]:
    row, y = rows[at], _TOP + _LINE * at + _LINE // 2
    parts = []
    if at and row["cluster"] != rows[at - 1]["cluster"]:
        rule = _TOP + _LINE * at
        parts.append(f'<line x1="0" x2="{width}" y1="{rule}" y2="{rule}" stroke="#000"/>')
    low, high = _x(row["rank_low"], begin), _x(row["rank_high"], begin)
    bar = 'stroke="#aaa" stroke-width="8" stroke-linecap="round"'
    return [
        *parts,
        f'<text x="{begin - 12}" y="{y + 4}" text-anchor="end" fill="#000">{escape(name)}</text>',
        f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" {bar}/>',
        f'<circle cx="{_x(row["rank"], begin)}" cy="{y}" r="4.5" fill="#000"/>',
    ]


def _x(rank: int, begin: int) -> int:
    return begin + _STEP * (rank - 1) + _STEP // 2
