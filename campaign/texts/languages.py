"""Names and writing directions of languages, by BCP 47 tag."""

from functools import lru_cache
from typing import Literal

from babel.core import Locale, UnknownLocaleError, get_global
from django.conf import settings
from django.utils.translation import get_language

# Languages for which CLDR's likely script is unknown, or left-to-right in some region.
RIGHT_TO_LEFT_LANGUAGES = frozenset({"arc", "pnb", "sd", "ug"})
RIGHT_TO_LEFT_SCRIPTS = frozenset({"adlm", "arab", "hebr", "nkoo", "rohg", "syrc", "thaa"})


#: Languages without spaces between words, where two characters count as a word.
WITHOUT_SPACES = frozenset({"bo", "ja", "km", "lo", "my", "th", "yue", "zh"})


def without_spaces(tag: str) -> bool:
    """Return whether this language has no spaces between words."""
    return tag.lower().replace("_", "-").split("-")[0] in WITHOUT_SPACES


def language_direction(tag: str) -> Literal["ltr", "rtl"]:
    """Return the writing direction of a language."""
    public, _private = _parted(tag.lower())
    subtags = public.split("-")
    scripts = [subtag for subtag in subtags[1:] if len(subtag) == 4 and subtag.isalpha()]
    if scripts:
        return "rtl" if scripts[0] in RIGHT_TO_LEFT_SCRIPTS else "ltr"
    if subtags[0] in RIGHT_TO_LEFT_LANGUAGES:
        return "rtl"
    likely = get_global("likely_subtags")
    regional = "_".join((subtags[0], *(each.upper() for each in subtags[1:2])))
    script = (likely.get(regional) or likely.get(subtags[0]) or "").split("_")[1:2]
    return "rtl" if script and script[0].lower() in RIGHT_TO_LEFT_SCRIPTS else "ltr"


def _parted(tag: str) -> tuple[str, str]:
    """Return the public and the private subtags of a tag."""
    public, _x, private = tag.replace("_", "-").partition("-x-")
    return public, private


def language_name(tag: str) -> str:
    """Return the name of a language in the reader's language, or its tag if CLDR has no name."""
    return _name(tag, get_language() or settings.LANGUAGE_CODE)


def language_own_name(tag: str) -> str:
    """Return the name of a language in the language itself, or its tag if CLDR has no name."""
    return _name(tag, tag)


@lru_cache(maxsize=1000)
def _name(tag: str, reader: str) -> str:
    """Return the name of a language in the language of the reader, from Unicode's CLDR.

    The longest named part of the tag is used, with the rest in brackets: in German, `de-AT` is “Österreichisches
    Deutsch” and `pt-BR` is “Portugiesisch (Brasilien)”.
    """
    locale = cldr_of(reader)
    public, private = _parted(tag)
    base, *others = public.split("-")
    aliases = get_global("language_aliases")
    subtags = [str(aliases.get(base.lower(), base.lower())), *map(_as_in_cldr, others)]
    for length in range(len(subtags), 0, -1):
        name = locale.languages.get("_".join(subtags[:length]))
        if name is not None:
            parts = {**locale.scripts, **locale.territories, **locale.variants}
            named = [
                parts.get(each, each if len(each) <= 4 else each.lower())
                for each in subtags[length:]
            ]
            rest = ", ".join([*named, private] if private else named)
            return f"{name} ({rest})" if rest else str(name)
    return tag


def cldr_of(tag: str) -> Locale:
    """Return CLDR's data for a language, or for English if it is unknown."""
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
    """Return tag, direction and name for the judging page."""
    return {"lang": tag, "dir": language_direction(tag), "name": language_name(tag)}
