"""`revoke_credentials`: end links, tokens and sessions."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from campaign.selectors import links_valid, sessions_open, tokens_valid
from campaign.services import CredentialRefusedError, invitation_revoke, session_end, token_revoke

#: What would be done in words, and how.
Deed = tuple[str, Callable[[], object]]


class Command(BaseCommand):
    help = (
        "End links, API tokens and sessions by the names that `list_credentials` gives them. Without --yes it only says "
        "what it would do."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("names", nargs="*", metavar="NAME", help="such as link:12")
        parser.add_argument("--yes", action="store_true", help="do it")

    @transaction.atomic
    def handle(self, *_args: Any, **options: Any) -> None:
        deeds = [_named(name) for name in options["names"]]
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
