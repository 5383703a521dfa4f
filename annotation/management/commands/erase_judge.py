"""`erase_judge`: record, answer and carry out erasure requests, or write the data kept about a judge."""

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
    help = "List, record, withdraw, refuse or carry out a judge's erasure request. --data exports the data stored about the judge."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pseudonym", metavar="PSEUDONYM")
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        actions = parser.add_mutually_exclusive_group()
        actions.add_argument("--ask", action="store_true", help="record a request")
        actions.add_argument("--withdraw", action="store_true", help="withdraw the request")
        actions.add_argument(
            "--refuse",
            metavar="REASON",
            help="refuse the request; the reason is shown to the judge",
        )
        actions.add_argument(
            "--carry-out",
            action="store_true",
            help="erase the judge's identity permanently; judgments are kept",
        )
        actions.add_argument(
            "--data",
            type=Path,
            metavar="FILE",
            help="write the stored data to a zip file and change nothing",
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
            f"{judge.pseudonym} has no open erasure request; record one with --ask first."
        )
    return found


def _in_words(request: ErasureRequest) -> str:
    ends = {
        "withdrawn": request.withdrawn_at,
        f"refused ({request.reason})": request.refused_at,
        f"done ({_removed(request)})": request.carried_out_at,
    }
    for words, when in ends.items():
        if when is not None:
            return f"requested {request.asked_at:%Y-%m-%d}, {words} {when:%Y-%m-%d}"
    return f"requested {request.asked_at:%Y-%m-%d}, due {request.due_at:%Y-%m-%d}"


def _removed(request: ErasureRequest) -> str:
    return ", ".join(f"{count} {what}" for what, count in sorted(request.removed.items()))
