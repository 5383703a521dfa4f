"""An import after one that failed: statistics call the tables empty, the triggers must not care."""

from pathlib import Path

import pytest
from django.core.management import call_command
from django.db import connection, transaction

from annotation.models import Block, Judgment
from tests.factories import make_campaign

pytestmark = pytest.mark.thorough


BLOCKS = 1000
# A second when checked by key; with joins planned for empty tables it is minutes.
ENOUGH = "20s"


def five_way_csv(path: Path) -> Path:
    columns = ["srclang", "trglang", "srcIndex", "documentId", "segmentId", "judgeId"]
    columns += [f"system{i}{field}" for i in range(1, 6) for field in ("Number", "Id")]
    columns += [f"system{i}rank" for i in range(1, 6)]
    lines = [",".join(columns)]
    for number in range(1, BLOCKS + 1):
        systems = [f"{i},system-{i}" for i in range(1, 6)]
        cells = ["Czech", "English", str(number), "doc", str(number), "judge01", *systems]
        lines.append(",".join([*cells, "1", "2", "3", "4", "5"]))
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def judgments_import(path: Path) -> None:
    call_command(
        "import_judgments",
        str(path),
        campaign="museum",
        test_set="newstest",
        create_test_set=True,
        verbosity=0,
    )


@pytest.mark.django_db(transaction=True)
def test_an_import_after_a_rolled_back_one_is_as_fast(tmp_path: Path) -> None:
    make_campaign()
    path = five_way_csv(tmp_path / "judgments.csv")
    with transaction.atomic():
        judgments_import(path)
        transaction.set_rollback(True)
    # The next import comes over another connection, without plans from better times.
    connection.close()
    with connection.cursor() as cursor:
        # What autovacuum does by itself within a minute.
        cursor.execute("ANALYZE")
        cursor.execute("SELECT reltuples FROM pg_class WHERE relname = 'annotation_block'")
        assert cursor.fetchone() == (0,)
        cursor.execute("SELECT set_config('statement_timeout', %s, false)", [ENOUGH])
        try:
            judgments_import(path)
        finally:
            cursor.execute("RESET statement_timeout")
    assert Judgment.objects.count() == BLOCKS
    assert Block.objects.filter(outputs__len=5).count() == BLOCKS
