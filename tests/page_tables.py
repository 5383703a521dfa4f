"""The tables of a page as a reader sees them: headings, and the words of each cell."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser

#: Without an end tag.
_VOID = frozenset({"br", "input", "img", "meta", "link", "hr"})


@dataclass(slots=True)
class PageTable:
    """A table of a page.

    Attributes
    ----------
    title : str
        The heading in front of it.
    name : str
        By which pages call the table of a report; empty for others.
    headings : list of str
        Those of its last row of headings.
    rows : list of list of str
        The words of each cell, row by row, as they are on the page.
    """

    title: str
    headings: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)
    name: str = ""

    def column(self, heading: str) -> list[str]:
        """Return the cells under the first heading of these words."""
        at = self.headings.index(heading)
        return [row[at] for row in self.rows]

    def named(self, heading: str, of: str = "System") -> dict[str, str]:
        """Return the cells under a heading by what stands under that of the rows' names."""
        return dict(zip(self.column(of), self.column(heading), strict=True))


def page_tables(html: str) -> list[PageTable]:
    """Return the tables of a page in their order; drawings are no part of a cell's words."""
    reader = _Reader()
    reader.feed(html)
    reader.close()
    return reader.tables


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tables: list[PageTable] = []
        self._title = self._name = ""
        # What the words that come belong to: a heading of the page, or a cell.
        self._words: list[str] | None = None
        self._row: list[str] | None = None
        self._is_head = False
        self._drawings = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "svg":
            self._drawings += 1
        elif tag == "table":
            self.tables.append(PageTable(self._title, name=self._name))
        elif tag in {"thead", "tbody"}:
            self._is_head = tag == "thead"
        elif tag == "tr":
            self._row = []
        elif tag in {"th", "td"}:
            self._words = []
        elif re.fullmatch("h[1-6]", tag):
            self._words = []
            called = dict(attrs).get("id") or ""
            self._name = (
                called.removeprefix("table-") if called.startswith("table-") else ""
            )
        elif tag not in _VOID and self._words:
            self._words.append(" ")

    def handle_endtag(self, tag: str) -> None:
        if tag == "svg":
            self._drawings -= 1
        elif tag == "table":
            self._row = None
        elif tag == "tr" and self._row is not None:
            if self._is_head:
                self.tables[-1].headings = self._row
            else:
                self.tables[-1].rows.append(self._row)
            self._row = None
        elif self._words is not None and (
            tag in {"th", "td"} or re.fullmatch("h[1-6]", tag)
        ):
            words = " ".join("".join(self._words).split())
            if self._row is None:
                self._title = words
            else:
                self._row.append(words)
            self._words = None

    def handle_data(self, data: str) -> None:
        if self._words is not None and not self._drawings:
            self._words.append(data)
