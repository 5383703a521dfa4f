"""What we tell PostgreSQL's planner holds where it should, and nowhere else."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from uuid import uuid4

import pytest
from django.db import connection, transaction

from campaign.database.prepared import Statement
from tests.factories import make_campaign, make_task

pytestmark = pytest.mark.django_db(transaction=True)

T = TypeVar("T")


def on_a_new_connection(work: Callable[[], T]) -> T:
    """Return what `work` returns, done in a thread, which has a connection of its own."""

    def run() -> T:
        try:
            return work()
        finally:
            connection.close()

    with ThreadPoolExecutor(1) as pool:
        return pool.submit(run).result(timeout=60)


def setting(name: str) -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT current_setting(%s)", [name])
        value: str = cursor.fetchone()[0]
    return value


def execute(sql: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(sql)


def look_up() -> Statement:
    """Return a statement that no connection has prepared yet."""
    return Statement(
        f"look_up_{uuid4().hex}", "bigint", "SELECT id FROM annotation_hit WHERE id = $1"
    )


class TestPrepared:
    def test_plans_are_generic_although_the_first_of_a_connection_was_rolled_back(self) -> None:
        def work() -> str:
            with transaction.atomic():
                look_up().rows(0)
                transaction.set_rollback(True)
            look_up().rows(0)
            return setting("plan_cache_mode")

        assert on_a_new_connection(work) == "force_generic_plan"

    def test_a_statement_prepared_in_a_transaction_rolled_back_is_still_there(self) -> None:
        statement = look_up()

        def work() -> list[tuple[int]]:
            with transaction.atomic():
                statement.rows(0)
                transaction.set_rollback(True)
            return statement.rows(0)

        assert on_a_new_connection(work) == []

    @pytest.mark.parametrize("value", ["on", "off"])
    def test_preparing_leaves_what_a_transaction_has_set(self, value: str) -> None:
        def work() -> list[str]:
            with transaction.atomic():
                execute(f"SET LOCAL enable_seqscan = {value}; SET LOCAL enable_hashjoin = {value}")
                look_up().rows(0)
                found = [setting("enable_seqscan"), setting("enable_hashjoin")]
            return [*found, setting("enable_seqscan"), setting("enable_mergejoin")]

        assert on_a_new_connection(work) == [value, value, "on", "on"]

    def test_preparing_leaves_what_a_connection_has_set(self) -> None:
        def work() -> list[str]:
            execute("SET enable_seqscan = off")
            look_up().rows(0)
            with transaction.atomic():
                look_up().rows(0)
            return [setting("enable_seqscan"), setting("enable_bitmapscan")]

        assert on_a_new_connection(work) == ["off", "on"]

    @pytest.mark.parametrize("atomic", [True, False])
    def test_it_is_planned_as_for_large_tables_all_the_same(self, atomic: bool) -> None:
        """Of an empty table PostgreSQL would read the one page there is."""
        statement = look_up()

        def work() -> str:
            if atomic:
                with transaction.atomic():
                    statement.rows(0)
            else:
                statement.rows(0)
            with connection.cursor() as cursor:
                cursor.execute(f"EXPLAIN EXECUTE {statement.name} (0)")
                plan: str = cursor.fetchone()[0]
            return plan

        assert "Seq Scan" in _plan_of_the_same_unprepared()
        assert "Index" in on_a_new_connection(work)


def _plan_of_the_same_unprepared() -> str:
    """Return the plan PostgreSQL makes by itself, of a table of one page."""
    make_task(make_campaign("small"), planned=2)
    # Whatever pages other tests left behind.
    execute("VACUUM (FULL, ANALYZE) annotation_hit")
    with connection.cursor() as cursor:
        cursor.execute("EXPLAIN SELECT id FROM annotation_hit WHERE id = 0")
        plan: str = cursor.fetchone()[0]
    return plan
