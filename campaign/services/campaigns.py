"""Campaigns: create, change, close and delete them, with their rules, tasks and rehearsals."""

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, Final, TypedDict, Unpack

from django.core.exceptions import ValidationError
from django.db import IntegrityError, InternalError, OperationalError, transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.dispatch import Signal
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _

from campaign.database.erasing import campaign_erase
from campaign.models import (
    Campaign,
    CampaignState,
    Job,
    JobKind,
    JobState,
    Membership,
    MembershipRole,
    Segment,
    Task,
    TestSet,
    Transition,
    User,
    WebhookEvent,
)
from campaign.models.campaign import MAX_JUDGED, TRANSITIONS
from campaign.models.questions import questions_checked
from campaign.selectors.media import media_refused
from campaign.selectors.tasks import (
    is_judged,
    languages_settled_in_words,
    reference_use_in_words,
)
from campaign.services.exported_files import file_bytes_delete
from campaign.services.jobs import (
    JobProgress,
    JobResult,
    handles,
    job_cancel,
    job_queue,
)
from campaign.services.members import (
    NotAllowedError,
    campaign_lock,
    change_demand,
    member_add,
    owner_demand,
)
from campaign.services.webhooks import webhook_event_record
from campaign.texts.by_language import TextsJSON, lines_checked
from campaign.texts.languages import language_pair_checked
from campaign.texts.names import visible_name
from campaign.texts.refusals import RefusedError
from campaign.texts.time_zones import time_zone_names, year_refusal

MOST_BOTS: Final = 200
#: A bot with this skill clicks at random.
LEAST_SKILL: Final = 0.5


class RehearsalRefusedError(RefusedError):
    """The rehearsal is not possible now; the message says why."""

    status = 409


@transaction.atomic
def rehearsal_begin(
    *,
    campaign: Campaign,
    bots: int,
    skill: float,
    share: float,
    seed: int,
    by: User | None,
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
    rehearsable_check(campaign_lock(campaign))
    if not Task.objects.of(campaign).exists():
        raise RehearsalRefusedError(_("Add texts before you start a rehearsal."))
    if _jobs(campaign, JobKind.REHEARSAL, JobKind.REHEARSAL_END).exists():
        raise RehearsalRefusedError(
            _(
                "A rehearsal is already starting or ending. Wait until it is done, or stop it.",
            ),
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
        raise RehearsalRefusedError(
            _("This is a rehearsal and cannot be rehearsed itself."),
        )
    if campaign.state != CampaignState.DRAFT:
        raise RehearsalRefusedError(
            _("“%(name)s” is %(state)s. Only draft campaigns can be rehearsed.")
            % {"name": campaign.name, "state": campaign.get_state_display()},
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
        campaign=campaign,
        kind=JobKind.REHEARSAL_END,
        name=campaign.name,
        user=by,
    )


@transaction.atomic
def rehearsal_erase(*, campaign: Campaign) -> int:
    """Permanently delete the rehearsal of a campaign with its simulated judges; return the number of rows.

    Its job stays in the list of jobs.
    """
    rehearsal = Campaign.objects.filter(rehearsal_of=campaign).first()
    if rehearsal is None:
        return 0
    return _erase(rehearsal)


def _erase(campaign: Campaign) -> int:
    """Delete a campaign, and its files in the operator's storages; return the number of rows."""
    files = list(campaign.files.exclude(stored_as=""))
    rows = campaign_erase(campaign_id=campaign.pk)
    for file in files:
        file_bytes_delete(file=file)
    return rows


@handles(JobKind.REHEARSAL_END)
def _end(job: Job, _progress: JobProgress) -> JobResult:
    return {"rows": rehearsal_erase(campaign=job.campaign)}


def _jobs(campaign: Campaign, *kinds: JobKind) -> Any:
    """Return the jobs of these kinds that have not ended."""
    unended = [JobState.QUEUED, JobState.RUNNING]
    return Job.objects.filter(
        campaign=campaign,
        kind__in=kinds,
        state__in=unended,
    ).order_by("pk")


# The columns hold no more; a lease of a year is practically unlimited.
MAX_BLOCKS = 2**31 - 1
MAX_LEASE_MINUTES = 60 * 24 * 365
# Shown to judges before they begin, one line each.
TERMS = ("pay", "duration", "contact")


class RulesRefusedError(RefusedError):
    """The rules are not possible; `field` names the rule at fault."""


class ReferenceRankedError(RulesRefusedError):
    """The rules would show judges a reference that they also rank; `facts` name the test sets."""

    def __init__(self, facts: Sequence[str]) -> None:
        super().__init__(
            _("Not changed: judges would see the reference and also rank it."),
            field="show_reference",
        )
        self.facts = facts


class Rules(TypedDict, total=False):
    """Rules of a campaign, in the order of their page; None removes a limit.

    The page, REST and campaign files include all of them.
    """

    judged: TextsJSON
    show_source: bool
    show_reference: bool
    allow_partial_ranking: bool
    blocks_per_judge: int | None
    lease_minutes: int
    pay: str
    duration: str
    contact: str
    time_zone: str
    questions: Any


_QUOTAS: Final = ("blocks_wanted", "blocks_per_segment")


class QuotasAndLanguages(TypedDict, total=False):
    """Editable settings of a task; None removes a limit."""

    source_language: str
    target_language: str
    blocks_wanted: int | None
    blocks_per_segment: int | None
    expertise: Sequence[str]


@transaction.atomic
def task_change(*, task: Task, **changes: Unpack[QuotasAndLanguages]) -> Task:
    """Change the quotas of a task, the expertise of its judges or its languages; return the task.

    HITs planned or judged beyond a lower quota stay, but no more are planned. Languages can be
    corrected until the first judgment: its judge was chosen for these languages, and files and
    rankings name them. Does not wait for a judgment that is being stored. Raises
    `LanguageTagError`, and `RulesRefusedError` for quotas below 1 and for languages of a judged
    test set.
    """
    for name in _QUOTAS:
        quota = changes.get(name)
        if isinstance(quota, int) and not 1 <= quota <= MAX_BLOCKS:
            raise RulesRefusedError(
                "Enter at least 1 block, or leave empty for no limit.",
                field=name,
            )
    locked = (
        Task.objects.select_for_update(of=("self", "test_set"))
        .select_related("test_set__campaign")
        .get(pk=task.pk)
    )
    if "source_language" in changes or "target_language" in changes:
        before = locked.test_set.source_language, locked.test_set.target_language
        after = language_pair_checked(
            changes.get("source_language", before[0]),
            changes.get("target_language", before[1]),
        )
        settled = languages_settled_in_words(test_set=locked.test_set)
        if after != before and settled:
            raise RulesRefusedError(settled, field="source_language")
        changes["source_language"], changes["target_language"] = after
    _store(locked, {name: value for name, value in changes.items() if name in _QUOTAS})
    _store(
        locked.test_set,
        {name: value for name, value in changes.items() if name not in _QUOTAS},
    )
    return locked


def _store(row: Task | TestSet, changes: Mapping[str, object]) -> None:
    for name, value in changes.items():
        setattr(row, name, value)
    if changes:
        row.save(update_fields=list(changes))


@transaction.atomic
def task_close(*, task: Task) -> None:
    """Stop lending a task's HITs; judges may finish those they hold. Repeating it changes nothing."""
    Task.objects.filter(pk=task.pk, closed_at__isnull=True).update(closed_at=Now())


@transaction.atomic
def task_reopen(*, task: Task) -> None:
    """Reopen a closed task."""
    Task.objects.filter(pk=task.pk).update(closed_at=None)


@transaction.atomic
def campaign_change(
    *,
    campaign: Campaign,
    rank_shown_reference: bool = False,
    **changes: Unpack[Rules],
) -> Campaign:
    """Change the given rules of a campaign, and return it.

    They apply to judges at work from the next HIT that their page fetches; running leases keep
    their length. Raises `RulesRefusedError`, and changes nothing, if judges would see neither
    source nor reference, or for an unknown time zone. Answers to questions that change are kept. Raises
    `QuestionsRefusedError` for invalid questions, and `TextsRefusedError` for an invalid word. Raises `ReferenceRankedError` if judges would begin to see a reference that they rank,
    unless `rank_shown_reference` asks for that.
    """
    locked = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if (
        changes.get("show_reference")
        and not locked.show_reference
        and not rank_shown_reference
    ):
        # `design_change` takes the same lock.
        facts = reference_use_in_words(campaign=locked, is_shown=True)
        if facts:
            raise ReferenceRankedError(facts)
    if "questions" in changes:
        changes["questions"] = questions_checked(changes["questions"])
    if "judged" in changes:
        changes["judged"] = lines_checked(changes["judged"], "judged", MAX_JUDGED)
    for name, value in changes.items():
        setattr(
            locked,
            name,
            " ".join(value.split()) if isinstance(value, str) else value,
        )
    if not locked.show_source and not locked.show_reference:
        raise RulesRefusedError(
            _("Show the source, the reference, or both."),
            field="show_reference",
        )
    if locked.time_zone and locked.time_zone not in time_zone_names():
        raise RulesRefusedError(
            "Enter a time zone of the IANA database, such as Europe/Prague.",
            field="time_zone",
        )
    if changes:
        locked.save(update_fields=list(changes))
    return locked


class TaskRefusedError(RefusedError):
    """The task cannot be added or deleted; the message says why, and `field` names the invalid field, if any."""


@transaction.atomic
def task_create(
    *,
    test_set: TestSet,
    protocol: str,
    by: User | None,
    **quotas: int | None,
) -> Task:
    """Add a task with another protocol to a test set; return it.

    It is open to judges as soon as HITs are planned, and independent of the test set's other tasks. `quotas`
    are its numbers of blocks. Locks the campaign's row. Raises `NotAllowedError` unless `by` may change the
    campaign (None: the server's operator), and `TaskRefusedError` for a protocol that the test set has
    already, a test set without texts or, if the protocol needs words, with recordings, and a campaign that can no longer be changed.
    """
    campaign = task_campaign_lock(test_set, by)
    present = Task.objects.filter(test_set=test_set, protocol=protocol).first()
    if present is not None:
        raise TaskRefusedError(
            _("“%(name)s” already has a task with this protocol: %(protocol)s.")
            % {"name": test_set.name, "protocol": present.get_protocol_display()},
            field="protocol",
        )
    if not Segment.objects.filter(
        test_set=test_set,
        source_text__isnull=False,
    ).exists():
        raise TaskRefusedError(
            _("“%(name)s” has no texts to judge.") % {"name": test_set.name},
            field="test_set",
        )
    if media_refused(test_set=test_set, protocol=protocol):
        raise TaskRefusedError(
            _(
                "“%(name)s” has recordings or pictures as outputs, but judges of this protocol work with words. Choose "
                "ranking, two outputs or ratings.",
            )
            % {"name": test_set.name},
            field="protocol",
        )
    task = Task.objects.create(test_set=test_set, protocol=protocol, **quotas)
    test_set.campaign = campaign
    return task


def task_campaign_lock(test_set: TestSet, by: User | None) -> Campaign:
    """Lock and return the campaign whose tasks are to change. Raises as `task_create`."""
    campaign = Campaign.objects.select_for_update(no_key=True).get(
        pk=test_set.campaign_id,
    )
    if by is not None:
        role = Membership.objects.filter(campaign=campaign, user=by).values_list(
            "role",
            flat=True,
        )
        role_of_user = role.first()
        if role_of_user is None:
            raise NotAllowedError(_("Campaign not found, or you are not a member."))
        change_demand(role_of_user)
    real_check(campaign, TaskRefusedError)
    if campaign.state in {CampaignState.ARCHIVED, CampaignState.BIN}:
        raise TaskRefusedError(
            _("“%(name)s” is %(state)s, so this action is not available.")
            % {"name": campaign.name, "state": campaign.get_state_display()},
        )
    return campaign


#: Sent with a new `campaign` that is to start with the suggested quality rules; annotation adds them.
suggested_rules_requested: Final = Signal()


class NoOwnerError(RefusedError):
    """Nobody would own the new campaign."""


@transaction.atomic
def campaign_create(
    *,
    name: str,
    slug: str = "",
    organisers: Iterable[User],
    state: CampaignState = CampaignState.DRAFT,
    time_zone: str = "",
    with_suggested_rules: bool = True,
) -> Campaign:
    """Create a campaign without test sets, owned by these users, with the suggested quality rules.

    A draft lends nothing until it is opened. The short name is derived from the name by default.

    Raises `django.core.exceptions.ValidationError` if the name or short name is invalid or taken, and `NoOwnerError`
    without organisers, because nobody could open the campaign.
    """
    owners = list(organisers)
    if not owners:
        raise NoOwnerError(
            "This server has no organiser to own the campaign. Run organiser_link to create an account first.",
        )
    slug = slug.strip() or slugify(name)[:60].strip("-")
    if not slug:
        message = _("Enter a short name: none could be derived from the name.")
        raise ValidationError({"slug": message})
    campaign = Campaign(slug=slug, name=name.strip(), state=state, time_zone=time_zone)
    campaign.full_clean()
    campaign.save()
    for user in owners:
        member_add(campaign=campaign, user=user, role=MembershipRole.OWNER)
    if with_suggested_rules:
        suggested_rules_requested.send(sender=Campaign, campaign=campaign)
    return campaign


#: Days that a campaign stays in the bin, enforced by the database (`campaign_erase`).
BIN_DAYS: Final = 30


class StateRefusedError(RefusedError):
    """The campaign's state does not allow the change; the message says why."""

    status = 409


class NameNotTypedError(StateRefusedError):
    """The typed name does not match the campaign to be deleted."""


@transaction.atomic
def campaign_state_change(
    *,
    campaign: Campaign,
    transition: Transition,
    by: User | None,
) -> bool:
    """Change the state of a campaign; return whether it changed.

    Repeating a transition changes nothing. A closing time that has passed is cleared when the campaign opens
    again. Locks the campaign's row and refreshes `campaign`. Raises
    `StateRefusedError`. Campaigns are deleted by `campaign_delete`. Its rehearsal, if it has one, ends when it
    opens; a rehearsal itself stays as it is.
    """
    real_check(campaign, StateRefusedError)
    sources, after = TRANSITIONS[transition]
    _lock(campaign)
    if campaign.state == after:
        return False
    if campaign.state not in sources:
        raise StateRefusedError(
            _("“%(name)s” is %(state)s, so this action is not available.")
            % {"name": campaign.name, "state": campaign.get_state_display()},
        )
    if after == CampaignState.OPEN:
        Campaign.objects.filter(pk=campaign.pk, closes_at__lte=Now()).update(
            closes_at=None,
        )
    rehearsal_end_later(campaign=campaign, by=by)
    _set(campaign, after)
    return True


def campaign_delete(*, campaign: Campaign, typed_name: str, by: User | None) -> bool:
    """Delete a campaign without judgments at once, put any other into the bin; return whether it is gone.

    For owners. Raises `NotAllowedError`, `NameNotTypedError` if `typed_name` is not its name, and
    `StateRefusedError` if it is in the bin or receives its first judgment at the same moment.
    """
    owner_demand(campaign=campaign, by=by)
    if visible_name(typed_name) != visible_name(campaign.name):
        raise NameNotTypedError(
            _("Not deleted. Type “%(name)s” to confirm.") % {"name": campaign.name},
        )
    with transaction.atomic():
        campaign_state_change(campaign=campaign, transition=Transition.DELETE, by=by)
        if is_judged(campaign=campaign):
            return False
    _erase_without_judgments(campaign)
    return True


def _erase_without_judgments(campaign: Campaign) -> None:
    try:
        with transaction.atomic():
            rehearsal_erase(campaign=campaign)
            _erase(campaign)
    except (IntegrityError, InternalError, OperationalError) as error:
        # It stays in the bin, with the judgment.
        raise StateRefusedError(
            _("A judge is still working, so the campaign was moved to the bin."),
        ) from error


@transaction.atomic
def campaign_restore(*, campaign: Campaign, by: User | None) -> bool:
    """Restore a campaign from the bin to the state it had before; return whether it was there.

    For owners. Raises `NotAllowedError`.
    """
    owner_demand(campaign=campaign, by=by)
    _lock(campaign)
    if campaign.state != CampaignState.BIN:
        return False
    _set(campaign, CampaignState(str(campaign.state_before_bin)))
    return True


@transaction.atomic
def campaign_extend(
    *,
    campaign: Campaign,
    closes_at: datetime | None,
    blocks_wanted: dict[int, int | None],
) -> None:
    """Set the automatic closing time of a campaign, None for never, and the targets of its tasks.

    `blocks_wanted` are the target numbers of blocks by task ID. Blocks judged or planned beyond a lower target
    stay. Locks the campaign's row. Raises `StateRefusedError` for a time in the past or after the year 2999.
    """
    _lock(campaign)
    if closes_at and closes_at != campaign.closes_at and closes_at <= timezone.now():
        raise StateRefusedError(
            _(
                "This time is in the past. To close the campaign now, use “Close campaign”.",
            ),
        )
    if closes_at and (refusal := year_refusal(closes_at)):
        raise StateRefusedError(refusal)
    campaign.closes_at = closes_at
    campaign.save(update_fields=["closes_at"])
    for task_id, target in blocks_wanted.items():
        Task.objects.of(campaign).filter(pk=task_id).update(blocks_wanted=target)


def campaigns_close_due() -> int:
    """Close the campaigns whose closing time has passed; return their number. Judges receive no work after that time."""
    due = Campaign.objects.filter(
        Q(state__in=[CampaignState.OPEN, CampaignState.PAUSED]),
        closes_at__lte=Now(),
    )
    return sum(
        campaign_state_change(campaign=campaign, transition=Transition.CLOSE, by=None)
        for campaign in due
    )


def bin_empty() -> Sequence[str]:
    """Delete campaigns that have been in the bin for `BIN_DAYS`; return the short names."""
    due = Campaign.objects.filter(
        state=CampaignState.BIN,
        state_since__lte=Now() - timedelta(days=BIN_DAYS),
    )
    gone = []
    for campaign in due:
        rehearsal_erase(campaign=campaign)
        _erase(campaign)
        gone.append(campaign.slug)
    return gone


def _lock(campaign: Campaign) -> None:
    campaign.refresh_from_db(
        from_queryset=Campaign.objects.select_for_update(no_key=True),
    )


def _set(campaign: Campaign, after: CampaignState) -> None:
    # The database sets the time of the change, and the state before the bin.
    Campaign.objects.filter(pk=campaign.pk).update(state=after)
    campaign.refresh_from_db()
    if after == CampaignState.CLOSED:
        webhook_event_record(
            campaign_id=campaign.pk,
            event=WebhookEvent.CLOSED,
            data={"closed_at": campaign.state_since.isoformat()},
        )
