"""The hours of the day in which somebody works."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from ranking.pages.plots import percent

_HOURS: Final = 24


@dataclass(frozen=True, slots=True)
class HourBar:
    """An hour, the sentences done in it, and its bar: the left edge, and the height from the bottom."""

    hour: int
    sentences: int
    x: str
    y: str
    height: str


@dataclass(frozen=True, slots=True)
class HourPlot:
    """A bar for each hour, the busiest as high as the plot; `worked` are those with anything in them."""

    bars: tuple[HourBar, ...]
    width: str = percent(0.8 / _HOURS)

    @property
    def worked(self) -> tuple[HourBar, ...]:
        return tuple(bar for bar in self.bars if bar.sentences)


def hour_plot(sentences: Mapping[int, int]) -> HourPlot:
    """Lay out the sentences of each hour from 0 to 23."""
    most = max(sentences.values(), default=0)

    def bar(hour: int) -> HourBar:
        done = sentences.get(hour, 0)
        # Any number above 0 must be visible.
        height = max(0.04, done / most) if done else 0.0
        return HourBar(hour, done, percent(hour / _HOURS), percent(1 - height), percent(height))

    return HourPlot(tuple(bar(hour) for hour in range(_HOURS)))
