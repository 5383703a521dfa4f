"""Read a page as an editor of its language does: English left over, and numbers and dates of another language."""

import json
import re
from collections.abc import Collection, Iterator, Sequence
from functools import cache, lru_cache
from html.parser import HTMLParser
from typing import Final

from babel import Locale

from launcher.data_directory import CHECKOUT
from translations.catalogues import catalogue_read, entries, forms_of

_WITHOUT_END: Final = frozenset(
    {
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
    },
)
#: Elements whose text is not the page's own: programs, codes, keys and what people wrote.
_OF_OTHERS: Final = frozenset(
    {"script", "style", "code", "kbd", "pre", "bdi", "textarea", "title"},
)
#: Attributes that are shown or read aloud.
_READ: Final = ("aria-label", "title", "placeholder", "alt", "data-label")

Attributes = Sequence[tuple[str, str | None]]


class _Texts(HTMLParser):
    """The texts of a page that are in its own language; `texts` are those of elements, attributes and scripts."""

    def __init__(self) -> None:
        super().__init__()
        self.texts: list[str] = []
        self._open: list[tuple[str, bool]] = []

    def handle_starttag(self, tag: str, attrs: Attributes) -> None:
        attributes = dict(attrs)
        is_words = tag == "script" and attributes.get("id") == "words"
        is_of_others = tag in _OF_OTHERS and not is_words
        if tag != "html":
            is_of_others |= "lang" in attributes or "dir" in attributes
        if not (is_of_others or self._is_within_others):
            self.texts += [text for name in _READ if (text := attributes.get(name))]
        if tag not in _WITHOUT_END:
            self._open.append((tag, is_of_others))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop()[0] != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._is_within_others or not data.strip():
            return
        if self._open and self._open[-1][0] == "script":
            self.texts += _texts_in(json.loads(data))
        else:
            self.texts.append(data.strip(" \n"))

    @property
    def _is_within_others(self) -> bool:
        return any(is_of_others for _tag, is_of_others in self._open)


def _texts_in(words: object) -> Iterator[str]:
    """Yield the texts of a judging page's scripts, without their placeholders."""
    if isinstance(words, str):
        yield re.sub(r"\{\w+\}", "", words)
    elif isinstance(words, dict):
        for each in words.values():
            yield from _texts_in(each)


@lru_cache(maxsize=300)
def texts_of(page: str) -> Sequence[str]:
    """Return the texts of a page in its own language."""
    reader = _Texts()
    reader.feed(page)
    return tuple(reader.texts)


# Addresses, names of files, codes with hyphens or underscores, and time zones are no words.
_NO_WORDS: Final = re.compile(r"\w+://\S+|\S*\w[_/.-]\w\S*")


def words_of(texts: Collection[str]) -> set[str]:
    """Return the Latin words of texts, in lower case."""
    found = set()
    for text in texts:
        words = re.findall(r"[^\W\d_]{3,}", _NO_WORDS.sub(" ", text))
        # Formats of files are in capitals.
        found |= {
            word.casefold() for word in words if word.isascii() and not word.isupper()
        }
    return found


@cache
def _own_words(locale: str) -> frozenset[str]:
    """Return the Latin words in a language's translations and in its names of months, days and languages."""
    forms = [
        re.sub(r"%\(\w+\)", "", form)
        for _key, message in entries(catalogue_read(CHECKOUT, locale))
        for form in forms_of(message)
    ]
    cldr = Locale.parse(locale)
    named = [
        str(name)
        for names in (cldr.months, cldr.days)
        for widths in names.values()
        for of_width in widths.values()
        for name in of_width.values()
    ]
    return frozenset(words_of([*forms, *named, *map(str, cldr.languages.values())]))


def english_in(
    page: str,
    english: str,
    language: str,
    names: Collection[str] = (),
) -> set[str]:
    """Return words of a page that its English version has, too, and that are neither names nor words of the language."""
    shared = words_of(texts_of(page)) & words_of(texts_of(english))
    return shared - _own_words(_locale(language)) - _words_of(frozenset(names))


@lru_cache(maxsize=1)
def _words_of(names: frozenset[str]) -> set[str]:
    return words_of(names)


def _locale(language: str) -> str:
    return {"zh-hans": "zh_Hans"}.get(language, language)


_WITH_POINT: Final = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+\.\d+"
#: Numbers with a separator, as each language writes them.
_NUMBERS: Final = {
    "en": _WITH_POINT,
    "zh-hans": _WITH_POINT,
    "ar": _WITH_POINT,
    "de": r"\d{1,3}(?:\.\d{3})+(?:,\d+)?|\d+,\d+",
    "es": r"\d{2,3}(?:\.\d{3})+(?:,\d+)?|\d(?:\.\d{3}){2,}(?:,\d+)?|\d+,\d+",
    "cs": r"\d{1,3}(?:\u00a0\d{3})+(?:,\d+)?|\d+,\d+",
}
_NUMBER: Final = re.compile(r"(?<![\w.,§-])\d+(?:[.,]\d+)+(?![\w.,]*\w|-\d)")
#: Dates in figures, as each language writes them.
_DATES: Final = {
    "en": r"(?:0?[1-9]|1[0-2])/\d{1,2}/\d{4}",
    "de": r"\d{1,2}\.\d{2}\.\d{4}",
    "cs": r"\d{1,2}\.\u00a0\d{1,2}\.\u00a0\d{4}",
    "es": r"\d{1,2}/(?:0?[1-9]|1[0-2])/\d{4}",
    "ar": r"\d{1,2}/(?:0?[1-9]|1[0-2])/\d{4}",
    "zh-hans": r"\d{4}年\d{1,2}月\d{1,2}日",
}
_DATE: Final = re.compile(
    r"\d{4}-\d{2}-\d{2}(?!T)|\d{1,2}[./]\s?\d{1,2}[./]\s?\d{4}|\d{4}/\d{1,2}/\d{1,2}|\d{4}年\d+月\d+日",
)
#: Languages with a space before %.
_SPACED: Final = frozenset({"de", "cs", "es"})


def unlike(page: str, language: str) -> set[str]:
    """Return numbers, percentages and dates of a page that are not written as the language writes them."""
    found = set()
    orders = _month_orders(language)
    for text in texts_of(page):
        # Marks of direction within a date.
        plain = re.sub("[\u200e\u200f\u2068\u2069]", "", text)
        found |= {
            each
            for each in _DATE.findall(plain)
            if not re.fullmatch(_DATES[language], each)
        }
        plain = _DATE.sub("", plain)
        found |= {
            each
            for each in _NUMBER.findall(plain)
            if not re.fullmatch(_NUMBERS[language], each)
        }
        found |= set(re.findall("[\u0660-\u0669\u06f0-\u06f9]+", plain))
        wrong_percent = r"\d[ ]?%" if language in _SPACED else r"\d\s%"
        found |= set(re.findall(wrong_percent, plain))
        for order in orders:
            found |= set(order.findall(plain))
    return found


@cache
def _month_orders(language: str) -> Sequence[re.Pattern[str]]:
    """Return patterns of dates with a month's name in an order that is not the language's."""
    cldr = Locale.parse(_locale(language))
    names = {
        re.escape(str(name).rstrip("."))
        for widths in cldr.months.values()
        for width in ("wide", "abbreviated")
        for name in widths[width].values()
    }
    month = f"(?:{'|'.join(sorted(names, key=len, reverse=True))})"
    if language == "en":
        return [re.compile(rf"\b\d{{1,2}}\.? {month}\.? \d{{4}}")]
    if language == "zh-hans":
        return []
    orders = [re.compile(rf"\b{month}\.? \d{{1,2}},? \d{{4}}")]
    if language == "cs":
        nominative = "|".join(map(str, cldr.months["stand-alone"]["wide"].values()))
        orders.append(re.compile(rf"\d\.\s(?:{nominative})\b"))
    return orders
