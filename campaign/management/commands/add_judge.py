"""`add_judge`: a new judge of a campaign, and the link that leads them to their work."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from campaign.management.arguments import (
    address_option_add,
    campaign_named,
    days_argument,
    expiry_words,
    invitation_address,
    systems_named,
    tags_argument,
)
from campaign.services import PersonRefusedError, judge_add, judge_change, judge_invite


class Command(BaseCommand):
    help = (
        "Add a judge to a campaign and print the link that leads them to their work. The link is "
        "printed once: only its hash is kept. When it expires is said on standard error."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pseudonym", metavar="PSEUDONYM", help="name that everybody else sees")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--name", default="", help="name the judge is greeted by")
        parser.add_argument(
            "--languages",
            nargs="+",
            default=[],
            metavar="TAG",
            help="languages the judge reads, as the test sets spell them (default: all of the campaign)",
        )
        parser.add_argument(
            "--expertise",
            type=tags_argument,
            default=[],
            metavar="TAG,…",
            help="fields the judge knows",
        )
        parser.add_argument(
            "--conflict",
            action="append",
            default=[],
            metavar="SYSTEM",
            help="show them no output of this system; may be given more than once",
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
        conflicts = [
            system
            for name in options["conflict"]
            for system in systems_named(campaign=campaign, name=name)
        ]
        try:
            judge = judge_add(
                campaign=campaign,
                pseudonym=options["pseudonym"],
                name=options["name"],
                languages=options["languages"],
                expertise=options["expertise"],
            )
        except PersonRefusedError as error:
            raise CommandError(str(error)) from error
        judge_change(judge=judge, conflicts=conflicts)
        link, token = judge_invite(judge=judge, expires_at=options["days"])
        self.stdout.write(invitation_address(address=options["address"], token=token))
        self.stderr.write(expiry_words(link.expires_at))
