"""A plot of the share of campaigns finished after each number of judgments, by design."""

import math
from collections.abc import Callable, Sequence
from xml.sax.saxutils import escape

from ranking.design_study.study import Comparison, DesignRow

_WIDTH, _PANEL, _HEAD, _FOOT = 760, 190, 34, 46
_LEFT, _RIGHT = 64, 110
#: Dashes, so that lines can also be distinguished without colour.
_STROKES = (("#57606a", "2 4"), ("#0969da", "9 4"), ("#bc4c00", ""), ("#6639ba", "12 3 2 3"))
_STYLE = (
    "text{font:13px system-ui,sans-serif;fill:#1f2328}"
    ".axis{stroke:#8c959f}.grid{stroke:#d0d7de}.line{fill:none;stroke-width:2.5}"
    ".paper{fill:#fff}"
    "@media(prefers-color-scheme:dark)"
    "{text{fill:#e6edf3}.grid{stroke:#373e47}.paper{fill:#0d1117}}"
)


def comparison_plot(
    comparison: Comparison,
    *,
    titles: Sequence[str],
    axis: str,
    title: str,
    figure: Callable[[int], str] = "{:,}".format,
    percent: Callable[[float], str] = lambda share: f"{100 * share:.0f}%",
) -> str:
    """Return a plot of the share of campaigns that have reached the target, for each question.

    Parameters
    ----------
    comparison : Comparison
    titles : sequence of str
        Titles of the questions, in the order of the rows.
    axis, title : str
        Label of the horizontal axis; text alternative of the plot.
    figure, percent : callable
        Format a number of judgments, and a share.

    Returns
    -------
    str
        An SVG document without scripts, fonts or links.
    """
    designs = len(comparison.designs)
    panels = [
        comparison.rows[start : start + designs]
        for start in range(0, len(comparison.rows), designs)
    ]
    scale = _Scale(comparison, figure, percent)
    height = len(panels) * _PANEL + _FOOT
    box = f'viewBox="0 0 {_WIDTH} {height}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {box} role="img" aria-labelledby="title">',
        f'<title id="title">{escape(title)}</title><style>{_STYLE}</style>',
        f'<rect class="paper" width="{_WIDTH}" height="{height}"/>',
    ]
    for number, (rows, heading) in enumerate(zip(panels, titles, strict=True)):
        parts += _panel(rows, heading, scale, number * _PANEL, experiments=comparison.experiments)
    middle = (_LEFT + _WIDTH - _RIGHT) / 2
    parts.append(
        f'<text x="{middle:g}" y="{height - 8}" text-anchor="middle">{escape(axis)}</text></svg>\n'
    )
    return "\n".join(parts)


class _Scale:
    """A logarithmic axis of judgments with round ticks that covers all campaigns, and the format of its numbers."""

    def __init__(
        self,
        comparison: Comparison,
        figure: Callable[[int], str],
        percent: Callable[[float], str],
    ) -> None:
        self.figure, self.percent = figure, percent
        needed = [each for row in comparison.rows for each in row.each if each is not None]
        self._low = math.log10(min(needed, default=1)) - 0.05
        self._high = math.log10(comparison.limit)
        decades = range(math.floor(self._low), math.ceil(self._high) + 1)
        numbers = [step * 10**decade for decade in decades for step in (1, 2, 5)]
        self.ticks = [each for each in numbers if self._low <= math.log10(each) <= self._high]

    def at(self, judgments: float) -> float:
        share = (math.log10(judgments) - self._low) / (self._high - self._low)
        return _LEFT + share * (_WIDTH - _RIGHT - _LEFT)


def _panel(
    rows: Sequence[DesignRow], heading: str, scale: _Scale, top: int, *, experiments: int
) -> list[str]:
    bottom, upper = top + _PANEL - 24, top + _HEAD
    right = _WIDTH - _RIGHT
    parts = [f'<text x="{_LEFT}" y="{top + 22}" font-weight="600">{escape(heading)}</text>']
    for share in (0, 0.5, 1):
        y = bottom - share * (bottom - upper)
        parts.append(f'<path class="grid" d="M{_LEFT} {y:g}H{right}"/>')
        parts.append(
            f'<text x="{_LEFT - 8}" y="{y + 4:g}" text-anchor="end">{escape(scale.percent(share))}</text>'
        )
    for tick in scale.ticks:
        x = scale.at(tick)
        parts.append(f'<path class="axis" d="M{x:.1f} {bottom}v5"/>')
        parts.append(
            f'<text x="{x:.1f}" y="{bottom + 18}" text-anchor="middle">{escape(scale.figure(tick))}</text>'
        )
    for number, row in enumerate(rows):
        colour, dashes = _STROKES[number % len(_STROKES)]
        needed = sorted(each for each in row.each if each is not None)
        path = [f"M{_LEFT} {bottom}"]
        for done, judgments in enumerate(needed, 1):
            y = bottom - done / experiments * (bottom - upper)
            path.append(f"H{scale.at(judgments):.1f}V{y:.1f}")
        path.append(f"H{right}")
        y = upper + 16 + 20 * number
        pen = f'class="line" stroke="{colour}" stroke-dasharray="{dashes}"'
        parts.append(f'<path {pen} d="{"".join(path)}"/>')
        parts.append(f'<path {pen} d="M{right + 8} {y - 4}h24"/>')
        parts.append(f'<text x="{right + 38}" y="{y}">{escape(row.design)}</text>')
    return parts
