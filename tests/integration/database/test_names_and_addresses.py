"""Migration 0003 of campaigns on rows from before, in temporary tables that hide the real ones."""

from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from django.db import connection

pytestmark = pytest.mark.django_db

MIGRATION = import_module("campaign.migrations.0003_addresses_and_names")
TABLES = """
    CREATE TEMPORARY TABLE campaign_testset
        (id bigint, campaign_id bigint, name text, differs_only_in_case boolean DEFAULT false) ON COMMIT DROP;
    CREATE TEMPORARY TABLE campaign_judge
        (id bigint, campaign_id bigint, user_id bigint, address text DEFAULT '') ON COMMIT DROP;
    CREATE TEMPORARY TABLE campaign_mail
        (id bigint, campaign_id bigint, judge_id bigint, kind text DEFAULT 'judge', address text,
         created_by_id bigint, withdrawn_at timestamptz) ON COMMIT DROP;
"""


@pytest.fixture
def cursor() -> Iterator[Any]:
    with connection.cursor() as cursor:
        cursor.execute(TABLES)
        yield cursor
        cursor.execute("DROP TABLE campaign_testset, campaign_judge, campaign_mail")


def test_names_that_differ_only_in_case_are_kept(cursor: Any) -> None:
    cursor.execute(
        "INSERT INTO campaign_testset VALUES"
        " (1, 1, 'Museum'), (2, 1, 'museum'), (3, 1, 'MUSEUM'), (4, 2, 'museum'), (5, 1, 'harbour')",
    )
    cursor.execute(MIGRATION.DIFFERS_ONLY_IN_CASE)
    cursor.execute(
        "SELECT id, name FROM campaign_testset WHERE differs_only_in_case ORDER BY id",
    )
    assert cursor.fetchall() == [(2, "museum"), (3, "MUSEUM")]
    cursor.execute(
        "CREATE UNIQUE INDEX ON campaign_testset (campaign_id, lower(name))"
        " WHERE NOT differs_only_in_case",
    )


def test_judges_get_the_address_of_their_invitation(cursor: Any) -> None:
    cursor.execute(
        "INSERT INTO campaign_judge VALUES (1, 1, 11, ''), (2, 1, 12, 'given@example.org'),"
        " (3, 1, 13, ''), (4, 1, 14, ''), (5, 1, 15, ''), (6, 2, 16, ''), (7, 1, 17, '')",
    )
    cursor.execute(
        "INSERT INTO campaign_mail (id, judge_id, campaign_id, address, created_by_id, withdrawn_at) VALUES"
        " (1, 1, 1, 'old@example.org', 99, now()), (2, 1, 1, 'ada@example.org', NULL, NULL),"
        " (3, 2, 1, 'other@example.org', NULL, NULL),"
        # Withdrawn, and the address was invited again.
        " (4, 3, 1, 'Twice@example.org', 99, now()), (5, 4, 1, 'twice@example.org', 99, NULL),"
        # Requested by the judge.
        " (6, 5, 1, 'own@example.org', 15, NULL),"
        " (7, 6, 2, 'ada@example.org', 99, now()),"
        # Taken by another judge.
        " (8, 7, 1, 'GIVEN@example.org', 99, NULL)",
    )
    cursor.execute(MIGRATION.ADDRESSES_OF_JUDGES)
    cursor.execute("SELECT id, address FROM campaign_judge ORDER BY id")
    assert dict(cursor.fetchall()) == {
        1: "ada@example.org",
        2: "given@example.org",
        3: "",
        4: "twice@example.org",
        5: "",
        6: "ada@example.org",
        7: "",
    }
