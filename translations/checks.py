"""Check translations, including against the glossary, and exchange open texts and translations as JSON.

Open texts are a list of {"msgid", "msgid_plural"?, "context"?, "files", "comments"?, "forms"?}, where
`forms` gives the numbers for each plural form. Translations are {msgid: translation}, or
{msgid: [form, form, …]} for a text with a plural; a text with a context is {"context\\u0004msgid": …},
as in gettext.
"""

import json
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from babel import Locale
from babel.messages import Catalog, Message

from translations.catalogues import (
    Key,
    entries,
    form_count,
    forms_of,
    key_of,
    numbers_of_forms,
)

# Without the blank flag of printf, since "30 % fewer" is no placeholder.
_PERCENT = re.compile(r"%(?:\(\w+\))?[-#0+]*\d*(?:\.\d+)?[sdrifgeEx]|%%")
_BRACES = re.compile(r"\{[^{}]*\}")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


@dataclass(frozen=True)
class Problem:
    """A problem of one translation.

    Attributes:
        file: first source file with the text.
    """

    locale: str
    file: str
    key: Key
    what: str

    def __str__(self) -> str:
        return f"{self.locale}: {self.file}: {self.what}: {self.key}"


def problems_of(catalogue: Catalog, found: Catalog, locale: str) -> Iterator[Problem]:
    """Return all problems of a catalogue, given the texts in the code."""
    there, texts = dict(entries(catalogue)), dict(entries(found))
    for key, text in texts.items():
        message = there.get(key)
        if message is None:
            problems = ["is missing from the catalogue; run `make messages`"]
        elif message.fuzzy:
            problems = ["is marked fuzzy; look at it and take the mark away"]
        else:
            problems = list(form_problems(key, forms_of(message), locale))
        yield from (Problem(locale, text.locations[0][0], key, problem) for problem in problems)
    for key in there.keys() - texts.keys():
        yield Problem(locale, "–", key, "is no longer in the code; run `make messages`")


def form_problems(key: Key, forms: Sequence[str], locale: str) -> Iterator[str]:
    """Yield the problems of the translation of one text."""
    wanted = form_count(locale) if key.plural else 1
    if not any(forms):
        yield "is not translated"
        return
    if len(forms) != wanted or not all(forms):
        yield f"needs {wanted} plural forms, has {sum(1 for form in forms if form)}"
        return
    for number, form in enumerate(forms):
        alone = bool(key.plural) and len(numbers_of_forms(locale)[number]) == 1
        for problem in _differences(key, form, alone=alone):
            yield f"{problem} (form {number})" if key.plural else problem
    yield from glossary_read().problems(key, forms, locale)


def _differences(key: Key, form: str, *, alone: bool) -> Iterator[str]:
    model = key.plural or key.singular
    allowed = _placeholders(key.singular) | _placeholders(model)
    given = _placeholders(form)
    # "One sentence" needs no number if the form is only for that number.
    if given - allowed or (_placeholders(model) - given and not (alone and _all_named(model))):
        yield f"placeholders differ: {_listed(model)} became {_listed(form)}"
    if _placeholders_of_percent(model) and "%" in _PERCENT.sub("", form):
        yield "has a lone %, which must be written %%"
    if Counter(_TAG.findall(form)) != Counter(_TAG.findall(model)):
        yield "HTML tags differ"
    if _edges(form) != _edges(model) and not form.endswith(_WIDE):
        yield "white space at the beginning or the end differs"


# Chinese and Japanese marks, which are as wide as a mark with a space.
_WIDE = ("、", "，", "；", "：", "。")


def _placeholders_of_percent(text: str) -> Counter[str]:
    return Counter(mark for mark in _PERCENT.findall(text) if mark != "%%")


def _placeholders(text: str) -> Counter[str]:
    return _placeholders_of_percent(text) + Counter(_BRACES.findall(text))


def _all_named(text: str) -> bool:
    return all(mark.startswith(("%(", "{")) and mark != "{}" for mark in _placeholders(text))


def _listed(text: str) -> str:
    return ", ".join(sorted(_placeholders(text).elements())) or "none"


def _edges(text: str) -> tuple[str, str]:
    return text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]


FILE = Path(__file__).with_name("terms.toml")

# Names of placeholders, tags and options do not count as words.
_NO_WORDS = re.compile(r"%\(\w+\)[a-z]|\{[^{}]*\}|<[^<>]*>|--[\w-]+")
# Vowel signs and lengthening, which are optional in Arabic.
_SIGNS = re.compile("[\u064b-\u0652\u0670\u0640]")


@dataclass(frozen=True, slots=True, eq=False)
class Term:
    """A term.

    Attributes:
        forms: forms of the term in English texts.
        words: words in `python -m translations glossary`, by locale.
        stems: stems of which a translation must contain one, by locale; empty for no requirement.
        never: stems that a translation must not contain, by locale.
    """

    english: str
    forms: tuple[str, ...]
    meaning: str
    words: Mapping[str, str]
    stems: Mapping[str, tuple[str, ...]]
    never: Mapping[str, tuple[str, ...]]

    def is_said(self, translation: str, locale: str) -> bool:
        """Return whether the translation contains a stem of the term and no wrong ones."""
        plain = _plain(_NO_WORDS.sub(" ", translation))
        stems = self.stems.get(locale) or ("",)
        wrong = self.never.get(locale, ())
        return any(stem in plain for stem in stems) and not any(stem in plain for stem in wrong)


@dataclass(frozen=True, slots=True)
class Exemption:
    """A text whose translation may omit a term in these locales, or in all if empty."""

    text: str
    terms: tuple[str, ...]
    locales: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class Glossary:
    terms: tuple[Term, ...]
    exemptions: tuple[Exemption, ...] = ()

    def problems(self, key: Key, forms: Sequence[str], locale: str) -> Iterator[str]:
        """Yield the terms of a text that its translation, or one of its plural forms, renders differently.

        Plural forms for 0 only are exempt: they may say "no one".
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
        """Return the distinct terms in a text; if one is part of another, only the longer one."""
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
    rows = [["English", "Name", *map(_language, locales)], ["---"] * (2 + len(locales))]
    rows += [
        [term.english, term.meaning, *map(term.words.__getitem__, locales)]
        for term in glossary.terms
    ]
    return "".join(f"| {' | '.join(row)} |\n" for row in rows)


def _language(locale: str) -> str:
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


CONTEXT_END = "\x04"


class FillError(ValueError):
    """Some translations do not fit; the message names each text and the reason."""


def open_entries(
    catalogue: Catalog, locale: str, places: Sequence[str] = ("",)
) -> list[dict[str, Any]]:
    """Return texts without translation, marked fuzzy or with a problem, in catalogue order.

    With `places`, only texts in files whose paths begin with one of them are returned.
    """
    return [
        _described(message, locale)
        for key, message in entries(catalogue)
        if message.fuzzy or any(form_problems(key, forms_of(message), locale))
        if any(file.startswith(tuple(places)) for file, _ in message.locations)
    ]


def translations_read(path: Path) -> dict[str, Any]:
    """Read translations by text from a JSON file.

    Raises:
        FillError: the file cannot be read, or is not a JSON object.
    """
    try:
        brought = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FillError(f"the file cannot be read ({error.strerror}); give another") from error
    except UnicodeDecodeError as error:
        raise FillError(f"byte {error.start + 1} is not UTF-8; save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        raise FillError(f"not JSON at {error}; put that right") from error
    if not isinstance(brought, dict):
        raise FillError(
            f"holds {_KINDS[type(brought)]}, not an object; "
            'write {"text": "its translation", …}, a list of forms for a text with a plural'
        )
    return brought


_KINDS = {
    list: "a list",
    str: "a text",
    int: "a number",
    float: "a number",
    bool: "true or false",
    type(None): "null",
}


def catalogue_fill(catalogue: Catalog, brought: Mapping[str, Any], locale: str) -> int:
    """Write translations into the catalogue; return their number.

    Raises:
        FillError: a text is unknown or its translation fails a check; nothing was written.
    """
    known = {_name(message): message for _, message in entries(catalogue)}
    problems = [
        problem for name in brought for problem in _problems(known, name, brought[name], locale)
    ]
    if problems:
        raise FillError("\n".join(problems))
    for name, translation in brought.items():
        message = known[name]
        message.string = translation if isinstance(translation, str) else tuple(translation)
        message.flags.discard("fuzzy")
    return len(brought)


def _problems(
    known: Mapping[str, Message], name: str, translation: Any, locale: str
) -> Iterator[str]:
    message = known.get(name)
    if message is None:
        yield f"no such text: {name}"
        return
    key = key_of(message)
    if not (_is_forms(translation) if key.plural else isinstance(translation, str)):
        wanted = "a list of plural forms" if key.plural else "one text"
        yield f"needs {wanted}: {name}"
        return
    forms = (translation,) if isinstance(translation, str) else tuple(translation)
    for problem in form_problems(key, forms, locale):
        yield f"{problem}: {name}"


def _is_forms(translation: Any) -> bool:
    return isinstance(translation, list) and all(isinstance(form, str) for form in translation)


def _name(message: Message) -> str:
    key = key_of(message)
    return f"{key.context}{CONTEXT_END}{key.singular}" if key.context else key.singular


def _described(message: Message, locale: str) -> dict[str, Any]:
    key = key_of(message)
    described: dict[str, Any] = {"msgid": key.singular}
    if key.plural:
        described["msgid_plural"] = key.plural
        described["forms"] = [_examples(numbers) for numbers in numbers_of_forms(locale)]
    if key.context:
        described["context"] = key.context
    described["files"] = sorted({file for file, _ in message.locations})
    if message.auto_comments:
        described["comments"] = list(message.auto_comments)
    return described


def _examples(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers[:6])) + (" …" if len(numbers) > 6 else "")
