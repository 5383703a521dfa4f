"""What the commands share that ask something of the judgments in the database."""

import argparse
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from ranking.analyses import OptionError
from ranking.management.file_command import (
    add_report_arguments,
    checked_output,
    refuse,
    report_write,
)
from ranking.management.output import Progress
from ranking.models import Analysis
from ranking.reports import Report
from ranking.selectors.analyses import answer_with_data
from ranking.services.analyses import AnalysisRefusedError, analysis_compute


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


class QuestionCommand(BaseCommand):
    """A command that asks something, and writes the report of the answer."""

    @abstractmethod
    def asked(self, given: dict[str, Any], options: dict[str, Any]) -> Analysis | Report:
        """Return the question, or the report of what is stored anyway; `given` are the options of the kind."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        add_report_arguments(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        output = checked_output(options["output"])
        try:
            found = self.asked(given_options(options["option"]), options)
            if isinstance(found, Analysis) and found.finished_at is None:
                with Progress(self.stderr, quiet=not options["verbosity"]) as progress:
                    found = analysis_compute(analysis=found, begin=progress.begin)
        except OptionError as error:
            refuse(f"{error.field}: {error}", error)
        except AnalysisRefusedError as error:
            raise CommandError(str(error)) from error
        report = answer_with_data(found) if isinstance(found, Analysis) else found
        report_write(self, report, options["format"], output)


def add_option_argument(parser: CommandParser, words: str) -> None:
    """Add the argument of options of a kind."""
    parser.add_argument(
        "--option",
        metavar="NAME=VALUE",
        type=option_argument,
        nargs="+",
        action="extend",
        default=[],
        help=f"{words}, for instance method=bradley_terry; one that may have several values is given several "
        "times. An unknown one is answered with those there are",
    )
