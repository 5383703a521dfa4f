"""Axes with round ticks, and what is drawn along them."""

import math
from collections.abc import Sequence

from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString

from ranking.pages.plot_drawing.svg import joined
from ranking.reports.plots import Plot
from ranking.wording.numbers import decimals


class Axis:
    """Numbers from `start` to `end` along so many units, with round ticks, about `steps` of them."""

    def __init__(
        self, values: Sequence[float], plot: Plot, low: float, high: float, *, steps: int = 6
    ) -> None:
        start = min(values) if plot.start is None else min(plot.start, *values)
        end = max(values) if plot.end is None else max(plot.end, *values)
        if plot.mark is not None:
            start, end = min(start, plot.mark), max(end, plot.mark)
        if start == end:
            start, end = start - 0.5, end + 0.5
        self.step = max(_step((end - start) / steps), 1.0 if plot.is_whole else 0.0)
        # Ranks begin at 1, and nothing is at 0.
        first = plot.start if plot.is_whole and plot.start == start else 0.0
        self.start = first + math.floor((start - first) / self.step + 1e-9) * self.step
        self.end = first + math.ceil((end - first) / self.step - 1e-9) * self.step
        self._low, self._high = low, high

    def at(self, value: float) -> str:
        """Return where a value is."""
        share = (value - self.start) / (self.end - self.start)
        return f"{self._low + share * (self._high - self._low):.1f}"

    @property
    def ticks(self) -> list[tuple[str, str]]:
        """Where ticks are, and their numbers as the language writes them."""
        count = round((self.end - self.start) / self.step)
        places = max(0, -math.floor(math.log10(self.step) + 1e-9))
        numbers = [self.start + tick * self.step for tick in range(count + 1)]
        return [(self.at(each), decimals(each, places)) for each in numbers]


def _step(about: float) -> float:
    """Return 1, 2 or 5 times a power of ten, at least so much."""
    power = 10.0 ** math.floor(math.log10(about))
    return next(step * power for step in (1, 2, 5, 10) if step * power >= about * (1 - 1e-9))


def vertical(axis: Axis, plot: Plot, top: int, bottom: int) -> SafeString:
    """Return lines from top to bottom at the ticks, with words above them."""
    ticks = format_html_join(
        "",
        '<line class="grid" x1="{0}" x2="{0}" y1="{2}" y2="{3}"/>'
        '<text class="quiet" x="{0}" y="14" text-anchor="middle">{1}</text>',
        ((at, words, top, bottom) for at, words in axis.ticks),
    )
    return joined([ticks, _mark(axis, plot, top, bottom)])


def _mark(axis: Axis, plot: Plot, top: int, bottom: int) -> SafeString:
    if plot.mark is None:
        return SafeString("")
    at = axis.at(plot.mark)
    return format_html('<line class="mark" x1="{}" x2="{}" y1="{}" y2="{}"/>', at, at, top, bottom)


def horizontal(axis: Axis, left: int, right: int) -> SafeString:
    """Return lines from left to right at the ticks, with words before them."""
    return format_html_join(
        "",
        '<line class="grid" x1="{2}" x2="{3}" y1="{0}" y2="{0}"/>'
        '<text class="quiet" x="{4}" y="{0}" dy="4" text-anchor="end">{1}</text>',
        ((at, words, left, right, left - 8) for at, words in axis.ticks),
    )


def across(axis: Axis, plot: Plot, left: int, right: int) -> SafeString:
    """Return the marked value of an axis that goes up."""
    if plot.mark is None:
        return SafeString("")
    at = axis.at(plot.mark)
    return format_html('<line class="mark" x1="{}" x2="{}" y1="{}" y2="{}"/>', left, right, at, at)
