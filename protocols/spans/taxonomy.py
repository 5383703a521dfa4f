"""Categories of errors, on one or two levels: "Accuracy/Addition" is below "Accuracy"."""

from collections.abc import Sequence
from typing import Final

from campaign.texts.name_lines import names_of_line
from protocols.spans.records import LEVELS

MAX_CATEGORIES: Final = 200
MAX_CATEGORY: Final = 100

#: Core of the typology of the MQM Council (themqm.org).
MQM_CORE: Final = (
    "Terminology: Inconsistent with terminology resource, Inconsistent use of terminology, Wrong term",
    "Accuracy: Mistranslation, Overtranslation, Undertranslation, Addition, Omission, Do not translate, Untranslated",
    "Linguistic conventions: Grammar, Punctuation, Spelling, Unintelligible, Character encoding, Textual conventions",
    "Style: Organizational style, Third-party style, Inconsistent with external reference, Language register, Awkward style, Unidiomatic style, Inconsistent style",
    "Locale conventions: Number format, Currency format, Measurement format, Time format, Date format, Address format, Telephone format, Shortcut key",
    "Audience appropriateness: Culture-specific reference, Offensive",
    "Design and markup: Layout, Markup tag, Truncation or text expansion, Missing text, Link or cross-reference",
    "Other",
)
#: Freitag et al. (2021).
GOOGLE_2021: Final = (
    "Accuracy: Addition, Omission, Mistranslation, Untranslated text",
    "Fluency: Punctuation, Spelling, Grammar, Register, Inconsistency, Character encoding",
    "Terminology: Inappropriate for context, Inconsistent use of terminology",
    "Style: Awkward",
    "Locale convention: Address format, Currency format, Date format, Name format, Telephone format, Time format",
    "Non-translation!",
    "Source error",
    "Other",
)
TAXONOMIES: Final = {"mqm-core": MQM_CORE, "google-2021": GOOGLE_2021}


def categories_read(lines: Sequence[str]) -> list[str]:
    """Return the categories on lines: one on each, or one with those below it after a colon, separated by commas.

    Names with a colon or comma are in double quotes (`campaign.texts.name_lines`).

    Raises
    ------
    ValueError
        If categories repeat, contain each other, are too many, or have more than two levels.
    """
    categories: list[str] = []
    for line in lines:
        name, below = names_of_line(line)
        categories += [f"{name}{LEVELS}{name_below}" for name_below in below] or [name]
    names: set[str] = set()
    for category in categories:
        _category_check(category, names)
        names.add(category.casefold())
    if len(names) > MAX_CATEGORIES:
        raise ValueError(
            f"there are {len(names)} categories, more than {MAX_CATEGORIES}",
        )
    return categories


def _category_check(category: str, earlier_names: set[str]) -> None:
    name = category.casefold()
    one, _level, other = name.partition(LEVELS)
    if LEVELS in other or not one or len(name) > MAX_CATEGORY:
        raise ValueError(
            f"“{category}” is not a category on one or two levels of at most {MAX_CATEGORY} characters, without a slash in a name",
        )
    if name in earlier_names:
        raise ValueError(f"the category “{category}” is listed twice")
    if one == other or f"{other}{LEVELS}{one}" in earlier_names:
        raise ValueError(f"the category “{category}” is below itself")
