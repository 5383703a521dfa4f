"""Wrong clocks of processes. Only the database's clock, which is right, matters."""

from datetime import UTC, datetime, timedelta

import pytest
from django.utils import timezone


def set_process_clock(monkeypatch: pytest.MonkeyPatch, *, ahead_by: timedelta) -> None:
    """Shift Django's clock in this process, forwards or backwards."""
    monkeypatch.setattr(timezone, "now", lambda: datetime.now(UTC) + ahead_by)


def stop_process_clock(monkeypatch: pytest.MonkeyPatch, *, ahead_by: timedelta) -> None:
    """Freeze Django's clock in this process."""
    stopped = datetime.now(UTC) + ahead_by
    monkeypatch.setattr(timezone, "now", lambda: stopped)
