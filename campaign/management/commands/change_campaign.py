"""`change_campaign`: what is asked of every judge of a campaign."""

import argparse
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import campaign_named, limit_argument
from campaign.models import Campaign
from campaign.selectors import reference_use_in_words
from campaign.services import ReferenceRankedError, RulesRefusedError, campaign_change
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
        parser.add_argument(
            "--rank-shown-reference",
            action="store_true",
            help="with --show-reference: also where judges rank the reference; without this, it is said "
            "which test sets do, and nothing is changed",
        )
        for name, words in _TERMS.items():
            parser.add_argument(
                f"--{name}",
                metavar="TEXT",
                help=f'{words}, said before they begin; "" says nothing',
            )

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        try:
            changed = campaign_change(
                campaign=campaign,
                rank_shown_reference=options["rank_shown_reference"],
                **_changes(options),
            )
        except ReferenceRankedError as error:
            for fact in error.facts:
                self.stdout.write(fact)
            raise CommandError(
                _("%(error)s If this is what you want, add --rank-shown-reference.")
                % {"error": error}
            ) from error
        except RulesRefusedError as error:
            raise CommandError(str(error)) from error
        if options["verbosity"]:
            for sentence in _all_in_words(changed):
                self.stdout.write(sentence)


def _changes(options: dict[str, Any]) -> Rules:
    """Return the rules that the options name."""
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
    return changes


def _all_in_words(campaign: Campaign) -> list[str]:
    """Return the rules of the campaign, and what becomes of its references."""
    limits = _("“%(name)s”: %(blocks)s blocks a judge, HITs lent for %(minutes)d minutes.") % {
        "name": campaign.name,
        "blocks": campaign.blocks_per_judge or "∞",
        "minutes": campaign.lease_minutes,
    }
    terms = [f"{name}: {getattr(campaign, name)}" for name in TERMS if getattr(campaign, name)]
    references = reference_use_in_words(campaign=campaign, shown=campaign.show_reference)
    return [limits, _in_words(campaign), *terms, *references]


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
