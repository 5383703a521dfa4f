"""Options of analyses: labels, allowed values, parsing, and options shared by several kinds."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, TypeVar, overload

from django.forms import FloatField, IntegerField
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from campaign.texts.nearest import with_nearest
from campaign.texts.refusals import RefusedError
from ranking.core.agreement.intervals import KAPPA_LEVELS, KappaLevel, KappaOptions
from ranking.core.methods.registry import METHODS
from ranking.reports.wording.methods import METHOD_WORDS
from ranking.reports.wording.numbers import in_figures
from ranking.reports.wording.pair_tests import LEVEL_WORDS

#: Text for people, translated when it is displayed.
Words = str | Promise
#: Type of the value of an option.
OptionValue = TypeVar("OptionValue")

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
class Option(Generic[OptionValue]):
    """An option of an analysis.

    Its declaration makes the field of the page, the description in REST and the parsing of commands and stored
    requests; functions read its value as ``options[OPTION]``, see `AnalysisOptions`.

    Attributes
    ----------
    name : str
        Name in addresses, in REST and on the command line.
    label : lazy str
        Label of its field; empty for options of files, which have no page.
    default : str, bool, int, float or tuple
        Its type is the type of the option; a tuple of texts stands for any number of texts.
    choices : mapping of str to lazy str
        Allowed texts with their names; empty if any text is allowed.
    low, high : float
        Bounds of a number, both included unless `is_open`.
    help : lazy str
        Help text of its field.
    """

    name: str
    label: Words = ""
    default: OptionValue = ""  # type: ignore[assignment]  # options of texts are the most frequent
    choices: Mapping[str, Words] = field(default_factory=dict)
    low: float = -math.inf
    high: float = math.inf
    is_open: bool = False
    help: Words = ""

    @property
    def is_many(self) -> bool:
        """True if several values may be given."""
        return isinstance(self.default, tuple)

    def read(self, value: object) -> OptionValue:
        """Return a value, plain or as text, as the option's own type.

        Raises
        ------
        OptionError
            If it has another type, or is not allowed.
        """
        typed: Any
        if self.is_many:
            typed = self._several(value)
        elif isinstance(value, list | tuple):
            raise OptionError("Enter one value only.", field=self.name)
        elif isinstance(self.default, bool):
            typed = self._truth(value)
        elif isinstance(self.default, int | float):
            typed = self._number(value)
        else:
            typed = self._text(str(value))
        return typed  # type: ignore[no-any-return]

    def _several(self, value: object) -> tuple[str, ...]:
        values = value if isinstance(value, list | tuple) else [value]
        chosen = {self._text(str(text)) for text in values if text != ""}
        if not self.choices:
            return tuple(sorted(chosen))
        # The order does not matter.
        return tuple(filter(chosen.__contains__, self.choices))

    def _truth(self, value: object) -> bool:
        if isinstance(value, bool):
            return value
        truth = _TRUTH.get(str(value).lower())
        if truth is None:
            raise OptionError("Enter yes or no.", field=self.name)
        return truth

    def _number(self, value: Any) -> float:
        try:
            number = self._convert_number(value)
        except (TypeError, ValueError, OverflowError):
            field = IntegerField if type(self.default) is int else FloatField
            message = str(field.default_error_messages["invalid"])
            raise OptionError(message, field=self.name) from None
        is_beyond = not self.low <= number <= self.high
        if is_beyond or (self.is_open and number in (self.low, self.high)):
            if math.isfinite(self.high):
                message = _("Enter a number between %(low)s and %(high)s.")
            else:
                message = _("Enter a number of at least %(low)s.")
            ends = {"low": in_figures(self.low), "high": in_figures(self.high)}
            raise OptionError(message % ends, field=self.name)
        return number

    def _convert_number(self, value: Any) -> float:
        number = type(self.default)(value)  # type: ignore[call-arg]  # int or float
        if isinstance(value, float) and number != value:
            raise ValueError
        return number  # type: ignore[return-value]

    def _text(self, text: str) -> str:
        if self.choices and text not in self.choices:
            choices = ", ".join(name or "–" for name in self.choices)
            raise OptionError(f"“{text}” is not one of: {choices}.", field=self.name)
        return text


#: An option of any type.
AnyOption = Option[Any]


class AnalysisOptions(Mapping[str, Any]):
    """Complete options of a request: ``options[CONFIDENCE]`` has the type of the option CONFIDENCE.

    By name, they are the plain values that are recorded.
    """

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)

    @overload
    def __getitem__(self, option: Option[OptionValue]) -> OptionValue: ...

    @overload
    def __getitem__(self, option: str) -> Any: ...

    def __getitem__(self, option: AnyOption | str) -> Any:
        """Return the value of an option."""
        if isinstance(option, Option):
            return self._values[option.name]
        return self._values[option]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names of the options."""
        return iter(self._values)

    def __len__(self) -> int:
        """Return the number of options."""
        return len(self._values)

    def replaced(self, values: Mapping[str, Any]) -> "AnalysisOptions":
        """Return the options with other values for some."""
        return AnalysisOptions({**self._values, **values})

    def of(self, options: Sequence[AnyOption]) -> dict[str, Any]:
        """Return the values of some options by name, in their order."""
        return {option.name: self._values[option.name] for option in options}


def completed(
    options: Sequence[AnyOption],
    values: Mapping[str, Any],
) -> AnalysisOptions:
    """Return all options with these values, and the defaults of the others.

    Raises
    ------
    OptionError
        If an option is unknown, or a value is not allowed.
    """
    names = [option.name for option in options]
    for name in values:
        if name not in names:
            message = f"Unknown option “{name}”. Available options: {', '.join(names)}."
            raise OptionError(with_nearest(message, name, names), field=name)
    complete = {}
    for option in options:
        complete[option.name] = option.default
        if option.name in values:
            complete[option.name] = option.read(values[option.name])
    return AnalysisOptions(complete)


SEED = Option("seed", gettext_lazy("Seed"), 0, low=0, high=2**32 - 1)
CONFIDENCE = Option("confidence", gettext_lazy("Confidence"), 0.95, low=0, high=0.999)
RESAMPLES = Option("resamples", gettext_lazy("Resamples"), 1000, low=100, high=10_000)
METHOD = Option(
    "method",
    gettext_lazy("Method"),
    "expected_wins",
    choices={name: METHOD_WORDS[name] for name in METHODS},
)
#: The method of a ranking; the help says where a method is that people may look for here.
RANKING_METHOD = replace(
    METHOD,
    help=gettext_lazy(
        "The prediction-powered ranking (predicted_ranking) is an analysis on the page Metrics.",
    ),
)
#: Units that intervals of κ treat as random samples.
KAPPA_LEVEL: Option[KappaLevel] = Option(
    "resample",
    gettext_lazy("Accounting for"),
    "two_way",
    choices={level: LEVEL_WORDS[level] for level in KAPPA_LEVELS},
)


def kappa_options(options: AnalysisOptions) -> KappaOptions:
    """Return the arguments of the functions of the core that measure κ."""
    return {
        "resample": options[KAPPA_LEVEL],
        "resamples": options[RESAMPLES],
        "confidence": options[CONFIDENCE],
        "seed": options[SEED],
    }
