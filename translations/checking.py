"""Check catalogues: each text is translated, with its placeholders, tags and the glossary's words."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from babel.messages import Catalog

from translations.extraction import Key, Occurrence
from translations.files import entries, forms_of
from translations.plurals import form_count, numbers_of_forms
from translations.terms import glossary_read

# Without printf's blank flag: "30 % fewer" is no placeholder.
_PERCENT = re.compile(r"%(?:\(\w+\))?[-#0+]*\d*(?:\.\d+)?[sdrifgeEx]|%%")
_BRACES = re.compile(r"\{[^{}]*\}")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")


@dataclass(frozen=True)
class Problem:
    """A problem of one translation.

    Attributes:
        file: the first source file that says the text.
    """

    locale: str
    file: str
    key: Key
    what: str

    def __str__(self) -> str:
        return f"{self.locale}: {self.file}: {self.what}: {self.key}"


def problems_of(
    catalogue: Catalog, found: Mapping[Key, Occurrence], locale: str
) -> Iterator[Problem]:
    """Return all problems of a catalogue, given the texts of the code."""
    there = dict(entries(catalogue))
    for key, where in found.items():
        message = there.get(key)
        if message is None:
            problems = ["is missing from the catalogue; run `make messages`"]
        elif message.fuzzy:
            problems = ["is marked fuzzy; look at it and take the mark away"]
        else:
            problems = list(form_problems(key, forms_of(message), locale))
        yield from (Problem(locale, where.places[0][0], key, problem) for problem in problems)
    for key in there.keys() - found.keys():
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
    # "One sentence" needs no number where the form is for that number only.
    if given - allowed or (_placeholders(model) - given and not (alone and _all_named(model))):
        yield f"placeholders differ: {_listed(model)} became {_listed(form)}"
    if _placeholders_of_percent(model) and "%" in _PERCENT.sub("", form):
        yield "has a lone %, which must be written %%"
    if Counter(_TAG.findall(form)) != Counter(_TAG.findall(model)):
        yield "HTML tags differ"
    if _edges(form) != _edges(model) and not form.endswith(_WIDE):
        yield "white space at the beginning or the end differs"


# Marks of Chinese and Japanese, which are as wide as a mark and its space.
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
