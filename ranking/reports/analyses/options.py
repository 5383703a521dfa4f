"""Options of analyses: labels, allowed values, parsing, and options shared by several kinds."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.forms import FloatField, IntegerField
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.joining import semicolon_list
from campaign.texts.nearest import with_nearest
from campaign.texts.refusals import RefusedError
from ranking.core.agreement.intervals import KAPPA_LEVELS
from ranking.core.methods.registry import METHODS
from ranking.reports.wording.methods import METHOD_WORDS
from ranking.reports.wording.numbers import in_figures
from ranking.reports.wording.pair_tests import LEVEL_WORDS

#: Text for people, translated when it is displayed.
Words = str | Promise

_TRUTH = {
    "yes": True,
    "true": True,
    "1": True,
    "on": True,
    "no": False,
    "false": False,
    "0": False,
}


class OptionError(RefusedError, ValueError):
    """Invalid option; `field` names it."""


@dataclass(frozen=True, slots=True)
class Option:
    """An option of an analysis.

    Attributes
    ----------
    name : str
        Name in addresses, in REST and on the command line.
    label : lazy str
        Label of its field; empty for options of files, which have no page.
    default : str, bool, int, float or tuple
        Its type is the type of the option; a tuple stands for any number of texts.
    choices : mapping of str to lazy str
        Allowed texts with their names; empty if any text is allowed.
    low, high : float
        Bounds of a number, both included unless `is_open`.
    help : lazy str
        Help text of its field.
    """

    name: str
    label: Words = ""
    default: Any = ""
    choices: Mapping[str, Words] = field(default_factory=dict)
    low: float = -math.inf
    high: float = math.inf
    is_open: bool = False
    help: Words = ""

    @property
    def is_many(self) -> bool:
        """True if several values may be given."""
        return isinstance(self.default, tuple)

    def read(self, given: Any) -> Any:
        """Return a value, plain or as text, as the option's own type.

        Raises
        ------
        OptionError
            If it has another type, or is not allowed.
        """
        if self.is_many:
            if isinstance(given, list | tuple):
                several = given
            else:
                several = [given]
            found = dict.fromkeys(
                self._text(str(each)) for each in several if each != ""
            )
            # The order does not matter.
            return tuple(
                name for name in self.choices or sorted(found) if name in found
            )
        if isinstance(given, list | tuple):
            raise OptionError("Enter one value only.", field=self.name)
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
            raise OptionError("Enter yes or no.", field=self.name)
        return found

    def _number(self, given: Any) -> float:
        kind = type(self.default)
        try:
            number = kind(given)
            if isinstance(given, float) and number != given:
                raise ValueError
        except (TypeError, ValueError, OverflowError):
            field = IntegerField if kind is int else FloatField
            words = field.default_error_messages["invalid"]
            raise OptionError(str(words), field=self.name) from None
        beyond = not self.low <= number <= self.high
        if beyond or (self.is_open and number in (self.low, self.high)):
            if math.isfinite(self.high):
                words = _("Enter a number between %(low)s and %(high)s.")
            else:
                words = _("Enter a number of at least %(low)s.")
            said = words % {"low": in_figures(self.low), "high": in_figures(self.high)}
            raise OptionError(said, field=self.name)
        return number  # type: ignore[no-any-return]

    def _text(self, given: str) -> str:
        if self.choices and given not in self.choices:
            known = ", ".join(name or "–" for name in self.choices)
            raise OptionError(f"“{given}” is not one of: {known}.", field=self.name)
        return given


def completed(options: Sequence[Option], given: Mapping[str, Any]) -> dict[str, Any]:
    """Return all options with the given values, and the defaults of the others.

    Raises
    ------
    OptionError
        If an option is unknown, or a value is not allowed.
    """
    known = {option.name: option for option in options}
    for name in given:
        if name not in known:
            words = f"Unknown option “{name}”. Available options: {', '.join(known)}."
            raise OptionError(with_nearest(words, name, known), field=name)
    return {
        name: option.read(given[name]) if name in given else option.default
        for name, option in known.items()
    }


SEED = Option("seed", gettext_lazy("Seed"), 0, low=0, high=2**32 - 1)
CONFIDENCE = Option("confidence", gettext_lazy("Confidence"), 0.95, low=0, high=0.999)
RESAMPLES = Option("resamples", gettext_lazy("Resamples"), 1000, low=100, high=10_000)
METHOD = Option(
    "method",
    gettext_lazy("Method"),
    "expected_wins",
    choices={name: METHOD_WORDS[name] for name in METHODS},
)
#: Units that intervals of κ treat as random samples.
KAPPA_LEVEL = Option(
    "resample",
    gettext_lazy("Accounting for"),
    "two_way",
    choices={level: LEVEL_WORDS[level] for level in KAPPA_LEVELS},
)


def kappa_options(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return arguments for the functions of the core that measure κ."""
    return {
        name: options[name] for name in ("resample", "resamples", "confidence", "seed")
    }


def swaps_in_words(swapped: Sequence[tuple[str, str]]) -> str:
    """Return swapped pairs in words, the better one by the first order named last."""
    return semicolon_list(f"{worse} > {better}" for better, worse in swapped)
