"""The options of an analysis: their words, what they may be, and how text becomes a value."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.utils.functional import Promise
from django.utils.translation import gettext as _

from campaign.texts.nearest import with_nearest
from ranking.wording.numbers import in_figures

#: What a person reads: translated when it is shown.
Words = str | Promise

_TRUTH = {"yes": True, "true": True, "1": True, "on": True, "no": False, "false": False, "0": False}


class OptionError(ValueError):
    """An option cannot be that; `field` names it."""

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """An option of an analysis.

    Attributes
    ----------
    name : str
        In addresses, in REST and on the command line.
    label : lazy str
        Beside its field.
    default : str, bool, int, float or tuple
        Its type is the option's: a tuple is of any number of texts.
    choices : mapping of str to lazy str
        What a text may be, and the words for it; empty where it may be anything.
    low, high : float
        Bounds of a number, both included unless `is_open`.
    help : lazy str
        Below its field.
    """

    name: str
    label: Words
    default: Any
    choices: Mapping[str, Words] = field(default_factory=dict)
    low: float = -math.inf
    high: float = math.inf
    is_open: bool = False
    help: Words = ""

    @property
    def is_many(self) -> bool:
        """Whether several values may be given."""
        return isinstance(self.default, tuple)

    def read(self, given: Any) -> Any:
        """Return a value, plain or as text, as the option's own type.

        Raises
        ------
        OptionError
            If it is of another type, or not allowed.
        """
        if self.is_many:
            several = given if isinstance(given, list | tuple) else [given]
            found = dict.fromkeys(self._text(str(each)) for each in several if each != "")
            # In whatever order they are said, it is the same question.
            return tuple(name for name in self.choices or sorted(found) if name in found)
        if isinstance(given, list | tuple):
            raise OptionError(_("Give one value only."), field=self.name)
        if isinstance(self.default, bool):
            return self._truth(given)
        if isinstance(self.default, int | float):
            return self._number(given)
        return self._text(str(given))

    def _truth(self, given: Any) -> bool:
        if isinstance(given, bool):
            return given
        found = _TRUTH.get(str(given).lower())
        if found is None:
            raise OptionError(_("Say yes or no."), field=self.name)
        return found

    def _number(self, given: Any) -> float:
        kind = type(self.default)
        try:
            number = kind(given)
            if isinstance(given, float) and number != given:
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            words = _("Enter a whole number.") if kind is int else _("Enter a number.")
            raise OptionError(words, field=self.name) from None
        beyond = not self.low <= number <= self.high
        if beyond or (self.is_open and number in (self.low, self.high)):
            words = (
                _("Enter a number between %(low)s and %(high)s.")
                if math.isfinite(self.high)
                else _("Enter a number of %(low)s or more.")
            )
            raise OptionError(
                words % {"low": in_figures(self.low), "high": in_figures(self.high)},
                field=self.name,
            )
        return number  # type: ignore[no-any-return]

    def _text(self, given: str) -> str:
        if self.choices and given not in self.choices:
            raise OptionError(
                _("“%(given)s” is none of: %(known)s.")
                % {"given": given, "known": ", ".join(name or "–" for name in self.choices)},
                field=self.name,
            )
        return given


def completed(options: Sequence[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options with their values: those given, and the defaults of the others.

    Raises
    ------
    OptionError
        If an option is unknown, or a value is not allowed.
    """
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            said = _("There is no option “%(name)s”; there are: %(known)s.")
            words = said % {"name": name, "known": ", ".join(known)}
            raise OptionError(with_nearest(words, name, known), field=name)
    return {
        name: option.read(given[name]) if name in given else option.default
        for name, option in known.items()
    }
