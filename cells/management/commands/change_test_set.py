"""`change_test_set`: how much is to be judged of a test set, and by whom; which languages it is in; rules of a task."""

import argparse
import json
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils.translation import gettext as _

from annotation.services import task_rules_change, task_segments_again_change
from campaign.management.arguments import (
    language_argument,
    limit_argument,
    protocol_option_add,
    tags_argument,
    task_asked,
)
from campaign.models import Task
from campaign.services import RulesRefusedError, task_change
from campaign.services.rules import QuotasAndLanguages
from campaign.texts.language_tags import LanguageTagError
from campaign.texts.languages import language_name
from cells.management.arguments import rule_option_add, rules_asked


class Command(BaseCommand):
    help = (
        "Change the quotas of a test set, the expertise asked of its judges, what its protocol leaves to "
        "choose until it is lent or, before the first judgment, its languages. What is not named stays as it is; what is planned or judged already stays too."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        protocol_option_add(parser)
        parser.add_argument(
            "--blocks-wanted",
            type=limit_argument,
            metavar="N|none",
            help="blocks wanted in all, repeats included",
        )
        parser.add_argument(
            "--blocks-per-segment",
            type=limit_argument,
            metavar="N|none",
            help="blocks wanted for each segment, repeats included",
        )
        parser.add_argument(
            "--expertise",
            type=tags_argument,
            metavar="TAG,…|none",
            help="lend it only to judges who have all of these",
        )
        rule_option_add(parser)
        parser.add_argument(
            "--segments-again",
            action=argparse.BooleanOptionalAction,
            help="let judges meet segments in the task that others of the test set showed them, until it is lent",
        )
        for side in ("source", "target"):
            parser.add_argument(
                f"--{side}-language",
                type=language_argument,
                metavar="TAG",
                help=f"correct its {side} language, until its first judgment",
            )

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_asked(options)
        changes: QuotasAndLanguages = {}
        if options["blocks_wanted"] is not None:
            changes["blocks_wanted"] = _limit(options["blocks_wanted"])
        if options["blocks_per_segment"] is not None:
            changes["blocks_per_segment"] = _limit(options["blocks_per_segment"])
        if options["expertise"] is not None:
            changes["expertise"] = options["expertise"]
        if options["source_language"] is not None:
            changes["source_language"] = options["source_language"]
        if options["target_language"] is not None:
            changes["target_language"] = options["target_language"]
        rules = rules_asked(options)
        try:
            with transaction.atomic():
                task_rules_change(task=task, rules=rules)
                _segments_again_change(task, options["segments_again"])
                changed = task_change(task=task, **changes)
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from error
        except (LanguageTagError, RulesRefusedError) as error:
            raise CommandError(str(error)) from error
        if options["verbosity"]:
            self.stdout.write(
                _(
                    "“%(name)s”, from %(source)s into %(target)s: %(wanted)s blocks in all, %(segment)s a "
                    "segment, for %(expertise)s."
                )
                % {
                    "name": changed.test_set.name,
                    "source": language_name(changed.test_set.source_language),
                    "target": language_name(changed.test_set.target_language),
                    "wanted": changed.blocks_wanted or "∞",
                    "segment": changed.blocks_per_segment or "∞",
                    "expertise": ", ".join(changed.test_set.expertise) or "everybody",
                }
            )
            for name in rules:
                self.stdout.write(f"{name}: {json.dumps(task.rules.get(name))}")


def _segments_again_change(task: Task, segments_again: bool | None) -> None:
    if segments_again is not None:
        task_segments_again_change(task=task, segments_again=segments_again)


def _limit(value: int | str) -> int | None:
    return None if isinstance(value, str) else value
