"""`erase_judge`: record, answer and carry out that a judge asks to be erased; write what is kept about them."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.db import transaction

from annotation.export.own_data import own_data_zip
from annotation.services.judges import erasure_carry_out
from campaign.management.arguments import campaign_named, judge_named
from campaign.models import ErasureRequest, Judge
from campaign.services.erasures import (
    ErasureRefusedError,
    erasure_ask,
    erasure_refuse,
    erasure_withdraw,
)


class Command(BaseCommand):
    help = (
        "Say whether a judge asked that nothing leads from their judgments to them, and record, withdraw, refuse or carry "
        "out such a request. Nobody is erased without one. --data writes what is kept about them."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pseudonym", metavar="PSEUDONYM")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        actions = parser.add_mutually_exclusive_group()
        actions.add_argument("--ask", action="store_true", help="record that the judge asks for it")
        actions.add_argument("--withdraw", action="store_true", help="take back what they asked")
        actions.add_argument("--refuse", metavar="REASON", help="refuse it; the judge reads why")
        actions.add_argument(
            "--carry-out", action="store_true", help="carry it out, for good; judgments stay"
        )
        actions.add_argument(
            "--data", type=Path, metavar="FILE", help="write a zip, and change nothing"
        )

    @transaction.atomic
    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        judge = judge_named(campaign=campaign, pseudonym=options["pseudonym"])
        if options["data"] is not None:
            options["data"].write_bytes(own_data_zip(judge))
            return
        try:
            self._act(judge, options)
        except ErasureRefusedError as error:
            raise CommandError(str(error)) from error
        for each in judge.erasure_requests.order_by("pk"):
            self.stdout.write(_in_words(each))

    def _act(self, judge: Judge, options: dict[str, Any]) -> None:
        if options["ask"]:
            erasure_ask(judge=judge)
        elif options["withdraw"]:
            erasure_withdraw(judge=judge)
        elif options["refuse"] is not None:
            erasure_refuse(request=_open(judge), reason=options["refuse"], by=None)
        elif options["carry_out"]:
            erasure_carry_out(request=_open(judge), by=None)


def _open(judge: Judge) -> ErasureRequest:
    found = judge.erasure_requests.open().first()
    if found is None:
        raise CommandError(
            f"{judge.pseudonym} did not ask for erasure; record it with --ask first."
        )
    return found


def _in_words(request: ErasureRequest) -> str:
    ends = {
        "withdrawn": request.withdrawn_at,
        f"refused ({request.reason})": request.refused_at,
        f"carried out ({_removed(request)})": request.carried_out_at,
    }
    for words, when in ends.items():
        if when is not None:
            return f"asked {request.asked_at:%Y-%m-%d}, {words} {when:%Y-%m-%d}"
    return f"asked {request.asked_at:%Y-%m-%d}, to be answered by {request.due_at:%Y-%m-%d}"


def _removed(request: ErasureRequest) -> str:
    return ", ".join(f"{count} {what}" for what, count in sorted(request.removed.items()))
