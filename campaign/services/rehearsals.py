"""Rehearsals: created before a campaign opens, erased when it opens. `whole_campaigns.rehearsing` writes their
content.
"""

from typing import Any, Final

from django.db import transaction
from django.utils.translation import gettext as _

from campaign.database.erasing import campaign_erase
from campaign.models import (
    Campaign,
    CampaignState,
    Job,
    JobKind,
    JobState,
    Task,
    User,
)
from campaign.refusals import RefusedError
from campaign.services.jobs import JobProgress, handles, job_cancel, job_queue

MOST_BOTS: Final = 200
#: A bot with this skill clicks at random.
LEAST_SKILL: Final = 0.5


class RehearsalRefusedError(RefusedError):
    """The rehearsal is not possible now; the message says why."""

    status = 409


@transaction.atomic
def rehearsal_begin(
    *, campaign: Campaign, bots: int, skill: float, share: float, seed: int, by: User | None
) -> Job:
    """Queue the rehearsal of a draft, replacing an earlier one; return the job.

    Parameters
    ----------
    bots : int
        Simulated judges, 1 to `MOST_BOTS`.
    skill : float
        How often a bot prefers the better one of two outputs: from `LEAST_SKILL` to 1.
    share : float
        Share of the target number of blocks, above 0 and up to 1.
    seed : int
        The same seed gives the same judgments.

    Raises `RehearsalRefusedError`.
    """
    rehearsable_check(campaign_locked(campaign))
    if not Task.objects.of(campaign).exists():
        raise RehearsalRefusedError(_("Add texts before you start a rehearsal."))
    if _jobs(campaign, JobKind.REHEARSAL, JobKind.REHEARSAL_END).exists():
        raise RehearsalRefusedError(
            _("A rehearsal is already starting or ending. Wait until it is done, or stop it.")
        )
    return job_queue(
        campaign=campaign,
        kind=JobKind.REHEARSAL,
        name=campaign.name,
        parameters={"bots": bots, "skill": skill, "share": share, "seed": seed},
        user=by,
    )


def rehearsable_check(campaign: Campaign) -> None:
    """Raise `RehearsalRefusedError` unless the campaign is a draft and not itself a rehearsal."""
    if campaign.rehearsal_of_id is not None:
        raise RehearsalRefusedError(_("This is a rehearsal and cannot be rehearsed itself."))
    if campaign.state != CampaignState.DRAFT:
        raise RehearsalRefusedError(
            _("“%(name)s” is %(state)s. Only draft campaigns can be rehearsed.")
            % {"name": campaign.name, "state": campaign.get_state_display()}
        )


def real_check(campaign: Campaign, refusal: type[Exception]) -> None:
    """Raise this exception if a campaign is a rehearsal, which can only be viewed and ended."""
    if campaign.rehearsal_of_id is not None:
        raise refusal(rehearsal_words())


def rehearsal_words() -> str:
    """Return the reason why a rehearsal cannot be changed."""
    return _("This is a rehearsal, which is read-only. You can end it at any time.")


@transaction.atomic
def rehearsal_end_later(*, campaign: Campaign, by: User | None) -> Job | None:
    """Queue the end of a campaign's rehearsal, if there is one, and stop one that begins; return the job."""
    for job in _jobs(campaign, JobKind.REHEARSAL):
        job_cancel(job=job)
    if not Campaign.objects.filter(rehearsal_of=campaign).exists():
        return None
    queued = _jobs(campaign, JobKind.REHEARSAL_END).first()
    return queued or job_queue(
        campaign=campaign, kind=JobKind.REHEARSAL_END, name=campaign.name, user=by
    )


@transaction.atomic
def rehearsal_erase(*, campaign: Campaign) -> int:
    """Permanently delete the rehearsal of a campaign with its simulated judges; return the number of rows.

    Its job stays in the list of jobs.
    """
    rehearsal = Campaign.objects.filter(rehearsal_of=campaign).first()
    return 0 if rehearsal is None else campaign_erase(campaign_id=rehearsal.pk)


def campaign_locked(campaign: Campaign) -> Campaign:
    """Return the campaign as stored, its row locked until the commit: its state cannot change meanwhile."""
    return Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)


@handles(JobKind.REHEARSAL_END)
def _end(job: Job, _progress: JobProgress) -> dict[str, Any]:
    return {"rows": rehearsal_erase(campaign=job.campaign)}


def _jobs(campaign: Campaign, *kinds: JobKind) -> Any:
    """Return the jobs of these kinds that have not ended."""
    unended = [JobState.QUEUED, JobState.RUNNING]
    return Job.objects.filter(campaign=campaign, kind__in=kinds, state__in=unended).order_by("pk")
