"""`change_webhook`: the webhooks of a campaign, listed, added, changed and deleted."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from campaign.management.arguments import campaign_named
from campaign.models import WebhookEndpoint, WebhookEvent
from campaign.selectors.webhooks import webhooks_of
from campaign.services.webhooks import (
    WebhookRefusedError,
    webhook_change,
    webhook_create,
    webhook_delete,
    webhook_pause,
    webhook_resume,
    webhook_secret_rotate,
    webhook_test,
)

_DEEDS = {
    "pause": webhook_pause,
    "resume": webhook_resume,
    "test": webhook_test,
    "delete": webhook_delete,
}


class Command(BaseCommand):
    help = (
        "List the webhooks of a campaign; with --add add one and print its secret, once; with --id "
        "change that one. Servers named by a webhook are told of events by signed messages."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        which = parser.add_mutually_exclusive_group()
        which.add_argument("--add", action="store_true", help="add one, with --url")
        which.add_argument("--id", type=int, metavar="N", help="the one to change")
        parser.add_argument("--url", metavar="URL", help="where messages go")
        parser.add_argument("--description", metavar="TEXT")
        parser.add_argument(
            "--event",
            action="append",
            choices=WebhookEvent.values,
            help="what it is told of; may be repeated (default of --add: all)",
        )
        parser.add_argument("--do", choices=[*_DEEDS, "rotate"], help="what to do with --id")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        asked = {
            name: value
            for name, value in (
                ("url", options["url"]),
                ("description", options["description"]),
                ("events", options["event"]),
            )
            if value is not None
        }
        try:
            if options["add"]:
                asked = {"events": WebhookEvent.values, **asked}
                if "url" not in asked:
                    raise CommandError("--add needs --url.")
                endpoint = webhook_create(campaign=campaign, **asked)
                self.stderr.write(f"webhook {endpoint.pk}")
                self.stdout.write(endpoint.secret)
            elif options["id"] is not None:
                self._change(
                    webhooks_of(campaign=campaign).filter(pk=options["id"]).first(),
                    asked,
                    options["do"],
                )
            else:
                self._list(webhooks_of(campaign=campaign))
        except WebhookRefusedError as error:
            raise CommandError(str(error)) from error

    @transaction.atomic
    def _change(
        self, endpoint: WebhookEndpoint | None, asked: dict[str, Any], deed: str | None
    ) -> None:
        if endpoint is None:
            raise CommandError("The campaign has no such webhook; without --id they are listed.")
        if asked:
            webhook_change(endpoint=endpoint, **asked)
        if deed == "rotate":
            self.stdout.write(webhook_secret_rotate(endpoint=endpoint).secret)
        elif deed is not None:
            _DEEDS[deed](endpoint=endpoint)

    def _list(self, endpoints: Any) -> None:
        for each in endpoints:
            state = "on" if each.is_on else "paused" if each.paused_at else "switched off"
            counts = f"waiting {each.waiting}, failed {each.failed}"
            row = (each.pk, state, each.url, ",".join(each.events), counts, each.description)
            self.stdout.write("\t".join(map(str, row)))
