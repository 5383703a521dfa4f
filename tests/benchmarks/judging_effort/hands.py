"""Hands that judge through real events, and count what they do.

A hand takes the shortest way: in a straight line to the nearest point of what it aims for, a little
inside its edge. Its next way begins where the last one ended, also in the next block.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TypedDict

from playwright.sync_api import Locator, Page

# How far inside an edge a hand aims, where there is as much room.
INSIDE_PX = 8.0
NOTCH_PX = 100
SWIPE_PX = 400
# So far a finger moves before the page follows.
SLOP_PX = 16
SWIPE_STEPS = 10
HOLD_MS = 150

# Whether one of the elements is what the pointer would meet there.
IS_AT = """(elements, [x, y]) => {
    const there = document.elementFromPoint(x, y);
    return elements.some((each) => each.contains(there));
}"""

# The part of it, from its top to its bottom, that a pointer can meet.
SEEN = """(each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    const met = [];
    for (let y = Math.max(top, 0) + 1; y < Math.min(top + height, innerHeight); y += 2) {
        if (each.contains(document.elementFromPoint(left + width / 2, y))) met.push(y);
    }
    return met.length ? { x: left, y: met[0] - 1, width, height: met.at(-1) - met[0] + 2 } : null;
}"""

Point = tuple[float, float]


class Box(TypedDict):
    x: float
    y: float
    width: float
    height: float


@dataclass
class Effort:
    keys: int = 0
    presses: int = 0
    drags: int = 0
    scrolls: int = 0
    travel: float = 0.0


def box_of(place: Locator) -> Box:
    box = place.bounding_box()
    assert box is not None, f"{place} is not on the page"
    return Box(x=box["x"], y=box["y"], width=box["width"], height=box["height"])


def seen_box(place: Locator) -> Box | None:
    """Return the part of it that can be pressed, or None."""
    seen: Box | None = place.evaluate(SEEN)
    return seen


def aim(box: Box, at: Point) -> Point:
    """Return the point of the box that is nearest to `at`."""

    def nearest(begin: float, size: float, own: float) -> float:
        inside = min(INSIDE_PX, size / 2)
        return min(max(own, begin + inside), begin + size - inside)

    return nearest(box["x"], box["width"], at[0]), nearest(box["y"], box["height"], at[1])


class Hand(ABC):
    def __init__(self, page: Page) -> None:
        self.page = page
        self.effort = Effort()
        self.at: Point = (0.0, 0.0)

    def key(self, key: str) -> None:
        self.page.keyboard.press(key)
        self.effort.keys += 1

    def press(self, place: Locator) -> None:
        self._go_to(place)
        self._press()
        self.effort.presses += 1

    def drag(self, place: Locator, targets: Locator) -> None:
        """Drag `place` to the nearest of the targets, of which some come up while it is dragged."""
        self._go_to(place)
        self._down()
        self._lift()
        ways = [aim(box_of(each), self.at) for each in targets.all() if each.is_visible()]
        # Not to what lies under something else.
        ways = [point for point in ways if targets.evaluate_all(IS_AT, point)]
        self._drag_to(min(ways, key=lambda point: math.dist(point, self.at)))
        self._up()
        self.effort.drags += 1

    def _go_to(self, place: Locator) -> None:
        seen = seen_box(place)
        assert seen is not None, f"{place} cannot be pressed where it is"
        self._go(aim(seen, self.at))

    def _count_way(self, point: Point) -> None:
        self.effort.travel += math.dist(self.at, point)
        self.at = point

    @abstractmethod
    def scroll(self, by: float) -> None:
        """Scroll the page once, by at most `by` pixels."""

    @abstractmethod
    def _go(self, point: Point) -> None: ...

    @abstractmethod
    def _press(self) -> None: ...

    @abstractmethod
    def _down(self) -> None: ...

    @abstractmethod
    def _lift(self) -> None:
        """Begin to drag, without counting the few pixels that takes."""

    @abstractmethod
    def _drag_to(self, point: Point) -> None: ...

    @abstractmethod
    def _up(self) -> None: ...


class Mouse(Hand):
    def scroll(self, by: float) -> None:
        self.page.mouse.wheel(0, math.copysign(NOTCH_PX, by))
        self.effort.scrolls += 1

    def _go(self, point: Point) -> None:
        self._count_way(point)
        self.page.mouse.move(*point)

    def _press(self) -> None:
        self._down()
        self._up()

    def _down(self) -> None:
        self.page.mouse.down()

    def _lift(self) -> None:
        self.page.mouse.move(self.at[0], self.at[1] + 6)

    def _drag_to(self, point: Point) -> None:
        self._go(point)

    def _up(self) -> None:
        self.page.mouse.up()


class Finger(Hand):
    """One finger on the glass, as the browser's own input pipeline has it."""

    def __init__(self, page: Page) -> None:
        super().__init__(page)
        self._session = page.context.new_cdp_session(page)

    def scroll(self, by: float) -> None:
        way = math.copysign(min(abs(by) + SLOP_PX, SWIPE_PX), by)
        size = self.page.viewport_size
        assert size is not None
        # From where the page has room for it; the way there counts like any other.
        start = (size["width"] / 2, size["height"] * (0.8 if by > 0 else 0.45))
        self._count_way(start)
        end = (start[0], start[1] - way)
        self._touch("Start", start)
        for step in range(1, SWIPE_STEPS + 1):
            self._touch("Move", (start[0], start[1] - way * step / SWIPE_STEPS))
        # Held for a moment, so that the page stays where the finger leaves it.
        self.page.wait_for_timeout(HOLD_MS)
        self._touch("Move", end)
        self._touch("End")
        self._count_way(end)
        self.effort.scrolls += 1

    def _go(self, point: Point) -> None:
        self._count_way(point)

    def _press(self) -> None:
        self.page.touchscreen.tap(*self.at)

    def _touch(self, kind: str, *points: Point) -> None:
        self._session.send(
            "Input.dispatchTouchEvent",
            {"type": f"touch{kind}", "touchPoints": [{"x": x, "y": y} for x, y in points]},
        )

    def _down(self) -> None:
        self._touch("Start", self.at)

    def _lift(self) -> None:
        self._touch("Move", (self.at[0], self.at[1] + 20))

    def _drag_to(self, point: Point) -> None:
        self._count_way(point)
        self._touch("Move", point)

    def _up(self) -> None:
        self._touch("End")
