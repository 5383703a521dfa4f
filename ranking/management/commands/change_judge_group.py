"""`change_judge_group`: make, change, fill and delete groups of judges."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils.translation import gettext as _

from campaign.management.arguments import (
    NONE,
    campaign_named,
    group_named,
    judge_named,
    limit_argument,
)
from campaign.models import Campaign, JudgeGroup
from campaign.services import (
    JudgeGroupRefusedError,
    judge_group_change,
    judge_group_create,
    judge_group_members_change,
)
from ranking.selectors.group_uses import groups_listed
from ranking.services.judge_groups import JudgeGroupInUseError, judge_group_delete


class Command(BaseCommand):
    help = (
        "Make, change, fill or delete a group of judges, and print the groups of the campaign. "
        "What is not named stays as it is."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", metavar="NAME", help="without it: print the groups")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--new", action="store_true", help="make it")
        parser.add_argument("--rename", metavar="NAME")
        parser.add_argument(
            "--blocks-per-judge",
            type=limit_argument,
            metavar="N|none",
            help="blocks asked of each of its judges, in all; none: what the campaign asks",
        )
        parser.add_argument("--add", nargs="+", default=[], metavar="PSEUDONYM")
        parser.add_argument("--remove", nargs="+", default=[], metavar="PSEUDONYM")
        parser.add_argument(
            "--delete", action="store_true", help="delete it; its judges stay judges"
        )

    @transaction.atomic
    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        if options["name"] is not None:
            try:
                self._change(campaign, options)
            except (JudgeGroupRefusedError, JudgeGroupInUseError) as error:
                raise CommandError(str(error)) from error
        if options["verbosity"]:
            for row in groups_listed(campaign=campaign):
                said = _("%(name)s: %(judges)d judges, %(blocks)s blocks asked of each.") % {
                    "name": row.group.name,
                    "judges": row.judges,
                    "blocks": row.group.blocks_asked or NONE,
                }
                self.stdout.write(" ".join((said, *row.uses)))

    def _change(self, campaign: Campaign, options: dict[str, Any]) -> None:
        group = _group(campaign, options)
        if options["delete"]:
            judge_group_delete(group=group)
            return
        limit = options["blocks_per_judge"]
        if limit is not None or options["rename"]:
            blocks = group.blocks_asked if limit is None else limit
            judge_group_change(
                group=group,
                name=options["rename"] or group.name,
                blocks_asked=None if blocks == NONE else blocks,
            )
        judges = {
            name: [judge_named(campaign=campaign, pseudonym=each) for each in options[name]]
            for name in ("add", "remove")
        }
        judge_group_members_change(group=group, **judges)


def _group(campaign: Campaign, options: dict[str, Any]) -> JudgeGroup:
    if options["new"]:
        return judge_group_create(campaign=campaign, name=options["name"])
    return group_named(campaign=campaign, name=options["name"])
