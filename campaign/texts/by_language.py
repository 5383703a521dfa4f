"""Texts that organisers write for readers of several languages."""

import re
from collections.abc import Mapping
from typing import Any, Final

from django import forms
from django.conf import settings
from django.core.exceptions import ValidationError
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from campaign.texts.languages import (
    LanguageTagError,
    language_tag_checked,
    text_for_reader,
)
from campaign.texts.lines import LinesTextarea
from campaign.texts.refusals import RefusedError

#: A text by language. The language of a text that is for all readers is empty.
Texts = Mapping[str, str]
#: The same in JSON: one text for all readers, or a text by language.
TextsJSON = str | dict[str, str]
#: Between the language tag and the text of a line; Chinese keyboards type the wide one.
_COLON: Final = ":"
COLONS: Final = re.compile("[:：]")
_MOST_SHOWN: Final = 60


class TextsRefusedError(RefusedError):
    """The texts are not possible; the message says why."""


def texts_read(value: object, name: str, most: int) -> dict[str, str]:
    """Return texts of at most `most` characters from their JSON.

    Raises `TextsRefusedError`, which names the texts, and `LanguageTagError`.
    """
    by_language = value
    if not isinstance(value, dict):
        _refuse_other_than_text(value, name)
    if isinstance(value, str):
        by_language = {"": value}
    if not isinstance(by_language, dict) or not by_language:
        raise TextsRefusedError(
            _("“%(name)s” is missing.") % {"name": name},
            field=name,
        )
    texts: dict[str, str] = {}
    for tag, text in by_language.items():
        _refuse_other_than_text(text, name)
        if not text or not text.strip():
            raise TextsRefusedError(
                _("“%(name)s” is empty.") % {"name": name},
                field=name,
            )
        if len(text) > most:
            problem = _(
                "“%(name)s” has %(length)d characters; the maximum is %(most)d.",
            )
            facts = {"name": name, "length": len(text), "most": most}
            raise TextsRefusedError(problem % facts, field=name)
        language = ""
        if tag != "":
            language = language_tag_checked(str(tag), name)
        texts[language] = text.strip()
    return texts


def _refuse_other_than_text(value: object, name: str) -> None:
    """Raise TextsRefusedError for a number, true, false or a list, such as an unquoted word of YAML."""
    if value is not None and not isinstance(value, str):
        # Only files and REST have such values.
        shown = str(value)[:_MOST_SHOWN]
        raise TextsRefusedError(
            f"“{name}” is not text: {shown}. Put it in quotes.",
            field=name,
        )


def texts_json(texts: Texts) -> TextsJSON:
    """Return the JSON of texts."""
    if list(texts) == [""]:
        return texts[""]
    return dict(texts)


def lines_checked(value: object, name: str, most: int) -> TextsJSON:
    """Return the JSON of texts of one line each. Raises as `texts_read`."""
    texts = texts_read(value, name, most)
    return texts_json({tag: " ".join(text.split()) for tag, text in texts.items()})


def text_in_active_language(texts: TextsJSON | Texts) -> str:
    """Return a text in the active language, or else in English or the best other one; empty if there is none."""
    if isinstance(texts, str):
        return texts
    # PostgreSQL does not keep the order of JSON.
    in_order = dict(texts)
    default = settings.LANGUAGE_CODE
    if default in texts:
        in_order = {default: texts[default], **texts}
    return text_for_reader(in_order, get_language() or "") or ""


class TextsField(forms.CharField):
    """Texts of one line each: for all readers, or with a language tag, such as “de: Zusammenfassungen”."""

    def __init__(self, **options: Any) -> None:
        widget = LinesTextarea(attrs={"rows": 2, "dir": "auto"})
        super().__init__(required=False, widget=widget, **options)

    def prepare_value(self, value: Any) -> Any:
        """Return the lines that stand for the JSON of texts."""
        if not isinstance(value, dict):
            return value
        lines = []
        for tag, text in value.items():
            if tag:
                lines.append(f"{tag}{_COLON} {text}")
            else:
                lines.append(text)
        return "\n".join(lines)

    def to_python(self, value: Any) -> Any:
        """Return the JSON of the texts; an empty text if there are none."""
        if isinstance(value, dict):
            return value
        stripped = map(str.strip, str(value or "").splitlines())
        lines = list(filter(None, stripped))
        texts: dict[str, str] = {}
        for number, line in enumerate(lines, 1):
            tag, text = _split_language_tag(line)
            if tag in texts or (tag == "" and len(lines) > 1):
                message = _(
                    "Line %(number)d: begin with the tag of another language, such as “de: ”.",
                )
                raise ValidationError(message % {"number": number})
            texts[tag] = text
        if texts:
            return texts_json(texts)
        return ""


def _split_language_tag(line: str) -> tuple[str, str]:
    """Return the language tag with which a line begins, empty if it has none, and the text."""
    before, *after = COLONS.split(line, maxsplit=1)
    text = "".join(after).strip()
    if not text:
        return "", line
    try:
        return language_tag_checked(before), text
    except LanguageTagError:
        return "", line
