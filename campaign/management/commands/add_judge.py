"""`add_judge`: add a judge to a campaign, or print another link for a judge."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from campaign.management.arguments import (
    address_of,
    address_option_add,
    campaign_named,
    days_argument,
    expiry_words,
    invitation_address,
    judge_named,
    language_argument,
)
from campaign.management.files import refusals_as_errors
from campaign.selectors.tasks import languages_without_work
from campaign.services.judges import judge_add, judge_link_create


class Command(BaseCommand):
    help = (
        "Add a judge to a campaign and print their sign-in link. It is shown only once. Its expiry goes to "
        "standard error."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "pseudonym",
            metavar="PSEUDONYM",
            help="pseudonym shown to others",
        )
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--name", default="", help="name the judge is addressed by")
        parser.add_argument(
            "--languages",
            nargs="+",
            type=language_argument,
            default=[],
            metavar="TAG",
            help="languages the judge reads (default: all languages of the campaign)",
        )
        parser.add_argument(
            "--new-link",
            action="store_true",
            help="print another link for an existing judge; previous links stay valid",
        )
        parser.add_argument(
            "--days",
            type=days_argument,
            metavar="N",
            help=f"how long the link is valid (default: {settings.JUDGE_LINK_DAYS})",
        )
        address_option_add(parser)

    @refusals_as_errors()
    @transaction.atomic
    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        pseudonym = options["pseudonym"]
        languages = options["languages"]
        if options["new_link"] and (options["name"] or languages):
            raise CommandError(
                "--name and --languages cannot be combined with --new-link.",
            )
        if options["new_link"]:
            judge = judge_named(campaign=campaign, pseudonym=pseudonym)
        else:
            judge = judge_add(
                campaign=campaign,
                pseudonym=pseudonym,
                name=options["name"],
                languages=languages,
            )
        link, token = judge_link_create(judge=judge, expires_at=options["days"])
        self.stdout.write(
            invitation_address(address=address_of(self, options), token=token),
        )
        self.stderr.write(expiry_words(link.expires_at))
        without = languages_without_work(
            campaign=campaign,
            languages=languages,
            judge=pseudonym,
        )
        if without:
            self.stderr.write(without)
