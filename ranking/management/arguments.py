"""Types of command-line arguments, with errors that name the expected value."""

from __future__ import annotations

import argparse
import math
import os
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Literal, Union, get_args, get_origin

from django.core.management.base import CommandParser

from ranking.core.counting.resampling import LEVELS, Level
from ranking.core.methods.registry import METHODS
from ranking.core.ranges import Correction
from ranking.core.sharding import Engine, ThisMachine
from ranking.core.simulation.model import Model
from ranking.range_choices import RangeChoice, RangeChoiceError, completed_choice


def whole_number(smallest: int, largest: int | None = None) -> type[int]:
    """Make a type of whole numbers from `smallest` (to `largest`)."""

    def parse(text: str) -> int:
        try:
            value = int(text)
        except ValueError:
            value = smallest - 1
        if value < smallest or (largest is not None and value > largest):
            upto = f" to {largest:,}" if largest is not None else ""
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a whole number from {smallest:,}{upto}"
            )
        return value

    return parse  # type: ignore[return-value]  # a callable serves argparse as well as a type


def number_between(low: float, high: float, *, including_high: bool = False) -> type[float]:
    """Make a type of numbers above `low` and below (or up to) `high`."""

    def parse(text: str) -> float:
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if not (low < value < high or (including_high and value == high)):
            below = "up to" if including_high else "below"
            raise argparse.ArgumentTypeError(
                f"{text!r} is not a number above {low:g} and {below} {high:g}"
            )
        return value

    return parse  # type: ignore[return-value]


SEED = whole_number(0, 2**64 - 1)
POSITIVE = whole_number(1)
SHARE = number_between(0, 1)


ENGINES = ("process", "celery", "dask")


def add_engine_arguments(parser: CommandParser) -> None:
    """Add `--engine`, `--jobs` and `--scheduler`."""
    parser.add_argument(
        "--engine",
        dest="engine_name",
        choices=ENGINES,
        default="process",
        help="where to compute: this machine, workers of Celery's queue “shards”, or a Dask cluster; does not "
        "affect the result (default: process)",
    )
    parser.add_argument(
        "--jobs",
        type=POSITIVE,
        default=os.cpu_count() or 1,
        help="number of parallel workers; does not affect the result (default: %(default)s on this machine)",
    )
    parser.add_argument(
        "--scheduler",
        metavar="ADDRESS",
        help="with --engine dask: the cluster's scheduler, tcp://host:8786 (default: "
        "DASK_SCHEDULER_ADDRESS, else a cluster of --jobs processes on this machine)",
    )


@contextmanager
def chosen_engine(options: Mapping[str, Any], *, say: Callable[[str], None]) -> Iterator[Engine]:
    """Provide the engine selected by the options, and shut it down afterwards.

    `say` is called with progress messages.

    Raises
    ------
    ValueError
        If an option does not fit the engine.
    EngineError
        If the engine is unavailable.
    """
    name, jobs = options["engine_name"], options["jobs"]
    if options["scheduler"] is not None and name != "dask":
        raise ValueError("--scheduler requires --engine dask")
    if name == "dask":
        from ranking.engines.by_dask import dask_engine

        with dask_engine(scheduler=options["scheduler"], workers=jobs) as engine:
            yield engine
    elif name == "celery":
        # Imported here: the other engines need neither database nor broker.
        from ranking.engines.by_celery import CeleryEngine

        yield CeleryEngine(workers=jobs, say=say)
    else:
        yield ThisMachine(jobs)


_TRUTH = {"yes": True, "true": True, "no": False, "false": False}
_NUMBERS = {int: "whole number", float: "number"}


#: A method, the name of a parameter of it, and the value given for that.
Parameter = tuple[str, str, Any]


def add_parameter_argument(parser: CommandParser) -> None:
    """Add the argument `--parameter`."""
    parser.add_argument(
        "--parameter",
        metavar="METHOD.NAME=VALUE",
        type=_parameter,
        nargs="+",
        action="extend",
        default=[],
        help="override method parameters: " + ", ".join(_defaults()),
    )


def parameters_of(
    given: Iterable[Parameter], methods: Iterable[str]
) -> Mapping[str, Mapping[str, Any]]:
    """Return the parameters given for each method.

    Raises
    ------
    ValueError
        If a parameter is of a method that is not among `methods`, or is given twice.
    """
    found: dict[str, dict[str, Any]] = {name: {} for name in methods}
    for method, parameter, value in given:
        name = f"{method}.{parameter}"
        if method not in found:
            raise ValueError(f"--parameter {name}: method not selected with --method")
        if parameter in found[method]:
            raise ValueError(f"--parameter {name} is given twice")
        found[method][parameter] = value
    return found


def _defaults() -> list[str]:
    """List all parameters with their defaults, in the form of the argument."""
    return [
        f"{name}.{parameter}={_as_text(value)}"
        for name, method in METHODS.items()
        for parameter, value in method.defaults.items()
    ]


def _as_text(value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    return "none" if value is None else str(value)


def _parameter(text: str) -> Parameter:
    name, equals, value = text.partition("=")
    method, dot, parameter = name.partition(".")
    if not (equals and dot):
        raise argparse.ArgumentTypeError(f"{text!r} does not have the form METHOD.NAME=VALUE")
    if method not in METHODS:
        raise argparse.ArgumentTypeError(f"{method!r} is not one of {', '.join(METHODS)}")
    known = METHODS[method].parameter_types
    if parameter not in known:
        raise argparse.ArgumentTypeError(
            f"{method} has no parameter {parameter!r} (parameters: {', '.join(known) or 'none'})"
        )
    return method, parameter, _value(name, value, known[parameter])


def _value(name: str, text: str, type_: Any) -> Any:
    """Parse a value of an annotated type; the error names the expected form."""
    if get_origin(type_) in (Union, types.UnionType):
        if text == "none":
            return None
        (type_,) = (each for each in get_args(type_) if each is not types.NoneType)
    if get_origin(type_) is Literal:
        return _one_of(name, text, {choice: choice for choice in get_args(type_)})
    if type_ is bool:
        return _one_of(name, text, _TRUTH)
    try:
        return type_(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{name}: {text!r} is not a {_NUMBERS[type_]}") from None


def _one_of(name: str, text: str, choices: Mapping[str, Any]) -> Any:
    if text not in choices:
        raise argparse.ArgumentTypeError(f"{name}: {text!r} is not one of {', '.join(choices)}")
    return choices[text]


_NOT_NEGATIVE = number_between(-math.ulp(0), math.inf)


def add_method_argument(parser: CommandParser, default: str) -> None:
    """Add `--method`; without it, it is None."""
    parser.add_argument(
        "--method",
        metavar="M",
        nargs="+",
        action="extend",
        choices=list(METHODS),
        help=f"ranking methods: {', '.join(METHODS)} (default: {default})",
    )


def add_target_arguments(parser: CommandParser, name: str, default: str) -> None:
    """Add the argument of shares of separated pairs, None without it, and `--clusters`."""
    parser.add_argument(
        name,
        metavar="SHARE",
        type=number_between(0, 1, including_high=True),
        nargs="+",
        help=f"target shares of separated pairs (default: {default})",
    )
    parser.add_argument(
        "--clusters",
        metavar="K",
        type=whole_number(2),
        nargs="+",
        default=[],
        help="target numbers of clusters",
    )


def add_model_arguments(parser: CommandParser, *, systems: int | None, noise: float | None) -> None:
    """Add the model's parameters; `systems` and `noise` are their defaults."""
    parser.add_argument(
        "--systems", metavar="N", type=whole_number(2), default=systems, help="number of systems"
    )
    parser.add_argument(
        "--noise",
        metavar="S",
        type=number_between(0, math.inf),
        default=noise,
        help="standard deviation of output quality around system quality (0 to 10)",
    )
    parser.add_argument(
        "--per-block",
        metavar="N",
        type=whole_number(2, 5),
        default=5,
        help="outputs per block (default: 5)",
    )
    parser.add_argument(
        "--tie-radius",
        metavar="D",
        type=_NOT_NEGATIVE,
        default=0.0,
        help="largest quality difference that a judge rates as a tie (default: 0)",
    )
    parser.add_argument(
        "--judge-noise",
        metavar="S",
        type=_NOT_NEGATIVE,
        default=0.0,
        help="standard deviation of a judge's perception (default: 0)",
    )
    parser.add_argument(
        "--segments",
        metavar="N",
        type=POSITIVE,
        help="number of segments in the test set (default: every block has its own segment)",
    )


def model_of(options: Mapping[str, Any]) -> Model:
    """Return the requested model."""
    return Model(
        systems=options["systems"],
        noise=options["noise"],
        per_block=options["per_block"],
        tie_radius=options["tie_radius"],
        judge_noise=options["judge_noise"],
        segments=options["segments"],
    )


_BOOTSTRAP, _TWO_WAY = "bootstrap", "two_way"
_KINDS = (_BOOTSTRAP, _TWO_WAY, "sign_test", "confidence_set", "anytime")
_CORRECTIONS = {
    "none": Correction.NONE,
    "holm": Correction.HOLM,
    "bh": Correction.BENJAMINI_HOCHBERG,
}
_SIDES = {"one": 1, "two": 2}
#: Default unit of --rank-ranges bootstrap without --resample.
_LEVEL_OF_BOOTSTRAP: Level = "blocks"


def add_range_arguments(parser: CommandParser) -> None:
    """Add the arguments that say how rank ranges are made; see `range_changes`."""
    parser.add_argument(
        "--rank-ranges",
        choices=_KINDS,
        help="method for rank ranges: two_way and bootstrap use percentiles of resampled rankings, the others "
        "test pairs of systems (default: two_way; with --resample only, percentiles at that level)",
    )
    parser.add_argument(
        "--resample",
        choices=list(LEVELS),
        help="units that rank ranges treat as independent; two_way accounts for segments and judges (default: "
        "two_way; with --rank-ranges bootstrap: blocks)",
    )
    parser.add_argument(
        "--correction",
        choices=list(_CORRECTIONS),
        help="multiple-testing correction for tests of pairs (default: none; with --rank-ranges anytime: holm)",
    )
    parser.add_argument(
        "--sided",
        choices=list(_SIDES),
        help="one- or two-sided tests of pairs (default: two; with --rank-ranges sign_test: one)",
    )


def range_choice(options: Mapping[str, Any]) -> RangeChoice:
    """Return the requested ranges, completed with defaults.

    Raises
    ------
    RangeChoiceError
        If options contradict each other.
    """
    return completed_choice({**range_changes(options), "confidence": options["confidence"]})


def range_changes(options: Mapping[str, Any]) -> dict[str, Any]:
    """Return the given options as parts of a `RangeChoice`, in plain values.

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
        f"--rank-ranges {kind} and --resample {level} cannot be combined.",
        field="resample",
    )
