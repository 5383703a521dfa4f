"""Arguments of commands, with readable errors."""

import argparse
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db.models import QuerySet
from django.db.models.expressions import Combinable
from django.db.models.functions import Now
from django.urls import reverse
from django.utils import timezone

from campaign.models import Campaign, Judge, Protocol, Task, User
from campaign.texts.languages import LanguageTagError, language_tag_checked

#: Parsed arguments of a command, as Django passes them to `handle`.
CommandOptions = dict[str, Any]


def share_argument(text: str) -> float:
    """Return a share above 0 and up to 1."""
    try:
        share = float(text)
    except ValueError:
        share = 0.0
    if not 0 < share <= 1:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number above 0 and at most 1",
        )
    return share


def task_named(*, campaign: str, name: str, protocol: str = Protocol.RANKING) -> Task:
    """Return a task of a test set, or raise a CommandError that names all test sets."""
    tasks = Task.objects.filter(test_set__campaign__slug=campaign).select_related(
        "test_set",
    )
    tasks_by_protocol = {
        named_task.protocol: named_task
        for named_task in tasks.filter(test_set__name=name).order_by("pk")
    }
    task = tasks_by_protocol.get(protocol)
    if task is None and tasks_by_protocol:
        raise CommandError(
            f'The test set "{name}" has no task "{protocol}". Its tasks: {", ".join(tasks_by_protocol)}.',
        )
    if task is None:
        tasks = tasks.filter(protocol=Protocol.RANKING)
        names = (
            ", ".join(
                f'"{row.test_set.name}"' for row in tasks.order_by("test_set__name")
            )
            or "none"
        )
        raise CommandError(
            f'The campaign "{campaign}" has no test set "{name}". Its test sets: {names}.',
        )
    return task


class TasksCommand(BaseCommand):
    """A command about all tasks, or those of `--campaign`."""

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--campaign",
            metavar="SLUG",
            help="limit to the test sets of this campaign",
        )

    def tasks(self, slug: str | None) -> QuerySet[Task]:
        """Return the tasks, with their test sets and campaigns, or raise a CommandError if a campaign has none."""
        tasks = Task.objects.select_related("test_set__campaign").order_by("pk")
        if slug:
            tasks = tasks.filter(test_set__campaign__slug=slug)
            if not tasks:
                raise CommandError(f"Campaign “{slug}” has no test set.")
        return tasks


def protocol_option_add(parser: CommandParser) -> None:
    """Add `--protocol`, for commands about one task of a test set."""
    parser.add_argument(
        "--protocol",
        choices=list(Protocol.values),
        default=str(Protocol.RANKING),
        help="task of the test set (default: ranking)",
    )


def campaign_named(slug: str) -> Campaign:
    """Return the campaign, or raise a CommandError that names all campaigns."""
    campaign = Campaign.objects.filter(slug=slug).first()
    if campaign is None:
        slugs = ", ".join(
            Campaign.objects.order_by("slug").values_list("slug", flat=True)[:20],
        )
        raise CommandError(
            f"Campaign “{slug}” not found. Available campaigns: {slugs or '–'}.",
        )
    return campaign


def judge_named(*, campaign: Campaign, pseudonym: str) -> Judge:
    """Return the judge of a campaign, or raise a CommandError."""
    judge = Judge.objects.filter(campaign=campaign, pseudonym=pseudonym).first()
    if judge is None:
        raise CommandError(
            f"Judge “{pseudonym}” not found in campaign “{campaign.slug}”.",
        )
    return judge


def user_named(email: str) -> User:
    """Return the user with this e-mail address, or raise a CommandError."""
    try:
        return User.objects.get_by_natural_key(email)
    except User.DoesNotExist:
        raise CommandError(f"No user has the e-mail address {email}.") from None


def language_argument(text: str) -> str:
    """Return the canonical tag of a language."""
    try:
        return language_tag_checked(text)
    except LanguageTagError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def address_option_add(parser: CommandParser) -> None:
    """Add `--address`, for the links that a command prints."""
    parser.add_argument(
        "--address",
        type=address_argument,
        default=settings.PUBLIC_ADDRESS or None,
        metavar="URL",
        help="where this Quintet is reached "
        f"(default: {settings.PUBLIC_ADDRESS or 'PUBLIC_ADDRESS, or where it runs'})",
    )


def address_argument(text: str) -> str:
    """Return the base URL of this Quintet, such as https://judge.example.org, without its path prefix."""
    if not text.startswith(("http://", "https://")):
        raise argparse.ArgumentTypeError(
            f"{text!r} does not begin with http:// or https://",
        )
    return text.rstrip("/").removesuffix(settings.URL_PREFIX)


def expiry_words(expires_at: datetime) -> str:
    """Return the expiry of a link or token in words."""
    return f"Valid until {timezone.localtime(expires_at):%Y-%m-%d %H:%M %Z}."


def days_argument(text: str) -> Combinable:
    """Return the time after that many days, by the clock of the database."""
    if not text.isdecimal() or not 1 <= int(text) <= 3650:
        raise argparse.ArgumentTypeError(
            f"{text!r} is not a number of days from 1 to 3650",
        )
    return Now() + timedelta(days=int(text))


def address_of(command: BaseCommand, options: CommandOptions) -> str:
    """Return the base URL for links that a command prints; warn on standard error if it is assumed."""
    address: str | None = options["address"]
    if address is not None:
        return address
    assumed: str = settings.ASSUMED_ADDRESS
    command.stderr.write(
        f"No running server found; using {assumed}. Pass --address URL or set PUBLIC_ADDRESS to change it.",
    )
    return assumed


def invitation_address(*, address: str, token: str) -> str:
    """Return the URL of the link with this token."""
    return address + reverse("invitation", args=[token])
