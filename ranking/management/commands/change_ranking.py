"""`change_ranking`: rank a test set by another method, or make its rank ranges in another way."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import group_or_none, protocol_option_add, task_asked, user_named
from ranking.management.arguments import SHARE
from ranking.management.range_arguments import add_range_arguments, range_changes
from ranking.models import RankingSettings
from ranking.range_choices import RangeChoiceError
from ranking.services import ranking_settings_change
from ranking.services.settings import Unchanged


class Command(BaseCommand):
    help = (
        "Change by which method a test set is ranked, and how its rank ranges are made. Options that are not given stay as they "
        "are, unless --rank-ranges changes. The change is recorded, and the worker ranks again; "
        "earlier rankings keep their ranges."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        protocol_option_add(parser)
        parser.add_argument("--by", metavar="EMAIL", help="who changes it, for the record")
        parser.add_argument(
            "--method",
            choices=RankingSettings.Method.values,
            help="rank by this method; by_design: by Expected Wins, or by Bradley–Terry once an active "
            "design chose pairs",
        )
        parser.add_argument(
            "--reason", default="", help="why, for the record; it is published with results"
        )
        add_range_arguments(parser)
        parser.add_argument("--confidence", type=SHARE, help="confidence of the rank ranges")
        parser.add_argument(
            "--judge-group",
            metavar="NAME|none",
            help="count only judgments of the judges of this group",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_asked(options)
        by = user_named(options["by"]) if options["by"] else None
        try:
            changes = range_changes(options)
            if options["confidence"] is not None:
                changes["confidence"] = options["confidence"]
            settings = ranking_settings_change(
                task=task,
                changed_by=by,
                method=options["method"],
                reason=options["reason"],
                judge_group=Unchanged.GROUP
                if options["judge_group"] is None
                else group_or_none(task.test_set.campaign, options["judge_group"]),
                **changes,
            )
        except RangeChoiceError as error:
            raise CommandError(str(error)) from error
        if options["verbosity"]:
            parts = {**settings.choice.recorded, "method": settings.method}
            said = ", ".join(f"{name}={value}" for name, value in parts.items())
            self.stdout.write(
                _("From now on rank ranges of “%(task)s” are made with %(said)s.")
                % {"task": task.test_set.name, "said": said}
            )
            if settings.judge_group is not None:
                self.stdout.write(
                    _("Only judgments of judges of “%(group)s” count.")
                    % {"group": settings.judge_group.name}
                )
