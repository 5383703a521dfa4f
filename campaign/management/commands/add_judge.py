"""`add_judge`: a new judge of a campaign, or those of a list, and the links that lead them to their work."""

import argparse
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from campaign.export.judge_links import judge_links, judge_links_csv
from campaign.formats import FormatError
from campaign.formats.judge_lists import judge_list_decode, judge_list_read
from campaign.management.arguments import (
    address_of,
    address_option_add,
    campaign_named,
    days_argument,
    expiry_words,
    group_named,
    invitation_address,
    language_argument,
    systems_named,
    tags_argument,
)
from campaign.models import Campaign
from campaign.selectors import languages_without_work
from campaign.services import (
    CheckedList,
    JudgeListRefusedError,
    MailTerms,
    PersonRefusedError,
    RowState,
    judge_add,
    judge_change,
    judge_invite,
    judge_list_add,
    judge_list_check,
)


class Command(BaseCommand):
    help = (
        "Add a judge to a campaign and print the link that leads them to their work. The link is "
        "printed once: only its hash is kept. When it expires is said on standard error. With --file "
        "all judges of a list, or none, and their links as CSV."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "pseudonym", nargs="?", metavar="PSEUDONYM", help="name that everybody else sees"
        )
        parser.add_argument(
            "--file",
            type=argparse.FileType("rb"),
            metavar="FILE",
            help="add the judges of a list: addresses one a line, or CSV whose header names some of "
            'email, name, languages, expertise, groups, conflicts; "-" for standard input',
        )
        parser.add_argument(
            "--check",
            action="store_true",
            help="with --file: say what each row would do, and change nothing",
        )
        parser.add_argument(
            "--mail",
            action="store_true",
            help="with --file: send each their link by e-mail instead of printing it",
        )
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--name", default="", help="name the judge is greeted by")
        parser.add_argument(
            "--languages",
            nargs="+",
            type=language_argument,
            default=[],
            metavar="TAG",
            help="languages the judge reads (default: all of the campaign)",
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
            "--group",
            action="append",
            default=[],
            metavar="NAME",
            help="put them into this group; may be given more than once",
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
        if (options["pseudonym"] is None) == (options["file"] is None):
            raise CommandError(_("Give either a pseudonym or --file."))
        if options["file"] is not None:
            self._list(campaign, options)
            return
        groups = [group_named(campaign=campaign, name=name) for name in options["group"]]
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
        judge_change(judge=judge, conflicts=conflicts, groups=groups)
        link, token = judge_invite(judge=judge, expires_at=options["days"])
        self.stdout.write(invitation_address(address=address_of(self, options), token=token))
        self.stderr.write(expiry_words(link.expires_at))
        without = languages_without_work(
            campaign=campaign, languages=judge.languages, judge=judge.pseudonym
        )
        if without:
            self.stderr.write(without)

    def _list(self, campaign: Campaign, options: dict[str, Any]) -> None:
        try:
            with options["file"] as file:
                judges = judge_list_read(judge_list_decode(file.read()))
            if options["check"]:
                self._say(judge_list_check(campaign=campaign, judges=judges))
                return
            base_url = address_of(self, options)
            mail = MailTerms(base_url=base_url) if options["mail"] else None
            added = judge_list_add(campaign=campaign, judges=judges, mail=mail)
        except FormatError as error:
            raise CommandError(str(error)) from error
        except JudgeListRefusedError as error:
            self._say(error.checked)
            raise CommandError(str(error)) from error
        links = judge_links(added, base_url=base_url)
        if links:
            self.stdout.write(judge_links_csv(links), ending="")
        if added.expires_at is not None:
            self.stderr.write(expiry_words(added.expires_at))
        count = len(added.judges)
        said = ngettext("%(count)d judge was added.", "%(count)d judges were added.", count)
        self.stderr.write(said % {"count": count})

    def _say(self, checked: CheckedList) -> None:
        """Write a line for each row: its number, what it would do, its address, and why not."""
        for row in checked.rows:
            cells = (str(row.row.line), row.state.value, row.row.address, *row.problems)
            self.stderr.write("\t".join(cells))
        self.stderr.write(", ".join(f"{len(checked.of(state))} {state}" for state in RowState))
        for column in checked.ignored:
            said = _("These columns mean nothing here and are left aside: %(columns)s.")
            self.stderr.write(said % {"columns": column})
