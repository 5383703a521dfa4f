"""Ask for a table over the test sets of a campaign, and compute it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.conf import settings
from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.services import judgments_number
from campaign.models import Campaign, Job, JobKind, Task, User
from campaign.services.jobs import job_queue
from ranking.analyses.diagnosis import SKIPPED_BLOCKS
from ranking.analyses.judgments import JUDGMENT_OPTIONS, recorded_judgments
from ranking.analyses.kind import Begin, Progress
from ranking.analyses.options import OptionError
from ranking.campaign_tables import TableKind, table_named
from ranking.campaign_tables.test_sets import (
    DELETED,
    NO_JUDGMENT,
    TableRow,
    TableTestSet,
    recorded_test_set,
)
from ranking.code_version import code_version
from ranking.core.judged.blocks import CONTENT_KEY_VERSION
from ranking.models import CampaignTable
from ranking.reports.stored import in_languages
from ranking.reports.tables import plain
from ranking.selectors.campaign_tables import blocks_skipped, table_tasks
from ranking.selectors.chosen_judgments import judgments_chosen, stored_input
from ranking.services.analyses import AnalysisRefusedError, values_digest

#: So many of a campaign are kept; the oldest go first.
MOST_KEPT = 200
_LANGUAGES = tuple(code for code, _words in settings.LANGUAGES)


@dataclass(frozen=True, slots=True)
class TableChoice:
    """A complete question: a kind of table, and all options."""

    kind: TableKind
    options: Mapping[str, Any]

    @property
    def is_live(self) -> bool:
        """Whether nothing has to be computed."""
        return self.kind.is_live(self.options)

    @property
    def digest(self) -> str:
        """The same for the same question."""
        return values_digest({"table": self.kind.name, "options": self.recorded})

    @property
    def recorded(self) -> dict[str, Any]:
        """The options as plain values."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.options.items()
        }


def table_choice(kind: str, given: Mapping[str, Any]) -> TableChoice:
    """Complete a question.

    Raises
    ------
    OptionError
        If there is no such table or option, or a value is not allowed.
    """
    found = table_named(kind)
    return TableChoice(found, found.complete(given))


def table_ask(
    *, campaign: Campaign, choice: TableChoice, user: User | None = None, is_queued: bool = True
) -> CampaignTable:
    """Ask for a table of all judgments so far of each test set.

    What was asked before and has an answer, or is being computed, is returned as it is. With `is_queued` a worker
    computes the answer; otherwise it is left to `table_compute`.

    Raises
    ------
    OptionError
        If the choice names what is not there, or there is no judgment.
    ValueError
        If nothing has to be computed.
    """
    if choice.is_live:
        raise ValueError("choice: this table is of what is stored anyway")
    # Before the transaction, as rankings do.
    pks = (
        Task.objects.filter(test_set__campaign=campaign).order_by("pk").values_list("pk", flat=True)
    )
    last = {pk: judgments_number(task_id=pk) for pk in pks}
    if not any(last.values()):
        raise OptionError(_("No test set of this campaign has a judgment yet."), field="kind")
    return _ask(campaign, choice, user, is_queued=is_queued)


@transaction.atomic
def _ask(
    campaign: Campaign, choice: TableChoice, user: User | None, *, is_queued: bool
) -> CampaignTable:
    follows_from = {
        "choice": choice.recorded,
        "test_sets": [_recorded(each, choice) for each in table_tasks(campaign=campaign)],
        "code_version": code_version(),
        "content_key_version": CONTENT_KEY_VERSION,
    }
    table, _is_new = CampaignTable.objects.get_or_create(
        campaign=campaign,
        digest=values_digest({"table": choice.kind.name, **follows_from}),
        defaults={
            "kind": choice.kind.name,
            "choice_digest": choice.digest,
            "asked_by": user,
            **follows_from,
        },
    )
    if is_queued and table.finished_at is None:
        _queue(table, user)
    return table


def _recorded(task: TableTestSet, choice: TableChoice) -> dict[str, Any]:
    """Return a test set with which of its judgments count, by name; None where there are none."""
    if not task.watermark:
        return {**task.recorded, "judgments": None}
    usual = {option.name: option.default for option in JUDGMENT_OPTIONS}
    chosen = {name: value for name, value in choice.options.items() if name in usual}
    if choice.kind.with_reference and task.names_of("reference"):
        chosen["reference"] = "include"
    row = Task.objects.get(pk=task.pk)
    judgments = judgments_chosen(
        task=row, options={**usual, **chosen}, with_rule=choice.kind.shows_rule
    )
    if choice.options.get(SKIPPED_BLOCKS.name) == "count":
        task = replace(task, skipped=blocks_skipped(task=row, without=judgments.without))
    return {**task.recorded, "judgments": judgments.recorded}


def _queue(table: CampaignTable, user: User | None) -> None:
    """Have a worker compute a table, unless one is at it."""
    locked = CampaignTable.objects.select_for_update(no_key=True, of=("self",))
    found = locked.select_related("job", "campaign").get(pk=table.pk)
    if found.finished_at is not None or (found.job is not None and not found.job.has_ended):
        return
    found.job = table.job = job_queue(
        campaign=found.campaign,
        kind=JobKind.ANALYSIS,
        name=str(table_named(found.kind).title),
        parameters={"table": found.pk},
        user=user,
    )
    found.save(update_fields=["job"])
    oldest = CampaignTable.objects.of(found.campaign_id).finished().order_by("-id")[MOST_KEPT:]
    CampaignTable.objects.filter(pk__in=list(oldest.values_list("pk", flat=True))).delete()


def _untold(task: str) -> Progress:
    """Nobody watches."""
    del task
    return lambda _done, _total: None


def table_compute(*, table: CampaignTable, begin: Begin | None = None) -> CampaignTable:
    """Compute a table now, and store its answer.

    Raises
    ------
    AnalysisRefusedError
        If this code computes such tables in another way.
    """
    data, reports = table_reproduce(table, begin=begin)
    CampaignTable.objects.filter(pk=table.pk).update(data=data, reports=reports, finished_at=Now())
    table.refresh_from_db()
    return table


@transaction.atomic
def table_reproduce(
    table: CampaignTable, *, begin: Begin | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the answer of a table, for programs and for people, computed from what it recorded.

    Raises
    ------
    AnalysisRefusedError
        If this code computes such tables in another way.
    """
    if table.content_key_version != CONTENT_KEY_VERSION:
        raise AnalysisRefusedError(
            _("The table was of content keys of version %(its)s; this code has version %(own)s.")
            % {"its": table.content_key_version, "own": CONTENT_KEY_VERSION}
        )
    kind = table_named(table.kind)
    options = {option.name: option.read(table.choice[option.name]) for option in kind.options}
    progress = (begin or _untold)(str(kind.title))
    rows = []
    for number, recorded in enumerate(table.test_sets):
        progress(number, len(table.test_sets))
        rows.append(_row(kind, options, recorded))
    reports, first = in_languages(lambda: kind.tell(rows, options), _LANGUAGES)
    return plain(first.data), reports


def _row(kind: TableKind, options: Mapping[str, Any], recorded: Mapping[str, Any]) -> TableRow:
    """Read the judgments of one test set, and compute what is told of it."""
    values = dict(recorded)
    judgments = values.pop("judgments")
    task = recorded_test_set(values)
    row = Task.objects.filter(pk=task.pk).first()
    if judgments is None:
        return TableRow(task, None, NO_JUDGMENT)
    if row is None:
        return TableRow(task, None, DELETED)
    chosen = recorded_judgments(judgments)
    assert kind.find is not None  # noqa: S101  tables without are never asked for
    try:
        given = stored_input(
            task=row,
            watermark=task.watermark,
            chosen=chosen,
            languages=(task.source, task.target),
        )
        found = kind.find(task, given, options, _untold)
        return TableRow(task, found, rule=chosen.rule)
    except ValueError as error:
        return TableRow(task, None, str(error), rule=chosen.rule)


def table_job(job: Job, progress: Progress) -> dict[str, Any]:
    """Do a job that was queued for a table."""
    tables = CampaignTable.objects.filter(pk=job.parameters["table"], finished_at__isnull=True)
    table = tables.select_related("campaign").first()
    if table is None:  # deleted, or computed by a command meanwhile
        return {}
    table_compute(table=table, begin=lambda _task: progress)
    return {"table": table.pk}
