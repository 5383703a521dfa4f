"""Ask something of the judgments of a test set, and compute the answer."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from django.conf import settings
from django.db import transaction
from django.db.models import Q
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from annotation.services import judgments_number
from campaign.models import Job, JobKind, Protocol, Task, User
from campaign.services.jobs import JobProgress, job_queue
from ranking.analyses import AnalysisKind, analysis_named
from ranking.analyses.judgments import (
    JUDGMENT_OPTIONS,
    ChosenJudgments,
    TaskBeside,
    recorded_judgments,
)
from ranking.analyses.kind import Progress
from ranking.analyses.options import OptionError, completed
from ranking.analyses.system import ONE_SYSTEM
from ranking.code_version import code_version
from ranking.core.judged.blocks import CONTENT_KEY_VERSION
from ranking.models import Analysis
from ranking.reports import Report
from ranking.reports.inputs import Input
from ranking.reports.stored import in_languages
from ranking.reports.tables import plain
from ranking.selectors.analyses import analyses_of
from ranking.selectors.chosen_judgments import judgments_chosen, stored_input
from ranking.selectors.tasks_beside import other_tasks, tasks_beside, tasks_read
from ranking.wording.rule_states import RuleState, rule_notes

#: So many of a test set are kept, and as many of single systems; the oldest go first.
MOST_KEPT = 500
_LANGUAGES = tuple(code for code, _words in settings.LANGUAGES)
_JUDGMENTS = frozenset(option.name for option in JUDGMENT_OPTIONS)


class AnalysisRefusedError(Exception):
    """These judgments cannot be analysed so; the words are for organisers."""


@dataclass(frozen=True, slots=True)
class AnalysisChoice:
    """A complete question: its kind, and all options, those of judgments among them."""

    kind: AnalysisKind
    options: Mapping[str, Any]

    @property
    def digest(self) -> str:
        """The same for the same question."""
        return values_digest({"kind": self.kind.name, "options": self.recorded})

    @property
    def recorded(self) -> dict[str, Any]:
        """The options as plain values."""
        return {
            name: list(value) if isinstance(value, tuple) else value
            for name, value in self.options.items()
        }


def analysis_choice(kind: str, given: Mapping[str, Any]) -> AnalysisChoice:
    """Complete a question.

    Raises
    ------
    OptionError
        If there is no such kind or option, or a value is not allowed.
    """
    found = analysis_named(kind)
    unknown = given.keys() - _JUDGMENTS - {option.name for option in found.options}
    for name in sorted(unknown):
        # Named with all that there are.
        completed([*found.options, *JUDGMENT_OPTIONS], {name: given[name]})
    of_judgments = {name: value for name, value in given.items() if name in _JUDGMENTS}
    others = {name: value for name, value in given.items() if name not in _JUDGMENTS}
    return AnalysisChoice(
        found, {**found.complete(others), **completed(JUDGMENT_OPTIONS, of_judgments)}
    )


def analysis_ask(
    *,
    task: Task,
    choice: AnalysisChoice,
    user: User | None = None,
    watermark: int | None = None,
    judgments: ChosenJudgments | None = None,
    is_queued: bool = True,
) -> Analysis:
    """Ask something of the judgments 1…`watermark` of a test set, all so far if it is not given.

    What was asked before and has an answer, or is being computed, is returned as it is. With `is_queued` a worker
    computes the answer; otherwise it is left to `analysis_compute`. With `judgments` those count, whatever the
    choice means now.

    Raises
    ------
    OptionError
        If the choice names what is not there, is not for the protocol of the task, or there is no judgment.
    """
    analysis_check(choice.kind, task)
    # Before the transaction, as rankings do.
    last = judgments_number(task_id=task.pk)
    watermark_check(watermark, last)
    beside = None if judgments else _one_beside(task, choice)
    others = None
    if judgments is None and choice.kind.needs_beside:
        others = {each.pk: judgments_number(task_id=each.pk) for each in other_tasks(task=task)}
    return _ask(
        task, choice, user, watermark or last, judgments, beside, others, is_queued=is_queued
    )


def _one_beside(task: Task, choice: AnalysisChoice) -> tuple[TaskBeside, ...] | None:
    """Return the other task that an option names, up to its last judgment; None for a kind without such an option."""
    if not choice.kind.beside:
        return None
    protocol = choice.options[choice.kind.beside]
    other = Task.objects.filter(test_set=task.test_set_id, protocol=protocol).first()
    if other is None or other == task:
        raise OptionError(
            _("This test set has no other task “%(name)s”.") % {"name": Protocol(protocol).label},
            field=choice.kind.beside,
        )
    return (TaskBeside(protocol=protocol, watermark=judgments_number(task_id=other.pk)),)


def analysis_check(kind: AnalysisKind, task: Task) -> None:
    """Raise OptionError if an analysis is not for tasks of this protocol."""
    known = analyses_of(task=task)
    if kind.name not in known:
        raise OptionError(
            _(
                "The analysis “%(name)s” is not for this protocol (%(protocol)s); there are: %(known)s."
            )
            % {
                "name": kind.name,
                "protocol": task.get_protocol_display(),
                "known": ", ".join(known),
            },
            field="kind",
        )


def watermark_check(watermark: int | None, last: int) -> None:
    """Raise OptionError if the judgments 1…`watermark`, or all, are not there."""
    if not last:
        raise OptionError(_("This test set has no judgment yet."), field="watermark")
    if watermark is not None and not 1 <= watermark <= last:
        raise OptionError(
            _("Judgments of this test set are numbered from 1 to %(last)d.") % {"last": last},
            field="watermark",
        )


@transaction.atomic
def _ask(
    task: Task,
    choice: AnalysisChoice,
    user: User | None,
    watermark: int,
    judgments: ChosenJudgments | None,
    beside: tuple[TaskBeside, ...] | None,
    others: Mapping[int, int] | None,
    *,
    is_queued: bool,
) -> Analysis:
    """Ask; `others` are the watermarks of the other tasks by primary key, where the kind looks at all of them."""
    chosen = judgments or judgments_chosen(
        task=task,
        options=choice.options,
        watermark=watermark,
        with_work=choice.kind.needs_work,
        with_remarks=choice.kind.needs_remarks,
        with_rule=choice.kind.shows_rule,
    )
    if others is not None:
        beside = tasks_beside(task=task, options=choice.options, watermarks=others)
    if beside is not None:
        chosen = replace(chosen, beside=beside)
    follows_from = {
        "choice": choice.recorded,
        "judgments": chosen.recorded,
        "watermark": watermark,
        "code_version": code_version(),
        "content_key_version": CONTENT_KEY_VERSION,
    }
    analysis, _is_new = Analysis.objects.get_or_create(
        task=task,
        digest=values_digest({"kind": choice.kind.name, **follows_from}),
        defaults={
            "kind": choice.kind.name,
            "choice_digest": choice.digest,
            "asked_by": user,
            **follows_from,
        },
    )
    if is_queued and analysis.finished_at is None:
        _queue(analysis, user)
    return analysis


def _queue(analysis: Analysis, user: User | None) -> None:
    """Have a worker compute an analysis, unless one is at it."""
    locked = Analysis.objects.select_for_update(no_key=True, of=("self",))
    found = locked.select_related("job", "task__test_set__campaign").get(pk=analysis.pk)
    if found.finished_at is not None or (found.job is not None and not found.job.has_ended):
        return
    kind = analysis_named(found.kind)
    found.job = analysis.job = job_queue(
        campaign=found.task.test_set.campaign,
        kind=JobKind.ANALYSIS,
        name=f"{kind.title}: {found.task.test_set.name}",
        parameters={"analysis": found.pk},
        user=user,
    )
    found.save(update_fields=["job"])
    # Pages of systems ask by themselves: what people asked is not deleted for that.
    alike = Analysis.objects.of(found.task_id).finished().order_by("-id")
    asked_by_pages = Q(kind=ONE_SYSTEM.name)
    oldest = alike.filter(asked_by_pages if found.kind == ONE_SYSTEM.name else ~asked_by_pages)[
        MOST_KEPT:
    ]
    Analysis.objects.filter(pk__in=list(oldest.values_list("pk", flat=True))).delete()


@dataclass(frozen=True, slots=True)
class _Untold:
    """Nobody watches."""

    def __call__(self, task: str) -> Progress:
        del task
        return lambda _done, _total: None


def analysis_compute(*, analysis: Analysis, begin: Any = None) -> Analysis:
    """Compute an analysis now, and store its answer.

    Raises
    ------
    AnalysisRefusedError
        If these judgments cannot be analysed so.
    """
    data, reports = analysis_reproduce(analysis, begin=begin)
    Analysis.objects.filter(pk=analysis.pk).update(data=data, reports=reports, finished_at=Now())
    analysis.refresh_from_db()
    return analysis


@transaction.atomic
def analysis_reproduce(
    analysis: Analysis, *, begin: Any = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the answer of an analysis, for programs and for people, computed from what it recorded.

    Raises
    ------
    AnalysisRefusedError
        If these judgments cannot be analysed so, or this code computes such analyses in another way.
    """
    if analysis.content_key_version != CONTENT_KEY_VERSION:
        raise AnalysisRefusedError(
            _("The analysis was of content keys of version %(its)s; this code has version %(own)s.")
            % {"its": analysis.content_key_version, "own": CONTENT_KEY_VERSION}
        )
    kind = analysis_named(analysis.kind)
    task, chosen = analysis.task, recorded_judgments(analysis.judgments)
    try:
        given = stored_input(
            task=task,
            watermark=analysis.watermark,
            chosen=chosen,
            languages=(task.test_set.source_language, task.test_set.target_language),
        )
        options = {
            option.name: option.read(analysis.choice[option.name]) for option in kind.options
        }
        if kind.needs_beside:
            tasks = tasks_read(task=task, watermark=analysis.watermark, chosen=chosen, given=given)
            given = replace(given, beside=tasks)
        if kind.read is not None:
            answers = kind.read(task, analysis.watermark, chosen, options)
            given = replace(given, answers=answers)
        found = kind.find(given, options, begin or _Untold())
    except ValueError as error:
        raise AnalysisRefusedError(str(error)) from error
    not_judged = _not_judged(given, chosen)
    reports, first = in_languages(
        lambda: _with_rule(
            _with_not_judged(kind.tell(given, options, found), not_judged), chosen.rule
        ),
        _LANGUAGES,
    )
    return plain(first.data), reports


def _not_judged(given: Input, chosen: ChosenJudgments) -> list[str]:
    """Return the systems that no judgment that counts is about, where a design chose some."""
    if not chosen.of_chosen_systems:
        return []
    blocks = given.read.blocks
    shown = np.unique(np.nonzero(blocks.candidates >= 0)[1]).tolist()
    return sorted(set(chosen.systems).difference(blocks.systems[column] for column in shown))


def _with_not_judged(report: Report, systems: Sequence[str]) -> Report:
    """Return a report that says which systems nothing is known of."""
    if not systems:
        return report
    words = _("Not judged: %(systems)s. Designs of this task are for chosen systems.")
    return replace(
        report,
        notes=[*report.notes, words % {"systems": ", ".join(systems)}],
        data={**report.data, "not_judged": list(systems)},
    )


def _with_rule(report: Report, state: RuleState | None) -> Report:
    """Return a report that says how far judging was by the stopping rule."""
    if state is None:
        return report
    return replace(
        report,
        notes=[*report.notes, *rule_notes(state)],
        data={**report.data, "stopping_rule": state.as_data},
    )


def analysis_job(job: Job, progress: JobProgress) -> dict[str, Any]:
    """Do a job that was queued for an analysis."""
    analysis = (
        Analysis.objects.select_related("task")
        .filter(pk=job.parameters["analysis"], finished_at__isnull=True)
        .first()
    )
    if analysis is None:  # deleted, or computed by a command meanwhile
        return {}

    def begin(task: str) -> Progress:
        del task
        return progress

    analysis_compute(analysis=analysis, begin=begin)
    return {"analysis": analysis.pk}


def is_being_computed(analysis: Analysis) -> bool:
    """Return whether an answer will come by itself."""
    return analysis.finished_at is None and analysis.job is not None and not analysis.job.has_ended


def values_digest(values: Mapping[str, Any]) -> str:
    """Return a digest of plain values."""
    text = json.dumps(values, sort_keys=True, ensure_ascii=True)
    return blake2b(text.encode(), digest_size=16, person=b"quintet-analysis").hexdigest()
