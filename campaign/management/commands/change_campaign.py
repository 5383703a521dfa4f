"""`change_campaign`: what is asked of every judge of a campaign."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import campaign_named, limit_argument
from campaign.models import Campaign
from campaign.services import RulesRefusedError, campaign_change
from campaign.services.rules import TERMS, Rules

_SWITCHES = {
    "show_source": "show judges the source",
    "show_reference": "show judges the reference",
    "tour": "let new judges try the page on practice sentences first",
}
_TERMS = {
    "pay": "what judges get",
    "duration": "how long the work takes",
    "contact": "whom judges may ask",
}


class Command(BaseCommand):
    help = "Change the rules of a campaign. What is not named stays as it is."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="SLUG")
        parser.add_argument(
            "--blocks-per-judge",
            type=limit_argument,
            metavar="N|none",
            help="thank judges and let them stop after N blocks",
        )
        parser.add_argument(
            "--lease-minutes", type=_minutes, metavar="N", help="minutes for which a HIT is lent"
        )
        parser.add_argument(
            "--partial-ranking",
            choices=["yes", "no"],
            help="whether judges may leave some outputs without a rank",
        )
        for name, words in _SWITCHES.items():
            parser.add_argument(
                f"--{name.replace('_', '-')}", action=argparse.BooleanOptionalAction, help=words
            )
        for name, words in _TERMS.items():
            parser.add_argument(
                f"--{name}",
                metavar="TEXT",
                help=f'{words}, said before they begin; "" says nothing',
            )

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        changes: Rules = {}
        limit = options["blocks_per_judge"]
        if limit is not None:
            changes["blocks_per_judge"] = None if isinstance(limit, str) else limit
        if options["lease_minutes"] is not None:
            changes["lease_minutes"] = options["lease_minutes"]
        if options["partial_ranking"] is not None:
            changes["allow_partial_ranking"] = options["partial_ranking"] == "yes"
        for name in (*_SWITCHES, *_TERMS):
            if options[name] is not None:
                changes[name] = options[name]  # type: ignore[literal-required]  # its keys
        try:
            changed = campaign_change(campaign=campaign, **changes)
        except RulesRefusedError as error:
            raise CommandError(str(error)) from error
        if options["verbosity"]:
            self.stdout.write(
                _("“%(name)s”: %(blocks)s blocks a judge, HITs lent for %(minutes)d minutes.")
                % {
                    "name": changed.name,
                    "blocks": changed.blocks_per_judge or "∞",
                    "minutes": changed.lease_minutes,
                }
            )
            self.stdout.write(_in_words(changed))
            for name in TERMS:
                if getattr(changed, name):
                    self.stdout.write(f"{name}: {getattr(changed, name)}")


def _in_words(campaign: Campaign) -> str:
    """Return the switches of the campaign in the words of the help."""
    switches = [
        ("show_source", _("source shown"), _("source hidden")),
        ("show_reference", _("reference shown"), _("reference hidden")),
        ("allow_partial_ranking", _("partial ranking allowed"), _("no partial ranking")),
        ("tour", _("tour for new judges"), _("no tour")),
    ]
    return "; ".join(str(on if getattr(campaign, name) else off) for name, on, off in switches)


def _minutes(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of minutes from 1 on")
    return int(text)
