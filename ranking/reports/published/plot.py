"""The rank ranges of a published result as SVG and PNG: readable in grey, in print, and by screen readers."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from xml.sax.saxutils import escape

from ranking.reports.png import png_of
from ranking.reports.published.report import (
    PublishedFile,
    basis_of,
    english_rank,
    firmness_of,
    grouped,
    one_line,
    rank_range_of,
    title_of,
)
from ranking.wording.ranges import cluster_rules

_LINE: Final = 24
_TOP: Final = 40
_STEP: Final = 36
#: Pixels that a letter takes, on average, in the font's size.
_LETTER: Final = 7.5
_WIDEST: Final = 320
#: Up to some thirty systems are drawn as for print, more with fewer pixels.
_MOST_PIXELS: Final = 4_000_000


def svg_file(file: PublishedFile) -> str:
    """Return a plot: names, a bar from the first to the last rank each may have, a dot at its rank.

    Groups that nothing compares are below each other, each with an axis of its own.
    """
    content = file.content
    rows = content["ranking"]["systems"]
    groups = list(grouped(rows).values())
    names = [one_line(row["system"]) for row in rows]
    begin = min(_WIDEST, round(_LETTER * max(map(len, names), default=0))) + 24
    width = begin + _STEP * max(map(len, groups)) + 12
    height = sum(_TOP + _LINE * len(group) + 12 for group in groups)
    size = f'width="{width}" height="{height}" viewBox="0 0 {width} {height}"'
    said = 'role="img" aria-labelledby="title desc" font-family="sans-serif" font-size="13"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {said}>',
        f'<title id="title">{escape("Rank ranges: " + title_of(content))}</title>',
        f'<desc id="desc">{escape(_described(content, rows))}</desc>',
        f'<rect width="{width}" height="{height}" fill="#fff"/>',
    ]
    top = 0
    for group in groups:
        parts += _axis(len(group), begin, top)
        parts += [part for at in range(len(group)) for part in _row(group, at, begin, width, top)]
        top += _TOP + _LINE * len(group) + 12
    return "\n".join([*parts, "</svg>"]) + "\n"


def png_file(file: PublishedFile) -> bytes:
    """Return the plot as PNG."""
    return png_of(svg_file(file), most_pixels=_MOST_PIXELS)


def _described(content: Mapping[str, Any], rows: Sequence[Mapping[str, Any]]) -> str:
    several = len(grouped(rows)) > 1
    ranks = "; ".join(
        f"{one_line(row['system'])}: rank {english_rank(row)}, range {rank_range_of(row)}"
        + ("" if row.get("shortage") else f", cluster {row['cluster']}")
        + (f", group {row['group']}" if several else "")
        for row in rows
    )
    said = " ".join([basis_of(content), *firmness_of(content)])
    return f"{said} {ranks}."


def _axis(count: int, begin: int, top: int) -> list[str]:
    parts = []
    upper, lower = top + _TOP, top + _TOP + _LINE * count + 12
    for rank in range(1, count + 1):
        x = _x(rank, begin)
        parts.append(f'<line x1="{x}" x2="{x}" y1="{upper - 8}" y2="{lower - 8}" stroke="#ddd"/>')
        parts.append(
            f'<text x="{x}" y="{upper - 16}" text-anchor="middle" fill="#555">{rank}</text>'
        )
    return parts


def _row(rows: Sequence[Mapping[str, Any]], at: int, begin: int, width: int, top: int) -> list[str]:
    row, y = rows[at], top + _TOP + _LINE * at + _LINE // 2
    name = escape(one_line(row["system"]))
    parts = []
    if at and at - 1 in cluster_rules(rows):
        rule = top + _TOP + _LINE * at
        parts.append(f'<line x1="0" x2="{width}" y1="{rule}" y2="{rule}" stroke="#000"/>')
    parts.append(f'<text x="{begin - 12}" y="{y + 4}" text-anchor="end" fill="#000">{name}</text>')
    if not row.get("shortage"):
        low, high = _x(row["rank_low"], begin), _x(row["rank_high"], begin)
        bar = 'stroke="#aaa" stroke-width="8" stroke-linecap="round"'
        parts.append(f'<line x1="{low}" x2="{high}" y1="{y}" y2="{y}" {bar}/>')
    # The middle of shared ranks.
    dot = (_x(row["rank"], begin) + _x(row.get("last_rank", row["rank"]), begin)) // 2
    return [*parts, f'<circle cx="{dot}" cy="{y}" r="4.5" fill="#000"/>']


def _x(rank: int, begin: int) -> int:
    return begin + _STEP * (rank - 1) + _STEP // 2
