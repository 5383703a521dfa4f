"""The application's role reads and writes rows, and nothing that would get it round the database's rules."""

import pgtrigger
import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import SystemCheckError
from django.db import DatabaseError, connection, transaction
from django.db.models import Model
from django.test import override_settings

from annotation.models import (
    Judgment,
    JudgmentNumber,
    ProblemReply,
    ProblemReport,
    QualityAction,
    Skip,
)
from campaign.database.roles import application_role_grant, protected_operations
from campaign.models import (
    Acceptance,
    ActivityEvent,
    ErasureRequest,
    Instructions,
)
from protocols.models import (
    ClosedComparison,
    EditingAnswer,
    QuizAnswer,
    RatingAnswer,
    Snippet,
    SpansAnswer,
    SystemSort,
    TwoOutputsAnswer,
)
from ranking.models import PublishedResult, RankingRun
from tests.conftest import APPLICATION
from tests.integration.constraints.judgments import revision
from tests.integration.constraints.worlds import small_task
from tests.roles import owner_cursor, owner_role

FORBIDDEN = {
    "truncates": "TRUNCATE campaign_browservisit",
    "switches triggers off": "ALTER TABLE annotation_judgment DISABLE TRIGGER ALL",
    "drops a trigger": "DROP FUNCTION _pgtrigger_should_ignore CASCADE",
    "replaces the way past triggers": (
        "CREATE OR REPLACE FUNCTION _pgtrigger_should_ignore(trigger_name name) RETURNS boolean "
        "AS 'SELECT true' LANGUAGE sql"
    ),
    "passes triggers as a replica": "SET session_replication_role = replica",
    "runs a program": "COPY campaign_user FROM PROGRAM 'true'",
    "reads a file of the server": "COPY campaign_user FROM '/etc/passwd'",
    "writes a file of the server": "COPY campaign_user TO '/tmp/users'",
    # What creating an extension takes, too; none but plpgsql is there to try.
    "creates a schema": "CREATE SCHEMA mine",
    "changes an extension": "ALTER EXTENSION plpgsql UPDATE",
    "creates a table": "CREATE TABLE mine (id int)",
    "changes a table": "ALTER TABLE annotation_judgment ADD COLUMN mine int",
    "drops a table": "DROP TABLE annotation_judgment",
    "creates a role": "CREATE ROLE mine",
    "becomes the owner": "SET ROLE {owner}",
    "forgets a migration": "DELETE FROM django_migrations",
    "changes a judgment": "UPDATE annotation_judgment SET comment = ''",
    "deletes a judgment": "DELETE FROM annotation_judgment",
    "becomes a superuser": "ALTER ROLE CURRENT_USER SUPERUSER",
    "ends other sessions": "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '{owner}'",
    "turns a sequence back": "SELECT setval(pg_get_serial_sequence('annotation_judgment', 'id'), 1)",
}


@pytest.mark.django_db
@pytest.mark.parametrize("statement", FORBIDDEN.values(), ids=FORBIDDEN)
def test_the_application_may_not(statement: str) -> None:
    with (
        owner_cursor(),  # somebody to end
        pytest.raises(DatabaseError) as refused,
        transaction.atomic(),
        connection.cursor() as cursor,
    ):
        cursor.execute(statement.format(owner=owner_role()["USER"]))
    assert refused.value.__cause__.pgcode == "42501"  # type: ignore[union-attr]  # insufficient_privilege


@pytest.mark.django_db
def test_the_setting_that_passes_triggers_does_nothing_for_the_application() -> None:
    create = revision()
    other = small_task(Judgment.objects.get().judge.campaign, name="other")
    with (
        pgtrigger.ignore(),
        pytest.raises(DatabaseError, match="does not belong to task"),
        transaction.atomic(),
    ):
        create(task=other)


#: Kept for good: what the application may not do to their rows.
KEPT: dict[type[Model], str] = {
    **dict.fromkeys((Judgment, JudgmentNumber, Skip), "UPDATE, DELETE"),
    **dict.fromkeys(
        (RatingAnswer, TwoOutputsAnswer, SpansAnswer, EditingAnswer),
        "UPDATE, DELETE",
    ),
    **dict.fromkeys((QuizAnswer, ClosedComparison), "UPDATE, DELETE"),
    **dict.fromkeys((ProblemReport, ProblemReply), "UPDATE, DELETE"),
    **dict.fromkeys((Acceptance, RankingRun), "UPDATE, DELETE"),
    **dict.fromkeys((ErasureRequest, PublishedResult, QualityAction), "DELETE"),
    **dict.fromkeys((ActivityEvent, Instructions), "UPDATE"),
    **dict.fromkeys((SystemSort, Snippet), "UPDATE"),
}


@pytest.mark.django_db
def test_every_append_only_table_is_withheld() -> None:
    withheld = protected_operations()
    assert set(KEPT.items()) - set(withheld) == set()
    with connection.cursor() as cursor:
        for model, operations in withheld:
            for operation in (*operations.split(", "), "TRUNCATE"):
                cursor.execute(
                    "SELECT has_table_privilege(%s, %s)",
                    [model._meta.db_table, operation],
                )
                assert cursor.fetchone() == (False,), (model, operation)


def _privileges() -> set[tuple[str, str]]:
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT table_name, privilege_type FROM information_schema.role_table_grants WHERE grantee = %s",
            [APPLICATION["USER"]],
        )
        return set(cursor.fetchall())


def test_granting_again_changes_nothing(as_owner: None, db: None) -> None:
    before = _privileges()
    application_role_grant(using="default")
    assert _privileges() == before
    assert len(before) > 40


@pytest.mark.django_db
def test_migrating_as_the_application_says_whose_address_is_missing() -> None:
    with pytest.raises(CommandError, match="MIGRATION_DATABASE_URL"):
        call_command("migrate", verbosity=0)


def test_a_role_that_does_not_exist_is_named(as_owner: None, db: None) -> None:
    with (
        override_settings(APPLICATION_ROLE="nobody_yet"),
        pytest.raises(CommandError, match="CREATE ROLE nobody_yet LOGIN"),
    ):
        call_command("migrate", verbosity=0)


@pytest.mark.django_db
def test_the_check_has_nothing_against_the_applications_role() -> None:
    call_command("check", "--fail-level=WARNING", "--database=default")


def test_the_check_warns_of_one_role_for_everything(as_owner: None, db: None) -> None:
    with (
        override_settings(APPLICATION_ROLE=connection.settings_dict["USER"]),
        pytest.raises(SystemCheckError, match=r"W001.*superuser"),
    ):
        call_command("check", "--fail-level=WARNING", "--database=default")
