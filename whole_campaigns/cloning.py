"""Clone a campaign: a new draft with the same instructions, rules and settings, optionally with texts and people.

Rows are copied table by table, parents first, so that foreign keys stay within the clone.
`whole_campaigns.campaign_rows` lists the copied tables; tests/unit/whole_campaigns/test_cloning.py
gives the reasons for the others.
"""

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import Field, ForeignKey, Model, QuerySet

from annotation import models as annotation
from campaign import models as campaign
from campaign.database.many_rows import rows_insert
from campaign.database.seeds import seed_draw
from campaign.models import (
    Campaign,
    CampaignState,
    Judge,
    Membership,
    MembershipRole,
    Task,
    User,
)
from campaign.services.campaigns import rehearsal_words
from campaign.services.judges import judge_link_create
from campaign.services.media import media_copy
from campaign.texts.joining import sentence_list
from campaign.texts.refusals import RefusedError
from protocols.spans.suggestions import suggestions_draw_again
from ranking import models as ranking
from whole_campaigns.campaign_rows import CLONED, TABLES, Part, columns, rows_taken

#: Columns that are not copied, with their values in the clone.
INSTEAD: Final[Mapping[type[Model], Mapping[str, Any]]] = {
    # Alerts must be enabled again for the clone.
    campaign.Membership: {"daily_alerts": False},
    campaign.Task: {"closed_at": None},
    campaign.Judge: {
        "blocks_asked": None,
        "joined_by_id": None,
        "joined_browser": None,
        "answers": {},
    },
    annotation.QualityRule: {"replaces_id": None},
    # In the clone, they precede the first judgment.
    ranking.RankingSettings: {"judgments": 0},
    ranking.StoppingRule: {"after_judgments": 0},
}
#: Columns of the campaign that are not copied.
NOT_OF_THE_DRAFT: Final = frozenset(
    {
        "id",
        "slug",
        "name",
        "created_at",
        "state",
        "state_since",
        "state_before_bin",
        "closes_at",
        "rehearsal_of_id",
    },
)
_AT_ONCE: Final = 1_000
#: New ID of each copied row by its old one, for each table.
_Ids = Mapping[type[Model], dict[int, int]]


class CloneRefusedError(RefusedError):
    """The clone cannot be created; `field` names the invalid field."""


@dataclass(frozen=True, slots=True)
class Clone:
    """A new campaign, the number of copied rows by table, the time taken, and the links of its judges.

    Each link is a judge and a token, which is stored nowhere.
    """

    campaign: Campaign
    rows: Mapping[str, int]
    seconds: float
    links: Sequence[tuple[Judge, str]]


@transaction.atomic
def campaign_clone(
    *,
    source: Campaign,
    slug: str,
    name: str,
    texts: bool,
    people: bool,
    by: User | None,
) -> Clone:
    """Create a draft like a campaign, owned by `by`.

    Parameters
    ----------
    texts : bool
        Test sets with texts, systems, outputs, damaged references, training, designs and ranking settings.
    people : bool
        Members, and judges who are persons and still take part, without their work and with new links.

    Raises `CloneRefusedError`, and creates nothing, if the name or short name is invalid or already taken.
    """
    begun = time.monotonic()
    parts = {Part.ALWAYS}
    if texts:
        parts.add(Part.TEXTS)
    if people:
        parts.add(Part.PEOPLE)
    draft = _draft(source, slug, name)
    rows = _copy(source, draft, parts)
    for task in Task.objects.filter(test_set__campaign=draft):
        suggestions_draw_again(task=task)
    links = []
    if by is not None:
        Membership.objects.update_or_create(
            campaign=draft,
            user=by,
            defaults={"role": MembershipRole.OWNER},
        )
        judges = draft.judges.select_related("user", "campaign")
        for judge in judges.order_by("pseudonym"):
            _link, token = judge_link_create(judge=judge, by=by)
            links.append((judge, token))
    return Clone(draft, rows, time.monotonic() - begun, links)


@transaction.atomic
def rehearsal_clone(*, source: Campaign, slug: str, name: str) -> Campaign:
    """Create and return a draft with the texts of a campaign, as its rehearsal. Raises as `campaign_clone`."""
    draft = _draft(source, slug, name)
    draft.rehearsal_of = source
    _copy(source, draft, {Part.ALWAYS, Part.TEXTS})
    return draft


def _copy(source: Campaign, draft: Campaign, parts: Set[Part]) -> dict[str, int]:
    """Save a draft, and copy the rows of these parts to it; return their number by table."""
    if source.rehearsal_of_id is not None:
        raise CloneRefusedError(rehearsal_words(), field="slug")
    _draft_save(draft)
    ids: dict[type[Model], dict[int, int]] = {}
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
    for model in TABLES:
        if CLONED.get(model, {None}) <= parts:
            ids[model] = _copy_rows(model, source, draft, ids)
    if Part.TEXTS in parts:
        media_copy(source=source, target=draft)
    return {model._meta.db_table: len(new) for model, new in ids.items()}


def _draft(source: Campaign, slug: str, name: str) -> Campaign:
    """Return an unsaved draft with the settings of a campaign."""
    draft = Campaign(slug=slug, name=" ".join(name.split()), state=CampaignState.DRAFT)
    for field in Campaign._meta.concrete_fields:
        if field.attname not in NOT_OF_THE_DRAFT:
            setattr(draft, field.attname, getattr(source, field.attname))
    return draft


def _draft_save(draft: Campaign) -> None:
    """Save a draft; raise `CloneRefusedError` if its name or short name is invalid."""
    try:
        draft.full_clean()
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise CloneRefusedError(sentence_list(messages), field=field) from error
    draft.save(force_insert=True)


def _copy_rows(
    model: type[Model],
    source: Campaign,
    draft: Campaign,
    ids: _Ids,
) -> dict[int, int]:
    """Copy the rows of a table; return their IDs. `ids` are those of the tables copied before.

    Rows that require one that is not copied are left out.
    """
    rows = rows_taken(model, source.pk)
    if model is annotation.QualityRule and campaign.Task not in ids:
        rows = rows.filter(task=None)
    if model is campaign.GroupMember:
        # Answers are not copied either.
        rows = rows.filter(question="")
    if model is Judge:
        ids = {**ids, User: _new_users(rows)}
    # Published bundles reveal seeds, which would make the draws of the clone predictable. Rehearsals are never
    # published. Designs of a task with the same seed have the same seed again.
    seeds: dict[tuple[int, int], int] = defaultdict(seed_draw)
    copies: dict[int, int] = {}
    for some in _row_batches(rows.iterator(_AT_ONCE)):
        old = []
        new = []
        for row in some:
            values = {}
            for field in columns(model):
                if not field.primary_key:
                    values[field.attname] = _value(row, field, draft, ids)
            if isinstance(row, annotation.Design) and draft.rehearsal_of_id is None:
                values["seed"] = seeds[row.task_id, row.seed]
            if _is_complete(model, values):
                old.append(row.pk)
                new.append(values)
        copies.update(zip(old, rows_insert(model, new), strict=True))
    return copies


def _row_batches(rows: Iterator[Any]) -> Iterator[list[Any]]:
    while some := list(islice(rows, _AT_ONCE)):
        yield some


def _is_complete(model: type[Model], values: Mapping[str, Any]) -> bool:
    """Return whether a row of the clone has all rows that it requires."""
    for field in columns(model):
        is_required = isinstance(field, ForeignKey) and not field.null
        if is_required and values[field.attname] is None:
            return False
    return True


def _new_users(judges: QuerySet[Any]) -> dict[int, int]:
    """Create users for judges, since a link of the clone must give access to nothing else."""
    old = list(User.objects.filter(judges__in=judges).order_by("pk").distinct())
    new = [User(name=user.name, language=user.language) for user in old]
    for user in new:
        user.set_unusable_password()
    User.objects.bulk_create(new)
    return {one.pk: other.pk for one, other in zip(old, new, strict=True)}


def _value(
    row: Model,
    field: "Field[Any, Any]",
    draft: Campaign,
    ids: _Ids,
) -> Any:
    """Return the value of a column in the clone."""
    value = getattr(row, field.attname)
    instead = INSTEAD.get(type(row), {})
    if field.attname in instead:
        return instead[field.attname]
    if not isinstance(field, ForeignKey):
        return value
    if field.related_model is Campaign:
        return draft.pk
    if field.related_model is User and User not in ids:
        return value
    return ids.get(field.related_model, {}).get(value)
