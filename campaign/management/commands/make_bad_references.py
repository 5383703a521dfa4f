"""`make_bad_references`: damaged references as attention checks, to be reviewed by people."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import share_argument, task_named
from campaign.models import BadReference
from campaign.services import (
    BadReferenceRefusedError,
    bad_reference_review,
    bad_references_make,
)
from campaign.texts.damage import USUAL_DAMAGES, Damage


class Command(BaseCommand):
    help = (
        "Damage references of a test set, as attention checks. Segments that have a damaged "
        "reference keep it. None is shown to a judge before it is approved."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--campaign", required=True, metavar="SLUG")
        parser.add_argument("--test-set", required=True, metavar="NAME")
        parser.add_argument(
            "--share",
            type=share_argument,
            default=1.0,
            help="share of the segments with a reference (default: all of them)",
        )
        parser.add_argument(
            "--seed", type=int, help="seed of the draw (default: drawn and recorded)"
        )
        parser.add_argument(
            "--damage",
            action="append",
            choices=[str(each) for each in Damage],
            help=f"may be given more than once (default: {', '.join(USUAL_DAMAGES)})",
        )
        parser.add_argument(
            "--approve",
            action="store_true",
            help="approve everything that waits for a review, without reading it",
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        task = task_named(campaign=options["campaign"], name=options["test_set"])
        damages = [Damage(name) for name in options["damage"] or USUAL_DAMAGES]
        try:
            made = bad_references_make(
                test_set=task.test_set,
                seed=options["seed"],
                share=options["share"],
                damages=damages,
            )
        except BadReferenceRefusedError as error:
            raise CommandError(str(error)) from error
        waiting = BadReference.objects.of(task.test_set_id).filter(
            status=BadReference.Status.PENDING
        )
        if options["approve"]:
            for row in waiting:
                bad_reference_review(bad_reference=row, approve=True, reviewer=None)
        if options["verbosity"]:
            self.stdout.write(
                _("%(made)s damaged references made; %(waiting)s wait for a review.")
                % {"made": f"{made:,}", "waiting": f"{waiting.all().count():,}"}
            )
