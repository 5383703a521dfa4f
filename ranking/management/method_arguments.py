"""Parameters of ranking methods on the command line: `--parameter METHOD.NAME=VALUE`."""

from __future__ import annotations

import argparse
import types
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal, Union, get_args, get_origin

from django.core.management.base import CommandParser
from django.utils.translation import gettext as _

from ranking.core.methods.registry import METHODS

_TRUTH = {"yes": True, "true": True, "no": False, "false": False}
_NUMBERS = {int: "whole number", float: "number"}


@dataclass(frozen=True)
class Parameter:
    """A value given for a parameter of a method."""

    method: str
    name: str
    value: Any


def add_parameter_argument(parser: CommandParser) -> None:
    """Add the argument `--parameter`."""
    parser.add_argument(
        "--parameter",
        metavar="METHOD.NAME=VALUE",
        type=_parameter,
        nargs="+",
        action="extend",
        default=[],
        help="parameters of the methods, instead of their own: " + ", ".join(_defaults()),
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
    for parameter in given:
        name = f"{parameter.method}.{parameter.name}"
        if parameter.method not in found:
            raise ValueError(
                _("--parameter %(name)s: this method was not requested, see --method")
                % {"name": name}
            )
        if parameter.name in found[parameter.method]:
            raise ValueError(_("--parameter %(name)s is given twice") % {"name": name})
        found[parameter.method][parameter.name] = parameter.value
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
        raise argparse.ArgumentTypeError(f"{text!r} is not of the form METHOD.NAME=VALUE")
    if method not in METHODS:
        raise argparse.ArgumentTypeError(f"{method!r} is none of {', '.join(METHODS)}")
    known = METHODS[method].parameter_types
    if parameter not in known:
        raise argparse.ArgumentTypeError(
            f"{method} has no parameter {parameter!r} (it has: {', '.join(known) or 'none'})"
        )
    return Parameter(method, parameter, _value(name, value, known[parameter]))


def _value(name: str, text: str, type_: Any) -> Any:
    """Read a value of an annotated type, or say what it should be."""
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
        raise argparse.ArgumentTypeError(f"{name}: {text!r} is no {_NUMBERS[type_]}") from None


def _one_of(name: str, text: str, choices: Mapping[str, Any]) -> Any:
    if text not in choices:
        raise argparse.ArgumentTypeError(f"{name}: {text!r} is none of {', '.join(choices)}")
    return choices[text]
