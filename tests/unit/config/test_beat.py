"""Beat can be asked whether it is at work."""

import time
from pathlib import Path
from unittest.mock import patch

import pytest
from celery.beat import Scheduler as CelerysScheduler

from config.beat import MOST_SECONDS, VARIABLE, Scheduler, main, seconds_since_look
from config.celery import app


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "beat"
    monkeypatch.setenv(VARIABLE, str(path))
    return path


def look() -> None:
    """Look at a schedule in which nothing is due."""
    scheduler = Scheduler(app=app, schedule={}, lazy=True)
    scheduler.schedule = {}
    scheduler.tick()


def test_reads_of_the_schedule_are_recorded(file: Path) -> None:
    assert main() == 1
    look()
    seconds = seconds_since_look(file)
    assert seconds is not None
    assert 0 <= seconds < MOST_SECONDS
    assert main() == 0
    assert [each.name for each in file.parent.iterdir()] == ["beat"]


def test_one_that_has_not_looked_for_a_minute_is_not_at_work(file: Path) -> None:
    file.write_text(str(time.monotonic() - MOST_SECONDS - 1))
    assert main() == 1


def test_the_machines_clock_is_not_asked(file: Path) -> None:
    with patch("time.time", return_value=0.0):
        look()
    assert main() == 0


def test_a_look_that_fails_is_not_noted(
    file: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(CelerysScheduler, "tick", lambda _self: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        Scheduler(app=app, schedule={}, lazy=True).tick()
    assert main() == 1


def test_without_a_file_nothing_is_written_and_nothing_can_be_said(
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    monkeypatch.chdir(tmp_path)
    look()
    assert not list(tmp_path.iterdir())
    assert main() == 2
