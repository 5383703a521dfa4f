"""Hold translations to the glossary: a term of `terms.toml` is the same word in every text."""

import re
import tomllib
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from babel import Locale

from translations.extraction import Key
from translations.plurals import numbers_of_forms

FILE = Path(__file__).with_name("terms.toml")

# Names of placeholders, tags and options are no words of a text.
_NO_WORDS = re.compile(r"%\(\w+\)[a-z]|\{[^{}]*\}|<[^<>]*>|--[\w-]+")
# Vowel signs and lengthening, which Arabic may write or leave out.
_SIGNS = re.compile("[\u064b-\u0652\u0670\u0640]")


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A term.

    Attributes:
        forms: what is looked for in English texts.
        words: what `python -m translations glossary` shows, by locale.
        stems: what a translation must hold one of, by locale; none means nothing.
        never: what a translation must not hold, by locale.
    """

    english: str
    forms: tuple[str, ...]
    meaning: str
    words: Mapping[str, str]
    stems: Mapping[str, tuple[str, ...]]
    never: Mapping[str, tuple[str, ...]]

    def is_said(self, translation: str, locale: str) -> bool:
        """Return whether the translation holds the term's word and none of the wrong ones."""
        plain = _plain(_NO_WORDS.sub(" ", translation))
        stems = self.stems.get(locale) or ("",)
        wrong = self.never.get(locale, ())
        return any(stem in plain for stem in stems) and not any(stem in plain for stem in wrong)


@dataclass(frozen=True, slots=True)
class Exemption:
    """A text whose translation does without a term; no locales means in all of them."""

    text: str
    terms: tuple[str, ...]
    locales: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Glossary:
    terms: tuple[Term, ...]
    exemptions: tuple[Exemption, ...] = ()

    def problems(self, key: Key, forms: Sequence[str], locale: str) -> Iterator[str]:
        """Yield the terms of a text that its translation, or a plural form of it, calls otherwise.

        A plural form for 0 alone may do without: "nobody" is no judge.
        """
        exempt = self._exempt(key.singular, locale)
        spoken = [
            form for number, form in enumerate(forms) if not _is_for_none(key, number, locale)
        ]
        for term in self.terms_of(key):
            if term.english in exempt or locale not in term.words:
                continue
            if not all(term.is_said(form, locale) for form in spoken):
                yield f"“{term.english}” is “{term.words[locale]}” (docs/translating.md, Glossary)"

    def _exempt(self, english: str, locale: str) -> set[str]:
        return {
            term
            for each in self.exemptions
            if each.text == english and (not each.locales or locale in each.locales)
            for term in each.terms
        }

    def terms_of(self, key: Key) -> list[Term]:
        """Return the terms of a text, each once; the longer one where one is part of another."""
        by_form = {form: term for term in self.terms for form in term.forms}
        english = _NO_WORDS.sub(" ", f"{key.singular} {key.plural}").casefold()
        found = _pattern(tuple(by_form)).findall(english)
        return list(dict.fromkeys(by_form[form] for form in found))


@cache
def glossary_read(path: Path = FILE) -> Glossary:
    """Return the glossary of a file."""
    held = tomllib.loads(path.read_text(encoding="utf-8"))
    return Glossary(
        terms=tuple(map(_term, held["term"])),
        exemptions=tuple(
            Exemption(
                each["text"], tuple(each["terms"]), tuple(each.get("locales", ())), each["reason"]
            )
            for each in held.get("exempt", ())
        ),
    )


def glossary_table(glossary: Glossary) -> str:
    """Return the glossary as a table in Markdown, with a column for each language."""
    locales = tuple(glossary.terms[0].words)
    rows = [["English", "What it is", *map(_name, locales)], ["---"] * (2 + len(locales))]
    rows += [
        [term.english, term.meaning, *map(term.words.__getitem__, locales)]
        for term in glossary.terms
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _name(locale: str) -> str:
    return str(Locale.parse(locale).get_language_name("en"))


def _term(held: Mapping[str, Any]) -> Term:
    english, words = held["english"], held["words"]
    return Term(
        english=english,
        forms=tuple(form.casefold() for form in held.get("forms", (english, f"{english}s"))),
        meaning=held["meaning"],
        words=words,
        stems=_spelled({locale: [word] for locale, word in words.items()} | held.get("stems", {})),
        never=_spelled(held.get("never", {})),
    )


def _spelled(stems: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    return {locale: tuple(map(_plain, each)) for locale, each in stems.items()}


def _is_for_none(key: Key, number: int, locale: str) -> bool:
    return bool(key.plural) and numbers_of_forms(locale)[number] == (0,)


@cache
def _pattern(forms: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(forms, key=len, reverse=True)
    return re.compile(rf"\b(?:{'|'.join(map(re.escape, longest_first))})\b")


def _plain(text: str) -> str:
    return _SIGNS.sub("", unicodedata.normalize("NFC", text)).casefold()
