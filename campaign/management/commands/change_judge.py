"""`change_judge`: what a judge reads, knows and must not see; a new link."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from campaign.management.arguments import (
    NONE,
    address_of,
    address_option_add,
    campaign_named,
    days_argument,
    expiry_words,
    group_named,
    invitation_address,
    judge_named,
    languages_argument,
    systems_named,
    tags_argument,
)
from campaign.models import Campaign, JudgeGroup
from campaign.selectors import languages_without_work
from campaign.services import (
    PersonRefusedError,
    judge_change,
    judge_invite,
    judge_links_revoke,
    judge_readmit,
)


class Command(BaseCommand):
    help = "Change a judge of a campaign. What is not named stays as it is."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pseudonym", metavar="PSEUDONYM")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument(
            "--languages",
            nargs="+",
            type=languages_argument,
            metavar="TAG",
            help=f'languages the judge reads; "{NONE}": all of the campaign',
        )
        parser.add_argument("--expertise", type=tags_argument, metavar="TAG,…|none")
        parser.add_argument(
            "--conflict",
            action="append",
            default=[],
            metavar="SYSTEM",
            help="from now on show them no output of this system; may be given more than once",
        )
        parser.add_argument(
            "--no-conflict",
            action="append",
            default=[],
            metavar="SYSTEM",
            help="take a conflict back; may be given more than once",
        )
        parser.add_argument(
            "--groups",
            nargs="+",
            metavar="NAME",
            help=f'put them into these groups and out of all others; "{NONE}": out of all',
        )
        parser.add_argument(
            "--readmit",
            action="store_true",
            help="let them in again after `revoke_credentials --judge`",
        )
        parser.add_argument(
            "--new-link", action="store_true", help="print a further link for this judge"
        )
        parser.add_argument(
            "--end-other-links",
            action="store_true",
            help="with --new-link: the judge lost theirs, so end them; signed-in browsers stay so",
        )
        parser.add_argument(
            "--days",
            type=days_argument,
            metavar="N",
            help=f"how long the link is valid (default: {settings.JUDGE_LINK_DAYS})",
        )
        address_option_add(parser)

    @transaction.atomic
    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        judge = judge_named(campaign=campaign, pseudonym=options["pseudonym"])
        languages = options["languages"]
        judge_change(
            judge=judge,
            languages=[] if languages == [NONE] else languages,
            expertise=options["expertise"],
            conflicts=[
                system
                for name in options["conflict"]
                for system in systems_named(campaign=campaign, name=name)
            ],
            no_conflicts=[
                system
                for name in options["no_conflict"]
                for system in systems_named(campaign=campaign, name=name)
            ],
            groups=_groups(campaign, options["groups"]),
        )
        without = languages_without_work(
            campaign=campaign, languages=judge.languages, judge=judge.pseudonym
        )
        if languages is not None and without:
            self.stderr.write(without)
        if options["readmit"]:
            judge_readmit(judge=judge)
        if options["new_link"]:
            if options["end_other_links"]:
                judge_links_revoke(judge=judge)
            try:
                link, token = judge_invite(judge=judge, expires_at=options["days"])
            except PersonRefusedError as error:
                raise CommandError(str(error)) from error
            self.stdout.write(invitation_address(address=address_of(self, options), token=token))
            self.stderr.write(expiry_words(link.expires_at))


def _groups(campaign: Campaign, names: list[str] | None) -> list[JudgeGroup] | None:
    if names is None:
        return None
    return [group_named(campaign=campaign, name=name) for name in names if name != NONE]
