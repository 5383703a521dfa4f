"""Extract the texts of the code, and store and compile translations in `locale/<locale>/LC_MESSAGES/django.po`."""

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from gettext import c2py
from pathlib import Path

from babel import Locale
from babel.messages import Catalog, Message
from babel.messages.extract import extract
from babel.messages.mofile import write_mo
from babel.messages.plurals import get_plural
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

# Folders with texts for users.
SOURCES = (
    *(
        "annotation",
        "campaign",
        "config",
        "demo",
        "launcher",
        "protocols",
        "ranking",
        "whole_campaigns",
    ),
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

# The same for Babel, which counts arguments from 1.
_KEYWORDS = {
    function: tuple(
        (place, "c") if kind == "c" else place for place, kind in enumerate(kinds, start=1)
    )
    for function, kinds in FUNCTIONS.items()
}

_LITERAL = r"""u?(?:'(?:\\.|[^'\\])*'|"(?:\\.|[^"\\])*")"""
_CALL = re.compile(rf"(?<!\w)(_|n?p?gettext)\(\s*({_LITERAL}(?:\s*,\s*{_LITERAL})*)", re.DOTALL)


@dataclass(frozen=True)
class Key:
    """Key of an entry in a catalogue, as gettext looks it up."""

    singular: str
    plural: str = ""
    context: str = ""

    def __str__(self) -> str:
        words = f"{self.singular} | {self.plural}" if self.plural else self.singular
        return f"{words} [{self.context}]" if self.context else words


def messages_of(root: Path, folders: Iterable[str] = SOURCES) -> Catalog:
    """Return all texts to translate in these folders of the project, with their places."""
    found = Catalog()
    for path in sorted(_files(root, folders)):
        name = path.relative_to(root).as_posix()
        read = _in_python if path.suffix == ".py" else _in_template
        for line, texts, comments, context in read(path):
            found.add(texts, locations=[(name, line)], auto_comments=comments, context=context)
    return found


def _files(root: Path, folders: Iterable[str]) -> Iterator[Path]:
    for folder in folders:
        yield from (root / folder).rglob("*.py")
        # Pages and e-mails.
        yield from (root / folder).rglob("*.html")
        yield from (root / folder).rglob("*.txt")


#: Line, singular and optional plural, comments for translators, and context.
_Found = tuple[int, str | tuple[str, ...], list[str], str | None]


def _in_python(path: Path) -> Iterator[_Found]:
    with path.open("rb") as file:
        yield from extract(
            "python",
            file,
            keywords=_KEYWORDS,
            comment_tags=["Translators:"],
            strip_comment_tags=True,
        )


def _in_template(path: Path) -> Iterator[_Found]:
    """Return the calls in a template, after Django has turned tags into calls and the rest into filler."""
    calls = templatize(path.read_text(encoding="utf-8"), origin=str(path))
    for match in _CALL.finditer(calls):
        texts = ast.literal_eval(f"({match[2]},)")
        parts = dict(zip(FUNCTIONS[match[1]], texts, strict=True))
        said = (parts["s"], parts["p"]) if "p" in parts else parts["s"]
        yield calls.count("\n", 0, match.start()) + 1, said, [], parts.get("c")


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
    form = c2py(expression)
    return tuple(tuple(n for n in _NUMBERS if form(n) == number) for number in range(count))


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
    return sorted(path.parts[-3] for path in root.glob("locale/*/LC_MESSAGES/django.po"))


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
    header = _HEADER.format(language=language, locale=locale, plural_forms=plural_forms(locale))
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
    singular, plural = (message.id, "") if isinstance(message.id, str) else message.id
    return Key(singular, plural, message.context or "")


def forms_of(message: Message) -> tuple[str, ...]:
    """Return the translation, or its plural forms; empty strings if there is none yet."""
    if isinstance(message.string, str):
        return (message.string,)
    return tuple(form or "" for form in message.string or ("",))


def catalogue_compile(root: Path, locale: str) -> bool:
    """Write the `.mo` next to the `.po` unless it is newer; return whether it was written."""
    source = catalogue_file(root, locale)
    target = source.with_suffix(".mo")
    if target.exists() and target.stat().st_mtime_ns >= source.stat().st_mtime_ns:
        return False
    # Atomic, since another process may be reading it.
    partial = target.with_suffix(".mo.partial")
    with partial.open("wb") as file:
        write_mo(file, catalogue_read(root, locale))
    partial.replace(target)
    return True
