"""Publish a result: draft it, freeze it at an address, and change its visibility."""

import json
import secrets
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

from django.db import transaction
from django.db.models.functions import Now
from django.utils.translation import gettext as _

from campaign.database.many_rows import named_lock
from campaign.models import Task, User
from campaign.services.campaigns import real_check
from campaign.texts.canonical_json import canonical, digest_of
from campaign.texts.time_zones import year_refusal
from ranking.models import PublishedResult, RankingRun
from ranking.reports.wording.published_content import PublishedContent
from ranking.selectors.analyses import kind_in_place_of_ranking
from ranking.selectors.published_results import next_version, systems_entered
from ranking.selectors.runs import latest_run
from ranking.services.kept_rankings import latest_ranking_keep
from ranking.services.published_results.bundles import database_now, result_bundle_ask
from ranking.services.published_results.content import (
    FrontMatter,
    PublishedFacts,
    PublishedVersion,
    published_content,
    published_facts,
    published_reasons,
)
from ranking.services.published_results.naming import (
    PublishingRefusedError,
    RankingChangedError,
    anonymous_check,
    hidden_names,
    labels_of,
    may_be_anonymous,
    published_letters,
    text_check,
    wordings_check,
)
from ranking.services.published_results.sections import (
    ChosenSections,
    frozen_answers,
    section_answer,
    sections_check,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultChoices:
    """Choices of the organisers for a version.

    Attributes
    ----------
    anonymous : collection of str
        Names of anonymous systems.
    front_matter : FrontMatter
    sections : ChosenSections
        Sections to include if available; nothing is computed for them.
    with_texts : bool
        Whether the bundle, which a worker creates, includes sources, references and outputs.
    """

    anonymous: Collection[str] = ()
    front_matter: FrontMatter = field(default_factory=FrontMatter)
    sections: ChosenSections = field(default_factory=ChosenSections)
    with_texts: bool = False


_USUAL: Final = ResultChoices()


@dataclass(frozen=True, slots=True)
class PublishedDraft:
    """A draft of a version that is not published yet.

    Attributes
    ----------
    content : mapping
        The content to publish.
    labels : mapping
        Published names of systems, by system ID.
    wordings : mapping
        Published replacements of reasons, by reason.
    fingerprint : str
        Fingerprint of the content, apart from the time of publication.
    """

    content: PublishedContent
    labels: Mapping[str, str]
    wordings: Mapping[str, str]
    fingerprint: str

    @property
    def published_at(self) -> datetime:
        """Time of publication, by the clock of the database."""
        return datetime.fromisoformat(self.content["published_at"])

    @property
    def version(self) -> int:
        """Number of the version."""
        return int(self.content["version"])


def published_draft(
    *,
    task: Task,
    choices: ResultChoices = _USUAL,
    run: RankingRun | None = None,
    facts: PublishedFacts | None = None,
) -> PublishedDraft:
    """Return a draft of a task's result as it would be published now; nothing is stored.

    Parameters
    ----------
    choices : ResultChoices
    run : RankingRun or None
        The ranking; by default the current one.
    facts : PublishedFacts or None
        Inputs of the content, if already read.

    Raises
    ------
    PublishingRefusedError
        If there is no ranking, in a rehearsal, for a change note without an earlier version, if a text
        names an anonymous system or team, for a rewording if its reason is not in the result or
        all systems are named, and for an unknown metric.
    """
    real_check(task.test_set.campaign, PublishingRefusedError)
    if facts:
        run = facts.run
    else:
        run = run or latest_run(task_id=task.pk)
    if run is None or not is_publishable(run):
        raise PublishingRefusedError(_nothing_to_publish(task))
    sections_check(choices.sections, task=task)
    anonymous = choices.anonymous
    front_matter = choices.front_matter
    facts = facts or published_facts(task=task, run=run)
    unknown = set(anonymous) - {
        system.name for system in facts.systems if may_be_anonymous(system)
    }
    if unknown:
        raise PublishingRefusedError(
            _("System “%(name)s” not found, or it cannot be anonymous.")
            % {"name": min(unknown)},
            field="anonymous",
        )
    before = list(PublishedResult.objects.filter(task=task).order_by("version"))
    version = before[-1].version + 1 if before else 1
    if front_matter.change_note and version == 1:
        raise PublishingRefusedError(
            _("The first version has no changes to describe."),
            field="change_note",
        )
    labels = labels_of(
        facts.systems,
        anonymous=anonymous,
        before=published_letters(before),
    )
    wordings_check(
        front_matter.wordings,
        published_reasons(facts),
        hides_a_name=any(name != label for name, label in labels.items()),
    )
    content = published_content(
        facts,
        labels=labels,
        front_matter=front_matter,
        version=PublishedVersion(
            number=version,
            published_at=database_now(),
            sections=frozen_answers(run, labels, choices.sections),
        ),
    )
    by_id = {str(system.pk): labels[system.name] for system in facts.systems}
    anonymous_check(content, hidden_names(facts.systems, by_id))
    # Use the number types of JSON readers: 1.0 is 1.
    content = json.loads(canonical(content))
    return PublishedDraft(
        content=content,
        labels=by_id,
        wordings=front_matter.wordings,
        fingerprint=digest_of({**content, "published_at": ""}),
    )


def is_publishable(run: RankingRun) -> bool:
    """Return whether a run ranks systems, or the analysis in place of a ranking has the answers to all its judgments."""
    return bool(run.result["systems"]) or section_answer("answers", run=run) is not None


def _nothing_to_publish(task: Task) -> str:
    if kind_in_place_of_ranking(task=task) is None:
        return _("No ranking to publish yet.")
    return _("The results of all judgments have not been computed yet.")


@transaction.atomic
def result_publish(
    *,
    task: Task,
    by: User | None,
    choices: ResultChoices = _USUAL,
    embargo_until: datetime | None = None,
    fingerprint: str = "",
    version: int | None = None,
) -> PublishedResult:
    """Publish the current ranking of a task as its next version.

    Parameters
    ----------
    by : User or None
        None for a command.
    choices : ResultChoices
    fingerprint : str
        Fingerprint of the previewed draft; empty without a preview.
    version : int or None
        Expected version number, so that a repeated request only publishes once; None for the next one.

    Raises
    ------
    PublishingRefusedError
        As for `published_draft`, and for an embargo in the past.
    RankingChangedError
        If the result or its version differs from the preview.

    Waits for a running ranking, and for a concurrent publication of the same task.
    """
    named_lock(f"publishing of test set {task.pk}")
    version_check(version, task=task)
    run = latest_ranking_keep(task_id=task.pk)
    draft = published_draft(task=task, choices=choices, run=run)
    if fingerprint and fingerprint != draft.fingerprint:
        raise RankingChangedError(
            _(
                "Not published: the result has changed since the preview. Check it again.",
            ),
        )
    embargo_check(embargo_until, now=draft.published_at)
    result = PublishedResult(
        task=task,
        version=draft.version,
        content=dict(draft.content),
        digest=digest_of(draft.content),
        labels=dict(draft.labels),
        wordings=dict(draft.wordings),
        run=run,
        published_at=draft.published_at,
        published_by=by,
        embargo_until=embargo_until,
    )
    result.save(force_insert=True)
    result_bundle_ask(result=result, with_texts=choices.with_texts, by=by)
    return result


def version_check(version: int | None, *, task: Task) -> None:
    """Raise `RankingChangedError` if the next version of a test set has another number."""
    following = next_version(task_id=task.pk)
    if version is not None and version != following:
        raise RankingChangedError(
            _("Not published: the next version is version %(version)s.")
            % {"version": following},
        )


def embargo_check(until: datetime | None, *, now: datetime) -> None:
    """Raise `PublishingRefusedError` for an embargo in the past or after the year 2999."""
    if until is None:
        return
    if until <= now:
        raise PublishingRefusedError(
            _("This date is in the past."),
            field="embargo_until",
        )
    if refusal := year_refusal(until):
        raise PublishingRefusedError(refusal, field="embargo_until")


@transaction.atomic
def result_embargo_change(*, result: PublishedResult, until: datetime | None) -> bool:
    """Set the end of the embargo of a result, None to end it now; return whether it changed.

    Raises `PublishingRefusedError` if the result is already public (retract it instead), or for a
    time in the past.
    """
    locked, now = _lock_result(result)
    if locked.embargo_until == until:
        return False
    if locked.embargo_until is None or locked.embargo_until <= now:
        raise PublishingRefusedError(
            _("This version is public. It can be retracted, but not made private."),
            field="embargo_until",
        )
    embargo_check(until, now=now)
    return _update_result(result, embargo_until=until)


@transaction.atomic
def result_reviewer_link_make(*, result: PublishedResult) -> str:
    """Return the token of the reviewer link; create it if there is none."""
    locked, _now = _lock_result(result)
    if not locked.reviewer_token:
        _update_result(result, reviewer_token=secrets.token_urlsafe(24))
    else:
        result.reviewer_token = locked.reviewer_token
    return str(result.reviewer_token)


@transaction.atomic
def result_reviewer_link_end(*, result: PublishedResult) -> bool:
    """Disable the reviewer link; return whether there was one."""
    locked, _now = _lock_result(result)
    if locked.reviewer_token is None:
        return False
    return _update_result(result, reviewer_token=None)


@transaction.atomic
def result_retract(*, result: PublishedResult, reason: str) -> bool:
    """Retract a result, which keeps its address and shows the reason. Return False if it was retracted already.

    Raises `PublishingRefusedError` without a reason, and for one that names an anonymous system.
    """
    message = reason.strip()
    if not message:
        raise PublishingRefusedError(_("Enter a reason."), field="retraction_reason")
    systems = systems_entered(task_id=result.task_id)
    text_check(message, hidden_names(systems, result.labels), field="retraction_reason")
    locked, now = _lock_result(result)
    if locked.retracted_at is not None:
        return False
    return _update_result(result, retracted_at=now, retraction_reason=message)


@transaction.atomic
def result_retraction_undo(*, result: PublishedResult) -> bool:
    """Undo a retraction; return whether there was one. The activity log keeps its reason."""
    locked, _now = _lock_result(result)
    if locked.retracted_at is None:
        return False
    return _update_result(result, retracted_at=None, retraction_reason="")


def _lock_result(result: PublishedResult) -> tuple[Any, datetime]:
    """Return the result, locked until the commit, and the time of the database."""
    rows = PublishedResult.objects.select_for_update(no_key=True).annotate(now=Now())
    locked: Any = rows.defer("content").get(pk=result.pk)
    return locked, locked.now


def _update_result(result: PublishedResult, **fields: Any) -> bool:
    PublishedResult.objects.filter(pk=result.pk).update(**fields)
    for name, value in fields.items():
        setattr(result, name, value)
    return True
