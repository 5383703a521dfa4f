"""Rules of campaigns, and organisers' settings of test sets, also during judging."""

from collections.abc import Mapping, Sequence
from typing import Final, TypedDict, Unpack

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.models import Campaign, Task, TestSet
from campaign.refusals import RefusedError
from campaign.selectors.judged import languages_settled_in_words, reference_use_in_words
from campaign.texts.language_tags import language_pair_checked

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

    show_source: bool
    show_reference: bool
    allow_partial_ranking: bool
    blocks_per_judge: int | None
    lease_minutes: int
    pay: str
    duration: str
    contact: str


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
                "Enter at least 1 block, or leave empty for no limit.", field=name
            )
    locked = (
        Task.objects.select_for_update(of=("self", "test_set"))
        .select_related("test_set__campaign")
        .get(pk=task.pk)
    )
    if "source_language" in changes or "target_language" in changes:
        before = locked.test_set.source_language, locked.test_set.target_language
        after = language_pair_checked(
            changes.get("source_language", before[0]), changes.get("target_language", before[1])
        )
        settled = languages_settled_in_words(test_set=locked.test_set)
        if after != before and settled:
            raise RulesRefusedError(settled, field="source_language")
        changes["source_language"], changes["target_language"] = after
    _store(locked, {name: each for name, each in changes.items() if name in _QUOTAS})
    _store(locked.test_set, {name: each for name, each in changes.items() if name not in _QUOTAS})
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
    *, campaign: Campaign, rank_shown_reference: bool = False, **changes: Unpack[Rules]
) -> Campaign:
    """Change the given rules of a campaign, and return it.

    They apply to judges at work from the next HIT that their page fetches; running leases keep
    their length. Raises `RulesRefusedError`, and changes nothing, if judges would see neither
    source nor reference. Raises `ReferenceRankedError` if judges would begin to see a reference that they rank,
    unless `rank_shown_reference` asks for that.
    """
    locked = Campaign.objects.select_for_update().get(pk=campaign.pk)
    if changes.get("show_reference") and not locked.show_reference and not rank_shown_reference:
        # `design_change` takes the same lock.
        facts = reference_use_in_words(campaign=locked, shown=True)
        if facts:
            raise ReferenceRankedError(facts)
    for name, value in changes.items():
        setattr(locked, name, " ".join(value.split()) if isinstance(value, str) else value)
    if not locked.show_source and not locked.show_reference:
        raise RulesRefusedError(
            _("Show the source, the reference, or both."), field="show_reference"
        )
    if changes:
        locked.save(update_fields=list(changes))
    return locked
