"""What a photograph is of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from playwright.sync_api import Page

WINDOWS: dict[str, tuple[int, int]] = {
    "wide": (1366, 768),
    "middle": (820, 1100),
    "narrow": (360, 740),
    "phone": (390, 844),
    # As a page is printed: A4 upright without its margins, at 96 dots an inch.
    "print": (718, 1016),
}
View = tuple[Literal["wide", "middle", "narrow", "phone", "print"], Literal["light", "dark"]]
EVERY_VIEW: tuple[View, ...] = (
    ("wide", "light"),
    ("wide", "dark"),
    ("middle", "light"),
    ("middle", "dark"),
    ("narrow", "light"),
    ("narrow", "dark"),
)
TWO_VIEWS: tuple[View, ...] = (("wide", "light"), ("narrow", "dark"))
ON_PAPER: View = ("print", "light")
#: To look at every page before a release, not for the docs.
TO_LOOK_AT: tuple[View, ...] = (
    ("wide", "light"),
    ("wide", "dark"),
    ("phone", "light"),
    ("phone", "dark"),
    ON_PAPER,
)

Prepare = Callable[[Page, Any], None]


@dataclass(frozen=True, slots=True)
class Shot:
    """A page to photograph: `prepare` opens it; a whole page where it is long, the window where part of it stays in view."""

    prepare: Prepare
    is_whole: bool = False
    views: tuple[View, ...] = EVERY_VIEW


def follow(page: Page, link: str) -> None:
    """Open a link and press its button, which people who are signed in do not see."""
    page.goto(link)
    button = page.locator("#open-link button")
    if button.count():
        button.click()
