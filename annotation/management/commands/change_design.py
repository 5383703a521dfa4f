"""`change_design`: draw the HITs of a test set in another way from now on."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from annotation.models import Design
from annotation.sampling.written import WrittenWrongError, limits_read, numbers_read
from annotation.selectors.design_effects import design_needs_in_words
from annotation.selectors.judge_changes import group_only_in_words
from annotation.selectors.reference_use import reference_use_of_task
from annotation.services import DesignRefusedError, design_change
from annotation.services.planning.designs import PARAMETERS
from campaign.management.arguments import group_or_none, protocol_option_add, task_asked, user_named

_DRAWN = [kind.value for kind in Design.Kind if kind is not Design.Kind.IMPORTED]


class Command(BaseCommand):
    help = (
        "Change how the HITs of a test set are drawn. What is not named stays as it is; HITs that "
        "are planned already stay too. The change is recorded."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        protocol_option_add(parser)
        parser.add_argument("--by", metavar="EMAIL", help="who changes it, for the record")
        parser.add_argument("--kind", choices=_DRAWN)
        parser.add_argument("--seed", type=int, metavar="N")
        parser.add_argument(
            "--systems-per-block", type=int, metavar="N", help="candidates in a block, 2 to 26"
        )
        parser.add_argument("--segments-per-hit", type=int, metavar="N")
        parser.add_argument("--segment-order", choices=Design.Order.values)
        parser.add_argument(
            "--documents",
            type=_numbers,
            metavar="1,4-7|all",
            help="judge these documents only, by position",
        )
        parser.add_argument(
            "--segments",
            type=_numbers,
            metavar="1,4-7|all",
            help="judge these segments only, by number",
        )
        parser.add_argument(
            "--systems",
            nargs="+",
            metavar="NAME",
            help='draw these systems only, as many as a block shows at least; "all": every system',
        )
        parser.add_argument(
            "--reference-rate",
            type=_rate,
            metavar="RATE|system",
            help='share of blocks that hold the reference; 0: never; "system": as one more system',
        )
        parser.add_argument(
            "--rank-shown-reference",
            action="store_true",
            help="with --reference-rate: let judges rank the reference although they see it",
        )
        parser.add_argument(
            "--bad-reference-rate",
            type=float,
            metavar="RATE",
            help="share of blocks that hold a damaged reference",
        )
        parser.add_argument(
            "--attention-every",
            type=int,
            metavar="N",
            help="lend each judge a HIT with an attention check every N HITs on average, by chance; "
            "0: as chance brings them at the rate",
        )
        parser.add_argument(
            "--length-limits",
            type=_limits,
            metavar="WORDS:N,…|none",
            help="show at most N candidates for segments of at least so many words",
        )
        parser.add_argument("--normalisation", choices=Design.Sameness.values)
        parser.add_argument(
            "--active-floor",
            type=float,
            metavar="SHARE",
            help="share of an active design's blocks that is drawn as in a balanced one",
        )
        parser.add_argument(
            "--inter-share",
            type=float,
            metavar="SHARE",
            help="share of HITs repeated by another judge",
        )
        parser.add_argument(
            "--intra-share",
            type=float,
            metavar="SHARE",
            help="share of HITs repeated by the same judge",
        )
        parser.add_argument(
            "--repeat-gap",
            type=int,
            metavar="N",
            help="HITs between a HIT and its repeat by the same judge",
        )
        parser.add_argument(
            "--redundancy", type=int, metavar="K", help="number of judges for each block, 1 to 50"
        )
        parser.add_argument(
            "--judge-group",
            metavar="NAME|none",
            help="lend HITs of the test set to judges of this group only",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_asked(options)
        chosen = {
            name: None if options[name] == _LIKE_A_SYSTEM else options[name]
            for name in PARAMETERS
            if options[name] is not None
        }
        if chosen.get("systems") == [_ALL]:
            chosen["systems"] = []
        if "judge_group" in chosen:
            chosen["judge_group"] = group_or_none(task.test_set.campaign, options["judge_group"])
        try:
            design = design_change(
                task=task,
                changed_by=options["by"] and user_named(options["by"]),
                rank_shown_reference=options["rank_shown_reference"],
                **chosen,
            )
        except DesignRefusedError as error:
            raise CommandError(str(error)) from error
        if options["verbosity"]:
            said = ", ".join(f"{name}={getattr(design, name)}" for name in PARAMETERS)
            self.stdout.write(
                _("From now on HITs of “%(task)s” are drawn by design %(id)d: %(said)s.")
                % {"task": task.test_set.name, "id": design.pk, "said": said}
            )
            if design.judge_group is not None:
                for sentence in group_only_in_words(task=task, group=design.judge_group):
                    self.stdout.write(sentence)
            for sentence in design_needs_in_words(task=task):
                self.stdout.write(sentence)
            for sentence in reference_use_of_task(task=task):
                self.stdout.write(sentence)


# None is an option that was not given.
_LIKE_A_SYSTEM = "system"
_ALL = "all"


def _numbers(text: str) -> list[int]:
    try:
        return numbers_read(text)
    except WrittenWrongError as error:
        raise argparse.ArgumentTypeError(
            f"{error.part!r} is neither a number from 1 on nor a range like 4-7"
        ) from None


def _rate(text: str) -> float | str:
    if text == _LIKE_A_SYSTEM:
        return text
    try:
        return float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(
            f'{text!r} is neither a rate from 0 to 1 nor "{_LIKE_A_SYSTEM}"'
        ) from None


def _limits(text: str) -> list[list[int]]:
    try:
        return limits_read(text)
    except WrittenWrongError as error:
        raise argparse.ArgumentTypeError(
            f"{error.part!r} is not of the form WORDS:N, such as 30:3"
        ) from None
