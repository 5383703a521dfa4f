"""Beat sends what is due by a clock that nobody sets, whatever the machine's clock says."""

import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace

import pytest
from celery.beat import ScheduleEntry, Service
from django.conf import settings

from config.celery import app

INTERVALS = {
    name: entry["schedule"].seconds
    for name, entry in settings.CELERY_BEAT_SCHEDULE.items()
}


class Clocks:
    """The two clocks of a machine: one that can be set, one that only goes on."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.wall, self.steady = datetime.now(UTC), time.monotonic()
        monkeypatch.setattr(
            "config.queues.time",
            SimpleNamespace(monotonic=lambda: self.steady),
        )
        # Beat starts with its process, which began long ago here.
        monkeypatch.setattr("config.queues._STARTED_MONOTONIC", self.steady)
        monkeypatch.setattr(app, "now", lambda: self.wall)

    def pass_seconds(self, seconds: float) -> None:
        self.steady += seconds
        self.wall += timedelta(seconds=seconds)


class Beat:
    """Celery's own scheduler on our schedule; what it would send is counted."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, clocks: Clocks) -> None:
        self._clocks = clocks
        self._sent: Counter[str] = Counter()
        scheduler = Service(app, scheduler_cls=app.conf.beat_scheduler).get_scheduler()
        monkeypatch.setattr(scheduler, "apply_entry", self._send)
        # Celery makes one on the first use, with a connection to the broker.
        monkeypatch.setitem(vars(scheduler), "producer", None)
        self._scheduler = scheduler

    def run(self, *, seconds: float) -> Counter[str]:
        """Let time go by a tenth of a second at a time; return what was sent."""
        self._sent.clear()
        for _tenth in range(round(seconds * 10)):
            while self._scheduler.tick() == 0:
                pass
            self._clocks.pass_seconds(0.1)
        return Counter(self._sent)

    def _send(self, entry: ScheduleEntry, **_options: object) -> None:
        self._sent[str(entry.name)] += 1


@pytest.fixture
def clocks(monkeypatch: pytest.MonkeyPatch) -> Clocks:
    return Clocks(monkeypatch)


@pytest.fixture
def beat(monkeypatch: pytest.MonkeyPatch, clocks: Clocks) -> Beat:
    return Beat(monkeypatch, clocks)


def test_everything_is_sent_once_at_the_start_or_ten_minutes_later(
    beat: Beat,
    clocks: Clocks,
) -> None:
    often = dict.fromkeys(
        [name for name, interval in INTERVALS.items() if interval < 600],
        1,
    )
    assert beat.run(seconds=0.5) == often
    clocks.pass_seconds(600)
    assert beat.run(seconds=0.5) == dict.fromkeys(INTERVALS, 1)


@pytest.mark.parametrize("hours", [-3, 0, 2])
def test_a_clock_that_is_set_changes_nothing(
    beat: Beat,
    clocks: Clocks,
    hours: int,
) -> None:
    beat.run(seconds=0.5)
    clocks.wall += timedelta(hours=hours)
    sent = beat.run(seconds=60)
    for name, interval in INTERVALS.items():
        assert abs(sent[name] - 60 // interval) <= 1, name
    assert sent["fill-pools"] >= 5
