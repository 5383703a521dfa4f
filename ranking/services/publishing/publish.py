"""Publish a result: keep the ranking for good, freeze what is shown, give it an address."""

from collections.abc import Collection
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from campaign.database.transactions import named_lock
from campaign.models import Task, User
from campaign.texts.canonical_json import digest_of
from ranking.models import PublishedResult
from ranking.selectors.published_results import next_version
from ranking.services.latest_rankings import latest_ranking_keep
from ranking.services.publishing.bundles import result_bundle_ask
from ranking.services.publishing.content import PublishedWords
from ranking.services.publishing.drafts import published_draft
from ranking.services.publishing.refusals import PublishingRefusedError, RankingChangedError


@transaction.atomic
def result_publish(
    *,
    task: Task,
    by: User | None,
    anonymous: Collection[str] = (),
    words: PublishedWords | None = None,
    embargo_until: datetime | None = None,
    with_texts: bool = False,
    seen: str = "",
    version: int | None = None,
    with_firmness: bool = True,
) -> PublishedResult:
    """Publish the present ranking of a test set as its next version.

    Parameters
    ----------
    by : User or None
        None: a command.
    anonymous : collection of str
        Systems that are not to be named.
    with_texts : bool
        Whether sources, references and outputs are in its bundle, which a worker makes.
    seen : str
        Of the draft that was looked at; empty for whoever looks at none.
    version : int or None
        Which version it is to be: whoever asks twice publishes once. None: whichever is next.
    with_firmness : bool
        Whether it has how firm first place is, where that is known: nothing is computed here.

    Raises
    ------
    PublishingRefusedError
        As `published_draft` does, and for an embargo that is over.
    RankingChangedError
        If something else would be published than what was looked at, or as another version.

    Waits for a worker that is just ranking, and for whoever publishes the same test set.
    """
    named_lock(f"publishing of test set {task.pk}")
    version_check(version, task=task)
    run = latest_ranking_keep(task_id=task.pk)
    draft = published_draft(
        task=task,
        anonymous=anonymous,
        words=words,
        run=run,
        with_firmness=with_firmness,
    )
    if seen and seen != draft.seen:
        raise RankingChangedError(
            _("Nothing was published: the result has changed since you looked. Look again.")
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
    result_bundle_ask(result=result, with_texts=with_texts, by=by)
    return result


def version_check(version: int | None, *, task: Task) -> None:
    """Raise `RankingChangedError` if the next version of a test set is another one."""
    following = next_version(task_id=task.pk)
    if version is not None and version != following:
        raise RankingChangedError(
            _("Nothing was published: the next version is version %(version)s.")
            % {"version": following}
        )


def embargo_check(until: datetime | None, *, now: datetime) -> None:
    """Raise `PublishingRefusedError` for an embargo that is over."""
    if until is not None and until <= now:
        raise PublishingRefusedError(_("This moment is over."), field="embargo_until")
