"""`revoke_credentials`: end links, tokens and sessions, or all that lets one person in."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from campaign.management.arguments import campaign_named, judge_named, user_named
from campaign.models import Membership
from campaign.selectors import (
    Access,
    judge_access,
    links_valid,
    member_access,
    sessions_open,
    tokens_valid,
)
from campaign.services import (
    CredentialRefusedError,
    invitation_revoke,
    judge_withdraw,
    member_remove,
    session_end,
    token_revoke,
)

#: What would be done in words, and how.
Deed = tuple[str, Callable[[], object]]


class Command(BaseCommand):
    help = (
        "End links, API tokens and sessions by the names that `list_credentials` gives them, or all "
        "that lets a judge or an organiser of a campaign in. Without --yes it only says what it "
        "would do."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("names", nargs="*", metavar="NAME", help="such as link:12")
        parser.add_argument("--campaign", metavar="SLUG", help="of --judge and --member")
        parser.add_argument("--judge", metavar="PSEUDONYM", help="withdraw this judge")
        parser.add_argument("--member", metavar="EMAIL", help="remove this member")
        parser.add_argument("--yes", action="store_true", help="do it")

    @transaction.atomic
    def handle(self, *_args: Any, **options: Any) -> None:
        deeds = [_named(name) for name in options["names"]]
        if options["judge"] or options["member"]:
            if not options["campaign"]:
                raise CommandError("--judge and --member need --campaign.")
            deeds += _of_people(options)
        if not deeds:
            raise CommandError("Name what is to end; `list_credentials` lists it.")
        for words, do in deeds:
            self.stdout.write(words if options["yes"] else f"would: {words}")
            if options["yes"]:
                _do(do)
        if not options["yes"]:
            self.stdout.write("Nothing was changed. Add --yes to do it.")


def _do(do: Callable[[], object]) -> None:
    try:
        do()
    except CredentialRefusedError as error:
        raise CommandError(str(error)) from error


def _named(name: str) -> Deed:
    kind, _colon, value = name.partition(":")
    deed = _FINDERS[kind](value) if kind in _FINDERS else None
    if deed is None:
        raise CommandError(f'"{name}" is nothing that works now; see `list_credentials`.')
    return deed


def _link(value: str) -> Deed | None:
    link = links_valid().filter(pk=int(value)).first() if value.isdecimal() else None
    if link is None:
        return None
    whose = str(link.user) if link.user is not None else "anybody"
    return f"revoke link {link.pk} of {whose}", partial(invitation_revoke, invitation=link)


def _token(value: str) -> Deed | None:
    token = tokens_valid().filter(token_key=value).first()
    if token is None:
        return None
    return f"revoke token {value} of {token.user}", partial(token_revoke, token=token)


def _session(value: str) -> Deed | None:
    for row in sessions_open():
        if row.session.name == value:
            words = f"sign {row.session.user} out of {row.device or 'a browser'}"
            return words, partial(session_end, session=row.session)
    return None


_FINDERS: dict[str, Callable[[str], Deed | None]] = {
    "link": _link,
    "token": _token,
    "session": _session,
}


def _of_people(options: dict[str, Any]) -> list[Deed]:
    campaign = campaign_named(options["campaign"])
    deeds: list[Deed] = []
    if options["judge"]:
        judge = judge_named(campaign=campaign, pseudonym=options["judge"])
        words = f"withdraw judge {judge.pseudonym}, ending {_in_words(judge_access(judge=judge))}"
        deeds.append((words, partial(judge_withdraw, judge=judge)))
    if options["member"]:
        user = user_named(options["member"])
        row = Membership.objects.filter(campaign=campaign, user=user).select_related("user").first()
        if row is None:
            raise CommandError(f'{user} does not run the campaign "{campaign.slug}".')
        words = f"remove {row.role} {user}, ending {_in_words(member_access(membership=row))}"
        deeds.append((words, partial(member_remove, membership=row)))
    return deeds


def _in_words(access: Access) -> str:
    return f"links: {access.links}, sessions: {access.browsers}, tokens: {access.tokens}"
