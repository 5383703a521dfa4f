"""The options of tables: those of the analysis `ranking`, and which judges count."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ranking.analyses import ranking
from ranking.analyses.common import CONFIDENCE, RESAMPLES, SEED
from ranking.analyses.judgments import EXCLUDED, GROUP
from ranking.analyses.options import Option, OptionError
from ranking.core.methods.registry import METHODS
from ranking.wording.methods import METHOD_WORDS

#: Stands for the ranking that each test set has anyway.
OWN = ""
#: Which judgments count, in all test sets alike.
JUDGES_OPTIONS = (EXCLUDED, GROUP)
RANGE_OPTIONS = (
    ranking.RANGES,
    ranking.LEVEL,
    ranking.CORRECTION,
    ranking.SIDES,
    CONFIDENCE,
    RESAMPLES,
    SEED,
)


def own_or(methods: tuple[str, ...]) -> Option:
    """Return the option of a method, or of each test set's own ranking."""
    return Option(
        name="method",
        label=gettext_lazy("Method"),
        default=OWN,
        choices={
            OWN: gettext_lazy("each test set’s own ranking"),
            **{name: METHOD_WORDS[name] for name in methods},
        },
        help=gettext_lazy(
            "Its own ranking is the one that pages show now: at once, with its own rank ranges."
        ),
    )


#: Of all methods.
METHOD = own_or(tuple(METHODS))


def is_own(options: Mapping[str, Any]) -> bool:
    """Return whether the table is of each test set's own ranking."""
    return bool(options["method"] == OWN)


def checked(
    options: Mapping[str, Any],
    *,
    of: Sequence[Option] = (*RANGE_OPTIONS, *JUDGES_OPTIONS),
) -> dict[str, Any]:
    """Return complete options that go together.

    Parameters
    ----------
    options : mapping
    of : sequence of Option
        Those that belong to a method.

    Raises
    ------
    OptionError
        If the ranges are none of the method's, or something is asked for of rankings that are there.
    """
    if not is_own(options):
        return ranking.checked(options)
    for option in of:
        if options[option.name] != option.default:
            raise OptionError(
                _("Choose a method, too: its own ranking of each test set is as it is."),
                field=option.name,
            )
    return dict(options)


def rank_arguments(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the arguments of `ranking.core.rankings.rank.rank` but the method, from checked options."""
    return {
        "resamples": options["resamples"],
        "seed": options["seed"],
        **ranking.range_choice(options).arguments,
    }


def with_default(option: Option, default: Any) -> Option:
    """Return an option with another default."""
    return replace(option, default=default)
