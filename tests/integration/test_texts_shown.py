"""Sources, references and outputs on organisers' pages: never translated by a browser, and each in its own direction."""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from html.parser import HTMLParser

import pytest
from django.db.models import F, Value
from django.db.models.functions import Concat
from django.test import Client
from pytest_django import DjangoDbBlocker

from campaign.models import Document, Output, Reference, Segment, System
from campaign.services.bad_references import bad_references_make
from tests.filled_world import filled_world
from tests.filling import Filling
from tests.permissions.addresses import ADDRESSES
from tests.shared_rows import shared_rows

pytestmark = pytest.mark.django_db

#: A word that stands in every text of the test set and nowhere else.
MARK = "Prüftext"
PAGES = [
    route
    for route, roles in ADDRESSES.items()
    if route.startswith("campaigns/<slug:slug>/")
    and roles["organiser"] == 200
    and "/as-judge/" not in route
]
#: Elements without an end tag.
VOID = {
    "area",
    "base",
    "br",
    "col",
    "embed",
    "hr",
    "img",
    "input",
    "link",
    "meta",
    "source",
    "wbr",
}

Attributes = Sequence[tuple[str, str | None]]


class ShownTexts(HTMLParser):
    """Find the texts of test sets in a page.

    Attributes
    ----------
    shown : int
        Number of texts.
    unprotected : list of str
        The opening tags around each text that a browser may translate.
    """

    def __init__(self) -> None:
        super().__init__()
        self.shown = 0
        self.unprotected: list[str] = []
        self._open: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if tag not in VOID:
            self._open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if MARK not in data or self._open[-1][0] == "script":
            return
        self.shown += 1
        if not any(_is_protected(attributes) for _, attributes in self._open):
            self.unprotected.append(" ".join(tag for tag, _ in self._open))


def _is_protected(attributes: dict[str, str | None]) -> bool:
    classes = (attributes.get("class") or "").split()
    return (
        attributes.get("translate") == "no"
        and attributes.get("dir") == "ltr"
        and "notranslate" in classes
    )


@dataclass(frozen=True)
class OpenedPages:
    """Pages of a campaign with something on each.

    Attributes
    ----------
    pages : dict of str to str
        The content of each page by its route.
    names : set of str
        Names of the campaign, and of its test sets, systems and documents.
    """

    pages: dict[str, str]
    names: set[str]


@pytest.fixture(scope="module")
def opened(
    as_owner_throughout: None,
    django_db_blocker: DjangoDbBlocker,
) -> Iterator[OpenedPages]:
    with shared_rows(django_db_blocker, pages_open) as opened:
        yield opened


def pages_open() -> OpenedPages:
    """Open every page of a campaign, all of whose texts begin with the same word."""
    world = filled_world("museum", Filling(blocks=36, systems=6, segments=24, judges=4))
    bad_references_make(test_set=world.task.test_set, seed=5)
    Segment.objects.update(source_text=Concat(Value(f"{MARK} "), F("source_text")))
    for texts in (Reference, Output):
        texts.objects.update(text=Concat(Value(f"{MARK} "), F("text")))
    client = Client()
    client.force_login(world.users["organiser"])
    pages = {}
    for route in PAGES:
        answer = client.get(world.address(route))
        if answer["Content-Type"].startswith("text/html"):
            pages[route] = answer.content.decode()
    names = {
        world.campaign.name,
        *world.campaign.test_sets.values_list("name", flat=True),
        *System.objects.filter(kind="system").values_list("name", flat=True),
        *Document.objects.values_list("name", flat=True),
    }
    return OpenedPages(pages, names)


def test_no_page_shows_a_text_that_a_browser_may_translate(opened: OpenedPages) -> None:
    shown = 0
    unprotected: dict[str, list[str]] = {}
    for route, page in opened.pages.items():
        texts = ShownTexts()
        texts.feed(page)
        shown += texts.shown
        if texts.unprotected:
            unprotected[route] = texts.unprotected
    assert unprotected == {}
    assert shown > 100


class ShownNames(HTMLParser):
    """Find names of campaigns, test sets, systems and documents that stand alone in a page.

    Attributes
    ----------
    shown : int
        Number of names.
    unisolated : list of str
        The opening tags around each name whose direction is that of the page.
    """

    def __init__(self, names: Collection[str]) -> None:
        super().__init__()
        self.shown = 0
        self.unisolated: list[str] = []
        self._names = names
        self._open: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        if tag not in VOID:
            self._open.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if data.strip(" \n·,/:") not in self._names or self._is_without_direction():
            return
        self.shown += 1
        around = self._open[-2:]
        if not any(tag == "bdi" or "dir" in attributes for tag, attributes in around):
            self.unisolated.append(
                " ".join(tag for tag, _ in self._open[-4:]) + f": {data.strip()}",
            )

    def _is_without_direction(self) -> bool:
        """Return whether the text is in no line of the page: in a title, a choice, a plot, the head of a table, or read aloud only."""
        tags = {tag for tag, _ in self._open}
        hidden = any(
            "visually-hidden" in (each.get("class") or "") for _, each in self._open
        )
        return hidden or bool(
            tags & {"title", "option", "script", "svg", "textarea", "thead"},
        )


def test_every_name_keeps_its_direction(opened: OpenedPages) -> None:
    shown = 0
    unisolated: dict[str, list[str]] = {}
    for route, page in opened.pages.items():
        found = ShownNames(opened.names)
        found.feed(page)
        shown += found.shown
        if found.unisolated:
            unisolated[route] = found.unisolated
    assert unisolated == {}
    assert shown > 300
