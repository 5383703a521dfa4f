"""Names and directions of languages, by BCP 47 tag or however an imported file spells them."""

from functools import lru_cache
from typing import Literal

from babel.core import Locale, UnknownLocaleError, get_global
from django.conf import settings
from django.utils.translation import get_language

RIGHT_TO_LEFT_LANGUAGES = frozenset(
    [
        "ar",
        "arc",
        "ckb",
        "dv",
        "fa",
        "ha-arab",
        "he",
        "khw",
        "ks",
        "ku-arab",
        "nqo",
        "pnb",
        "ps",
        "sd",
        "syr",
        "ug",
        "ur",
        "yi",
    ]
)
RIGHT_TO_LEFT_SCRIPTS = frozenset({"adlm", "arab", "hebr", "nkoo", "rohg", "syrc", "thaa"})


def language_direction(tag: str) -> Literal["ltr", "rtl"]:
    """Return the direction in which texts of this language are written."""
    subtags = tag.lower().replace("_", "-").split("-")
    scripts = [subtag for subtag in subtags[1:] if len(subtag) == 4 and subtag.isalpha()]
    if scripts:
        return "rtl" if scripts[0] in RIGHT_TO_LEFT_SCRIPTS else "ltr"
    return "rtl" if subtags[0] in RIGHT_TO_LEFT_LANGUAGES else "ltr"


def language_name(tag: str) -> str:
    """Return the language's name in the reader's language; the tag where CLDR has no name."""
    return _name(tag, get_language() or settings.LANGUAGE_CODE)


def language_own_name(tag: str) -> str:
    """Return the language's name in the language itself; the tag where CLDR has no name."""
    return _name(tag, tag)


@lru_cache(maxsize=1000)
def _name(tag: str, reader: str) -> str:
    """Return the name of a language as Unicode's CLDR has it for readers of another.

    The longest part of the tag that has a name decides, and the rest follows in brackets: for readers of
    German `de-AT` is “Österreichisches Deutsch”, `pt-BR` “Portugiesisch (Brasilien)”.
    """
    locale = _locale(reader)
    base, *others = tag.replace("_", "-").split("-")
    aliases = get_global("language_aliases")
    subtags = [str(aliases.get(base.lower(), base.lower())), *map(_as_in_cldr, others)]
    for length in range(len(subtags), 0, -1):
        name = locale.languages.get("_".join(subtags[:length]))
        if name is not None:
            parts = {**locale.scripts, **locale.territories}
            rest = ", ".join(parts.get(each, each) for each in subtags[length:])
            return f"{name} ({rest})" if rest else str(name)
    return tag


def _locale(tag: str) -> Locale:
    """Return what CLDR knows of a language; of English if it knows no such language."""
    whole = tag.replace("_", "-")
    for each in (whole, whole.split("-")[0]):
        try:
            return Locale.parse(each, sep="-")
        except (UnknownLocaleError, ValueError):
            continue
    return Locale("en")


def _as_in_cldr(subtag: str) -> str:
    """Return a script as `Hans`, a region as `AT`."""
    return subtag.title() if len(subtag) == 4 else subtag.upper()


def language_described(tag: str) -> dict[str, str]:
    """Return tag, direction and name as the judging page needs them."""
    return {"lang": tag, "dir": language_direction(tag), "name": language_name(tag)}
