"""`publish_result`: publish the present ranking of a test set, or print what would be published."""

from datetime import datetime
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse
from django.utils.dateparse import parse_datetime
from django.utils.timezone import is_naive, make_aware
from django.utils.translation import gettext as _

from campaign.management.arguments import (
    address_of,
    address_option_add,
    protocol_option_add,
    task_asked,
)
from campaign.models import Task
from campaign.texts.canonical_json import digest_of
from ranking.management.output import Progress
from ranking.reports.published import PublishedFile, markdown_file
from ranking.selectors.runs import latest_run
from ranking.services.analyses import AnalysisRefusedError, analysis_compute
from ranking.services.publishing import (
    PublishedWords,
    PublishingRefusedError,
    firmness_ask,
    firmness_is_known,
    published_draft,
    result_publish,
    wordings_of,
)


class Command(BaseCommand):
    help = (
        "Publish the present ranking of a test set as its next version, and print its address. The ranking "
        "is kept for good; what is published never changes."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="CAMPAIGN", help="short name of the campaign")
        parser.add_argument("test_set", metavar="TEST_SET", help="name of the test set")
        protocol_option_add(parser)
        parser.add_argument(
            "--anonymous",
            nargs="+",
            default=[],
            metavar="NAME",
            help='systems that are called "System A", "System B" … in it',
        )
        parser.add_argument(
            "--author",
            action="append",
            default=[],
            metavar="NAME",
            help="for the citation; again for more",
        )
        parser.add_argument("--acknowledgement", default="", metavar="TEXT")
        parser.add_argument("--contact", default="", metavar="TEXT", help="whom readers may ask")
        parser.add_argument(
            "--change-note",
            default="",
            metavar="TEXT",
            help="what has changed since the last version",
        )
        parser.add_argument(
            "--reword",
            nargs=2,
            action="append",
            default=[],
            metavar=("REASON", "WORDING"),
            help="publish a reason in other words, where a system is not named; again for more",
        )
        parser.add_argument(
            "--embargo-until", default="", metavar="MOMENT", help="for instance 2026-12-01T09:00"
        )
        parser.add_argument(
            "--without-firmness",
            action="store_true",
            help="do not compute how many judgments decide first place, which takes up to half a minute",
        )
        parser.add_argument(
            "--texts",
            action="store_true",
            help="sources, references and outputs are in its bundle, too, which everybody can download",
        )
        address_option_add(parser)
        parser.add_argument(
            "--preview", action="store_true", help="publish nothing; print the table in Markdown"
        )

    def handle(self, *_args: Any, **options: Any) -> None:
        chosen: dict[str, Any] = {
            "task": task_asked(options),
            "anonymous": options["anonymous"],
            "words": PublishedWords(
                authors=tuple(options["author"]),
                acknowledgement=options["acknowledgement"],
                contact=options["contact"],
                change_note=options["change_note"],
                wordings=_wordings(options["reword"]),
            ),
            "with_firmness": not options["without_firmness"],
        }
        try:
            if options["preview"]:
                self.stdout.write(_preview(chosen), ending="")
                return
            until = _moment(options["embargo_until"])
            if not options["without_firmness"]:
                self._firmness_compute(chosen, quiet=not options["verbosity"])
            result = result_publish(
                **chosen, by=None, embargo_until=until, with_texts=options["texts"]
            )
        except PublishingRefusedError as error:
            raise CommandError(str(error)) from error
        if options["verbosity"]:
            page = reverse("published-result", args=[result.address])
            self.stdout.write(
                _("Version %(version)s is published: %(address)s")
                % {"version": result.version, "address": address_of(self, options) + page}
            )

    def _firmness_compute(self, chosen: dict[str, Any], *, quiet: bool) -> None:
        """Compute how many judgments decide first place; without that, it is published and said."""
        task: Task = chosen["task"]
        run = latest_run(task_id=task.pk)
        if run is None or firmness_is_known(run):
            return
        # What is refused is refused before work is done for it.
        published_draft(**chosen)
        analysis = firmness_ask(task=task, run=run, by=None, is_queued=False)
        if analysis is None:
            return
        try:
            with Progress(self.stderr, quiet=quiet) as progress:
                analysis_compute(analysis=analysis, begin=progress.begin)
        except AnalysisRefusedError as error:
            self.stderr.write(
                _("How many judgments decide first place could not be computed: %(error)s")
                % {"error": error}
            )


def _wordings(given: list[list[str]]) -> dict[str, str]:
    try:
        return wordings_of((reason, wording) for reason, wording in given)
    except PublishingRefusedError as error:
        raise CommandError(str(error)) from error


def _preview(chosen: dict[str, Any]) -> str:
    content = published_draft(**chosen).content
    written = PublishedFile(content=content, digest=digest_of(content), url=_("not published yet"))
    return markdown_file(written)


def _moment(text: str) -> datetime | None:
    if not text:
        return None
    try:
        moment = parse_datetime(text)
    except ValueError:
        moment = None
    if moment is None:
        raise CommandError(_("“%(text)s” is no moment: 2026-12-01T09:00 is one.") % {"text": text})
    return make_aware(moment) if is_naive(moment) else moment
