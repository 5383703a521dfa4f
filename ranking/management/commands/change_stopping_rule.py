"""`change_stopping_rule`: say when judging of a test set is to end."""

import argparse
from datetime import date
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import protocol_option_add, task_asked, user_named
from ranking.management.arguments import POSITIVE, SHARE, number_between, whole_number
from ranking.models import StoppingRule
from ranking.services import StoppingRuleError, stopping_rule_set
from ranking.wording.stopping_rules import moment_in_words, rule_in_words


class Command(BaseCommand):
    help = (
        "Say when judging of a test set is to end: at whichever criterion is first. The rule takes the place "
        "of the one before, and without a criterion there is none any more. After the first judgment it needs "
        "a reason. Nothing is closed by it."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        protocol_option_add(parser)
        parser.add_argument("--by", metavar="EMAIL", help="who sets it, for the record")
        parser.add_argument("--judgments", type=POSITIVE, help="stop at so many judgments")
        parser.add_argument(
            "--pairs",
            type=number_between(0, 100, including_high=True),
            metavar="PERCENT",
            help="stop when so many per cent of the pairs are told apart",
        )
        parser.add_argument("--clusters", type=whole_number(2), help="stop at so many clusters")
        parser.add_argument("--until", type=_day, metavar="YYYY-MM-DD", help="stop on this day")
        parser.add_argument(
            "--tests",
            choices=StoppingRule.Tests.values,
            default=StoppingRule.Tests.HOLM.value,
            help="tell pairs apart by tests corrected by Holm, or by ranges that hold at any time "
            "(default: holm)",
        )
        parser.add_argument("--confidence", type=SHARE, default=0.95)
        parser.add_argument("--reason", default="", help="why; it is published with results")

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_asked(options)
        pairs = options["pairs"]
        try:
            rule = stopping_rule_set(
                task=task,
                changed_by=user_named(options["by"]) if options["by"] else None,
                pairs_share=None if pairs is None else round(pairs / 100, 8),
                **{
                    name: options[name]
                    for name in (
                        *("judgments", "clusters", "until", "tests", "confidence", "reason"),
                    )
                },
            )
        except StoppingRuleError as error:
            raise CommandError(str(error)) from error
        if not options["verbosity"]:
            return
        if rule is None:
            self.stdout.write(_("There is no stopping rule."))
            return
        self.stdout.write(
            _("%(rule)s Set %(moment)s.")
            % {
                "rule": rule_in_words(rule.recorded),
                "moment": moment_in_words(rule.after_judgments),
            }
        )


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day like 2026-12-12") from None
