"""Clone a campaign: a new draft with the same instructions, rules and settings, optionally with texts and people.

Rows are copied inside the database by `INSERT … SELECT`, with one statement per table. Temporary tables map
old to new IDs, so that foreign keys stay within the clone.
`whole_campaigns.campaign_rows` lists the copied tables; tests/unit/whole_campaigns/test_cloning.py
gives the reasons for the others.
"""

import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.db.models import Field, ForeignKey, Model

from annotation import models as annotation
from campaign import models as campaign
from campaign.database.recording import RecordedModel, rows_created
from campaign.database.seeds import seed_draw
from campaign.models import Campaign, CampaignState, Judge, Membership, MembershipRole, User
from campaign.refusals import RefusedError
from campaign.services.credentials import judge_link_create
from campaign.services.rehearsals import rehearsal_words
from ranking import models as ranking
from whole_campaigns.campaign_rows import (
    CLONED,
    TABLES,
    Part,
    campaign_rows,
    columns,
    rows_taken,
)

#: Columns that are not copied, with their values in the clone in SQL.
INSTEAD: Final[Mapping[type[Model], Mapping[str, str]]] = {
    # Alerts must be enabled again for the clone.
    campaign.Membership: {"daily_alerts": "false"},
    campaign.Task: {"closed_at": "NULL"},
    campaign.Judge: dict.fromkeys(("blocks_asked", "joined_by_id", "joined_browser"), "NULL"),
    annotation.QualityRule: {"replaces_id": "NULL"},
    # In the clone, they precede the first judgment.
    ranking.RankingSettings: {"judgments": "0"},
    ranking.StoppingRule: {"after_judgments": "0"},
}
#: Columns of the campaign that are not copied.
NOT_OF_THE_DRAFT: Final = frozenset(
    {
        *("id", "slug", "name", "created_at", "state", "state_since", "state_before_bin"),
        *("closes_at", "rehearsal_of_id"),
    }
)
# Judges become new users, since a link of the clone must give access to nothing else.
_NEW_USERS: Final = """
    INSERT INTO campaign_user
        (id, password, last_login, email, name, language, is_active, is_staff, created_at)
    SELECT m.new, '!' || md5(random()::text), NULL, NULL, u.name, u.language, true, false, now()
    FROM cloned_campaign_user m JOIN campaign_user u ON u.id = m.old
"""


class CloneRefusedError(RefusedError):
    """The clone cannot be created; `field` names the invalid field."""


@dataclass(frozen=True, slots=True)
class Clone:
    """A new campaign, the number of copied rows by table, the time taken, and the links of its judges.

    Each link is the pseudonym of a judge and a token, which is stored nowhere.
    """

    campaign: Campaign
    rows: Mapping[str, int]
    seconds: float
    links: Sequence[tuple[str, str]]


@transaction.atomic
def campaign_clone(
    *,
    source: Campaign,
    slug: str,
    name: str,
    texts: bool,
    people: bool,
    by: User | None,
    is_rehearsal: bool = False,
) -> Clone:
    """Create a draft like a campaign, owned by `by`.

    Parameters
    ----------
    texts : bool
        Test sets with texts, systems, outputs, damaged references, training, designs and ranking settings.
    people : bool
        Members, and judges who are persons and still take part, without their work and with new links.
    is_rehearsal : bool
        Whether the draft is the rehearsal of the campaign.

    Raises `CloneRefusedError`, and creates nothing, if the name or short name is invalid or already taken.
    """
    begun = time.monotonic()
    parts = (
        {Part.ALWAYS} | ({Part.TEXTS} if texts else set()) | ({Part.PEOPLE} if people else set())
    )
    if source.rehearsal_of_id is not None:
        raise CloneRefusedError(rehearsal_words(), field="slug")
    draft = _draft(source, slug, name, rehearsal_of=source if is_rehearsal else None)
    copied: dict[str, int] = {}
    with connection.cursor() as cursor:
        cursor.execute("SET LOCAL statement_timeout = 0")
        for model in TABLES:
            if CLONED.get(model, {None}) <= parts:
                copied[model._meta.db_table] = _copy(cursor, model, source, draft, set(copied))
                if issubclass(model, RecordedModel):
                    rows_created(
                        model, list(campaign_rows(model, draft.pk).values_list("pk", flat=True))
                    )
        for table in [*copied, *(["campaign_user"] if people else [])]:
            cursor.execute(f"DROP TABLE cloned_{table}")
    links = []
    if by is not None:
        Membership.objects.update_or_create(
            campaign=draft, user=by, defaults={"role": MembershipRole.OWNER}
        )
        links = [
            (judge.pseudonym, judge_link_create(judge=judge, by=by)[1])
            for judge in draft.judges.select_related("user", "campaign").order_by("pseudonym")
        ]
    return Clone(draft, copied, time.monotonic() - begun, links)


def _draft(source: Campaign, slug: str, name: str, rehearsal_of: Campaign | None) -> Campaign:
    same = {
        field.attname: getattr(source, field.attname)
        for field in Campaign._meta.concrete_fields
        if field.attname not in NOT_OF_THE_DRAFT
    }
    draft = Campaign(
        **same,
        slug=slug,
        name=" ".join(name.split()),
        state=CampaignState.DRAFT,
        rehearsal_of=rehearsal_of,
    )
    try:
        draft.full_clean()
    except ValidationError as error:
        field, messages = next(iter(error.message_dict.items()))
        raise CloneRefusedError(" ".join(messages), field=field) from error
    draft.save(force_insert=True)
    return draft


def _copy(
    cursor: Any, model: type[Model], source: Campaign, draft: Campaign, mapped: set[str]
) -> int:
    """Copy the rows of a table; return their number. `mapped` are the tables copied before."""
    quote = connection.ops.quote_name
    table, key = model._meta.db_table, quote(str(model._meta.pk.column))
    rows = rows_taken(model, source.pk)
    if model is annotation.QualityRule and "campaign_task" not in mapped:
        rows = rows.filter(task=None)
    sql, parameters = rows.values_list("pk").query.sql_with_params()
    _map(cursor, table, key, cursor.mogrify(sql, parameters).decode())
    if model is Judge:
        of_judges = f"SELECT j.user_id FROM campaign_judge j JOIN cloned_{table} c ON c.old = j.id"
        _map(cursor, "campaign_user", '"id"', of_judges)
        cursor.execute(_NEW_USERS)
        mapped = mapped | {"campaign_user"}
    joins, values = [f"JOIN cloned_{table} m ON m.old = r.{key}"], []
    seeds = _new_seeds(source) if _has_own_seeds(model, draft) else ""
    for number, field in enumerate(columns(model)):
        if seeds and field.column == "seed":
            values.append(seeds)
            continue
        value, join = _value(model, field, number, draft, mapped)
        values.append(value)
        joins += join
    listed = ", ".join(quote(str(field.column)) for field in columns(model))
    cursor.execute(
        f"INSERT INTO {quote(table)} ({listed}) SELECT {', '.join(values)}"
        f" FROM {quote(table)} r {' '.join(joins)} ORDER BY m.new"
    )
    return int(cursor.rowcount)


def _has_own_seeds(model: type[Model], draft: Campaign) -> bool:
    """Return whether the rows get new seeds: all designs except in rehearsals, which are never published."""
    return model is annotation.Design and draft.rehearsal_of_id is None


def _new_seeds(source: Campaign) -> str:
    """Return new seeds for the designs of a campaign, in SQL; empty if it has none.

    Published bundles reveal seeds, which would make the draws of the clone predictable. Designs of a task with the
    same seed have the same seed again.
    """
    designs = annotation.Design.objects.filter(task__test_set__campaign=source)
    drawn: dict[tuple[int, int], int] = {}
    found = []
    for pk, task, seed in designs.values_list("pk", "task", "seed").iterator():
        new = drawn.setdefault((task, seed), seed_draw())
        found.append(f"WHEN {int(pk)} THEN {new}")
    return f"CASE r.id {' '.join(found)} END" if found else ""


def _map(cursor: Any, table: str, key: str, keys: str) -> None:
    """Assign a new ID to each old one, in the same order."""
    cursor.execute(
        f"CREATE TEMPORARY TABLE cloned_{table} ON COMMIT DROP AS"
        f" SELECT o.old, nextval(pg_get_serial_sequence('{table}', '{key.strip(chr(34))}')) AS new"
        f" FROM (SELECT old FROM ({keys}) k (old) ORDER BY old) o"
    )
    cursor.execute(f"ANALYZE cloned_{table}")


def _value(
    model: type[Model], field: "Field[Any, Any]", number: int, draft: Campaign, mapped: set[str]
) -> tuple[str, list[str]]:
    """Return the value of a column in the clone in SQL, and the joins it needs."""
    column = connection.ops.quote_name(str(field.column))
    instead = INSTEAD.get(model, {}).get(str(field.column))
    if instead is not None:
        return instead, []
    if field.primary_key:
        return "m.new", []
    if not isinstance(field, ForeignKey):
        return f"r.{column}", []
    if field.related_model is Campaign:
        return str(draft.pk), []
    of_user = field.related_model is User and model is not Judge
    if of_user:
        return f"r.{column}", []
    target = field.related_model._meta.db_table
    if target not in mapped:
        return "NULL", []
    kind = "LEFT JOIN" if field.null else "JOIN"
    return f"f{number}.new", [f"{kind} cloned_{target} f{number} ON f{number}.old = r.{column}"]
