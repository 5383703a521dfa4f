"""What we tell PostgreSQL's planner holds where it should, and nowhere else."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from uuid import uuid4

import pytest
from django.db import connection, transaction

from campaign.database.prepared import Statement

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
        return pool.submit(run).result()


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
