"""`rehearse`: let simulated judges do the work of a draft in a copy of it, or delete that copy."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.utils.translation import gettext as _

from campaign.management.arguments import campaign_named, user_named
from campaign.models import Campaign, Job, JobState
from campaign.services.jobs import job_run
from campaign.services.rehearsals import (
    RehearsalRefusedError,
    rehearsal_begin,
    rehearsal_end_later,
)


class Command(BaseCommand):
    help = (
        "Let simulated judges do the work of a campaign that is a draft, in a copy of it that is gone when the "
        "campaign opens. With --end, delete that copy now."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("campaign", metavar="SLUG")
        parser.add_argument("--bots", type=int, default=10, help="simulated judges (default: 10)")
        parser.add_argument(
            "--skill",
            type=float,
            default=0.8,
            help="how often each prefers the better one of two outputs, 0.5 to 1 (default: 0.8)",
        )
        parser.add_argument(
            "--share", type=float, default=1.0, help="of the blocks wanted (default: 1, all)"
        )
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--by", metavar="EMAIL", help="who asks for it")
        parser.add_argument("--end", action="store_true", help="delete the rehearsal there is")

    def handle(self, *_args: Any, **options: Any) -> None:
        campaign = campaign_named(options["campaign"])
        by = user_named(options["by"]) if options["by"] else None
        if options["end"]:
            job = rehearsal_end_later(campaign=campaign, by=by)
            if job is None:
                raise CommandError(_("There is no rehearsal."))
            self._run(job)
            self.stdout.write(_("The rehearsal is gone."))
            return
        asked = {name: options[name] for name in ("bots", "skill", "share", "seed")}
        try:
            job = rehearsal_begin(campaign=campaign, by=by, **asked)
        except RehearsalRefusedError as error:
            raise CommandError(str(error)) from error
        done = self._run(job)
        rehearsal = Campaign.objects.get(rehearsal_of=campaign)
        self.stdout.write(
            _("“%(slug)s”: %(count)d blocks judged by simulated judges.")
            % {"slug": rehearsal.slug, "count": done.result["blocks"]}
        )

    def _run(self, job: Job) -> Job:
        """Do a job here, unless a worker is at it already."""
        job_run(job_id=job.pk)
        job.refresh_from_db()
        if job.state != JobState.DONE:
            raise CommandError(job.error or job.get_state_display())
        return job
