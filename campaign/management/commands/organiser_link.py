"""`organiser_link`: print a link to create the first organiser account, or to set a new password."""

import json
import os
from datetime import timedelta
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandParser
from django.urls import reverse
from django.utils import timezone

from campaign.management.arguments import (
    address_of,
    address_option_add,
    expiry_words,
    user_named,
)
from campaign.management.files import refusals_as_errors
from campaign.selectors.credentials import organisers_of_quintet
from campaign.services.own_account import (
    account_link_create,
    first_organiser_link_create,
)


class Command(BaseCommand):
    help = (
        "Print a one-time link to create the first organiser account or, with EMAIL, to set a new password "
        "for a member."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "email",
            metavar="EMAIL",
            nargs="?",
            help="member whose password to reset (default: create the first organiser)",
        )
        parser.add_argument(
            "--write",
            type=Path,
            metavar="FILE",
            help="write JSON readable by the owner only to this file instead of printing; without a link if "
            "there is an organiser already",
        )
        address_option_add(parser)

    @refusals_as_errors()
    def handle(self, *_args: Any, **options: Any) -> None:
        if options["write"] is not None and organisers_of_quintet().exists():
            _write(options["write"], None)
            return
        if options["email"]:
            token = account_link_create(user=user_named(options["email"]))
        else:
            token = first_organiser_link_create()
        link = address_of(self, options) + reverse("organiser-account", args=[token])
        if options["write"] is None:
            self.stdout.write(link)
            end = timezone.now() + timedelta(days=settings.ORGANISER_LINK_DAYS)
            self.stderr.write(expiry_words(end))
        else:
            _write(options["write"], link)


def _write(path: Path, link: str | None) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump({"link": link}, file)
