"""`create_panel`: let a study on a recruiting service send judges to a campaign."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from campaign.management.arguments import (
    address_of,
    address_option_add,
    campaign_named,
    language_argument,
)
from campaign.models import PanelKind
from campaign.selectors import languages_without_work
from campaign.services import PanelRefusedError, PanelTerms, panel_create
from campaign.services.panels import GENERIC_TERMS


class Command(BaseCommand):
    help = "Add a panel to a campaign and print the addresses and codes for the service."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("kind", choices=PanelKind.values)
        parser.add_argument(
            "name", metavar="NAME", help="name for organisers, unique in the campaign"
        )
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument(
            "--blocks",
            type=_positive,
            required=True,
            metavar="N",
            help="blocks asked of each participant",
        )
        parser.add_argument(
            "--minutes",
            type=_positive,
            required=True,
            metavar="N",
            help="minutes the service allows",
        )
        parser.add_argument(
            "--participations",
            type=_positive,
            default=1,
            metavar="N",
            help="how often one person may take part (default: %(default)s)",
        )
        parser.add_argument(
            "--languages", nargs="+", type=language_argument, default=[], metavar="TAG"
        )
        parser.add_argument("--completion-code", default="", metavar="CODE")
        parser.add_argument("--screened-out-code", default="", metavar="CODE")
        parser.add_argument(
            "--service", default="", metavar="NAME", help="its name; needed unless on Prolific"
        )
        parser.add_argument(
            "--id-parameter",
            default="participant",
            metavar="NAME",
            help="parameter of the address with the participant's id (default: %(default)s)",
        )
        parser.add_argument(
            "--completion-address",
            default="",
            metavar="URL",
            help="where participants return to; {id} and {code} are filled in",
        )
        parser.add_argument("--screened-out-address", default="", metavar="URL")
        parser.add_argument("--keep-who-fails-training", action="store_true")
        address_option_add(parser)

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        terms = PanelTerms(
            name=options["name"],
            blocks_asked=options["blocks"],
            minutes_allowed=options["minutes"],
            participations_per_member=options["participations"],
            screen_out_after_training=not options["keep_who_fails_training"],
            languages=options["languages"],
            completion_code=options["completion_code"],
            screened_out_code=options["screened_out_code"],
            **{name: options[name] for name in GENERIC_TERMS},
        )
        try:
            panel = panel_create(campaign=campaign, kind=options["kind"], terms=terms)
        except PanelRefusedError as error:
            raise CommandError(f"{error.field}: {error}") from error
        address = address_of(self, options)
        lines = {
            "participants": address + reverse("panel-entry", args=[panel.key]) + panel.query,
            "events": address + reverse("panel-events", args=[panel.events_key]),
            "completion code": panel.completion_code,
            "screened-out code": panel.screened_out_code,
        }
        if panel.kind == PanelKind.GENERIC:
            del lines["events"]
        for name, value in lines.items():
            self.stdout.write(f"{name}: {value}")
        without = languages_without_work(campaign=campaign, languages=panel.languages)
        if without:
            self.stderr.write(without)


def _positive(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number
