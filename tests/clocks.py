"""Clocks of processes that are wrong. The database's is right, and the only one that decides."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone


def set_process_clock(monkeypatch: pytest.MonkeyPatch, *, ahead_by: timedelta) -> None:
    """Let Django in this process read a clock that is wrong by so much; it may be behind."""
    monkeypatch.setattr(timezone, "now", lambda: datetime.now(UTC) + ahead_by)


def stop_process_clock(monkeypatch: pytest.MonkeyPatch, *, ahead_by: timedelta) -> None:
    """Let Django in this process read the same time from now on, however long the test takes."""
    stopped = datetime.now(UTC) + ahead_by
    monkeypatch.setattr(timezone, "now", lambda: stopped)
