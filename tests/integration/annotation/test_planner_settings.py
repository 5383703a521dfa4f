"""What we tell PostgreSQL's planner holds where it should, and nowhere else."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar
from uuid import uuid4

import pytest
from django.db import connection, transaction

from annotation.models import HIT, Judgment
from annotation.selectors import assigned_blocks
from annotation.services import judgment_submit
from annotation.services.planning.blocks import hits_prepare
from campaign.database.copy import pgtrigger_ignore_preset
from campaign.database.prepared import Statement
from campaign.models import Protocol
from tests.at_work import lend
from tests.factories import make_campaign, make_judge, make_task
from tests.integration.protocols.every import EVERY_PROTOCOL, said_about
from tests.protocol_tasks import make_task_of_protocol

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


class TestLending:
    @pytest.mark.parametrize("value", ["on", "off"])
    @pytest.mark.parametrize("prepared", [True, False])
    def test_after_a_loan_the_connection_has_what_it_had(self, value: str, prepared: bool) -> None:
        task = make_task(make_campaign(), planned=2)
        judge = make_judge(task.test_set.campaign)
        if prepared:
            hits_prepare(task_id=task.pk, count=2)

        def work() -> str:
            execute(f"SET enable_seqscan = {value}")
            lend(judge)
            return setting("enable_seqscan")

        assert on_a_new_connection(work) == value

    @pytest.mark.parametrize("value", ["on", "off"])
    def test_preparing_blocks_leaves_what_its_transaction_has_set(self, value: str) -> None:
        task = make_task(make_campaign(), planned=2)

        def work() -> list[str]:
            with transaction.atomic():
                execute(f"SET LOCAL enable_seqscan = {value}")
                assert hits_prepare(task_id=task.pk, count=2) == 2
                found = [setting("enable_seqscan")]
            return [*found, setting("enable_seqscan")]

        assert on_a_new_connection(work) == [value, "on"]

    def test_triggers_that_a_transaction_ignores_stay_ignored(self) -> None:
        task = make_task(make_campaign(), planned=1)
        judge = make_judge(task.test_set.campaign)

        def work() -> list[str]:
            with transaction.atomic():
                execute("SET LOCAL pgtrigger.ignore = '{some_trigger}'")
                pgtrigger_ignore_preset()
                found = [setting("pgtrigger.ignore")]
                lend(judge)
                return [*found, setting("pgtrigger.ignore")]

        assert on_a_new_connection(work) == ["{some_trigger}"] * 2

    def test_what_the_commit_checks_is_looked_up_by_index(self) -> None:
        """Their plans stay with the connection, while tables grow that are small today."""
        task = make_task(make_campaign(), planned=2)
        judge = make_judge(task.test_set.campaign)
        assert HIT.objects.filter(blocks__isnull=True).count() == 2
        # What foreign keys of a block name.
        tables = ("annotation_block", "campaign_output", "campaign_segment")
        before = _scans(*tables)

        def work() -> None:
            lend(judge)
            execute("SELECT pg_stat_force_next_flush()")

        on_a_new_connection(work)
        assert _scans(*tables) == before


class TestJudging:
    @EVERY_PROTOCOL
    def test_what_the_commit_checks_is_looked_up_by_index(self, protocol: Protocol) -> None:
        """As for lending: a judgment names its assignment, and an answer its judgment."""
        task = make_task_of_protocol(protocol)
        first, block, *_others = assigned_blocks(lend(make_judge(task.test_set.campaign)))
        judgment_submit(assigned=first, client_id=uuid4(), **said_about(first))
        said = said_about(block)
        tables = ("annotation_assignment", "annotation_judgment")
        # Of tables of one page, by their statistics, PostgreSQL would read the page.
        execute(f"ANALYZE {', '.join(tables)}")
        before = _scans(*tables)

        def work() -> None:
            judgment_submit(assigned=block, client_id=uuid4(), **said)
            execute("SELECT pg_stat_force_next_flush()")

        on_a_new_connection(work)
        assert _scans(*tables) == before
        assert Judgment.objects.count() == 2

    @pytest.mark.parametrize("value", ["on", "off"])
    def test_after_a_judgment_the_connection_has_what_it_had(self, value: str) -> None:
        task = make_task(make_campaign(), planned=1)
        [block, *_others] = assigned_blocks(lend(make_judge(task.test_set.campaign)))

        def work() -> str:
            execute(f"SET enable_seqscan = {value}")
            judgment_submit(assigned=block, client_id=uuid4(), **said_about(block))
            return setting("enable_seqscan")

        assert on_a_new_connection(work) == value


def _scans(*tables: str) -> dict[str, int]:
    """Return how often tables were read whole so far."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_stat_force_next_flush()")
        cursor.execute(
            "SELECT relname, seq_scan FROM pg_stat_user_tables WHERE relname = ANY (%s)",
            [list(tables)],
        )
        return dict(cursor.fetchall())
