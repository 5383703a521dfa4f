"""Translated texts joined by the punctuation of the reader's language.

No text is joined by a comma, colon or semicolon of its own: `python -m translations joints` finds those.
"""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from django.utils.functional import lazy
from django.utils.html import conditional_escape, format_html_join
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import pgettext

#: Punctuation that is as wide as a mark with a space.
_WIDE: Final = tuple("。！？；：，、）”")
_HAN: Final = re.compile("[\u2e80-\u9fff]")
_SPACE_BEFORE_HAN: Final = re.compile(f" (?={_HAN.pattern})")
_SPACE_AFTER_HAN: Final = re.compile(f"(?<={_HAN.pattern}) ")
_CLOSING_TAGS: Final = re.compile(r"(?:</\w+>)+$")


def comma() -> str:
    """Return the comma between items of a list, with its space."""
    return pgettext("between names", ", ")


def semicolon() -> str:
    """Return the semicolon between phrases, with its space."""
    return pgettext("between phrases", "; ")


def colon() -> str:
    """Return the colon between a label and its value, with its space."""
    return pgettext("after a label", ": ")


def comma_list(items: Iterable[object]) -> str:
    """Return "A, B, C"."""
    return comma().join(map(str, items))


def and_list(items: Sequence[object]) -> str:
    """Return "A", "A and B" or "A, B and C"."""
    if len(items) < 2:
        return comma_list(items)
    *before, last = items
    parts = {"first": comma_list(before), "last": str(last)}
    pattern = _("%(first)s and %(last)s")
    # Chinese has spaces beside its “and” only where a name is in another script.
    if _HAN.match(parts["first"][-1:]):
        pattern = _SPACE_BEFORE_HAN.sub("", pattern)
    if _HAN.match(parts["last"]):
        pattern = _SPACE_AFTER_HAN.sub("", pattern)
    return pattern % parts


def semicolon_list(items: Iterable[object]) -> str:
    """Return "one phrase; another; a third"."""
    return semicolon().join(map(str, items))


def from_to(before: object, after: object) -> str:
    """Return "before → after", with the arrow in the direction of the script."""
    return _("%(before)s → %(after)s") % {"before": before, "after": after}


def labelled(label: object, value: object) -> str:
    """Return "Label: value"."""
    return f"{label}{colon()}{value}"


def labelled_html(label: Any, value: Any) -> SafeString:
    """Return "Label: value" as HTML; parts that are not HTML are escaped."""
    parts = (
        conditional_escape(label),
        conditional_escape(colon()),
        conditional_escape(value),
    )
    return mark_safe("".join(parts))  # noqa: S308  each part is escaped


def comma_list_html(items: Iterable[object]) -> SafeString:
    """Return "A, B, C" as HTML; items that are not HTML are escaped."""
    return format_html_join(comma(), "{}", ((item,) for item in items))


def sentence_list(texts: Iterable[object]) -> str:
    """Return sentences one after the other; wide punctuation, as in Chinese, has no space after it."""
    joined = ""
    for text in filter(None, map(str, texts)):
        if joined and not ends_wide(joined):
            joined += " "
        joined += text
    return joined


sentence_list_lazy = lazy(sentence_list, str)


def ends_wide(text: str) -> bool:
    """Return whether a text or HTML ends with punctuation that needs no space after it."""
    return _CLOSING_TAGS.sub("", text).endswith(_WIDE)


def with_full_stop(text: object) -> str:
    """Return a phrase with the full stop of the language; a sentence remains as it is."""
    phrase = str(text)
    if phrase.endswith((".", "。", "!", "?", "！", "？")):
        return phrase
    return pgettext("end of a sentence", "%(phrase)s.") % {"phrase": phrase}
