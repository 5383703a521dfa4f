"""Read catalogues, and check them."""

import ast
import json
import re
import tomllib
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from gettext import c2py
from pathlib import Path
from typing import Any, NotRequired, TypedDict

from babel import Locale
from babel.messages import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

from translations import typesetting

# Folders with texts for users.
SOURCES = (
    "annotation",
    "campaign",
    "config",
    "demo",
    "desk",
    "launcher",
    "protocols",
    "ranking",
    "whole_campaigns",
    "templates",
)

# Arguments of each function in order: s(ingular), p(lural), c(ontext).
FUNCTIONS = {
    "_": "s",
    "gettext": "s",
    "gettext_lazy": "s",
    "gettext_noop": "s",
    "ngettext": "sp",
    "counted": "sp",
    "counted_if_any": "sp",
    "ngettext_lazy": "sp",
    "pgettext": "cs",
    "pgettext_lazy": "cs",
    "npgettext": "csp",
    "npgettext_lazy": "csp",
}


def _positions(kinds: str) -> tuple[int | tuple[int, str], ...]:
    positions: list[int | tuple[int, str]] = []
    for position, kind in enumerate(kinds, start=1):
        if kind == "c":
            positions.append((position, "c"))
        else:
            positions.append(position)
    return tuple(positions)


# The same for Babel, which counts arguments from 1.
_KEYWORDS = {function: _positions(kinds) for function, kinds in FUNCTIONS.items()}

_LITERAL = r"""u?(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
_CALL = re.compile(
    rf"(?<!\w)(_|n?p?gettext)\(\s*({_LITERAL}(?:\s*,\s*{_LITERAL})*)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Key:
    """Key of an entry in a catalogue, as gettext looks it up."""

    singular: str
    plural: str = ""
    context: str = ""

    def __str__(self) -> str:
        if self.plural:
            text = f"{self.singular} | {self.plural}"
        else:
            text = self.singular
        if self.context:
            return f"{text} [{self.context}]"
        return text


def messages_of(root: Path, folders: Iterable[str] = SOURCES) -> Catalog:
    """Return all texts to translate in these folders of the project, with their places."""
    catalogue = Catalog()
    for path in sorted(_files(root, folders)):
        name = path.relative_to(root).as_posix()
        if path.suffix == ".py":
            read = _python_texts
        else:
            read = _template_texts
        for line, texts, comments, context in read(path):
            catalogue.add(
                texts,
                locations=[(name, line)],
                auto_comments=comments,
                context=context,
            )
    return catalogue


def _files(root: Path, folders: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        yield from (root / folder).rglob("*.py")
        # Pages and e-mails.
        yield from (root / folder).rglob("*.html")
        yield from (root / folder).rglob("*.txt")


#: Line, singular and optional plural, comments for translators, and context.
_CallTexts = tuple[int, str | tuple[str, ...], list[str], str | None]


def _python_texts(path: Path) -> Iterator[_CallTexts]:
    with path.open("rb") as file:
        yield from extract(
            "python",
            file,
            keywords=_KEYWORDS,
            comment_tags=["Translators:"],
            strip_comment_tags=True,
        )
    yield from _f_string_texts(ast.parse(path.read_bytes()))


def _f_string_texts(program: ast.Module) -> Iterator[_CallTexts]:
    """Return the calls within f-strings, which Babel reads only where Python 3.12 or newer tokenizes them."""
    for node in ast.walk(program):
        if isinstance(node, ast.JoinedStr):
            for part in ast.walk(node):
                if isinstance(part, ast.Call) and isinstance(part.func, ast.Name):
                    yield from _constant_texts(part, part.func.id)


def _constant_texts(call: ast.Call, function: str) -> Iterator[_CallTexts]:
    """Yield the text of a call, unless it is of another function or has variables for texts."""
    kinds = FUNCTIONS.get(function, "")
    texts = []
    for argument in call.args[: len(kinds)]:
        if isinstance(argument, ast.Constant):
            texts.append(argument.value)
    if texts and len(texts) == len(kinds):
        yield _call_texts(call.lineno, function, texts)


def _call_texts(line: int, function: str, texts: Sequence[Any]) -> _CallTexts:
    """Return the text of a call by its first arguments."""
    parts = dict(zip(FUNCTIONS[function], texts, strict=False))
    if "p" in parts:
        message = (parts["s"], parts["p"])
    else:
        message = parts["s"]
    return line, message, [], parts.get("c")


def _template_texts(path: Path) -> Iterator[_CallTexts]:
    """Return the calls in a template, after Django has turned tags into calls and the rest into filler."""
    calls = templatize(path.read_text(encoding="utf-8"), origin=str(path))
    for match in _CALL.finditer(calls):
        line = calls.count("\n", 0, match.start()) + 1
        function, literals = match.groups()
        texts = ast.literal_eval(f"({literals},)")
        yield _call_texts(line, function, texts)


# Babel swaps the last two forms of Arabic, compared to CLDR, Django and manuals of translators:
# the fifth is for 11 to 99, the last for 100, 101, 102.
_ELSEWHERE = {
    "ar": (
        6,
        "(n==0 ? 0 : n==1 ? 1 : n==2 ? 2 : n%100>=3 && n%100<=10 ? 3 : n%100>=11 ? 4 : 5)",
    ),
}
# Enough for every form of every language.
_NUMBERS = range(1001)


def plural_forms(locale: str) -> str:
    """Return the plural forms for the header of a catalogue."""
    count, expression = _rule(locale)
    return f"nplurals={count}; plural={expression};"


def form_count(locale: str) -> int:
    return _rule(locale)[0]


@cache
def numbers_of_forms(locale: str) -> tuple[tuple[int, ...], ...]:
    """Return the numbers up to 1000 for each plural form of a language."""
    count, expression = _rule(locale)
    form_of = c2py(expression)
    numbers: list[list[int]] = [[] for _form in range(count)]
    for number in _NUMBERS:
        numbers[form_of(number)].append(number)
    return tuple(map(tuple, numbers))


def _rule(locale: str) -> tuple[int, str]:
    if locale in _ELSEWHERE:
        return _ELSEWHERE[locale]
    plural = get_plural(locale)
    return plural.num_plurals, plural.plural_expr


_HEADER = """\
# {language}. How it is filled and checked: docs/translating.md
msgid ""
msgstr ""
"Language: {locale}\\n"
"MIME-Version: 1.0\\n"
"Content-Type: text/plain; charset=UTF-8\\n"
"Content-Transfer-Encoding: 8bit\\n"
"Plural-Forms: {plural_forms}\\n"

"""


def catalogue_file(root: Path, locale: str) -> Path:
    return root / "locale" / locale / "LC_MESSAGES" / "django.po"


def locales(root: Path) -> list[str]:
    """Return the locales with a catalogue, such as `zh_Hans`.

    A folder may have no catalogue, if another branch compiled it.
    """
    return sorted(
        path.parts[-3] for path in root.glob("locale/*/LC_MESSAGES/django.po")
    )


def catalogue_read(root: Path, locale: str) -> Catalog:
    """Return the catalogue of a locale, empty if it has none yet."""
    path = catalogue_file(root, locale)
    if not path.exists():
        return Catalog(locale=Locale.parse(locale))
    with path.open("rb") as file:
        return read_po(file, locale=locale, abort_invalid=True)


def catalogue_write(root: Path, locale: str, catalogue: Catalog) -> None:
    """Write a catalogue sorted by file, without line numbers and dates to keep diffs small."""
    path = catalogue_file(root, locale)
    path.parent.mkdir(parents=True, exist_ok=True)
    language = Locale.parse(locale).get_display_name("en") or locale
    header = _HEADER.format(
        language=language,
        locale=locale,
        plural_forms=plural_forms(locale),
    )
    with path.open("wb") as file:
        file.write(header.encode())
        write_po(
            file,
            catalogue,
            width=100,
            omit_header=True,
            sort_by_file=True,
            ignore_obsolete=True,
            include_lineno=False,
        )


def entries(catalogue: Catalog) -> Iterator[tuple[Key, Message]]:
    for message in catalogue:
        if message.id:
            yield key_of(message), message


def key_of(message: Message) -> Key:
    if isinstance(message.id, str):
        singular = message.id
        plural = ""
    else:
        singular, plural = message.id
    return Key(singular, plural, message.context or "")


def forms_of(message: Message) -> tuple[str, ...]:
    """Return the translation, or its plural forms; empty strings if there is none yet."""
    if isinstance(message.string, str):
        return (message.string,)
    return tuple(form or "" for form in message.string or ("",))


def catalogue_compile(root: Path, locale: str) -> bool:
    """Write the `.mo` next to the `.po` unless it is newer than that and the rules of typesetting; return whether it was written.

    Only here do invisible characters enter, so that the `.po` stays readable.
    """
    source = catalogue_file(root, locale)
    target = source.with_suffix(".mo")
    rules = Path(typesetting.__file__)
    changed = max(source.stat().st_mtime_ns, rules.stat().st_mtime_ns)
    if target.exists() and target.stat().st_mtime_ns >= changed:
        return False
    catalogue = catalogue_read(root, locale)
    for _key, message in entries(catalogue):
        forms = [typesetting.typeset(form, locale) for form in forms_of(message)]
        if isinstance(message.string, str):
            message.string = forms[0]
        else:
            message.string = tuple(forms)
    # Atomic, since another process may be reading it.
    partial = target.with_suffix(".mo.partial")
    with partial.open("wb") as file:
        write_mo(file, catalogue)
    partial.replace(target)
    return True


# Without the blank flag of printf, since "30 % fewer" is no placeholder.
_PERCENT = re.compile(r"%(?:\(\w+\))?[-#0+]*\d*(?:\.\d+)?[sdrifgeEx]|%%")
_BRACES = re.compile(r"\{[^{}]*\}")
_TAG = re.compile(r"</?[a-zA-Z][^<>]*>")
# But not the number of a section, such as §2.2.2.
_DECIMALS = re.compile(r"(?<![§\d.,])\d+(?:\.\d+|,\d{3})(?![\d.-])")
# All but the name of a placeholder: "%(name)s", "{name}".
_NAME = re.compile(r"^%\(|\)[a-zA-Z]$|[{}]")
_NO_COUNTERS: Mapping[str, str] = {}


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


def problems_of(
    catalogue: Catalog,
    catalog: Catalog,
    locale: str,
    counters: Mapping[str, str] = _NO_COUNTERS,
) -> Iterator[Problem]:
    """Return all problems of a catalogue, given the texts in the code and their counters (`counters_of`)."""
    there = dict(entries(catalogue))
    texts = dict(entries(catalog))
    for key, text in texts.items():
        message = there.get(key)
        if message is None:
            problems = ["is missing from the catalogue; run `make messages`"]
        elif message.fuzzy:
            problems = ["is marked fuzzy; look at it and take the mark away"]
        else:
            counter = counters.get(key.singular)
            forms = forms_of(message)
            problems = list(form_problems(key, forms, locale, counter=counter))
        file, _line = text.locations[0]
        for problem in problems:
            yield Problem(locale, file, key, problem)
    for key in there.keys() - texts.keys():
        yield Problem(locale, "–", key, "is no longer in the code; run `make messages`")


def form_problems(
    key: Key,
    forms: Sequence[str],
    locale: str,
    *,
    counter: str | None = None,
) -> Iterator[str]:
    """Yield the problems of the translation of one text.

    A form for a single number may leave out the number, whose placeholder is the `counter`; without one, only if the
    text has no other placeholder.
    """
    if _DECIMALS.search(key.singular):
        yield "has a number with decimals or separators, which differ between languages; pass it as a placeholder"
    if not any(forms):
        yield "is not translated"
        return
    expected_count = 1
    if key.plural:
        expected_count = form_count(locale)
    filled = list(filter(None, forms))
    if len(forms) != expected_count or len(filled) != expected_count:
        yield f"needs {expected_count} plural forms, has {len(filled)}"
        return
    if key.plural:
        yield from _plural_differences(key, forms, locale, counter)
    else:
        yield from _differences(key, forms[0], Counter())
    yield from glossary_read().problems(key, forms, locale)


def _plural_differences(
    key: Key,
    forms: Sequence[str],
    locale: str,
    counter: str | None,
) -> Iterator[str]:
    for number, form in enumerate(forms):
        optional = Counter[str]()
        if len(numbers_of_forms(locale)[number]) == 1:
            optional = _optional(key, counter)
        for problem in _differences(key, form, optional):
            yield f"{problem} (form {number})"


def _optional(key: Key, counter: str | None) -> Counter[str]:
    """Return the placeholder that a form for a single number may leave out: “one sentence” needs no number."""
    named = set()
    counters = set()
    for mark in _placeholders(key.plural):
        if mark.startswith(("%(", "{")) and mark != "{}":
            named.add(mark)
            if _NAME.sub("", mark) == counter:
                counters.add(mark)
    if len(named) < 2:
        return Counter(named)
    return Counter(counters)


def _differences(key: Key, form: str, optional: Counter[str]) -> Iterator[str]:
    """Yield what a translation lacks or adds; it may leave out `optional` placeholders."""
    model = key.plural or key.singular
    allowed = _placeholders(key.singular) | _placeholders(model)
    placeholders = _placeholders(form)
    if placeholders - allowed or _placeholders(model) - placeholders - optional:
        yield f"placeholders differ: {_placeholder_list(model)} became {_placeholder_list(form)}"
    if _placeholders_of_percent(model) and "%" in _PERCENT.sub("", form):
        yield "has a lone %, which must be written %%"
    if Counter(_TAG.findall(form)) != Counter(_TAG.findall(model)):
        yield "HTML tags differ"
    if _edges(form) != _edges(model) and not form.endswith(_WIDE):
        yield "white space at the beginning or the end differs"


# Chinese and Japanese marks, which are as wide as a mark with a space.
_WIDE = ("、", "，", "；", "：", "。")


def _placeholders_of_percent(text: str) -> Counter[str]:
    placeholders = Counter(_PERCENT.findall(text))
    del placeholders["%%"]
    return placeholders


def _placeholders(text: str) -> Counter[str]:
    return _placeholders_of_percent(text) + Counter(_BRACES.findall(text))


def _placeholder_list(text: str) -> str:
    return ", ".join(sorted(_placeholders(text).elements())) or "none"


def _edges(text: str) -> tuple[str, str]:
    """Return the white space at the beginning and at the end of a text."""
    begin = len(text) - len(text.lstrip())
    end = len(text.rstrip())
    return text[:begin], text[end:]


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

    def is_followed(self, translation: str, locale: str) -> bool:
        """Return whether the translation contains a stem of the term and no wrong ones."""
        plain = _plain(_NO_WORDS.sub(" ", translation))
        if any(stem in plain for stem in self.never.get(locale, ())):
            return False
        stems = self.stems.get(locale)
        return not stems or any(stem in plain for stem in stems)


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
        checked = []
        for number, form in enumerate(forms):
            if not _is_for_none(key, number, locale):
                checked.append(form)
        for term in self.terms_of(key):
            if term.english in exempt or locale not in term.words:
                continue
            if not all(term.is_followed(form, locale) for form in checked):
                yield f"“{term.english}” is “{term.words[locale]}” (docs/translating.md, Glossary)"

    def _exempt(self, english: str, locale: str) -> set[str]:
        terms: set[str] = set()
        for exemption in self.exemptions:
            is_of_locale = not exemption.locales or locale in exemption.locales
            if is_of_locale and exemption.text == english:
                terms.update(exemption.terms)
        return terms

    def terms_of(self, key: Key) -> list[Term]:
        """Return the distinct terms in a text; if one is part of another, only the longer one."""
        by_form = {}
        for term in self.terms:
            for form in term.forms:
                by_form[form] = term
        words = _NO_WORDS.sub(" ", f"{key.singular} {key.plural}")
        forms = _pattern(tuple(by_form)).findall(words.casefold())
        terms = dict.fromkeys(by_form[form] for form in forms)
        return list(terms)


@cache
def glossary_read(path: Path = FILE) -> Glossary:
    """Return the glossary of a file."""
    content = tomllib.loads(path.read_text(encoding="utf-8"))
    exemptions = []
    for row in content.get("exempt", ()):
        exemption = Exemption(
            text=row["text"],
            terms=tuple(row["terms"]),
            locales=tuple(row.get("locales", ())),
            reason=row["reason"],
        )
        exemptions.append(exemption)
    terms = tuple(map(_term, content["term"]))
    return Glossary(terms, tuple(exemptions))


def glossary_table(glossary: Glossary) -> str:
    """Return the glossary as a table in Markdown, with a column for each language."""
    locales = tuple(glossary.terms[0].words)
    header = ["English", "Name", *map(_language, locales)]
    rows = [header, ["---"] * len(header)]
    for term in glossary.terms:
        translated = [term.words[locale] for locale in locales]
        rows.append([term.english, term.meaning, *translated])
    table = ""
    for row in rows:
        table += f"| {' | '.join(row)} |\n"
    return table


def _language(locale: str) -> str:
    return str(Locale.parse(locale).get_language_name("en"))


class _TermRow(TypedDict):
    """A term in the file of the glossary."""

    english: str
    forms: NotRequired[list[str]]
    meaning: str
    words: dict[str, str]
    stems: NotRequired[dict[str, list[str]]]
    never: NotRequired[dict[str, list[str]]]


def _term(row: _TermRow) -> Term:
    english = row["english"]
    words_by_locale = row["words"]
    forms = row.get("forms", [english, f"{english}s"])
    stems = {locale: [word] for locale, word in words_by_locale.items()}
    stems |= row.get("stems", {})
    return Term(
        english=english,
        forms=tuple(map(str.casefold, forms)),
        meaning=row["meaning"],
        words=words_by_locale,
        stems=_plain_stems(stems),
        never=_plain_stems(row.get("never", {})),
    )


def _plain_stems(stems: Mapping[str, Sequence[str]]) -> dict[str, tuple[str, ...]]:
    spelled = {}
    for locale, stems_of_locale in stems.items():
        spelled[locale] = tuple(map(_plain, stems_of_locale))
    return spelled


def _is_for_none(key: Key, number: int, locale: str) -> bool:
    if not key.plural:
        return False
    return numbers_of_forms(locale)[number] == (0,)


@cache
def _pattern(forms: tuple[str, ...]) -> re.Pattern[str]:
    longest_first = sorted(forms, key=len, reverse=True)
    alternatives = "|".join(map(re.escape, longest_first))
    return re.compile(rf"\b(?:{alternatives})\b")


def _plain(text: str) -> str:
    composed = unicodedata.normalize("NFC", text)
    return _SIGNS.sub("", composed).casefold()


CONTEXT_END = "\x04"


class FillError(ValueError):
    """Some translations do not fit; the message names each text and the reason."""


class OpenEntry(TypedDict, total=False):
    """A text to be translated; `forms` are examples of the numbers of each plural form."""

    msgid: str
    msgid_plural: str
    forms: list[str]
    context: str
    files: list[str]
    comments: list[str]


def open_entries(
    catalogue: Catalog,
    locale: str,
    places: Sequence[str] = ("",),
    *,
    counters: Mapping[str, str] = _NO_COUNTERS,
) -> list[OpenEntry]:
    """Return texts without translation, marked fuzzy or with a problem, in catalogue order.

    With `places`, only texts in files whose paths begin with one of them are returned. For `counters`, see `problems_of`.
    """
    described = []
    for key, message in entries(catalogue):
        files = [file for file, _line in message.locations]
        if not any(file.startswith(tuple(places)) for file in files):
            continue
        counter = counters.get(key.singular)
        problems = form_problems(key, forms_of(message), locale, counter=counter)
        if message.fuzzy or any(problems):
            described.append(_describe_message(message, locale))
    return described


#: Translations by text: one text, or a list of plural forms, as far as they were checked.
Translations = dict[str, object]


def translations_read(path: Path) -> Translations:
    """Read translations by text from a JSON file.

    Raises:
        FillError: the file cannot be read, or is not a JSON object.
    """
    try:
        brought = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FillError(
            f"the file cannot be read ({error.strerror}); give another",
        ) from error
    except UnicodeDecodeError as error:
        raise FillError(
            f"byte {error.start + 1} is not UTF-8; save the file as UTF-8",
        ) from error
    except json.JSONDecodeError as error:
        raise FillError(f"not JSON at {error}; put that right") from error
    if not isinstance(brought, dict):
        raise FillError(
            f"holds {_KINDS[type(brought)]}, not an object; "
            'write {"text": "its translation", …}, a list of forms for a text with a plural',
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


def catalogue_fill(
    catalogue: Catalog,
    brought: Translations,
    locale: str,
    *,
    counters: Mapping[str, str] = _NO_COUNTERS,
) -> int:
    """Write translations into the catalogue; return their number. For `counters`, see `problems_of`.

    Raises:
        FillError: a text is unknown or its translation fails a check; nothing was written.
    """
    messages = {_name(message): message for _key, message in entries(catalogue)}
    problems = []
    for name, translation in brought.items():
        message = messages.get(name)
        if message is None:
            problems.append(f"no such text: {name}")
            continue
        for problem in _problems(message, translation, locale, counters):
            problems.append(f"{problem}: {name}")
    if problems:
        raise FillError("\n".join(problems))
    for name, translation in brought.items():
        message = messages[name]
        if isinstance(translation, list):
            message.string = tuple(translation)
        else:
            message.string = str(translation)
        message.flags.discard("fuzzy")
    return len(brought)


def _problems(
    message: Message,
    translation: object,
    locale: str,
    counters: Mapping[str, str],
) -> Iterator[str]:
    key = key_of(message)
    forms = _forms(translation, is_plural=bool(key.plural))
    if forms is None and key.plural:
        yield "needs a list of plural forms"
        return
    if forms is None:
        yield "needs one text"
        return
    counter = counters.get(key.singular)
    yield from form_problems(key, forms, locale, counter=counter)


def _forms(translation: object, *, is_plural: bool) -> tuple[str, ...] | None:
    """Return the forms of a translation; None if it is neither a text nor, for a plural, a list of texts."""
    if isinstance(translation, str) and not is_plural:
        return (translation,)
    if not isinstance(translation, list) or not is_plural:
        return None
    if all(isinstance(form, str) for form in translation):
        return tuple(translation)
    return None


def _name(message: Message) -> str:
    key = key_of(message)
    if key.context:
        return f"{key.context}{CONTEXT_END}{key.singular}"
    return key.singular


def _describe_message(message: Message, locale: str) -> OpenEntry:
    key = key_of(message)
    described: OpenEntry = {"msgid": key.singular}
    if key.plural:
        described["msgid_plural"] = key.plural
        described["forms"] = [
            _examples(numbers) for numbers in numbers_of_forms(locale)
        ]
    if key.context:
        described["context"] = key.context
    described["files"] = sorted({file for file, _ in message.locations})
    if message.auto_comments:
        described["comments"] = list(message.auto_comments)
    return described


def _examples(numbers: tuple[int, ...]) -> str:
    examples = ", ".join(map(str, numbers[:6]))
    if len(numbers) > 6:
        return f"{examples} …"
    return examples
