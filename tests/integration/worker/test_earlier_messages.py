"""After an upgrade, messages of the version before still wait at the broker: they do no harm."""

from collections.abc import Callable
from pathlib import Path
from subprocess import Popen

import pytest
from celery import current_app

from annotation.services.notification import broker
from config.queues import RETIRED

pytestmark = pytest.mark.thorough


def test_a_worker_takes_messages_of_retired_tasks_without_an_error(
    start_worker: Callable[..., "Popen[bytes]"],
    eventually: Callable[[Callable[[], bool]], None],
    tmp_path: Path,
) -> None:
    for name in RETIRED:
        current_app.send_task(name, args=[1, 2], queue="shards", ignore_result=True)
    start_worker("shards")
    log = tmp_path / "worker.log"
    eventually(lambda: all(f"{name}[" in log.read_text() for name in RETIRED))
    eventually(lambda: broker().llen("shards") == 0)
    assert "ERROR" not in log.read_text()
