"""The people a campaign needs in its new cell: accounts, second factors, sessions and API tokens."""

from collections.abc import Sequence
from typing import Any

from allauth.mfa.models import Authenticator
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import Model, QuerySet

from campaign.models import ApiToken, Session, User
from cells.campaign_rows import TABLES, campaign_rows, columns_of_users
from cells.tables import rows_copy, written


def people_of(campaign_id: int, source: BaseDatabaseWrapper) -> list[int]:
    """Return the ids of all users that rows of a campaign name."""
    found: set[int] = set()
    with source.cursor() as cursor:
        for model in TABLES:
            for column in columns_of_users(model):
                rows = campaign_rows(model, campaign_id).order_by().values_list(column).distinct()
                cursor.execute(written(source, rows))
                found.update(row[0] for row in cursor.fetchall() if row[0] is not None)
    return sorted(found)


def people_copy(
    source: BaseDatabaseWrapper, target: BaseDatabaseWrapper, ids: Sequence[int]
) -> dict[int, int]:
    """Copy these users to where they are not, with their tokens, second factors and sessions.

    Returns the users who are somebody else there, by their ids: who has an account with the same address is that
    account. Those sign in again, by a link or with the password they have there.
    """
    _missing_copy(source, target, User, User.objects.filter(pk__in=ids), _NEW_USERS)
    with target.cursor() as cursor:
        cursor.execute(
            "SELECT m.id, u.id FROM moved_campaign_user m"
            " JOIN campaign_user u ON lower(u.email) = lower(m.email) WHERE u.id <> m.id"
        )
        renamed: dict[int, int] = dict(cursor.fetchall())
    staying = [each for each in ids if each not in renamed]
    # Those of one campaign move with their campaign.
    tokens = ApiToken.objects.filter(user__in=staying, campaign=None)
    _missing_copy(source, target, ApiToken, tokens)
    # Or a password alone would sign them in there. What connects them with an identity provider is made anew.
    _missing_copy(source, target, Authenticator, Authenticator.objects.filter(user__in=staying))
    _missing_copy(source, target, Session, Session.objects.filter(user__in=staying))
    return renamed


_NEW_USERS = "NOT EXISTS (SELECT FROM campaign_user u WHERE lower(u.email) = lower(m.email))"


def _missing_copy(
    source: BaseDatabaseWrapper,
    target: BaseDatabaseWrapper,
    model: type[Model],
    rows: QuerySet[Any, Any],
    condition: str = "true",
) -> None:
    """Copy the rows whose keys are not there, by way of a table `moved_…` of this transaction."""
    fields = list(model._meta.concrete_fields)
    names = [str(field.column) for field in fields]
    table = model._meta.db_table
    listed = ", ".join(map(target.ops.quote_name, names))
    with target.cursor() as cursor:
        cursor.execute(f"CREATE TEMPORARY TABLE moved_{table} (LIKE {table}) ON COMMIT DROP")
    columns = rows.values_list(*(field.attname for field in fields))
    rows_copy(source, target, columns, f"moved_{table}", names)
    with target.cursor() as cursor:
        cursor.execute(
            f"INSERT INTO {table} ({listed}) SELECT {listed} FROM moved_{table} m"
            f" WHERE {condition} ON CONFLICT DO NOTHING"
        )
