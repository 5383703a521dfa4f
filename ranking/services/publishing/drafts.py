"""A result as it would be published now: worked out, and not stored."""

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils.translation import gettext as _

from campaign.models import Task
from campaign.services.rehearsals import real_check
from campaign.texts.canonical_json import canonical, digest_of
from ranking.models import PublishedResult, RankingRun
from ranking.selectors.analyses import kind_in_place_of_ranking
from ranking.selectors.runs import latest_run
from ranking.services.publishing.clock import database_now
from ranking.services.publishing.content import (
    PublishedFacts,
    PublishedWords,
    published_content,
    published_facts,
)
from ranking.services.publishing.firmness import frozen_firmness
from ranking.services.publishing.naming import hidden_names, labels_of, may_be_anonymous
from ranking.services.publishing.reasons import reasons_given, wordings_check
from ranking.services.publishing.refusals import PublishingRefusedError, anonymous_check
from ranking.services.publishing.self_agreement import frozen_self_agreement


@dataclass(frozen=True, slots=True)
class PublishedDraft:
    """A version that does not exist yet.

    Attributes
    ----------
    content : mapping
        As its readers would have it.
    labels : mapping
        What systems are called in it, by their ids.
    wordings : mapping
        What is published in place of which reason.
    seen : str
        Differs where something else would be published, the moment left aside.
    """

    content: Mapping[str, Any]
    labels: Mapping[str, str]
    wordings: Mapping[str, str]
    seen: str

    @property
    def published_at(self) -> datetime:
        """When it would be published, by the clock of the database."""
        return datetime.fromisoformat(self.content["published_at"])

    @property
    def version(self) -> int:
        """Its number."""
        return int(self.content["version"])

    @property
    def has_firmness(self) -> bool:
        """Whether it has how firm first place is."""
        return "firmness" in self.content["sections"]


def published_draft(
    *,
    task: Task,
    anonymous: Collection[str] = (),
    words: PublishedWords | None = None,
    run: RankingRun | None = None,
    facts: PublishedFacts | None = None,
    with_firmness: bool = True,
) -> PublishedDraft:
    """Return what would be published now of a test set; nothing is stored.

    Parameters
    ----------
    anonymous : collection of str
        Systems that are not to be named.
    run : RankingRun or None
        The ranking; None for the present one.
    facts : PublishedFacts or None
        What its content is made of, with the ranking, where that was read already.
    with_firmness : bool
        Whether it has how firm first place is, where that is known.

    Raises
    ------
    PublishingRefusedError
        If there is no ranking, of a rehearsal, for a change note without an earlier version, and
        where a text names a system or a team that is not to be named; for other words of a reason that is
        not in it, or where all systems are named.
    """
    real_check(task.test_set.campaign, PublishingRefusedError)
    run = facts.run if facts else run or latest_run(task_id=task.pk)
    if run is None or not run.result["systems"]:
        raise PublishingRefusedError(_nothing_to_publish(task))
    words = words or PublishedWords()
    facts = facts or published_facts(task=task, run=run)
    unknown = set(anonymous) - {each.name for each in facts.systems if may_be_anonymous(each)}
    if unknown:
        raise PublishingRefusedError(
            _("There is no system “%(name)s” that could stay anonymous.") % {"name": min(unknown)},
            field="anonymous",
        )
    before = list(PublishedResult.objects.of(task.pk).order_by("version"))
    version = before[-1].version + 1 if before else 1
    if words.change_note and version == 1:
        raise PublishingRefusedError(
            _("This is the first version: nothing has changed."), field="change_note"
        )
    labels = labels_of(facts.systems, anonymous=anonymous, before=_letters_given(before))
    wordings_check(
        words.wordings,
        reasons_given(settings=facts.settings, rules=facts.rules, left_out=facts.left_out),
        hides_a_name=any(name != label for name, label in labels.items()),
    )
    answers = {
        "firmness": frozen_firmness(run, labels) if with_firmness else None,
        "self_agreement": frozen_self_agreement(run),
    }
    content = published_content(
        facts,
        labels=labels,
        words=words,
        version=version,
        at=database_now(),
        sections={name: found for name, found in answers.items() if found is not None},
    )
    by_id = {str(each.pk): labels[each.name] for each in facts.systems}
    anonymous_check(content, hidden_names(facts.systems, by_id))
    # As everybody reads it: 1.0 is 1.
    content = json.loads(canonical(content))
    return PublishedDraft(
        content=content,
        labels=by_id,
        wordings=words.wordings,
        seen=digest_of({**content, "published_at": ""}),
    )


def _letters_given(before: Sequence[PublishedResult]) -> dict[str, str]:
    """Return the letters that earlier versions gave to systems, by id."""
    return {
        key: label
        for result in before
        for key, label in result.labels.items()
        if label in {each["system"] for each in result.content["systems"] if not each["is_named"]}
    }


def _nothing_to_publish(task: Task) -> str:
    if kind_in_place_of_ranking(task=task) is None:
        return _("There is no ranking yet: nothing can be published.")
    return _(
        "There is no ranking: judges of this task saw one output at a time. What is said of it can be taken as a "
        "file from the page of its analysis."
    )
