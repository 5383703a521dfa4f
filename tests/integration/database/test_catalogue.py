"""The tables that migrations make are kept, and tables of another version are told from them."""

import os
import subprocess
import sys

import pytest
from django.db import connection

from campaign.database.catalogue import Catalogue, catalogue_for
from config.metrics import TablesRefusedError, tables_require
from config.set_up import problem_after_migrate, problem_before
from tests.conftest import test_database_url as database_url
from tests.upgrades.frozen import digests, listed_digests

pytestmark = pytest.mark.usefixtures("as_owner", "db")

COMMAND = ("manage.py", "add_judge", "judge-1", "--campaign", "mine")
MIGRATE = ("manage.py", "migrate")
# Each as a version before 0.2.0 had it, or as somebody changes tables by hand.
CHANGES = {
    "ALTER TABLE campaign_campaign DROP COLUMN pay": "table campaign_campaign: column pay is missing",
    "ALTER TABLE campaign_campaign ADD tour boolean": "table campaign_campaign: column tour is not of this version",
    "ALTER TABLE campaign_campaign ALTER name DROP NOT NULL": "table campaign_campaign: column name differs",
    "ALTER TABLE annotation_judgment ALTER comment TYPE varchar(9)": "table annotation_judgment: column comment differs",
    "ALTER TABLE ranking_rankingrun ALTER code_version SET DEFAULT 1": "table ranking_rankingrun: column code_version differs",
    "ALTER TABLE campaign_campaign DROP CONSTRAINT campaign_lease_is_positive": (
        "table campaign_campaign: constraint campaign_lease_is_positive is missing"
    ),
    "ALTER TABLE campaign_campaign ADD CONSTRAINT named CHECK (name <> '')": (
        "table campaign_campaign: constraint named is not of this version"
    ),
    "DROP INDEX judgment_of_a_judge": "table annotation_judgment: index judgment_of_a_judge is missing",
    "CREATE UNIQUE INDEX only_one ON campaign_campaign (name)": (
        "table campaign_campaign: unique index only_one is not of this version"
    ),
    "DROP TABLE campaign_signincount": "table campaign_signincount is missing",
    "CREATE TABLE campaign_cell (id int)": "table campaign_cell is not of this version",
    "ALTER TABLE annotation_judgment DISABLE TRIGGER pgtrigger_judgment_append_only_4b2ba": (
        "table annotation_judgment: trigger pgtrigger_judgment_append_only_4b2ba differs"
    ),
    """CREATE OR REPLACE FUNCTION pgtrigger_judgment_append_only_4b2ba() RETURNS trigger LANGUAGE plpgsql
    AS 'BEGIN RETURN NULL; END'""": "table annotation_judgment: trigger pgtrigger_judgment_append_only_4b2ba differs",
    """CREATE TRIGGER pgtrigger_of_old AFTER UPDATE ON campaign_campaign FOR EACH ROW
    EXECUTE FUNCTION pgtrigger_judgment_append_only_4b2ba()""": "trigger pgtrigger_of_old is not of this version",
    "ALTER TABLE account_emailaddress DROP COLUMN verified": "table account_emailaddress: column verified is missing",
}  # fmt: skip
ADDED = (
    "CREATE INDEX mine ON annotation_judgment (submitted_at)",
    "CREATE STATISTICS campaign_statistics ON name, slug FROM campaign_campaign",
    "CREATE TABLE notes (id int PRIMARY KEY)",
    "CREATE VIEW campaign_names AS SELECT name FROM campaign_campaign",
    "GRANT SELECT ON campaign_campaign TO PUBLIC",
    "COMMENT ON TABLE campaign_campaign IS 'ours'",
    "ALTER TABLE annotation_judgment SET (autovacuum_vacuum_threshold = 5)",
    "ALTER TABLE annotation_judgment ALTER comment SET STATISTICS 500",
    """CREATE FUNCTION audited() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN NEW; END';
    CREATE TRIGGER audit BEFORE UPDATE ON campaign_campaign FOR EACH ROW EXECUTE FUNCTION audited()""",
)


def execute(statement: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statement)


def test_settings_of_the_server_are_no_change_of_tables() -> None:
    """Servers may be set to write definitions otherwise; every start was refused."""
    options = ("bytea_output=escape", "quote_all_identifiers=on", "DateStyle=German")
    program = (
        "import django; django.setup(); from config.metrics import tables_require; "
        "tables_require(); print('same')"
    )
    run = subprocess.run(
        [sys.executable, "-c", program],
        env={
            **os.environ,
            "DATABASE_URL": database_url(),
            "PGOPTIONS": " ".join(f"-c {option}" for option in options),
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.stdout == "same\n", run.stderr


def test_no_migration_was_edited_and_each_is_listed() -> None:
    assert digests() == listed_digests(), (
        "Migrations are never edited; `make migration-freeze` lists new ones."
    )


def test_migrations_make_the_tables_that_were_kept() -> None:
    found = Catalogue.of(connection)
    kept = catalogue_for(found.migrations)
    assert kept is not None, "Run `make migration-freeze`."
    assert kept.differences(found) == []
    # Libraries, too.
    assert (kept.migrations, kept.functions) == (found.migrations, found.functions)


@pytest.mark.parametrize("statement", CHANGES)
def test_other_tables_are_refused_by_name_before_anything_changes(
    statement: str,
) -> None:
    execute(statement)
    for arguments in (
        COMMAND,
        MIGRATE,
        ("manage.py", "check", "--database", "default"),
    ):
        assert CHANGES[statement] in (problem_before(arguments) or "")
    tables_require.cache_clear()
    with pytest.raises(TablesRefusedError, match="tables of another version"):
        tables_require()


@pytest.mark.parametrize("statement", ADDED)
def test_catalogue_ignores_additions_by_operators(statement: str) -> None:
    execute(statement)
    assert problem_before(COMMAND) is None


def test_tables_of_another_version_of_a_library_are_not_judged() -> None:
    execute(
        "INSERT INTO django_migrations (app, name, applied) VALUES ('account', '9999_new', now())",
    )
    execute("ALTER TABLE account_emailaddress ADD added_at timestamptz")
    assert problem_before(COMMAND) is None


def test_a_function_that_migrate_installs_is_asked_for() -> None:
    execute("DROP FUNCTION campaign_erase(bigint)")
    assert "Missing: campaign_erase(erased bigint). What to do: stop" in (
        problem_before(COMMAND) or ""
    )
    assert problem_before(MIGRATE) is None


def test_a_database_tells_who_migrated_it() -> None:
    assert problem_after_migrate() is None
    execute("ALTER TABLE campaign_campaign DROP COLUMN pay")
    assert "have been changed since Quintet" in (problem_before(COMMAND) or "")
    execute("COMMENT ON TABLE django_migrations IS 'Migrated by Quintet 9.8.7'")
    execute(
        "INSERT INTO django_migrations (app, name, applied) VALUES ('ranking', '9999_new', now())",
    )
    newer = problem_before(COMMAND) or ""
    assert "were made by Quintet 9.8.7, which is newer: ranking.9999_new" in newer
    assert newer in (problem_before(MIGRATE) or "")
