"""Rules of a task on the command line."""

import argparse
import json
from typing import Any

from django.core.management.base import CommandParser


def rule_option_add(parser: CommandParser) -> None:
    """Add `--rule NAME=VALUE`, for as many rules as one likes."""
    parser.add_argument(
        "--rule",
        type=rule_argument,
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="what its protocol leaves to choose, such as four_answers=true, until judges are lent a HIT of it; once "
        "for each rule",
    )


def rules_asked(options: dict[str, Any]) -> dict[str, Any]:
    """Return the rules that `--rule` named."""
    return dict(options["rule"])


def rule_argument(text: str) -> tuple[str, Any]:
    """Return the name of a rule and its value: JSON, or else the text itself."""
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"{text!r} is not NAME=VALUE")
    try:
        return name, json.loads(value, parse_constant=str)
    except ValueError:
        return name, value
