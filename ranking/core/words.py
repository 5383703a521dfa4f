"""Checks of arguments: of words that choose what a function computes, such as "holm" or "two_way", and of confidences.

Public functions check them first, so that no other value computes something else in silence.
"""

from collections.abc import Iterable
from enum import StrEnum
from typing import Any, TypeVar, get_args

Kind = TypeVar("Kind", bound=StrEnum)


def member_of(kind: type[Kind], name: str, word: Kind | str) -> Kind:
    """Return the member of an enumeration for a word, or for a member.

    Raises
    ------
    ValueError
        If there is no such member; the message names the parameter and all words.
    """
    try:
        return kind(word)
    except ValueError:
        raise ValueError(_unknown(name, word, kind)) from None


def word_check(name: str, word: object, literal: Any) -> None:
    """Check that a word is one of a ``Literal`` type.

    Raises
    ------
    ValueError
        If it is not; the message names the parameter and all words.
    """
    choices = get_args(literal)
    if word not in choices:
        raise ValueError(_unknown(name, word, choices))


def confidence_check(confidence: float) -> None:
    """Raise ValueError unless a confidence is between 0 and 1."""
    if not 0 < confidence < 1:
        raise ValueError("confidence: expected a share between 0 and 1")


def _unknown(name: str, word: object, choices: Iterable[object]) -> str:
    allowed = []
    for member in choices:
        if isinstance(member, str):
            # Members of an enumeration are shown as plain strings.
            allowed.append(repr(str(member)))
        else:
            allowed.append(repr(member))
    return f"{name}: expected one of {', '.join(allowed)}, not {word!r}"
