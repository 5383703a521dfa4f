"""Read and write `locale/<locale>/LC_MESSAGES/django.po`, and compile it for gettext."""

from collections.abc import Iterator, Mapping
from pathlib import Path

from babel import Locale
from babel.messages import Catalog, Message
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from translations.extraction import Key, Occurrence
from translations.plurals import plural_forms

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
    """Return the locales that have a catalogue, such as `zh_Hans`.

    A folder without one is what another branch has compiled.
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
    """Write a catalogue sorted by file, without line numbers and dates, so that diffs are small."""
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


def catalogue_update(catalogue: Catalog, found: Mapping[Key, Occurrence]) -> Catalog:
    """Return the texts of the code with their translations; texts no longer in the code go."""
    known = dict(entries(catalogue))
    updated = Catalog(locale=catalogue.locale)
    for key, where in found.items():
        old = known.get(key)
        updated.add(
            (key.singular, key.plural) if key.plural else key.singular,
            string=_string(old, key),
            locations=where.places,
            flags={"fuzzy"} if old is not None and old.fuzzy else (),
            auto_comments=where.comments,
            user_comments=old.user_comments if old is not None else (),
            context=key.context or None,
        )
    return updated


def _string(old: Message | None, key: Key) -> str | tuple[str, ...]:
    if old is None:
        return ("",) if key.plural else ""
    forms = forms_of(old)
    return forms if key.plural else forms[0]


def catalogue_compile(root: Path, locale: str) -> bool:
    """Write the `.mo` beside the `.po` unless it is newer already; return whether it was written."""
    source = catalogue_file(root, locale)
    target = source.with_suffix(".mo")
    if target.exists() and target.stat().st_mtime_ns >= source.stat().st_mtime_ns:
        return False
    # Whole or not at all: another process may be reading it.
    partial = target.with_suffix(".mo.partial")
    with partial.open("wb") as file:
        write_mo(file, catalogue_read(root, locale))
    partial.replace(target)
    return True
