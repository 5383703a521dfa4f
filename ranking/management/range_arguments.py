"""The arguments that say how rank ranges are made."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.ranges.sign_tests import Correction
from ranking.management.file_command import Options
from ranking.range_choices import RangeChoice, RangeChoiceError, completed_choice

_BOOTSTRAP, _TWO_WAY = "bootstrap", "two_way"
_KINDS = (_BOOTSTRAP, _TWO_WAY, "sign_test", "confidence_set", "anytime")
_CORRECTIONS = {
    "none": Correction.NONE,
    "holm": Correction.HOLM,
    "bh": Correction.BENJAMINI_HOCHBERG,
}
_SIDES = {"one": 1, "two": 2}
#: What --rank-ranges bootstrap resamples unless --resample says so.
_LEVEL_OF_BOOTSTRAP: Level = "blocks"


def add_range_arguments(parser: CommandParser) -> None:
    """Add the arguments that say how rank ranges are made; see `range_changes`."""
    parser.add_argument(
        "--rank-ranges",
        choices=_KINDS,
        help="how to make rank ranges: two_way and bootstrap take percentiles of many rankings, "
        "the others test pairs of systems (default: two_way; with --resample alone, percentiles "
        "at that level)",
    )
    parser.add_argument(
        "--resample",
        choices=list(LEVELS),
        help="what rank ranges treat as independent; two_way accounts for segments and judges "
        "(default: two_way; with --rank-ranges bootstrap: blocks)",
    )
    parser.add_argument(
        "--correction",
        choices=list(_CORRECTIONS),
        help="correct the tests of pairs for their number, by Holm’s method or Benjamini and "
        "Hochberg’s (default: none; with --rank-ranges anytime: holm)",
    )
    parser.add_argument(
        "--sided",
        choices=list(_SIDES),
        help="make the tests of pairs one- or two-sided (default: two; with --rank-ranges "
        "sign_test: one)",
    )


def range_choice(options: Options) -> RangeChoice:
    """Return what was asked for, with the defaults for the rest.

    Raises
    ------
    RangeChoiceError
        If options contradict each other.
    """
    return completed_choice({**range_changes(options), "confidence": options["confidence"]})


def range_changes(options: Options) -> dict[str, Any]:
    """Return what the options name, as parts of a `RangeChoice` by plain values.

    Raises
    ------
    RangeChoiceError
        If --rank-ranges and --resample contradict each other.
    """
    kind, level = options["rank_ranges"], options["resample"]
    changes: dict[str, Any] = {}
    if kind in (_BOOTSTRAP, _TWO_WAY):
        changes = {"ranges": "percentile", "resample": _level(kind, level)}
    elif kind is not None:
        changes["ranges"] = kind
        if level is not None:
            changes["resample"] = level
    elif level is not None:
        changes["resample"] = level
    if options["correction"] is not None:
        changes["correction"] = _CORRECTIONS[options["correction"]].value
    if options["sided"] is not None:
        changes["sides"] = _SIDES[options["sided"]]
    return changes


def _level(kind: str, level: str | None) -> str:
    if kind == _BOOTSTRAP and level != _TWO_WAY:
        return level or _LEVEL_OF_BOOTSTRAP
    if kind == _TWO_WAY and level in (None, _TWO_WAY):
        return _TWO_WAY
    raise RangeChoiceError(
        _("--rank-ranges %(kind)s and --resample %(level)s contradict each other: give one.")
        % {"kind": kind, "level": level},
        field="resample",
    )
