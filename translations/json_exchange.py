"""Exchange translations as JSON: open texts go out, translations come back.

Out: a list of {"msgid", "msgid_plural"?, "context"?, "files", "comments"?, "forms"?}, where
`forms` says which numbers each plural form is for. Back: {msgid: translation}, for a text with a
plural {msgid: [form, form, …]}; a text with a context is {"context\\u0004msgid": …}, as gettext
itself has it.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from babel.messages import Catalog, Message

from translations.checking import form_problems
from translations.files import entries, forms_of, key_of
from translations.plurals import numbers_of_forms

CONTEXT_END = "\x04"


class FillError(ValueError):
    """Some translations do not fit; the message names each text and why."""


def open_entries(
    catalogue: Catalog, locale: str, places: Sequence[str] = ("",)
) -> list[dict[str, Any]]:
    """Return the texts without translation, marked fuzzy or with a problem, in catalogue order.

    With `places`, only those that a file whose path begins so says.
    """
    return [
        _described(message, locale)
        for key, message in entries(catalogue)
        if message.fuzzy or any(form_problems(key, forms_of(message), locale))
        if any(file.startswith(tuple(places)) for file, _ in message.locations)
    ]


def translations_read(path: Path) -> dict[str, Any]:
    """Read translations by text from a JSON file.

    Raises:
        FillError: the file cannot be read or holds something else than one JSON object.
    """
    try:
        brought = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FillError(f"the file cannot be read ({error.strerror}); give another") from error
    except UnicodeDecodeError as error:
        raise FillError(f"byte {error.start + 1} is not UTF-8; save the file as UTF-8") from error
    except json.JSONDecodeError as error:
        raise FillError(f"not JSON at {error}; put that right") from error
    if not isinstance(brought, dict):
        raise FillError(
            f"holds {_KINDS[type(brought)]}, not an object; "
            'write {"text": "its translation", …}, a list of forms for a text with a plural'
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


def catalogue_fill(catalogue: Catalog, brought: Mapping[str, Any], locale: str) -> int:
    """Put translations into the catalogue; return their number.

    Raises:
        FillError: some text is unknown or its translation fails the check; nothing was put in.
    """
    known = {_name(message): message for _, message in entries(catalogue)}
    problems = [
        problem for name in brought for problem in _problems(known, name, brought[name], locale)
    ]
    if problems:
        raise FillError("\n".join(problems))
    for name, translation in brought.items():
        message = known[name]
        message.string = translation if isinstance(translation, str) else tuple(translation)
        message.flags.discard("fuzzy")
    return len(brought)


def _problems(
    known: Mapping[str, Message], name: str, translation: Any, locale: str
) -> Iterator[str]:
    message = known.get(name)
    if message is None:
        yield f"no such text: {name}"
        return
    key = key_of(message)
    if not (_is_forms(translation) if key.plural else isinstance(translation, str)):
        wanted = "a list of plural forms" if key.plural else "one text"
        yield f"needs {wanted}: {name}"
        return
    forms = (translation,) if isinstance(translation, str) else tuple(translation)
    for problem in form_problems(key, forms, locale):
        yield f"{problem}: {name}"


def _is_forms(translation: Any) -> bool:
    return isinstance(translation, list) and all(isinstance(form, str) for form in translation)


def _name(message: Message) -> str:
    key = key_of(message)
    return f"{key.context}{CONTEXT_END}{key.singular}" if key.context else key.singular


def _described(message: Message, locale: str) -> dict[str, Any]:
    key = key_of(message)
    described: dict[str, Any] = {"msgid": key.singular}
    if key.plural:
        described["msgid_plural"] = key.plural
        described["forms"] = [_examples(numbers) for numbers in numbers_of_forms(locale)]
    if key.context:
        described["context"] = key.context
    described["files"] = sorted({file for file, _ in message.locations})
    if message.auto_comments:
        described["comments"] = list(message.auto_comments)
    return described


def _examples(numbers: tuple[int, ...]) -> str:
    return ", ".join(map(str, numbers[:6])) + (" …" if len(numbers) > 6 else "")
