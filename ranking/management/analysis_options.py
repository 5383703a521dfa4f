"""Options of analyses and tables on the command line."""

import argparse
from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext as _


def option_argument(text: str) -> tuple[str, str]:
    """Return the name and the value of an option."""
    name, equals, value = text.partition("=")
    if not (name and equals):
        raise argparse.ArgumentTypeError(
            _("%(text)s is not of the form NAME=VALUE") % {"text": repr(text)}
        )
    return name, value


def given_options(options: Sequence[tuple[str, str]]) -> dict[str, Any]:
    """Return options by name; those given several times with all values."""
    given: dict[str, Any] = {}
    for name, value in options:
        if name in given:
            before = given[name] if isinstance(given[name], list) else [given[name]]
            given[name] = [*before, value]
        else:
            given[name] = value
    return given
