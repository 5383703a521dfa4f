"""Everything is killed at once, in the middle of something, and started again: the first attempt must work."""

import tempfile
import time
from contextlib import closing, suppress
from pathlib import Path

import psycopg2

from tests.faults.installation import Installation
from tests.faults.registry import fault
from tests.faults.stage import Needs, Stage
from tests.faults.whole_machine import disk_filled, migrations_beside

IMPORTING = """
SELECT count(*) > 0 FROM pg_stat_activity
WHERE state <> 'idle' AND pid <> pg_backend_pid() AND query LIKE '%campaign_output%'
"""
SLOW_MIGRATION = {
    "0001_column": "ALTER TABLE annotation_judgment ADD COLUMN cut smallint; SELECT pg_sleep(3)",
    "0002_away": "ALTER TABLE annotation_judgment DROP COLUMN cut",
}
MIGRATING = """
SELECT count(*) > 0 FROM pg_stat_activity WHERE wait_event = 'PgSleep'
"""
MIGRATIONS_BEFORE_CUT = 3


@fault("power-cut")
def power_cut(stage: Stage) -> None:
    """Kill everything at once, the supervisor included, and start again."""
    stage.installation.cut_power()
    stage.start_again()


@fault("power-cut-in-recovery")
def power_cut_in_recovery(stage: Stage) -> None:
    """Kill everything with much of PostgreSQL's log unread, and again while it recovers; then start."""
    megabytes = 20 if stage.short else 300
    with closing(
        psycopg2.connect(stage.installation.services["MIGRATION_DATABASE_URL"]),
    ) as owner:
        owner.autocommit = True
        with owner.cursor() as cursor:
            cursor.execute(
                "CREATE TABLE filler AS SELECT 0 AS number, '' AS words LIMIT 0",
            )
            cursor.execute("CREATE INDEX ON filler (md5(number::text))")
            cursor.execute(
                "INSERT INTO filler SELECT n, repeat('x', 100) FROM generate_series(1, %s) n",
                [megabytes * 4000],
            )
            stage.installation.cut_power()
    stage.installation.launch()
    time.sleep(2)
    stage.installation.cut_power()
    stage.start_again()
    waits = stage.installation.said.count("waiting for PostgreSQL")
    stage.notes.append(f"{waits} lines about the recovery")
    with closing(
        psycopg2.connect(stage.installation.services["MIGRATION_DATABASE_URL"]),
    ) as owner:
        owner.autocommit = True
        with owner.cursor() as cursor:
            cursor.execute("DROP TABLE filler")


@fault("power-cut-in-import", short=True)
def power_cut_in_import(stage: Stage) -> None:
    """Kill everything in the middle of an import; after the start, nothing of it is there, and it can be repeated."""
    slug = f"cut{stage.task}"
    with tempfile.TemporaryDirectory() as folder:
        path = _test_set(Path(folder), segments=2_000 if stage.short else 40_000)
        arguments = (
            *(
                "manage.py",
                "import_test_set",
                str(path),
                f"--campaign={slug}",
                "--name=cut",
            ),
            *("--create-campaign=Cut", "--source-language=en", "--target-language=de"),
        )
        with stage.installation.beside(*arguments) as importing:
            stage.until(
                lambda: stage.asks(IMPORTING),
                seconds=120,
                what="the import under way",
            )
            stage.installation.cut_power()
        if importing.returncode == 0:
            stage.notes.append("the import was faster")
        stage.start_again()
        is_absent = f"SELECT count(*) = 0 FROM campaign_campaign WHERE slug = '{slug}'"
        if importing.returncode != 0 and not stage.asks(is_absent):
            stage.failures.append("a part of the import is there")
        if importing.returncode != 0:
            stage.installation.run(*arguments)


def _test_set(folder: Path, *, segments: int) -> Path:
    path = folder / "cut.tsv"
    text = "the museum opens at nine and closes when the last visitor has gone home"
    with path.open("w", encoding="utf-8") as file:
        file.write("document\tsource\treference\tamber\tbirch\n")
        for number in range(segments):
            texts = "\t".join(f"{number} {which} {text}" for which in "srab")
            file.write(f"document {number // 50}\t{texts}\n")
    return path


@fault("power-cut-in-migration", short=True)
def power_cut_in_migration(stage: Stage) -> None:
    """Kill everything in the middle of a migration; after the start, the migration can be repeated."""
    app = f"cut_{stage.task}"
    with migrations_beside(app, SLOW_MIGRATION) as settings:
        with stage.installation.beside(
            "-m",
            "django",
            "migrate",
            app,
            environment=settings,
        ):
            stage.until(
                lambda: stage.asks(MIGRATING, as_owner=True),
                seconds=120,
                what="the migration under way",
            )
            stage.installation.cut_power()
        stage.start_again()
        stage.installation.program("-m", "django", "migrate", app, environment=settings)


@fault("power-cut-in-first-start")
def power_cut_in_first_start(stage: Stage) -> None:
    """Kill everything in the middle of the first start of another folder; the second start works."""
    with tempfile.TemporaryDirectory(prefix="quintet-faults-") as folder:
        path = Path(folder).resolve()
        path.chmod(0o711)
        path.joinpath("data").mkdir()
        first = Installation(path / "data")
        try:
            first.launch()
            stage.until(
                lambda: _migrations_applied(first) > MIGRATIONS_BEFORE_CUT,
                seconds=120,
                what="the tables being made",
            )
            first.cut_power()
            stage.start_again(first)
        finally:
            first.stop()


def _migrations_applied(installation: Installation) -> int:
    if "MIGRATION_DATABASE_URL" not in installation.services:
        return 0
    url = installation.services["MIGRATION_DATABASE_URL"]
    with (
        suppress(psycopg2.Error),
        closing(psycopg2.connect(url)) as owner,
        owner.cursor() as cursor,
    ):
        cursor.execute("SELECT count(*) FROM django_migrations")
        [count] = cursor.fetchone() or [0]
        return int(count)
    return 0


@fault("power-cut-on-full-disk", needs=Needs.SMALL_DISK)
def power_cut_on_full_disk(stage: Stage) -> None:
    """Kill everything when the disk is full; a start then says so, and works once there is space."""
    with disk_filled(stage):
        stage.last(10)
        stage.installation.cut_power()
        stage.installation.launch()
        code = stage.installation.await_end(seconds=60)
        stage.notes.append(f"on the full disk, a start ends with status {code}")
        if "Traceback" in stage.installation.said:
            stage.failures.append("a traceback")
        stage.installation.cut_power()
    stage.start_again()
