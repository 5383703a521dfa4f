"""`campaign_state`: say or change how far a campaign is."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from annotation.selectors.state_effects import state_effects, transitions_possible
from campaign.management.arguments import campaign_named
from campaign.models import Campaign, Transition
from campaign.services import (
    StateRefusedError,
    campaign_delete,
    campaign_restore,
    campaign_state_change,
)

_RESTORE = "restore"


class Command(BaseCommand):
    help = (
        "Say how far a campaign is and what can be done, or do it. Says first what it would do; it is done only "
        "with --yes. To delete, type the campaign's name with --name."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="SLUG")
        parser.add_argument("transition", nargs="?", choices=[*Transition.values, _RESTORE])
        parser.add_argument("--name", default="", help="the campaign's name, to delete it")
        parser.add_argument("--yes", action="store_true", help="do it")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        wanted = options["transition"]
        if wanted is None:
            self._say(campaign)
            return
        if wanted == _RESTORE:
            campaign_restore(campaign=campaign, by=None)
            self._say(campaign)
            return
        effects = state_effects(campaign=campaign, transition=Transition(wanted))
        for fact in effects.facts:
            self.stdout.write(fact)
        if effects.is_possible and not options["yes"]:
            raise CommandError(_("Nothing was changed. If this is what you want, add --yes."))
        try:
            self._change(campaign, Transition(wanted), options["name"])
        except StateRefusedError as error:
            raise CommandError(str(error)) from error

    def _change(self, campaign: Campaign, wanted: Transition, name: str) -> None:
        if wanted != Transition.DELETE:
            campaign_state_change(campaign=campaign, transition=wanted, by=None)
        elif campaign_delete(campaign=campaign, typed_name=name, by=None):
            self.stdout.write(_("“%(name)s” is deleted.") % {"name": campaign.name})
            return
        self._say(campaign)

    def _say(self, campaign: Campaign) -> None:
        self.stdout.write(
            _("“%(name)s” is %(state)s. Possible now: %(transitions)s.")
            % {
                "name": campaign.name,
                "state": campaign.get_state_display(),
                "transitions": ", ".join(transitions_possible(campaign)) or _RESTORE,
            }
        )
