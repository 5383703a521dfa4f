"""`clone_campaign`: make a draft like a campaign."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import (
    address_of,
    address_option_add,
    campaign_named,
    invitation_address,
    user_named,
)
from cells.cloning import CloneRefusedError, campaign_clone


class Command(BaseCommand):
    help = (
        "Make a draft with the instructions, quality rules and settings of a campaign. --texts copies its test sets, "
        "with designs; --people its members, and its judges without their work, whose new links are printed."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="SLUG")
        parser.add_argument("slug", metavar="NEW_SLUG")
        parser.add_argument("--name", help="of the clone (default: that of the campaign)")
        parser.add_argument("--by", required=True, metavar="EMAIL", help="who organises it")
        parser.add_argument("--texts", action="store_true")
        parser.add_argument("--people", action="store_true")
        address_option_add(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        source, by = campaign_named(options["campaign"]), user_named(options["by"])
        try:
            clone = campaign_clone(
                source=source,
                slug=options["slug"],
                name=options["name"] or source.name,
                texts=options["texts"],
                people=options["people"],
                by=by,
            )
        except CloneRefusedError as error:
            raise CommandError(str(error)) from error
        self.stdout.write(
            _("“%(slug)s” is a draft of %(rows)d rows, made in %(seconds).1f s.")
            % {
                "slug": clone.campaign.slug,
                "rows": sum(clone.rows.values()),
                "seconds": clone.seconds,
            }
        )
        if clone.links:
            address = address_of(self, options)
            for judge, token in clone.links:
                self.stdout.write(f"{judge}\t{invitation_address(address=address, token=token)}")
