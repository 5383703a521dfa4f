"""`invite`: judges by a link for anybody, or by e-mail."""

import argparse
from datetime import date, datetime, time
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils import timezone
from django.utils.translation import ngettext

from campaign.management.arguments import (
    address_of,
    address_option_add,
    campaign_named,
    expiry_words,
    invitation_address,
    language_argument,
)
from campaign.models import Campaign
from campaign.selectors import languages_without_work
from campaign.services import (
    AddressesRefusedError,
    addresses_read,
    invitation_create_for_anybody,
    judges_invite_by_mail,
)


class Command(BaseCommand):
    help = (
        "Invite judges to a campaign: print a link that brings in so many, or send each address "
        "of a file a link of its own. A printed link is printed once: only its hash is kept."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        how = parser.add_mutually_exclusive_group(required=True)
        how.add_argument(
            "--judges", type=_cap, metavar="N", help="print a link by which so many judges may join"
        )
        how.add_argument(
            "--mail",
            type=argparse.FileType(encoding="utf-8"),
            metavar="FILE",
            help='a file of e-mail addresses, one a line; "-" for standard input',
        )
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument(
            "--languages",
            nargs="+",
            type=language_argument,
            default=[],
            metavar="TAG",
            help="languages the judges read (default: all of the campaign)",
        )
        parser.add_argument(
            "--ask-languages", action="store_true", help="new judges say which of these they read"
        )
        parser.add_argument(
            "--until",
            type=date.fromisoformat,
            metavar="DATE",
            help=f"the link's last day (default: {settings.JUDGE_LINK_DAYS} days from today)",
        )
        parser.add_argument(
            "--note", default="", help="where the link is published; words in the mail"
        )
        parser.add_argument(
            "--language",
            choices=[tag for tag, _name in settings.LANGUAGES],
            default=settings.LANGUAGE_CODE,
            help="language of the messages (default: %(default)s)",
        )
        address_option_add(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        without = languages_without_work(campaign=campaign, languages=options["languages"])
        if without:
            self.stderr.write(without)
        if options["mail"] is None:
            self._link(campaign, options)
        else:
            self._mails(campaign, options)

    def _link(self, campaign: Campaign, options: dict[str, Any]) -> None:
        until = options["until"]
        link, token = invitation_create_for_anybody(
            campaign=campaign,
            cap=options["judges"],
            expires_at=until and timezone.make_aware(datetime.combine(until, time.max)),
            languages=options["languages"],
            asks_languages=options["ask_languages"],
            note=options["note"],
        )
        self.stdout.write(invitation_address(address=address_of(self, options), token=token))
        self.stderr.write(expiry_words(link.expires_at))

    def _mails(self, campaign: Campaign, options: dict[str, Any]) -> None:
        with options["mail"] as file:
            text = file.read()
        try:
            addresses = addresses_read(text)
        except AddressesRefusedError as error:
            raise CommandError("\n".join(error.problems)) from error
        invited = judges_invite_by_mail(
            campaign=campaign,
            addresses=addresses,
            base_url=address_of(self, options),
            languages=options["languages"],
            language=options["language"],
            note=options["note"],
        )
        count = len(invited.mails)
        said = ngettext(
            "%(count)d invitation is waiting for the worker.",
            "%(count)d invitations are waiting for the worker.",
            count,
        )
        self.stdout.write(said % {"count": count})
        for address in invited.known:
            self.stderr.write(f"{address}: invited before, left alone")


def _cap(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1 on")
    return int(text)
