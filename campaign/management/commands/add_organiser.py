"""`add_organiser`: add a member to a campaign and print or mail their sign-in link."""

from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser

from campaign.management.arguments import (
    CommandOptions,
    address_of,
    address_option_add,
    campaign_named,
    days_argument,
    expiry_words,
    invitation_address,
)
from campaign.management.files import refusals_as_errors
from campaign.models import Campaign, MembershipRole
from campaign.services.members import member_invite, member_invite_by_mail
from campaign.services.notification import Message


class Command(BaseCommand):
    help = (
        "Add a member to a campaign by e-mail address and print their sign-in link. The first member becomes "
        "the owner. The link is shown only once; its expiry goes to standard error. With --mail, send an "
        "invitation by e-mail instead."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("email", metavar="EMAIL")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument(
            "--name",
            default="",
            help="name shown to others (default: the address)",
        )
        parser.add_argument(
            "--role",
            choices=MembershipRole.values,
            help="role, also for existing members (default: organiser, or the current role if higher)",
        )
        parser.add_argument(
            "--mail",
            action="store_true",
            help="send an invitation by e-mail instead of printing a link; not possible for members",
        )
        parser.add_argument("--note", default="", help="personal note in the e-mail")
        parser.add_argument(
            "--language",
            choices=[tag for tag, _name in settings.LANGUAGES],
            default=settings.LANGUAGE_CODE,
            help="language of the e-mail (default: %(default)s)",
        )
        parser.add_argument(
            "--days",
            type=days_argument,
            metavar="N",
            help=f"how long the link is valid (default: {settings.ORGANISER_LINK_DAYS})",
        )
        address_option_add(parser)

    @refusals_as_errors()
    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        role = options["role"] and MembershipRole(options["role"])
        if options["mail"]:
            self._mail(campaign, role or MembershipRole.ORGANISER, options)
        else:
            self._link(campaign, role, options)

    def _mail(
        self,
        campaign: Campaign,
        role: MembershipRole,
        options: CommandOptions,
    ) -> None:
        if options["days"]:
            raise CommandError("--days cannot be combined with --mail.")
        mail = member_invite_by_mail(
            campaign=campaign,
            email=options["email"],
            name=options["name"],
            role=role,
            message=Message(
                base_url=address_of(self, options),
                language=options["language"],
                note=options["note"],
            ),
        )
        self.stdout.write(f"{mail.address}: the invitation is waiting for the worker.")

    def _link(
        self,
        campaign: Campaign,
        role: MembershipRole | None,
        options: CommandOptions,
    ) -> None:
        link, token = member_invite(
            campaign=campaign,
            email=options["email"],
            name=options["name"],
            role=role,
            expires_at=options["days"],
        )
        self.stdout.write(
            invitation_address(address=address_of(self, options), token=token),
        )
        self.stderr.write(expiry_words(link.expires_at))
