"""Names and directions of languages, by BCP 47 tag or however an imported file spells them."""

from typing import Literal

from django.utils.translation import get_language_info

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
    """Return the language's name in the reader's language, or the tag if we know no name."""
    try:
        return str(get_language_info(tag)["name_translated"])
    except KeyError:
        return tag


def language_own_name(tag: str) -> str:
    """Return the language's name in the language itself, or the tag if we know no name."""
    try:
        return str(get_language_info(tag)["name_local"])
    except KeyError:
        return tag


def language_described(tag: str) -> dict[str, str]:
    """Return tag, direction and name as the judging page needs them."""
    return {"lang": tag, "dir": language_direction(tag), "name": language_name(tag)}
