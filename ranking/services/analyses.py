"""Request and compute analyses of a task, and tables over the test sets of a campaign."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.models import JudgmentSequence
from annotation.protocols.answer_kinds import answer_kind_of
from annotation.services.numbers import judgments_number, pages_changed
from campaign.models import Campaign, Job, JobKind, Task, User
from campaign.services.jobs import JobProgress, handles, job_queue
from campaign.texts.joining import comma_list, labelled
from campaign.texts.studies import study_name
from ranking.core.judged.blocks import CONTENT_KEY_VERSION
from ranking.models import Analysis
from ranking.reports import Report
from ranking.reports.analyses.across.rows import (
    DELETED,
    NO_JUDGMENT,
    TableRow,
    TableTestSet,
)
from ranking.reports.analyses.diagnosis import SKIPPED_BLOCKS
from ranking.reports.analyses.kind import (
    JUDGMENT_OPTIONS,
    AnalysisChoice,
    AnalysisKind,
    Begin,
    CampaignTable,
    ChosenJudgments,
    Need,
    Progress,
    ProtocolAnalysis,
    TaskBeside,
    values_digest,
)
from ranking.reports.analyses.options import AnalysisOptions, OptionError
from ranking.reports.analyses.registry import analysis_named
from ranking.reports.analyses.system import ONE_SYSTEM
from ranking.reports.inputs import Input
from ranking.reports.records import read_record
from ranking.reports.stored import in_languages
from ranking.reports.tables import plain
from ranking.reports.wording.stopping_rules import RuleState, rule_notes
from ranking.selectors.analyses import (
    ANSWER,
    analyses_of,
    blocks_skipped,
    judgments_compare,
    kind_in_place_of_ranking,
    table_tasks,
)
from ranking.selectors.chosen_judgments import (
    chosen_segments,
    is_drawn_at_random,
    judgments_chosen,
    stored_input,
)
from ranking.selectors.machines import machine_answers, machine_digests
from ranking.selectors.metrics import metric_digests, metrics_by_digest
from ranking.selectors.tasks_beside import other_tasks, tasks_beside, tasks_read
from version import code_version

#: Analyses kept per task, plus the same number of analyses of single systems; the oldest are deleted first.
MOST_KEPT = 500
#: Tables kept per campaign.
MOST_TABLES_KEPT = 200
LANGUAGES = tuple(code for code, _words in settings.LANGUAGES)


def analysis_choice(
    kind: str,
    options: Mapping[str, Any],
    *,
    of_campaign: bool = False,
) -> AnalysisChoice:
    """Complete the options of a request to a task or a campaign.

    Raises
    ------
    OptionError
        If there is no such kind or option, or a value is not allowed.
    """
    analysis_kind = analysis_named(kind, of_campaign=of_campaign)
    return AnalysisChoice(analysis_kind, analysis_kind.complete(options))


def analysis_ask(
    *,
    task: Task,
    choice: AnalysisChoice,
    user: User | None = None,
    watermark: int | None = None,
    judgments: ChosenJudgments | None = None,
    is_queued: bool = True,
) -> Analysis:
    """Request an analysis of the judgments 1…`watermark` of a task; by default, of all.

    If the same analysis is done or being computed, returns that one. With `is_queued` a
    worker computes the answer; otherwise, call `analysis_compute`. With `judgments`, these count
    instead of those that the choice selects now.

    Raises
    ------
    OptionError
        If the choice names unknown objects or does not fit the protocol of the task, or there are no judgments.
    """
    analysis_check(choice.kind, task)
    # Assign numbers before the transaction, as for rankings.
    last = judgments_number(task_id=task.pk)
    watermark_check(watermark, last)
    others = {}
    if judgments is None:
        for other in _others(task, choice):
            others[other.pk] = judgments_number(task_id=other.pk)
    with transaction.atomic():
        chosen = judgments or _judgments(task, choice, watermark or last, others)
        analysis = _recorded_request(
            choice,
            judgments=chosen.recorded,
            watermark=watermark or last,
            campaign_id=task.test_set.campaign_id,
            task=task,
            user=user,
        )
        if is_queued:
            _queue_unless_finished(analysis, user)
        return analysis


def table_ask(
    *,
    campaign: Campaign,
    choice: AnalysisChoice,
    user: User | None = None,
    is_queued: bool = True,
) -> Analysis:
    """Request a table of all judgments so far of each test set.

    If the same table is done or being computed, returns that one.

    Raises
    ------
    OptionError
        If the choice names unknown objects, or there are no judgments.
    ValueError
        If the table needs no computation.
    """
    if choice.is_live:
        raise ValueError("choice: this table is not computed")
    # Assign numbers before the transaction, as for rankings.
    of_campaign = Task.objects.filter(test_set__campaign=campaign).order_by("pk")
    task_ids = of_campaign.values_list("pk", flat=True)
    last_numbers = [judgments_number(task_id=pk) for pk in task_ids]
    if not any(last_numbers):
        raise OptionError(_("No judgments in this campaign yet."), field="kind")
    with transaction.atomic():
        tasks = table_tasks(campaign=campaign)
        analysis = _recorded_request(
            choice,
            judgments=[_recorded_task(task, choice) for task in tasks],
            watermark=sum(task.watermark for task in tasks),
            campaign_id=campaign.pk,
            task=None,
            user=user,
        )
        if is_queued:
            _queue_unless_finished(analysis, user)
        return analysis


def _recorded_task(task: TableTestSet, choice: AnalysisChoice) -> dict[str, Any]:
    """Return a test set with its judgments that count, by name; None if there are none."""
    if not task.watermark:
        return {**plain(task), "judgments": None}
    options = {}
    for option in JUDGMENT_OPTIONS:
        options[option.name] = choice.options.get(option.name, option.default)
    kind = choice.kind
    with_reference = isinstance(kind, CampaignTable) and kind.with_reference
    if with_reference and task.names_of("reference"):
        options["reference"] = "include"
    row = Task.objects.get(pk=task.pk)
    judgments = judgments_chosen(task=row, options=options, kind=kind)
    if choice.options.get(SKIPPED_BLOCKS.name) == "count":
        skipped = blocks_skipped(task=row, without=judgments.without)
        task = replace(task, skipped=skipped)
    return {**plain(task), "judgments": judgments.recorded}


def _others(task: Task, choice: AnalysisChoice) -> list[Task]:
    """Return the other tasks of the test set that an analysis reads: all, or the one named by its option."""
    kind = choice.kind
    if kind.reads_other_tasks:
        return other_tasks(task=task)
    if not isinstance(kind, ProtocolAnalysis) or not kind.beside:
        return []
    protocol = choice.options[kind.beside]
    others = list(Task.objects.filter(test_set=task.test_set_id, protocol=protocol))
    if not others or task in others:
        raise OptionError(
            _("Not found in this test set: %(names)s.")
            % {"names": study_name(protocol)},
            field=kind.beside,
        )
    return others


def analysis_check(kind: AnalysisKind, task: Task) -> None:
    """Raise OptionError if an analysis is not for tasks of this protocol."""
    available = analyses_of(task=task)
    if kind.name in available:
        return
    answers = answer_kind_of(task)
    reason = ""
    if not isinstance(kind, ProtocolAnalysis) and not answers.compares_outputs:
        reason = f" {answers.why_not_ranked}"
    raise OptionError(
        f"Analysis “{kind.name}” is not available for this protocol ({task.protocol}).{reason} "
        f"Choose one of: {', '.join(available)}.",
        field="kind",
    )


def watermark_check(watermark: int | None, last: int) -> None:
    """Raise OptionError if there are no judgments 1…`watermark`."""
    if not last:
        raise OptionError(_("No judgments in this test set yet."), field="watermark")
    if watermark is not None and not 1 <= watermark <= last:
        raise OptionError(
            _("Choose a judgment number from 1 to %(last)d.") % {"last": last},
            field="watermark",
        )


def _judgments(
    task: Task,
    choice: AnalysisChoice,
    watermark: int,
    others: Mapping[int, int],
) -> ChosenJudgments:
    """Return the judgments that count; `others` are the watermarks of other tasks by primary key."""
    kind = choice.kind
    chosen = judgments_chosen(
        task=task,
        options=choice.options,
        watermark=watermark,
        kind=kind,
    )
    if Need.METRICS in kind.needs:
        chosen = replace(chosen, metrics=metric_digests(test_set_id=task.test_set_id))
    if Need.MACHINES in kind.needs:
        chosen = replace(chosen, machines=machine_digests(task_id=task.pk) or None)
    if kind.reads_other_tasks:
        beside = tasks_beside(task=task, options=choice.options, watermarks=others)
        return replace(chosen, beside=beside)
    if isinstance(kind, ProtocolAnalysis) and kind.beside:
        protocol = choice.options[kind.beside]
        beside = tuple(
            TaskBeside(protocol=protocol, watermark=last) for last in others.values()
        )
        return replace(chosen, beside=beside)
    return chosen


def _recorded_request(
    choice: AnalysisChoice,
    *,
    judgments: Any,
    watermark: int,
    campaign_id: int,
    task: Task | None,
    user: User | None,
) -> Analysis:
    """Record a request unless it exists, and return it."""
    follows_from = {
        "choice": choice.recorded,
        "judgments": judgments,
        "watermark": watermark,
        "code_version": code_version(),
        "content_key_version": CONTENT_KEY_VERSION,
    }
    analysis, _is_new = Analysis.objects.get_or_create(
        campaign_id=campaign_id,
        task=task,
        digest=values_digest({"kind": choice.kind.name, **follows_from}),
        defaults={
            "kind": choice.kind.name,
            "choice_digest": choice.digest,
            "asked_by": user,
            **follows_from,
        },
    )
    return analysis


def _queue_unless_finished(analysis: Analysis, user: User | None) -> None:
    """Have a worker compute an analysis, unless it is finished or one already does."""
    if analysis.finished_at is not None:
        return
    rows = Analysis.objects.select_for_update(no_key=True, of=("self",))
    related = rows.select_related("job", "campaign", "task__test_set")
    locked = related.get(pk=analysis.pk)
    is_computing = locked.job is not None and not locked.job.has_ended
    if locked.finished_at is not None or is_computing:
        return
    kind = kind_of(locked)
    job_kind = JobKind.ANALYSIS
    if kind.is_slow:
        job_kind = JobKind.SLOW_ANALYSIS
    name = str(kind.title)
    if locked.task is not None:
        name = labelled(kind.title, locked.task.test_set.name)
    job = job_queue(
        campaign=locked.campaign,
        kind=job_kind,
        name=name,
        parameters={"analysis": locked.pk},
        user=user,
    )
    locked.job = job
    analysis.job = job
    locked.save(update_fields=["job"])
    _delete_oldest(locked)


def _delete_oldest(analysis: Analysis) -> None:
    """Delete the oldest analyses of the same task or campaign."""
    if analysis.task_id is None:
        alike = Analysis.objects.of_campaign(analysis.campaign_id)
        most = MOST_TABLES_KEPT
    else:
        # Pages of systems request analyses automatically, which must not displace users' requests.
        by_pages = Q(kind=ONE_SYSTEM.name)
        if analysis.kind != ONE_SYSTEM.name:
            by_pages = ~by_pages
        alike = Analysis.objects.of(analysis.task_id).filter(by_pages)
        most = MOST_KEPT
    oldest = alike.finished().order_by("-id")[most:]
    Analysis.objects.filter(pk__in=list(oldest.values_list("pk", flat=True))).delete()


def _silent_progress(_task: str) -> Progress:
    """Return a progress callback that does nothing."""

    def progress(_completed: int, _total: int) -> None:
        pass

    return progress


def analysis_compute(*, analysis: Analysis, begin: Begin | None = None) -> Analysis:
    """Compute an analysis now, and store its answer.

    Raises
    ------
    ValueError
        If these judgments cannot be analysed this way.
    """
    data, reports = analysis_reproduce(analysis, begin=begin)
    Analysis.objects.filter(pk=analysis.pk).update(
        data=data,
        reports=reports,
        finished_at=Now(),
    )
    analysis.refresh_from_db()
    return analysis


@transaction.atomic
def analysis_reproduce(
    analysis: Analysis,
    *,
    begin: Begin | None = None,
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Recompute the answer of an analysis from its record, as plain data and as reports.

    Raises
    ------
    ValueError
        If these judgments cannot be analysed this way, or this version computes such analyses differently.
    """
    if analysis.content_key_version != CONTENT_KEY_VERSION:
        raise ValueError(
            f"The analysis used content keys of version {analysis.content_key_version}; "
            f"this version of Quintet uses {CONTENT_KEY_VERSION}.",
        )
    kind = kind_of(analysis)
    compute = _compute_for_task
    options = kind.options_of_record(analysis.choice)
    if analysis.task is None:
        compute = _compute_across_tasks
    report = compute(analysis, kind, options, begin or _silent_progress)
    reports, first = in_languages(report, LANGUAGES)
    return plain(first.data), reports


def kind_of(analysis: Analysis) -> AnalysisKind:
    """Return the kind of an analysis; raise OptionError if it no longer exists."""
    return analysis_named(analysis.kind, of_campaign=analysis.task_id is None)


def _compute_for_task(
    analysis: Analysis,
    kind: AnalysisKind,
    options: AnalysisOptions,
    begin: Begin,
) -> Callable[[], Report]:
    """Compute an analysis of a task; return a function that creates its report."""
    task = analysis.task
    chosen = ChosenJudgments.from_record(analysis.judgments)
    assert task is not None and kind.find is not None  # noqa: S101, PT018
    watermark = analysis.watermark
    judged_input = stored_input(
        task=task,
        watermark=watermark,
        chosen=chosen,
        languages=(task.test_set.source_language, task.test_set.target_language),
    )
    if kind.reads_other_tasks:
        beside = tasks_read(
            task=task,
            watermark=watermark,
            chosen=chosen,
            judged_input=judged_input,
        )
        judged_input = replace(judged_input, beside=beside)
    if chosen.metrics is not None:
        metrics = metrics_by_digest(
            test_set_id=task.test_set_id,
            digests=chosen.metrics,
        )
        document_of = chosen_segments(task=task, chosen=chosen)
        if chosen.documents is not None:
            numbers = np.array(list(document_of), dtype=np.int64)
            metrics = tuple(metric.within(numbers) for metric in metrics)
        judged_input = replace(
            judged_input,
            metrics=metrics,
            document_of=document_of,
            is_drawn_at_random=is_drawn_at_random(task=task, chosen=chosen),
        )
    if chosen.machines is not None:
        machines = machine_answers(
            task=task,
            chosen=chosen,
            systems=judged_input.blocks.systems,
        )
        judged_input = replace(judged_input, machines=machines)
    if isinstance(kind, ProtocolAnalysis) and kind.read is not None:
        answers = kind.read(task, watermark, chosen, options)
        judged_input = replace(judged_input, answers=answers)
    findings = kind.find(judged_input, options, begin)
    not_judged = _not_judged(judged_input, chosen)

    def report() -> Report:
        return _report_with_notes(
            kind.tell(judged_input, options, findings),
            not_judged,
            chosen.rule,
        )

    return report


def _compute_across_tasks(
    analysis: Analysis,
    kind: AnalysisKind,
    options: AnalysisOptions,
    begin: Begin,
) -> Callable[[], Report]:
    """Compute a table over test sets; return a function that creates its report."""
    progress = begin(str(kind.title))
    rows = []
    for number, recorded in enumerate(analysis.judgments):
        progress(number, len(analysis.judgments))
        rows.append(_row(kind, options, recorded))

    def report() -> Report:
        return kind.tell(rows, options)

    return report


def _row(
    kind: AnalysisKind,
    options: AnalysisOptions,
    recorded: Mapping[str, Any],
) -> TableRow[Any]:
    """Read the judgments of one test set, and compute its row."""
    values = dict(recorded)
    judgments = values.pop("judgments")
    task = read_record(TableTestSet, values)
    if judgments is None:
        return TableRow(task, None, NO_JUDGMENT)
    row = Task.objects.filter(pk=task.pk).first()
    if row is None:
        return TableRow(task, None, DELETED)
    chosen = ChosenJudgments.from_record(judgments)
    languages = (task.source, task.target)
    assert kind.find is not None  # noqa: S101  tables without a function are never requested
    try:
        judged_input = stored_input(
            task=row,
            watermark=task.watermark,
            chosen=chosen,
            languages=languages,
        )
        findings = kind.find(judged_input, options, _silent_progress)
        return TableRow(task, findings, rule=chosen.rule)
    except ValueError as error:
        return TableRow(task, None, str(error), rule=chosen.rule)


def _not_judged(judged_input: Input, chosen: ChosenJudgments) -> list[str]:
    """Return the systems without judgments that count, if a design chose some systems."""
    if not chosen.of_chosen_systems:
        return []
    blocks = judged_input.read.blocks
    _rows, columns = np.nonzero(blocks.candidates >= 0)
    judged = {blocks.systems[column] for column in np.unique(columns).tolist()}
    return sorted(set(chosen.systems) - judged)


def _report_with_notes(
    report: Report,
    not_judged: Sequence[str],
    state: RuleState | None,
) -> Report:
    """Add notes on systems without judgments and on the stopping rule to a report."""
    notes = list(report.notes)
    data = dict(report.data)
    if not_judged:
        note = _("Not judged, because designs select systems: %(systems)s.")
        notes.append(note % {"systems": comma_list(not_judged)})
        data["not_judged"] = list(not_judged)
    if state is not None:
        notes += rule_notes(state)
        data["stopping_rule"] = state.as_data
    return replace(report, notes=notes, data=data)


@handles(JobKind.SLOW_ANALYSIS, ValueError)
@handles(JobKind.ANALYSIS, ValueError)
def analysis_job(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Run the job of an analysis."""
    analyses = Analysis.objects.select_related("task__test_set", "campaign")
    waiting = analyses.filter(pk=job.parameters["analysis"], finished_at__isnull=True)
    analysis = waiting.first()
    if analysis is None:  # deleted, or already computed by a command
        return {}

    def begin(_task: str) -> Progress:
        return progress

    analysis_compute(analysis=analysis, begin=begin)
    return {"analysis": analysis.pk}


#: Share of new judgments that triggers a recomputation, so that all together cost about ten times the last one.
GROWTH: Final = 0.1
# Keys of an analysis's judgments that organisers can change: excluded judges, systems and rules.
_CHANGED_BY_PEOPLE: Final = ("without", "systems", "with_reference", "rules")


def answer_keep_up(*, task: Task) -> Analysis | None:
    """Compute the default analysis of a task without a ranking if it is due; return it, or None.

    It is due if no judgments compare systems and, since the newest answer, their number has grown by `GROWTH`, or the
    judges or systems that count have changed.
    """
    kind = kind_in_place_of_ranking(task=task)
    if kind is None:
        return None
    sequences = JudgmentSequence.objects.filter(pk=task.pk)
    last = sequences.values_list("last_number", flat=True).first()
    if not last or judgments_compare(task):
        return None
    choice = analysis_choice(kind.name, {})
    chosen = judgments_chosen(task=task, options=choice.options, watermark=last)
    if not _is_due(task, choice, chosen, last):
        return None
    analysis = analysis_ask(
        task=task,
        choice=choice,
        watermark=last,
        judgments=chosen,
        is_queued=False,
    )
    if analysis.finished_at is not None:
        return None
    try:
        with transaction.atomic():
            analysis_compute(analysis=analysis)
            pages_changed([task.pk])
    except ValueError:
        # No answer is possible, or the same was requested concurrently.
        Analysis.objects.filter(pk=analysis.pk, finished_at=None, job=None).delete()
        return None
    return analysis


def _is_due(
    task: Task,
    choice: AnalysisChoice,
    chosen: ChosenJudgments,
    last: int,
) -> bool:
    finished = Analysis.objects.of(task.pk).finished()
    answers = finished.filter(choice_digest=choice.digest).defer(*ANSWER)
    newest = answers.order_by("-watermark", "-id").first()
    if newest is None:
        return True
    recorded = chosen.recorded
    for name in _CHANGED_BY_PEOPLE:
        if newest.judgments.get(name) != recorded.get(name):
            return True
    return last - newest.watermark >= max(1, GROWTH * newest.watermark)
