"""The judging page as hands work on it: by keys, in the list, in tiers."""

from __future__ import annotations

from abc import ABC, abstractmethod

from playwright.sync_api import Locator, Page, expect

from tests.benchmarks.judging_effort.hands import NOTCH_PX, Finger, Hand, Mouse, box_of, seen_box
from tests.browser.judging import rank_of, row, rows

LETTERS = "ABCDE"
DESKTOP = {"width": 1366, "height": 768}
PHONE = {"width": 390, "height": 844}
# How far below what stays at the top a row is brought.
BELOW_PX = 8
SCROLLS_AT_MOST = 40
# So much of what is longer is enough to press it.
ENOUGH_PX = 24

# Whether a point of it can be seen and pressed, at its upper and at its lower end.
ENDS = """(each) => {
    const { left, top, width, height } = each.getBoundingClientRect();
    const seen = (y) => {
        const there = document.elementFromPoint(left + width / 2, y);
        return Boolean(there && (each === there || each.contains(there)));
    };
    return [seen(top + 3), seen(top + height - 3)];
}"""

# When it has moved from where it was, and then stood still for some frames.
SETTLED = """(each, first) => new Promise((resolve) => {
    const began = performance.now();
    let [last, still] = [null, 0];
    const frame = () => {
        const { top } = each.getBoundingClientRect();
        still = top === last ? still + 1 : 0;
        last = top;
        if (still >= 5 && (top !== first || performance.now() - began > 1000)) resolve();
        else requestAnimationFrame(frame);
    };
    frame();
})"""


def is_in_view(place: Locator) -> bool:
    return all(place.evaluate(ENDS))


def is_within_reach(place: Locator) -> bool:
    seen = seen_box(place)
    return seen is not None and seen["height"] >= min(ENOUGH_PX, box_of(place)["height"] - 4)


def order(hand: Hand, rows: list[Locator]) -> list[int]:
    """Return the places of the rows, from the end that is nearer to the hand where both are in view."""
    places = list(range(len(rows)))
    first, last = (abs(box_of(each)["y"] - hand.at[1]) for each in (rows[0], rows[-1]))
    is_upwards = last < first and is_in_view(rows[0]) and is_in_view(rows[-1])
    return places[::-1] if is_upwards else places


def bring(hand: Hand, row: Locator, target: Locator, top: float) -> None:
    """Scroll until the row is in view; of one that is longer than the screen, its beginning, its end, and what is to be pressed.

    Efficient judges move a row that is not in view up to the top of the outputs, so that those after it come along.
    """
    begun = ended = False
    for _ in range(SCROLLS_AT_MOST):
        upper, lower = row.evaluate(ENDS)
        begun, ended = begun or upper, ended or (begun and lower)
        if (upper and lower) or (ended and is_within_reach(target)):
            return
        own = box_of(row)
        above = own["y"] - top - BELOW_PX
        if begun and not ended and above < NOTCH_PX / 2:
            above += own["height"]
        elif ended:
            above = box_of(target)["y"] - top - BELOW_PX
        hand.scroll(above)
        row.evaluate(SETTLED, own["y"])
    raise AssertionError(f"{row} cannot be scrolled into view")


class Screen(ABC):
    """One way of ranking five outputs and submitting the ranking."""

    def __init__(self, page: Page, hand: Hand) -> None:
        self.page = page
        self.hand = hand

    def prepare(self) -> None:
        """Do once what is no part of any block."""
        expect(rows(self.page)).to_have_count(len(LETTERS))

    @abstractmethod
    def rank(self, place: int, rank: int) -> None: ...

    def submit(self) -> None:
        button = self.page.locator("#submit")
        if isinstance(self.hand, Mouse):
            # Below the rank that made the ranking whole, unless that is at the foot of the window.
            near = self.page.locator(".near")
            near.wait_for()
            button = near if is_in_view(near) else button
        self.hand.press(button)

    def places(self) -> list[int]:
        """Return the outputs in the order in which an efficient judge ranks them."""
        return order(self.hand, [row(self.page, letter) for letter in LETTERS])

    def judge(self, ranking: list[int]) -> None:
        for place in self.places():
            self.rank(place, ranking[place])
        self.submit()
        expect(self.page.locator(".row input:checked")).to_have_count(0)
        expect(rows(self.page)).to_have_count(len(ranking))

    def top(self) -> float:
        """Return where the outputs begin to be seen: below what stays at the top."""
        panel, header = box_of(self.page.locator("#panel")), box_of(self.page.locator("header"))
        above = panel if panel["width"] >= box_of(rows(self.page).first)["width"] else header
        return above["y"] + above["height"]


class Keyboard(Screen):
    def places(self) -> list[int]:
        return list(range(len(LETTERS)))

    def rank(self, place: int, rank: int) -> None:
        # The page must have brought it into view by itself.
        assert is_in_view(rank_of(self.page, LETTERS[place], rank))
        self.hand.key(str(rank))

    def submit(self) -> None:
        self.hand.key("Enter")


class List(Screen):
    def rank(self, place: int, rank: int) -> None:
        letter = LETTERS[place]
        target = rank_of(self.page, letter, rank)
        bring(self.hand, row(self.page, letter), target, self.top())
        self.hand.press(target)


class Tiers(Screen):
    def rank(self, place: int, rank: int) -> None:
        own = row(self.page, LETTERS[place])
        # A mouse drags the card, a finger its letter.
        handle = own if isinstance(self.hand, Mouse) else own.locator(".row-letter")
        bring(self.hand, own, handle, self.top())
        self.hand.drag(handle, self.page.locator(f"[data-tier='{rank}']"))

    def prepare(self) -> None:
        if isinstance(self.hand, Finger):
            self.page.get_by_role("button", name="more…").tap()
            self.page.get_by_role("button", name="tiers to drag into").tap()
        else:
            self.page.keyboard.press("t")
        expect(self.page.locator("#outputs")).to_have_attribute("data-layout", "tiers")
